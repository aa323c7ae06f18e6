package publish

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
)

// Limits of the requests that readers try.
const (
	maxTries       = 8                // concurrent requests
	maxTryRequest  = 256 << 10        // bytes of the input of a reader
	maxTryResponse = 512 << 10        // bytes of a response that are shown
	tryTime        = 20 * time.Second // until the response is read completely
)

// tryAgent is the user agent of these requests.
const tryAgent = "Octavo (a reader tries an operation)"

// tryRequest is the request of a reader: an operation that the page describes, and its
// parameters.
type tryRequest struct {
	Spec   string `json:"spec"`
	Method string `json:"method"`
	Path   string `json:"path"`
	openapi.Values
}

// outcome is the response of the server of an API, as JSON, so that a browser never
// interprets its content.
type outcome struct {
	Status    int         `json:"status"`
	Headers   [][2]string `json:"headers"`
	Body      string      `json:"body"`
	Binary    bool        `json:"binary,omitempty"`    // the body is not text, and is omitted
	Truncated bool        `json:"truncated,omitempty"` // the body was longer
	Time      int64       `json:"time"`                // in milliseconds
}

// serveTry sends a request for a reader. The API description on the page determines the
// target. The request contains nothing of the reader but the values that they entered.
func (v *visit) serveTry(w http.ResponseWriter, r *http.Request, e *edition.Edition, id string) error {
	n, err := e.Page(v.Ctx, docs.PageID(id))
	if err != nil {
		return err
	}
	if n == nil || n.Type != docs.PageDocument || !v.CanTry() {
		return v.missing(w, r, e)
	}
	w.Header().Set("Cache-Control", "private, no-store")
	w.Header().Set("Content-Security-Policy", "sandbox")
	if r.Method != http.MethodPost {
		notAllowed(w)
		return nil
	}
	got, err := v.try(w, r, e, n)
	if kind := errs.KindOf(err); err != nil && kind != errs.Internal {
		return writeJSON(w, kind.Status(), map[string]string{"error": errs.Message(err)})
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, got)
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err = w.Write(b)
	return err
}

// try sends the request that a reader has filled in.
func (v *visit) try(w http.ResponseWriter, r *http.Request, e *edition.Edition, n *edition.Node) (out outcome, err error) {
	if r.UserAgent() == tryAgent { // the description names this server
		return out, errs.E(errs.Forbidden, "a request that a reader tries cannot try another one")
	}
	if err := v.h.protection.Check(r); err != nil {
		return out, errs.E(errs.Forbidden, "the form of another site was sent; open the page and try it there")
	}
	var asked tryRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxTryRequest)).Decode(&asked); err != nil {
		return out, errs.E(errs.Invalid, "the request is not JSON, or larger than %s", errs.Size(maxTryRequest))
	}
	o, err := v.Operation(e, n, asked.Spec, asked.Method, asked.Path)
	if err != nil {
		return out, err
	}
	call, err := o.Call(asked.Values)
	if err != nil {
		return out, errs.E(errs.Invalid, "%v", err)
	}
	done, err := v.h.calling.Enter(v.Ctx, string(v.Site.Org), 1)
	if err != nil {
		return out, err
	}
	defer done()
	return v.send(call, r.RemoteAddr)
}

// send sends a request and reads the response. The server itself answers requests to its own
// address for the reader at from, as if the reader had sent them.
func (v *visit) send(call openapi.Call, from string) (out outcome, err error) {
	req, err := http.NewRequestWithContext(v.Ctx, call.Method, call.URL, strings.NewReader(call.Body))
	if err != nil {
		return out, errs.E(errs.Invalid, "the values do not make an address")
	}
	if _, err := outbound.CheckURL(call.URL); err != nil {
		return out, err
	}
	req.Header.Set("Accept", "*/*")
	for _, h := range call.Headers {
		req.Header.Set(h[0], h[1])
	}
	req.Header.Set("User-Agent", tryAgent)
	req.RemoteAddr = from
	start := time.Now()
	res, err := v.h.caller.Do(req)
	if err != nil {
		return out, v.explainFailure(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxTryResponse+1))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return out, v.explainFailure(err)
	}
	out = outcome{Status: res.StatusCode, Time: time.Since(start).Milliseconds(), Headers: shownHeaders(res.Header)}
	if out.Truncated = len(body) > maxTryResponse; out.Truncated {
		body = wholeRunes(body[:maxTryResponse])
	}
	if out.Binary = !utf8.Valid(body) || strings.ContainsRune(string(body), 0); !out.Binary {
		out.Body = string(body)
	}
	return out, nil
}

// wholeRunes returns text without a character at its end that was cut off.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && len(b)-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// explainFailure returns an error for readers about a server that did not respond.
func (v *visit) explainFailure(err error) error {
	err = outbound.Explain(v.Ctx, err)
	if outbound.IsUnreachable(err) { // the hint about settings of the operator is not for readers
		return errs.E(errs.Invalid, "the server of the API cannot be called: its name is unknown, or its address is not a public one")
	}
	return err
}

// shownHeaders returns the headers of a response sorted by name, without cookies.
func shownHeaders(all http.Header) (out [][2]string) {
	for name, values := range all {
		if name == "Set-Cookie" || name == "Set-Cookie2" {
			continue
		}
		for _, value := range values {
			out = append(out, [2]string{name, strings.ToValidUTF8(value[:min(len(value), 1000)], "")})
		}
	}
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
	return out[:min(len(out), 100)]
}
