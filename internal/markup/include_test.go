package markup

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
)

// A page that is included as a whole is a reference to that page: it is found as
// a link is, follows the page when it moves, and is printed as the original tag.
func TestIncludeOfAPage(t *testing.T) {
	at := "/page.md"
	refs := Refs{
		Resolve: func(dest string, use Use) (docs.Ref, bool) {
			return docs.Ref{Kind: docs.RefPage, Page: "p1"}, use == UseLink && (dest == at || dest == "../page.md")
		},
		Locate: func(ref docs.Ref, use Use) (string, bool) { return at, ref.Page == "p1" && use == UseLink },
	}
	for _, dest := range []string{"/page.md", "../page.md"} {
		source := "a\n\n{% include \"" + dest + "\" %}\n"
		doc := Parse([]byte(source), refs)
		if n := doc.Nodes[1]; n.Type != "content-ref" || len(doc.Problems) > 0 {
			t.Fatalf("%s is a %s, %v", dest, n.Type, doc.Problems)
		}
		if found := References(doc); len(found) != 1 || found[0].Ref.Page != "p1" {
			t.Errorf("references: %v", found)
		}
		checkLaws(t, []byte(source), refs)
	}
	source := []byte("{% include \"/page.md\" %}\n")
	doc := Parse(source, refs)
	at = "/other.md"
	if got := string(Print(&Document{Nodes: doc.Nodes}, refs)); got != "{% include \"/other.md\" %}\n" {
		t.Errorf("after a move: %s", got)
	}
	if doc := Parse([]byte("{% include \"/gone.md\" %}\n"), refs); doc.Nodes[0].Type != "integration" || len(doc.Problems) != 0 { // whoever resolves it reports it
		t.Errorf("a page that does not exist: %s, %v", doc.Nodes[0].Type, doc.Problems)
	}
}
