package html

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
)

// showsContent has the types without a form in HTML, with the reason.
var showsContent = map[string]string{
	"code-line": "the code writes its lines; one without code is its text",
}

func TestEveryTypeHasAFormInHTML(t *testing.T) {
	types := map[string]bool{}
	for _, typ := range markup.Types() {
		types[typ.Name] = true
		has := blockForms[typ.Name] != nil
		if typ.Inline {
			has = inlineForms[typ.Name] != nil
		}
		if has == (showsContent[typ.Name] != "") {
			t.Errorf("%s has a form in types.go (%t) or a reason in showsContent, not both and not neither", typ.Name, has)
		}
	}
	for name := range blockForms {
		if !types[name] {
			t.Errorf("%s has a form and is no type", name)
		}
	}
	for name := range inlineForms {
		if !types[name] {
			t.Errorf("%s has a form and is no type", name)
		}
	}
	for name := range showsContent {
		if !types[name] {
			t.Errorf("%s has a reason and is no type", name)
		}
	}
}
