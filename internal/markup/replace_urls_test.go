package markup

import (
	"strings"
	"testing"
)

// Addresses are replaced in all links and only there. The original document is
// not modified.
func TestReaddress(t *testing.T) {
	const src = "[a](x) and [**b**](y)\n\n{% hint style=\"info\" %}\n[c](x)\n{% endhint %}\n\n{% content-ref url=\"x\" %}\n[x](x)\n{% endcontent-ref %}\n\n" +
		"<a href=\"x\" class=\"button primary\">Go</a>\n\n![i](x)\n\n* one\n* [d](x)\n\n| h |\n| - |\n| [e](x) |\n"
	doc := Parse([]byte(src), Refs{})
	before := string(Print(doc, Refs{}))
	out := ReplaceURLs(doc, func(url string) (string, bool) { return "https://example.com/z", url == "x" })
	text := string(Print(out, Refs{}))
	if n := strings.Count(text, "https://example.com/z"); n != 8 || !strings.Contains(text, `src="x"`) || !strings.Contains(text, "](y)") {
		t.Errorf("%d times:\n%s", n, text)
	}
	if string(Print(doc, Refs{})) != before {
		t.Error("the document has changed")
	}
	if same := ReplaceURLs(doc, func(string) (string, bool) { return "", false }); same != doc {
		t.Error("nothing changes, and it is another document")
	}
}
