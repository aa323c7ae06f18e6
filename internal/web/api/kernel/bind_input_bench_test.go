package kernel_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/web/api"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

// pageEdit is the most frequent change: that of a page of 2 KB.
var pageEdit = []byte(`{"changes":[{"operation":"update_page","page":"page","document":{"markdown":"` +
	strings.Repeat(`A line of a page, with **emphasis** and a [link](page.md).\n`, 35) + `"}}]}`)

func BenchmarkReadInput(b *testing.B) {
	a := api.New(api.Config{Kernel: kernel.Config{BaseURL: "http://test"}}, "secret")
	read := a.ReadInput("updateContent")
	caller := authz.NewContext(b.Context(), new(authz.Grant))
	for b.Loop() {
		r := httptest.NewRequestWithContext(caller, http.MethodPost, "/", bytes.NewReader(pageEdit))
		r.SetPathValue("spaceId", "space")
		if err := read(humago.NewContext(nil, r, httptest.NewRecorder())); err != nil {
			b.Fatal(err)
		}
	}
}
