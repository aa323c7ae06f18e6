package reading_test

import (
	"context"
	"errors"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
)

// page is a page in memory, without a store.
type page struct {
	source  string
	notes   map[string]string
	vars    docs.Variables
	failure error
	reads   int
}

func parse(source string) *markup.Document {
	return markup.Parse([]byte(source), markup.Refs{Resolve: func(dest string, use markup.Use) (docs.Ref, bool) {
		return docs.Ref{Kind: docs.RefReusable, ReusableContent: dest}, use == markup.UseInclude
	}})
}

func (p *page) Document(context.Context) (*markup.Document, error) { return parse(p.source), nil }

func (p *page) Include(_ context.Context, ref docs.Ref) (*markup.Document, bool, error) {
	p.reads++
	source, ok := p.notes[ref.ReusableContent]
	return parse(source), ok, p.failure
}

func (p *page) Environment(context.Context) (map[string]any, error) {
	return reading.Nobody.Environment(p.vars, nil), nil
}

func (p *page) Heading() string                                              { return "# Title" }
func (p *page) Source(context.Context, bool) ([]byte, error)                 { return []byte(p.source), nil }
func (p *page) SourceDocument(ctx context.Context) (*markup.Document, error) { return p.Document(ctx) }
func (p *page) Print(_ context.Context, doc *markup.Document, _ bool) ([]byte, error) {
	return markup.Print(doc, markup.Refs{Locate: func(ref docs.Ref, _ markup.Use) (string, bool) { return ref.ReusableContent, true }}), nil
}

func TestMarkdownInEveryForm(t *testing.T) {
	const (
		include = "{% include \"note.md\" %}\n"
		source  = "Version <code class=\"expression\">space.vars.version</code> for <code class=\"expression\">visitor.claims.name</code>.\n\n" + include
	)
	p := &page{source: source, notes: map[string]string{"note.md": "Keep dry.\n"}, vars: docs.Variables{"version": "7"}}
	for name, c := range map[string]struct {
		form reading.Form
		want string
	}{
		"as it is written": {reading.Form{}, "# Title\n\n" + source},
		"with includes":    {reading.Form{Includes: true}, "# Title\n\nVersion <code class=\"expression\">space.vars.version</code> for <code class=\"expression\">visitor.claims.name</code>.\n\nKeep dry.\n"},
		"evaluated":        {reading.Form{Evaluation: reading.EvaluateAll}, "# Title\n\nVersion 7 for .\n\n" + include},
		"deterministic": {
			reading.Form{Includes: true, Evaluation: reading.EvaluateDeterministic},
			"# Title\n\nVersion 7 for <code class=\"expression\">visitor.claims.name</code>.\n\nKeep dry.\n",
		},
	} {
		got, err := reading.Markdown(t.Context(), p, c.form, false)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
	empty, err := reading.Markdown(t.Context(), &page{}, reading.Form{}, false)
	if err != nil || empty != "# Title\n" {
		t.Errorf("an empty page: %q, %v", empty, err)
	}
}

func TestAReusableContentIsReadOnce(t *testing.T) {
	p := &page{source: "{% include \"note.md\" %}\n\n{% include \"note.md\" %}\n\n{% include \"absent.md\" %}\n", notes: map[string]string{"note.md": "Keep dry.\n"}}
	doc, err := reading.Document(t.Context(), p, reading.Form{Includes: true})
	if err != nil || len(doc.Nodes) != 3 || p.reads != 2 {
		t.Errorf("%d blocks after %d reads: %v", len(doc.Nodes), p.reads, err)
	}
	p.failure = errors.New("the database is down")
	if _, err := reading.Document(t.Context(), p, reading.Form{Includes: true}); !errors.Is(err, p.failure) {
		t.Errorf("a content that cannot be read: %v", err)
	}
}
