package publish_test

import (
	"strings"
	"testing"
)

// A tag of a condition in code or in a raw block is text. A condition around a raw block
// hides it.
func TestLiteralTagsAreShown(t *testing.T) {
	w := newWorld(t)
	w.change = func(text string) string {
		return strings.Replace(text, "For everybody.", "Write {% raw %}{% if heron %}{% endraw %} and `{% if plover %}`.\n\n{% raw %}\n{% else %}\n{% endraw %}\n\n"+
			"{% if visitor.claims.unsigned.beta %}\n{% raw %}\n{% endif %}\n\nBittern.\n{% endraw %}\n{% endif %}\n\nFor everybody.", 1)
	}
	w.acme()
	for at, tag := range map[string]string{"": "<p>{% else %}</p>", "index.md": "\\{% else %}", "llms-full.txt": "\\{% else %}"} {
		_, body := w.get("https://acme.docs.test/" + at)
		for _, want := range []string{"{% if heron %}", "{% if plover %}", tag, "For everybody."} {
			if !strings.Contains(body, want) {
				t.Errorf("/%s misses %q:\n%s", at, want, body)
			}
		}
		if strings.Contains(body, "Bittern") {
			t.Errorf("/%s shows what a condition hides:\n%s", at, body)
		}
	}
}
