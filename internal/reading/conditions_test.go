package reading_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/reading"
)

// Content of a condition with malformed tags is not shown to anybody.
func TestStrayConditionsHoldForNobody(t *testing.T) {
	for name, src := range map[string]string{
		"no end":           "{% if C %}\n\nSECRET\n",
		"no end, far":      "{% if C %}\n\na\n\n* b\n\n> SECRET\n\n## SECRET\n",
		"dashes":           "{%- if C -%}\n\nSECRET\n\n{%- endif -%}\n\nPUBLIC\n",
		"upper case":       "{% IF C %}\n\nSECRET\n\n{% ENDIF %}\n\nPUBLIC\n",
		"mixed":            "{% if C %}\n\nSECRET\n\n{%- endif -%}\n\nPUBLIC\n",
		"no expression":    "{% if %}\nSECRET\n{% endif %}\n\nPUBLIC\n",
		"several lines":    "{% if\nC\n%}\nSECRET\n{% endif %}\n\nPUBLIC\n",
		"in a line":        "text {% if C %} SECRET {% endif %} tail\n\nPUBLIC\n",
		"over paragraphs":  "text {% if C %} a\n\nSECRET\n\n{% endif %}\n\nPUBLIC\n",
		"marks":            "text {% if *C* %} **SECRET** {% endif %}\n\nPUBLIC\n",
		"heading":          "## h {% if C %}SECRET{% endif %}\n\nPUBLIC\n",
		"table":            "| a |\n|---|\n| {% if C %}SECRET{% endif %} |\n\nPUBLIC\n",
		"column title":     "| {% if C %}SECRET{% endif %} |\n|---|\n| a |\n\nPUBLIC\n",
		"rows":             "| a |\n|---|\n{% if C %}\n| SECRET |\n{% endif %}\n\nPUBLIC\n",
		"HTML table":       "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>{% if C %}SECRET{% endif %}</td></tr></tbody></table>\n\nPUBLIC\n",
		"summary":          "<details><summary>{% if C %}SECRET{% endif %}</summary>\n\nx\n\n</details>\n\nPUBLIC\n",
		"details":          "<details><summary>s</summary>\n\nx {% if C %}\n\nSECRET\n\n</details>\n\nSECRET\n",
		"caption":          "<figure><img src=\"https://x.example/a.png\" alt=\"\"><figcaption>{% if C %}SECRET{% endif %}</figcaption></figure>\n\nPUBLIC\n",
		"HTML":             "<div class=\"x\">{% if C %}SECRET{% endif %}</div>\n\nPUBLIC\n",
		"over a hint":      "{% hint style=\"info\" %}\n{% if C %}\nSECRET\n{% endhint %}\nSECRET\n{% endif %}\n\nPUBLIC\n",
		"into a hint":      "{% if C %}\n{% hint style=\"info\" %}\nSECRET\n{% endif %}\nPUBLIC\n{% endhint %}\n",
		"around a tab":     "{% tabs %}\n{% if C %}\n{% tab title=\"x\" %}\nSECRET\n{% endtab %}\n{% endif %}\n{% endtabs %}\n\nPUBLIC\n",
		"around a step":    "{% stepper %}\n{% if C %}\n{% step %}\nSECRET\n{% endstep %}\n{% endif %}\n{% endstepper %}\n\nPUBLIC\n",
		"title of a tab":   "{% tabs %}\n{% tab title=\"{% if C %}SECRET\" %}\nx\n{% endtab %}\n{% endtabs %}\n",
		"else":             "{% if C %}\nSECRET\n{% else %}\nother\n{% endif %}\n\nPUBLIC\n",
		"else for others":  "{% if !C %}\nother\n{% else %}\nSECRET\n{% endif %}\n\nPUBLIC\n",
		"else in a hint":   "{% if !C %}\n{% hint style=\"info\" %}\na\n\n{% else %}\nSECRET\n{% endhint %}\nSECRET\n{% endif %}\n\nPUBLIC\n",
		"else if":          "{% if false %}\nx\n{% elseif C %}\nSECRET\n{% endif %}\n\nPUBLIC\n",
		"true, else if":    "{% if true %}\nx\n{% elseif C %}\nSECRET\n{% endif %}\n\nPUBLIC\n",
		"list":             "* a {% if C %}\n* SECRET\n* {% endif %}\n\nPUBLIC\n",
		"quote":            "> a {% if C %}\n>\n> SECRET\n\nSECRET\n",
		"nested, no end":   "{% if C %}\n{% if true %}\nSECRET\n{% endif %}\nSECRET\n",
		"annotation":       "a[^1]\n\n[^1]: {% if C %}SECRET{% endif %}\n\nPUBLIC\n",
		"deep hints":       strings.Repeat("{% hint style=\"info\" %}\n", 100) + "{% if C %}\nSECRET\n{% endif %}\n" + strings.Repeat("{% endhint %}\n", 100) + "\nPUBLIC\n",
		"deep conditions":  strings.Repeat("{% if true %}\n", 100) + "{% if C %}\nSECRET\n{% endif %}\n" + strings.Repeat("{% endif %}\n", 100) + "\nPUBLIC\n",
		"deep quotes":      strings.Repeat("> ", 100) + "{% if C %}\n" + strings.Repeat("> ", 100) + "SECRET\n" + strings.Repeat("> ", 100) + "{% endif %}\n",
		"hidden literal":   "{% if C %}\n{% raw %}\nSECRET {% endif %}\n\n{% endif %}\n{% endraw %}\n\nSECRET\n{% endif %}\n\nPUBLIC\n",
		"literal end":      "text {% if C %} {% raw %}{% endif %}{% endraw %}\n\nSECRET\n\n{% endif %}\n\nPUBLIC\n",
		"literal beside":   "{% raw %}{% if C %}{% endraw %} {% if C %} SECRET {% endif %}\n\nPUBLIC\n",
		"around a literal": "text {% if C %}\n\n{% raw %}\n{% endif %}\n\nSECRET\n{% endraw %}\n\nSECRET {% raw %}SECRET{% endraw %}\n\n{% endif %}\n\nPUBLIC\n",
		"open literal":     "{% raw %}\n\n{% if C %}\nSECRET\n\nPUBLIK\n",
		"open in a line":   "a {% raw %} {% if C %} SECRET\n\nSECRET {% endraw %}\n",
		"end elsewhere":    "{% raw %}\n* {% endraw %}\n\ntext {% if C %} SECRET\n\n{% endif %}\n{% endraw %}\n\nPUBLIC\n",
		"end in a quote":   "{% raw %}\n\n> {% endraw %}\n\ntext {% if C %}\n\nSECRET\n\n{% endraw %}\n",
		"over a literal":   "{% raw %}\n{% if C %}\n{% endraw %}\nSECRET {% if C %} SECRET\n\n{% endif %}\n\nPUBLIC\n",
		"in an attribute":  "{% tabs %}\n{% tab title=\"{% raw %}{% if C %}{% endraw %}SECRET\" %}\nx\n{% endtab %}\n{% endtabs %}\n",
		"in HTML":          "<div class=\"x\">{% raw %}{% if C %}SECRET{% endif %}{% endraw %}</div>\n\nPUBLIC\n",
		"in a comment":     "<!-- {% raw %} -->\n\n{% if C %}\nSECRET\n{% endif %}\n\n<!-- {% endraw %} -->\n\nPUBLIC\n",
		"in code":          "`{% raw %}`\n\ntext {% if C %}\n\nSECRET\n\n{% endif %}\n\n`{% endraw %}`\n\nPUBLIC\n",
		"in a fence":       "```\n{% raw %}\n```\n\ntext {% if C %}\n\nSECRET\n\n{% endif %}\n\n{% endraw %}\n\nPUBLIC\n",
		"dashed literal":   "{%- raw -%}\n\n{% if C %}\nSECRET\n{% endif %}\n\n{%- endraw -%}\n\nPUBLIC\n",
		"deep, SECRET out": strings.Repeat("> ", 100) + "{% if C %}\n\nSECRET\n",
	} {
		checkStray(t, name, src)
	}
}

// Tags in code and in raw blocks are not conditions. A document without conditions does not
// change.
func TestConditionsInCodeAndLiteralsAreShown(t *testing.T) {
	for _, src := range []string{
		"```\n{% if C %}\n```\n\nPUBLIC\n",
		"    {% if C %}\n\nPUBLIC\n",
		"`{% if C %}` PUBLIC\n\nPUBLIC\n",
		"* a\n\n  ```\n  {% else %}\n  ```\n\nPUBLIC\n",
		"| a |\n|---|\n| `{% if C %}` |\n\nPUBLIC\n",
		"{% raw %}\n{% if C %}\nPUBLIC\n\n{% else %}\n\n* {% endif %}\n\n> {% if C %}\n\n## {% if C %}\n{% endraw %}\n\nPUBLIC\n",
		"a {% raw %}{% if C %}{% endraw %} b {% raw %}{% else %}{% endraw %} PUBLIC\n\nPUBLIC\n",
		"a **{% raw %}{% if C %}{% endraw %}** [{% raw %}{% if C %}{% endraw %}](https://x.example)\n\nPUBLIC\n",
		"## a {% raw %}{% if C %}{% endraw %} PUBLIC\n\nPUBLIC\n",
		"| a |\n|---|\n| {% raw %}{% if C %}{% endraw %} |\n\nPUBLIC\n",
		"* {% raw %}\n  {% if C %}\n  {% endraw %}\n\nPUBLIC\n",
		"> {% raw %}\n> {% if C %}\n> {% endraw %}\n\nPUBLIC\n",
		"{% hint style=\"info\" %}\n{% raw %}\n{% if C %}\n{% endraw %}\n{% endhint %}\n\nPUBLIC\n",
		"{% if true %}\n{% raw %}\n{% endif %}\n{% endraw %}\nPUBLIC\n{% endif %}\n",
		"{% raw %}\n| a |\n|---|\n| {% if C %} |\n\n<details><summary>{% if C %}</summary>\n\n{% if C %}\n\n</details>\n{% endraw %}\n\nPUBLIC\n",
		"{% iffy %} and { % if } {if}\n\nPUBLIC\n",
	} {
		doc := markup.Parse([]byte(src), markup.Refs{})
		if markup.WithoutStrayConditions(doc) != doc {
			t.Errorf("%q: changed", src)
		}
		checkStray(t, src, src)
	}
}

func checkStray(t *testing.T, name, src string) {
	t.Helper()
	src = strings.ReplaceAll("FIRST\n\n"+src, "C", "visitor.claims.vip")
	src = strings.ReplaceAll(strings.ReplaceAll(src, "SEvisitor.claims.vipRET", "SECRET"), "PUBLIvisitor.claims.vip", "PUBLIC")
	doc := markup.Parse([]byte(src), markup.Refs{})
	if problems := markup.UnreadExpressions([]byte(src), doc); len(problems) > 0 && markup.WithoutStrayConditions(doc) == doc {
		t.Errorf("%s: %v", name, problems)
	}
	before := string(markup.Print(doc, markup.Refs{}))
	if !reading.MayDependOnVisitor([]byte(src)) {
		t.Errorf("%s: does not depend on the visitor", name)
	}
	seen, err := reading.WithoutConditions(t.Context(), doc, reading.Nobody.Environment(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := html.Write(&page, seen, html.Options{}); err != nil {
		t.Fatal(err)
	}
	shown := fmt.Sprint(page.String(), string(markup.Print(seen, markup.Refs{})), markup.Text(seen.Nodes))
	if strings.Contains(shown, "SECRET") {
		t.Errorf("%s: shown:\n%s", name, shown)
	}
	if !strings.Contains(shown, "FIRST") || strings.Contains(src, "PUBLIC") != strings.Contains(shown, "PUBLIC") {
		t.Errorf("%s: too little is shown:\n%s", name, shown)
	}
	if after := string(markup.Print(doc, markup.Refs{})); after != before {
		t.Errorf("%s: the document was changed", name)
	}
}
