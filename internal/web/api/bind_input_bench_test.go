package api

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/octavo-docs/octavo/internal/authz"
)

// pageEdit is the most frequent change: that of a page of 2 KB.
var pageEdit = []byte(`{"changes":[{"operation":"update_page","page":"page","document":{"markdown":"` +
	strings.Repeat(`A line of a page, with **emphasis** and a [link](page.md).\n`, 35) + `"}}]}`)

func BenchmarkReadInput(b *testing.B) {
	a := New(Config{Kernel: Settings{BaseURL: "http://test"}}, "secret")
	edit := a.ops[slices.IndexFunc(a.ops, func(o op) bool { return o.ID == "updateContent" })].in
	in := newInput(edit, &huma.Operation{MaxBodyBytes: maxBody}, a.huma.OpenAPI().Components.Schemas)
	caller := authz.NewContext(b.Context(), new(authz.Grant))
	for b.Loop() {
		r := httptest.NewRequestWithContext(caller, http.MethodPost, "/", bytes.NewReader(pageEdit))
		r.SetPathValue("spaceId", "space")
		if p := in.read(humago.NewContext(nil, r, httptest.NewRecorder()), reflect.New(edit).Elem()); p != nil {
			b.Fatal(p)
		}
	}
}
