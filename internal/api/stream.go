package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/octavo-docs/octavo/internal/authz"
)

// stream writes an answer itself: its headers and its bytes, in a form other
// than JSON. An error that it returns before it has written anything becomes
// the answer; after a later one the connection is closed.
type stream func(w http.ResponseWriter, r *http.Request) error

// registerStream is register for an operation that streams its answer.
func registerStream[I any](a *API, o op, h func(context.Context, *I) (stream, error)) {
	if len(o.Sends) == 0 {
		panic("operation " + o.ID + " does not say what it sends")
	}
	register(a, o, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		send, err := h(ctx, in)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			r, w := humago.Unwrap(hc)
			err := send(w, r)
			if err == nil {
				return
			}
			request := authz.FromContext(ctx).Actor.Request
			if written(w) { // whoever reads must not take a part for the whole
				a.answer(o, request, err)
				panic(http.ErrAbortHandler)
			}
			a.fail(w, o, request, err)
		}}, nil
	})
}

// declareStream describes an answer that is streamed.
func declareStream(d *huma.Operation, o op) {
	if len(o.Sends) == 0 {
		return
	}
	ok := &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{}}
	for _, kind := range o.Sends {
		schema := &huma.Schema{Type: huma.TypeString, Format: "binary"}
		switch {
		case kind == "application/json":
			schema = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
		case strings.HasPrefix(kind, "text/"):
			schema.Format = ""
		}
		ok.Content[kind] = &huma.MediaType{Schema: schema}
	}
	d.Responses["200"] = ok
}

// transferTime is how long sending or receiving a file may take: the file can
// be large and the connection slow.
const transferTime = 15 * time.Minute

// extendDeadlines grants a request more time than the server's default. Where
// that is not possible, the default stays.
func (a *API) extendDeadlines(w http.ResponseWriter, d time.Duration) {
	rc, until := http.NewResponseController(w), time.Now().Add(d)
	if err := errors.Join(rc.SetReadDeadline(until), rc.SetWriteDeadline(until)); err != nil {
		a.Log.Debug("the deadlines of a request could not be extended", "error", err)
	}
}
