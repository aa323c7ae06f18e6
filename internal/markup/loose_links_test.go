package markup_test

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	. "github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

// Addresses that other tools accept are links, and remarks in parentheses are text.
func TestLooseLinks(t *testing.T) {
	refs := Refs{Resolve: func(dest string, _ Use) (docs.Ref, bool) {
		if dest == "/guide/setup.md" || dest == "setup.md" || dest == "a b.md" {
			return docs.Ref{Kind: docs.RefPage, Page: "setup"}, true
		}
		return docs.Ref{}, false
	}}
	for source, want := range map[string]string{
		`[*a*](a b.md)`:                                        `link {"ref":{"kind":"page","page":"setup"}}`,
		`[a](../x y/c d.png "t")`:                              `"title":"t"`,
		`![a](img/5e 5c.jpg)`:                                  `image {"alt":"a","ref":{"kind":"url","url":"img/5e 5c.jpg"}}`,
		`[a](https://a.b/c /d.html)`:                           `"url":"https://a.b/c /d.html"`,
		`[a](#x -y)`:                                           `"url":"#x -y"`,
		`[a](b.md "say "hi" now")`:                             `"title":"say \"hi\" now"`,
		"[`a` b]({{< relref \"guide/setup.md\" >}})":           `"page":"setup"`,
		`[a]({{<ref "/guide/setup" >}})`:                       `"page":"setup"`,
		`[a]({% link setup.md %})`:                             `"page":"setup"`,
		`[a]({{ site.baseurl }}/guide/setup)`:                  `"page":"setup"`,
		`[a]({{site.url}}{{site.baseurl}}{% link setup.md %})`: `"page":"setup"`,
		`[a]({{ "/guide/setup" | relative_url }})`:             `"page":"setup"`,
		`[a](https://a.b/v{{< version >}}/c)`:                  `"url":"https://a.b/v{{< version >}}/c"`,
		`([a](x y.md))`:                                        `link`,
		`[a](/b "smile :)")`:                                   `"url":"/b"},"title":"smile :)"`,
		`[a](/b(c) 'w)w' )`:                                    `"url":"/b(c)"},"title":"w)w"`,
		`[a](/b "(1)" "x)" y.md)`:                              `link`,
	} {
		doc := Parse([]byte(source), refs)
		got := OutlineOf(doc.Nodes)
		if !strings.Contains(got, want) {
			t.Errorf("%s is read as\n%s, without %s", source, got, want)
		}
		CheckLaws(t, []byte(source), refs)
	}
	for _, source := range []string{"[1](see below)", "[a](the file a.b)", "[a] (b.md)", "[a](x\ny.md)", "[a](b `c d.md`)", "[a](<b c", "a](b c.md)", "[a][b](c d"} {
		if got := OutlineOf(Parse([]byte(source), refs).Nodes); strings.Contains(got, "link") {
			t.Errorf("%q is read as\n%s", source, got)
		}
	}
	var b strings.Builder
	if err := html.Write(&b, Parse([]byte(`[a](https://a.b/v{{< version >}}/c)`), refs), html.Options{}); err != nil || strings.Contains(b.String(), "href") || !strings.Contains(b.String(), ">a<") {
		t.Errorf("a link with an expression is shown as %s", b.String())
	}
}

func TestManyLooseLinksTakeLinearTime(t *testing.T) {
	for _, unit := range []string{"[a](b c.md) ", "[a](b c ", "[a](b {{ c ", "[a](", "](b c.md)", "[a](b (c ", "[a](b \"c\" \"d ", "[a](b(c) \"d) "} {
		start := time.Now()
		Parse([]byte(strings.Repeat(unit+"\n", 20_000)), Refs{})
		Parse([]byte(strings.Repeat(strings.Repeat(unit, 300)+"\n\n", 60)), Refs{})
		if took := time.Since(start); took > 8*time.Second {
			t.Errorf("%q takes %s", unit, took)
		}
	}
}
