package outbound

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// DefaultMaxBytes is the default of Limits.MaxBytes.
const DefaultMaxBytes = 10 << 20

// Limits are the limits of one fetch.
type Limits struct {
	// MaxBytes is the maximum size of the body after decompression. Zero means DefaultMaxBytes.
	MaxBytes int64
	// Timeout limits the whole fetch, until the last byte was read. It also ends a connection on
	// which a server sends very slowly. Zero means 30 seconds.
	Timeout time.Duration
	// ContentTypes lists the accepted media types, without parameters. An entry that ends in "/",
	// such as "image/", matches all subtypes. If the list is empty, every type is accepted.
	ContentTypes []string
	// Known holds the validators of a copy that the caller has. If the document has not changed,
	// the response is NotModified and has no body.
	Known Validators
}

// Validators are the response headers that conditional requests use.
type Validators struct {
	ETag     string // header ETag, or ""
	Modified string // header Last-Modified, or ""
}

// maxValidator is the maximum length of a validator, which is stored and sent again.
const maxValidator = 512

// Response is the result of a fetch. The caller must close Body.
type Response struct {
	// Body returns an error of kind errs.Invalid if it exceeds the size or the time of the limits, or
	// if the connection breaks.
	Body io.ReadCloser
	// ContentType is the media type in the response, in lower case and without parameters, or "". It
	// is unverified: inspect the bytes before relying on it.
	ContentType string
	// Charset is the charset parameter of the Content-Type header, in lower case, or "".
	Charset string
	// Size is the size in bytes, or -1 if the response does not contain it.
	Size int64
	// FinalURL is the URL after all redirects.
	FinalURL string
	// Validators are the validators of the document.
	Validators Validators
	// NotModified reports that the document equals the caller's copy.
	NotModified bool
}

// Fetch requests a document. A status other than 200 is an error, except 304 for a conditional
// request. All errors are of kind errs.Invalid with a message for users, except the error of ctx.
func (p Policy) Fetch(ctx context.Context, rawURL string, l Limits) (*Response, error) {
	u, err := CheckURL(rawURL)
	if err != nil {
		return nil, err
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	if l.Timeout <= 0 {
		l.Timeout = defaultTimeout
	}
	transport := p.transport()
	transport.DisableKeepAlives = true
	client := &http.Client{Transport: guarded{transport}, CheckRedirect: checkRedirect(false)}

	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		cancel()
		return nil, bad("cannot be read")
	}
	// An explicit Accept-Encoding keeps the transport from decompressing, so that both the compressed
	// and the decompressed bytes can be counted.
	req.Header.Set("Accept-Encoding", "gzip")
	req.Header.Set("Accept", accept(l.ContentTypes))
	l.Known.ask(req.Header)
	resp, err := client.Do(req)
	if err != nil {
		cancel()
		return nil, Explain(caller, err)
	}
	out, err := l.open(resp)
	if err != nil {
		resp.Body.Close()
		cancel()
		return nil, err
	}
	out.Body = &body{caller: caller, r: out.Body, left: l.MaxBytes, max: l.MaxBytes, close: func() error {
		defer cancel()
		return resp.Body.Close()
	}}
	return out, nil
}

func accept(types []string) string {
	out := make([]string, 0, len(types)+1)
	for _, t := range types {
		if strings.HasSuffix(t, "/") {
			t += "*"
		}
		out = append(out, t)
	}
	return strings.Join(append(out, "*/*;q=0.1"), ", ")
}

// ask sets the headers of a conditional request.
func (v Validators) ask(h http.Header) {
	if v.ETag != "" {
		h.Set("If-None-Match", v.ETag)
	}
	if v.Modified != "" {
		h.Set("If-Modified-Since", v.Modified)
	}
}

func validatorsOf(h http.Header) (v Validators) {
	if tag := h.Get("ETag"); len(tag) <= maxValidator {
		v.ETag = tag
	}
	if at := h.Get("Last-Modified"); len(at) <= maxValidator {
		v.Modified = at
	}
	return v
}

// open checks the status and the headers of a response.
func (l Limits) open(resp *http.Response) (*Response, error) {
	if resp.StatusCode == http.StatusNotModified && l.Known != (Validators{}) {
		return &Response{Body: resp.Body, FinalURL: resp.Request.URL.String(), Validators: l.Known, NotModified: true}, nil
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errs.E(errs.Invalid, "the server answered with status %d instead of 200", resp.StatusCode)
	}
	out := &Response{Body: resp.Body, Size: -1, FinalURL: resp.Request.URL.String(), Validators: validatorsOf(resp.Header)}
	if t, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil {
		out.ContentType, out.Charset = t, strings.ToLower(params["charset"])
	}
	allowed := func(t string) bool {
		return t == out.ContentType || strings.HasSuffix(t, "/") && strings.HasPrefix(out.ContentType, t)
	}
	if len(l.ContentTypes) > 0 && !slices.ContainsFunc(l.ContentTypes, allowed) {
		return nil, errs.E(errs.Invalid, "the server answered with content of another type than %s", strings.Join(l.ContentTypes, ", "))
	}
	// The limit applies to the compressed bytes too: a stream of empty gzip members is endless and
	// decompresses to nothing.
	if resp.ContentLength > l.MaxBytes {
		return nil, tooLarge(l.MaxBytes)
	}
	switch strings.ToLower(strings.Join(resp.Header.Values("Content-Encoding"), ",")) {
	case "", "identity":
		out.Size = resp.ContentLength
	case "gzip", "x-gzip":
		packed := &body{r: resp.Body, left: l.MaxBytes, max: l.MaxBytes}
		zip, err := gzip.NewReader(packed)
		if err != nil {
			return nil, explainBody(err)
		}
		out.Body = zip
	default:
		return nil, errs.E(errs.Invalid, "the server answered with a compression that was not asked for")
	}
	return out, nil
}

func tooLarge(limit int64) error {
	return errs.E(errs.Invalid, "the server's answer is larger than %s", errs.Size(limit))
}

func explainBody(err error) error {
	var known *errs.Error
	if errors.As(err, &known) {
		return known
	}
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) {
		return &errs.Error{Kind: errs.Invalid, Message: "the server's answer is damaged", Err: err}
	}
	return explain(err)
}

// body limits the bytes that are read from r.
type body struct {
	caller    context.Context // nil for the reader of compressed bytes
	r         io.Reader
	left, max int64
	err       error
	close     func() error
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	// Reading one byte more than is left distinguishes the end of the body from an excess.
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if int64(n) > b.left {
		n, b.left = int(b.left), 0
		b.err = tooLarge(b.max)
		return n, b.err
	}
	b.left -= int64(n)
	switch {
	case err == nil || err == io.EOF:
	case b.caller != nil && b.caller.Err() != nil:
		err = b.caller.Err()
	default:
		err = explainBody(err)
	}
	b.err = err
	return n, err
}

// Close closes the response.
func (b *body) Close() error {
	if b.close == nil {
		return nil
	}
	return b.close()
}
