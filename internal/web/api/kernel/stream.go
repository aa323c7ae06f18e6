package kernel

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

// Stream writes the headers and the body of a response that is not JSON. If it returns an
// error before it has written anything, the error becomes the response. After a later
// error, the connection is closed.
type Stream func(w http.ResponseWriter, r *http.Request) error

// RegisterStream is like register for an operation that streams its response.
func RegisterStream[I any](k *Kernel, o Op, h func(context.Context, *I) (Stream, error)) {
	if len(o.Sends) == 0 {
		panic("operation " + o.ID + " does not say what it sends")
	}
	Register(k, o, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
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
			if written(w) { // the client must not take a part for the whole response
				k.requestProblem(o, request, err)
				panic(http.ErrAbortHandler)
			}
			k.fail(w, o, request, err)
		}}, nil
	})
}

// declareStream describes a streamed response.
func declareStream(d *huma.Operation, o Op) {
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

// TransferTime is how long the transfer of a file may take: the file can be large and the
// connection slow.
const TransferTime = 15 * time.Minute

// extendDeadlines sets the deadlines of a request to d from now. If that is not possible,
// the default of the server remains.
func (k *Kernel) extendDeadlines(w http.ResponseWriter, d time.Duration) {
	rc, until := http.NewResponseController(w), time.Now().Add(d)
	if err := errors.Join(rc.SetReadDeadline(until), rc.SetWriteDeadline(until)); err != nil {
		k.Log.Debug("the deadlines of a request could not be extended", "error", err)
	}
}
