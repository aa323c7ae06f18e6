package markup

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testcpu"
)

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"attribute", "{% hint stlye=\"info\" %}\nx\n{% endhint %}", "1:9 {% hint %} has no attribute stlye; did you mean style?"},
		{"attribute in a quote", "> {% code linenumbers=\"true\" %}\n> ```\n> x\n> ```\n> {% endcode %}", "1:11 {% code %} has no attribute linenumbers; did you mean lineNumbers?"},
		{"attribute that is needed", "{% file scr=\"a.zip\" %}", "1:9 {% file %} has no attribute scr; did you mean src?"},
		{"attribute of another program", "{% embed url=\"https://a.example\" caption=\"x\" %}\n\n{% hint info %}\nx\n{% endhint %}", ""},
		{"details", "a\n\n<details>\n\n<summary>x</summary>\n\ntext\n", "3:1 <details> is not closed: put </details> behind what is in it"},
		{"details in details", "<details>\n\n<details>\n\nx\n\n</details>\n", "1:1 <details> is not closed: put </details> behind what is in it"},
		{"table", "* é\n\n  <table><tr><td>a</td></tr>\n", "3:3 <table> is not closed: put </table> behind what is in it"},
		{"figure", "<div><figure>\n<img src=\"x.png\">\n\ntext\n", "1:6 <figure> is not closed: put </figure> behind what is in it"},
		{"closed later", "<table>\n\n<tr><td>\n\na\n\n</td></tr>\n\n</table>\n\n<DETAILS>\n<summary>x</summary>\n</Details>\n", ""},
		{"closed in code only", "<details>\n\n```html\n</details>\n```\n", "1:1 <details> is not closed: put </details> behind what is in it"},
		{"not HTML", "`<table>`\n\n```html\n<details>\n```\n\n    <figure>\n\n<!-- <table> -->\n\n<!--\n<table>\n-->\n\nThe \\<table> element.\n\n<p title=\"<table>\">x</p>\n", ""},
		{"code", "a\n\n``````js\nx\n\n```\n", "3:1 the code has no end and goes on to the end of the page: put a line `````` behind it"},
		{"code without lines", "a\n\n~~~", "3:1 the code has no end and goes on to the end of the page: put a line ~~~ behind it"},
		{"code in a tag", "{% code title=\"x\" %}\n```js\nx\n{% endcode %}\n", "2:1 the code has no end and goes on to the end of the page: put a line ``` behind it"},
		{"closed code", "```js\nx\n```py\ny\n```\n\n* ~~~\n  a\n  ~~~\n\n> ```\n> x\n\ntext\n\n```\n```", ""},
		{"footnote", "é word[^1] and [^1] and [^2].\n\n[^2]: two\n", "1:7 there is no footnote [^1]: begin a line with [^1]: and its text"},
		{"named footnote", "a[^note] b[^other]\n\n[^note]: x\n", "1:11 there is no footnote [^other]: begin a line with [^other]: and its text"},
		{"no footnotes", "[^a-z] [^a-z]+ [^abcd]* [^1](x) `[^2]` \\[^3] [^4]: x\n\n[^note]: x\n\n<div>[^5]</div>\n\n```\n[^6]\n```\n", ""},
		{"patterns", "Use [^abc] and [^word].", ""},
		{"tag that is not closed", "{% hint style=\"info\" %}\nx\n", "1:1 {% hint %} is not closed: put {% endhint %} at the same depth; it is kept as it is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range Mistakes([]byte(c.source), Parse([]byte(c.source), Refs{})) {
				got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Message))
			}
			if s := strings.Join(got, "\n"); s != c.want {
				t.Errorf("got\n%s\nwant\n%s", s, c.want)
			}
		})
	}
}

func TestMistakesAreFoundInLinearTime(t *testing.T) {
	for _, piece := range []string{"<table>\n\n", "</table>\n\n<details>\n\n```\n</details>\n```\n\n", "[^1] [^2] [^abcd]\n\n[^x]: y\n\n", "```\n"} {
		testcpu.Linear(t, 400, func(n int) func() {
			source := []byte(strings.Repeat(piece, n))
			doc := Parse(source, Refs{})
			return func() { Mistakes(source, doc) }
		})
	}
}
