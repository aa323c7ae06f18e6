package html

import (
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
)

// The values of attributes of raw HTML have a maximum length, in lines and in
// blocks.
func TestRawAttributesHaveABound(t *testing.T) {
	for name, longest := range map[string]int{"title": maxAttribute, "id": 256} {
		for _, form := range []string{"<a %=\"V\">x</a> y\n", "<div><a %=\"V\">x</a></div>\n"} {
			for _, n := range []int{longest, longest + 1} {
				value := strings.Repeat("ä", n)
				source := strings.NewReplacer("%", name, "V", value).Replace(form)
				var out strings.Builder
				if err := Write(&out, markup.Parse([]byte(source), markup.Refs{}), Options{}); err != nil {
					t.Fatal(err)
				}
				if got := strings.Contains(out.String(), value); got != (n == longest) {
					t.Errorf("%s of %d characters in %q: %v", name, n, form, got)
				}
			}
		}
	}
}
