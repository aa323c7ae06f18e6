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

// DefaultMaxBytes bounds a fetch without another limit.
const DefaultMaxBytes = 10 << 20

// Limits of one fetch.
type Limits struct {
	// MaxBytes of the body, after decompression. Zero is DefaultMaxBytes.
	MaxBytes int64
	// Timeout for everything, until the last byte was read. It is also what
	// ends a server that sends one byte after the other. Zero is 30 seconds.
	Timeout time.Duration
	// ContentTypes that the answer may have, without parameters. A type that
	// ends in "/" represents all below it, such as "image/". Empty is any.
	ContentTypes []string
	// Known is what the server returned about a document that the caller still has.
	// If that is what there is now, the answer is NotModified and has no body.
	Known Validators
}

// Validators are what a server says about a document, for conditional requests.
type Validators struct {
	ETag     string // header ETag, or ""
	Modified string // header Last-Modified, or ""
}

// maxValidator bounds a header that is stored and sent again.
const maxValidator = 512

// Response is what a fetch returns. Close the Body.
type Response struct {
	// Body ends with an error of kind errs.Invalid if it is longer or takes
	// longer than the limits allow, or if the server breaks off.
	Body io.ReadCloser
	// ContentType as the server says, in lower case and without parameters,
	// or "". It is a claim: look at the bytes before relying on it.
	ContentType string
	// Charset that the server says the text has, in lower case, or "".
	Charset string
	// Size in bytes, or -1 if the server does not say.
	Size int64
	// FinalURL is where the redirects ended.
	FinalURL string
	// Validators of the document.
	Validators Validators
	// NotModified reports that the document is the one that the caller has.
	NotModified bool
}

// Fetch gets a document. An answer other than 200 is an error. All errors are
// of kind errs.Invalid, with a message for people, but the end of ctx.
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
	// Asking for gzip ourselves keeps the transport from unpacking it, so
	// that the bytes on both sides can be counted.
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

// ask makes a request conditional.
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

// open checks the head of an answer.
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
	// What travels counts too: a stream of empty gzip members is endless and
	// unpacks to nothing.
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
			return nil, garbled(err)
		}
		out.Body = zip
	default:
		return nil, errs.E(errs.Invalid, "the server answered with a compression that was not asked for")
	}
	return out, nil
}

func tooLarge(limit int64) error {
	return errs.E(errs.Invalid, "the server's answer is larger than %d bytes", limit)
}

func garbled(err error) error {
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

// body counts what is read and stops at the limit.
type body struct {
	caller    context.Context // nil below another body
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
	// One byte more than is left distinguishes an end from an excess.
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
		err = garbled(err)
	}
	b.err = err
	return n, err
}

// Close frees the connection.
func (b *body) Close() error {
	if b.close == nil {
		return nil
	}
	return b.close()
}
