package wire

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Upload holds the request of an upload, whose body the handler reads.
type Upload struct {
	request *http.Request
	writer  http.ResponseWriter
}

// Resolve stores the request and its response writer.
func (u *Upload) Resolve(ctx huma.Context) []error {
	u.request, u.writer = humago.Unwrap(ctx)
	return nil
}

// HTTP returns the request and its response writer.
func (u *Upload) HTTP() (http.ResponseWriter, *http.Request) { return u.writer, u.request }
