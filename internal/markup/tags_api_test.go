package markup

import "testing"

// A response inside of a response is read; it does not make the page one raw block.
func TestResponseInsideOfResponse(t *testing.T) {
	src := []byte("{% swagger method=\"get\" path=\"/a\" %}\n{% swagger-response status=\"200\" %}\nouter\n\n" +
		"{% swagger-response status=\"400\" %}\ninner\n{% endswagger-response %}\n{% endswagger-response %}\n{% endswagger %}\n\nafter\n")
	doc := Parse(src, Refs{})
	if len(doc.Nodes) != 2 || doc.Nodes[1].Type != "paragraph" {
		t.Errorf("read as\n%s", outlineOf(doc.Nodes))
	}
	checkLaws(t, src, Refs{})
}
