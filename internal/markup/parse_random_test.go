package markup

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sourcePieces are the parts of random sources: all marks of every syntax,
// complete and incomplete.
var sourcePieces = []string{
	"a", "b c", "Word", " ", "  ", "    ", "\t", "\n", "\n\n", "\r\n", "\\", "\\\n", "*", "**", "_", "__", "~", "~~", "`", "``", "```", "```js\n", "\n```\n",
	"~~~\n", "[", "]", "(", ")", "](x.md)", "[a](b.md)", "[a](<b c> \"t\")", "[a](b \"mention\")", "![a](b.png)", "![a](b.png \"cap\")", "!", "[^1]", "[^1]: note\n", "[^x]", "\n[^x]: note\n\n    more\n",
	"[r]: http://x.y\n", "[r]", "<", ">", "> ", "\n> ", "* ", "\n* ", "\n  * ", "- ", "+ ", "1. ", "\n1. ", "\n2) ", "* [ ] ", "* [x] ", "# ", "## ", "\n### ", "####### ", "\n---\n", "\n===\n", "***\n", "| a | b |\n", "| - | -: |\n", "|", "\n| c | `d\\|e` |\n",
	"&amp;", "&#x20;", "&copy;", "&", ";", ":dog:", ":", ":x_y:", "$", "$$", "$$a$$", "\n$$\n", "@", "a@b.co", "http://a.bc/d", "www.a.bc", "<http://a.b>", "{%", "%}",
	"{% hint style=\"info\" %}\n", "\n{% endhint %}\n", "{% tabs %}\n", "{% tab title=\"A\" %}\n", "\n{% endtab %}\n", "{% endtabs %}\n", "{% stepper %}\n{% step %}\n", "\n{% endstep %}\n{% endstepper %}\n",
	"{% code title=\"x\" %}\n", "\n{% endcode %}\n", "{% embed url=\"http://e.f\" %}\n", "{% endembed %}\n", "{% unknown %}\n", "{{< note \"", ">}}", "{{% /note %}}\n", "\n:::tip t\n", "\n:::\n", "\n{% endunknown %}\n", "{% if a %}", "{% endif %}", "{% include \"x.md\" %}\n", "{% content-ref url=\"p.md\" %}\n[p](p.md)\n{% endcontent-ref %}\n",
	"{% columns %}\n{% column width=\"50%\" %}\n", "\n{% endcolumn %}\n{% endcolumns %}\n", "{% @a/b c=\"d\" %}\n", "{% openapi-operation spec=\"s\" path=\"/\" method=\"get\" %}\n{% endopenapi-operation %}\n",
	"{% raw %}", "{% endraw %}", "\n{% raw %}\n", "\n{% endraw %}\n", "<ul><li>", "</li></ul>", "<li>", "</li>", "<ol start=\"2\" type=\"a\">", "</ol>", "| <ul><li>x</li></ul> | <li>y |\n",
	"{% api-method method=\"get\" path=\"/a\" %}\n", "{% api-method-summary %}\n", "\n{% endapi-method-summary %}\n", "{% api-method-parameter name=\"a\" required=true %}\n", "\n{% endapi-method-parameter %}\n", "\n{% endapi-method %}\n",
	"{% swagger path=\"/b\" %}\n{% swagger-response status=\"200\" description=\"d\" %}\n", "\n{% endswagger-response %}\n{% endswagger %}\n",
	"<details>\n", "<details open>\n\n", "<summary>S</summary>\n\n", "\n</details>\n", "<div data-full-width=\"true\">\n", "\n</div>\n", "<div>", "</div>", "<p align=\"center\">", "</p>", "<figure><img src=\"a.png\" alt=\"b\"></figure>", "<figure>", "</figure>", "<img src=\"a.png\">", "<img src=\"a\" data-size=\"line\">",
	"<table><thead><tr><th>A</th></tr></thead><tbody><tr><td>", "</td></tr></tbody></table>", "<table>", "</table>", "<pre><code>a\n<strong>b\n</strong></code></pre>", "<pre>", "<br>", "<kbd>", "</kbd>", "<sup>a</sup>", "<strong>", "</strong>", "<em>", "</em>", "<u>", "</u>", "<!--", "-->", "<mark style=\"color:red;\">", "</mark>",
	"<a href=\"x\">", "</a>", "<a href=\"x\" class=\"button primary\">B</a>", "<a href=\"#i\" id=\"i\"></a>", "<i class=\"fa-x\">:x:</i>", "<code class=\"expression\">", "</code>", "<code>", "<span data-gb-custom-inline data-tag=\"emoji\" data-code=\"1f600\">x</span>", "<script>", "</script>",
	"é", "\u00a0", "漢", "🐶", "“", "\x00", "\xff", "\v", "=", "-", "+", ".", "1", "#", "\"", "'", "{", "}", "/", "?",
}

func drawPieces(t *rapid.T) []byte {
	return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(sourcePieces), 0, 30).Draw(t, "pieces"), ""))
}

func TestLawsHoldForRandomSources(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		checkLaws(rapidTB{t, rt}, drawPieces(rt), Refs{})
	})
}

// rapidTB makes a failed check of a testing.TB fail a rapid test.
type rapidTB struct {
	testing.TB
	rt *rapid.T
}

func (r rapidTB) Helper()                           {}
func (r rapidTB) Fatalf(format string, args ...any) { r.rt.Fatalf(format, args...) }
func (r rapidTB) Fatal(args ...any)                 { r.rt.Fatal(args...) }
