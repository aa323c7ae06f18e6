package pdf

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// perPage returns the number of matches on each page that has any.
func (f *pdfFile) perPage(what string) (out []int) {
	re := regexp.MustCompile(what)
	for _, p := range f.pages() {
		if n := len(re.FindAllString(f.text(p), -1)); n > 0 {
			out = append(out, n)
		}
	}
	return out
}

// At any position of a page break, no line of a block is alone on a page.
func TestNoLineIsAlone(t *testing.T) {
	lines := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	for name, c := range map[string]struct{ block, line string }{
		"code":            {"```\n" + lines(12, "codeline%02d\n") + "```\n", `codeline`},
		"three lines":     {"```\n" + lines(3, "codeline%02d\n") + "```\n", `codeline`},
		"two lines":       {"```\n" + lines(2, "codeline%02d\n") + "```\n", `codeline`},
		"code in a tab":   {"{% tabs %}\n{% tab title=\"T\" %}\n```\n" + lines(12, "codeline%02d\n") + "```\n{% endtab %}\n{% endtabs %}\n", `codeline`},
		"code in columns": {"{% columns %}\n{% column %}\n" + strings.Repeat("Filler.\n\n", 20) + "```\n" + lines(12, "codeline%02d\n") + "```\n{% endcolumn %}\n\n{% column %}\nx\n{% endcolumn %}\n{% endcolumns %}\n", `codeline`},
		"heading":         {"## codeline\n\nafter codeline\n", `codeline`},
		"paragraph":       {lines(6, "codeline%d<br>") + "codeline\n", `codeline`},
		"list item":       {"* " + lines(6, "codeline%d<br>") + "codeline\n", `codeline`},
		"quote":           {"> " + lines(3, "codeline%d<br>") + "codeline\n", `codeline`},
	} {
		for before := 34; before < 56; before++ {
			f := page(strings.Repeat("Filler.\n\n", before) + c.block).write(t)
			for _, n := range f.perPage(c.line) {
				if n == 1 {
					t.Errorf("%s after %d: %v on pages", name, before, f.perPage(c.line))
				}
			}
		}
	}
}
