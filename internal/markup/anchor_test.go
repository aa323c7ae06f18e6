package markup

import (
	"strings"
	"testing"
)

func TestAnchorsHaveAForm(t *testing.T) {
	for s, want := range map[string]bool{
		"getting-started": true, "v1.2+beta_3": true, "größe": true, "e\u0301": true, "第一章": true, "½": true,
		"": false, "two words": false, "a#b": false, "a\"": false, "a\n": false, "a\xff": false, "😀": false,
		strings.Repeat("ä", maxAnchor): true, strings.Repeat("ä", maxAnchor+1): false,
	} {
		if got := isAnchor(s); got != want {
			t.Errorf("%.20q: %v, want %v", s, got, want)
		}
	}
}

// The values of attributes of raw HTML have a maximum length, in lines and in
// blocks.
func TestRawAttributesHaveABound(t *testing.T) {
	for name, longest := range map[string]int{"title": maxAttribute, "id": maxAnchor} {
		for _, form := range []string{"<a %=\"V\">x</a> y\n", "<div><a %=\"V\">x</a></div>\n"} {
			for _, n := range []int{longest, longest + 1} {
				value := strings.Repeat("ä", n)
				source := strings.NewReplacer("%", name, "V", value).Replace(form)
				var out strings.Builder
				if err := HTML(&out, Parse([]byte(source), Refs{}), HTMLOptions{}); err != nil {
					t.Fatal(err)
				}
				if got := strings.Contains(out.String(), value); got != (n == longest) {
					t.Errorf("%s of %d characters in %q: %v", name, n, form, got)
				}
			}
		}
	}
}
