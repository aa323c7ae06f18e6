package outbound

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Local is a transport for which one origin is this process: its requests are passed to Handler
// without a connection. So the server can be called at its own address although that address is
// private, and no other program on the machine can.
type Local struct {
	Base    *url.URL          // scheme and host of the origin
	Handler http.Handler      // answers requests to the origin, all of them
	Next    http.RoundTripper // sends all other requests; nil: there are no others
	Limit   int64             // bytes of a response after which the handler gets an error; 0: no limit
}

// RoundTrip implements http.RoundTripper. Unlike other transports, it passes RemoteAddr on: the
// handler answers the one for whom the request is sent.
func (l Local) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != l.Base.Scheme || !strings.EqualFold(r.URL.Host, l.Base.Host) {
		if l.Next == nil {
			return nil, errs.E(errs.Invalid, "only %s can be called", l.Base.Redacted())
		}
		return l.Next.RoundTrip(r)
	}
	in := r.Clone(r.Context())
	in.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	in.RequestURI, in.Host = in.URL.RequestURI(), l.Base.Host
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer in.Body.Close()
	out := &localResponse{header: http.Header{}, limit: l.Limit}
	resume := budget.Pause(r.Context()) // the handler takes turns of its own
	err := out.serve(l.Handler, in)
	if busy := resume(); err == nil {
		err = busy
	}
	if err == nil {
		err = r.Context().Err()
	}
	if err != nil {
		return nil, err
	}
	return out.response(r), nil
}

// CloseIdleConnections implements the interface that http.Client.CloseIdleConnections calls.
func (l Local) CloseIdleConnections() {
	if c, ok := l.Next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// localResponse collects the response of a handler.
type localResponse struct {
	header, sent http.Header
	status       int
	body         bytes.Buffer
	limit        int64
}

var errLongResponse = errors.New("the response is longer than what is read of it")

// serve calls the handler. A handler that gives up, as for a client that has left, is an error.
func (w *localResponse) serve(h http.Handler, r *http.Request) (err error) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler { //nolint:errorlint // a panic, not an error
			err = io.ErrUnexpectedEOF
		} else if p != nil {
			panic(p)
		}
	}()
	h.ServeHTTP(w, r)
	return nil
}

func (w *localResponse) Header() http.Header { return w.header }

func (w *localResponse) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK { // the ones before are not the response
		w.status, w.sent = status, w.header.Clone()
	}
}

func (w *localResponse) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if left := w.limit - int64(w.body.Len()); w.limit > 0 && int64(len(b)) > left {
		w.body.Write(b[:left])
		return int(left), errLongResponse
	}
	return w.body.Write(b)
}

// response returns what was collected.
func (w *localResponse) response(r *http.Request) *http.Response {
	w.WriteHeader(http.StatusOK) // if the handler wrote nothing
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}
}
