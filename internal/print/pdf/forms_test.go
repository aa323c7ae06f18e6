package pdf

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
)

// showsContent has the types without a form on paper, with the reason.
var showsContent = map[string]string{
	"list-item":    "the list lays out its items; one without a list is its blocks",
	"tabs-item":    "the tabs lay out their items; one without tabs is its blocks",
	"stepper-step": "the stepper lays out its steps; one without a stepper is its blocks",
	"column":       "the columns lay out each column; one without columns is its blocks",
	"code-line":    "the code lays out its lines; one without code is its text",
}

func TestEveryTypeHasAFormOnPaper(t *testing.T) {
	types := map[string]bool{}
	for _, typ := range markup.Types() {
		types[typ.Name] = true
		has := blockForms[typ.Name] != nil
		if typ.Inline {
			has = inlineForms[typ.Name] != nil
		}
		if has == (showsContent[typ.Name] != "") {
			t.Errorf("%s has a form in forms.go (%t) or a reason in showsContent, not both and not neither", typ.Name, has)
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
