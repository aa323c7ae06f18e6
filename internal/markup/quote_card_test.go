package markup

import "testing"

func TestQuoteCards(t *testing.T) {
	source := "{% quote-card title=\"On docs\" author=\"Ada\" %}\nWrite **first**.\n{% endquote-card %}\n"
	doc := Parse([]byte(source), Refs{})
	n := doc.Nodes[0]
	if n.Type != "quote-card" || n.Str(FieldTitle) != "On docs" || n.Str(FieldAuthor) != "Ada" || Text(n.Nodes) != "Write first." {
		t.Fatalf("%+v", n)
	}
	if got := string(Print(doc, Refs{})); got != source {
		t.Errorf("printed %q", got)
	}
}
