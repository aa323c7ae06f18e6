package revision_test

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// A mistake in the front matter of a page with a condition does not publish it.
func TestBrokenFrontMatterHidesThePage(t *testing.T) {
	for src, want := range map[string]string{
		"---\nif: visitor.claims.vip\ndescription: fine\n---\n# T\n":         "visitor.claims.vip",
		"---\nif: visitor.claims.vip\ndescription: Note: prices\n---\n# T\n": "false",
		"---\nif: visitor.claims.vip\n# T\n":                                 "false",
		"---\ndescription: Note: prices\n---\n# T\n":                         "before",
		"---\nif:\n---\n# T\n":                                               "",
		"# T\n":                                                              "before",
	} {
		p := docs.Page{Condition: "before"}
		revision.ApplyHead(markup.ParseHead([]byte(src)), &p)
		if p.Condition != want {
			t.Errorf("%q: condition %q, want %q", src, p.Condition, want)
		}
	}
}
