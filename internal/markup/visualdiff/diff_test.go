package visualdiff_test

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	dom "golang.org/x/net/html"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/markup/visualdiff"
)

var options = visualdiff.Options{
	Labels: visualdiff.Labels{Added: "Added", Removed: "Removed", Changed: "Changed", Moved: "Moved"},
	From:   "/", To: "/~/changes/1/", Anchor: "~change-",
}

var (
	hidden = regexp.MustCompile(`<span class="visually-hidden">(\w+): </span>`)
	names  = regexp.MustCompile(` id="~change-\d+"`)
)

// short returns a result without the ids of changes, and with its labels in brackets.
func short(s string) string {
	return strings.TrimSpace(hidden.ReplaceAllString(names.ReplaceAllString(s, ""), "[$1]"))
}

// The first change can be reached, also if its element has an id of its own, and without a prefix
// changes have no ids.
func TestFirstChange(t *testing.T) {
	row := func(id string) string { return `<table><tbody><tr><td>1</td></tr>` + id + `</tbody></table>` }
	for _, c := range []struct{ before, after, want string }{
		{"<p>One</p>", "<p>One</p>", ""},
		{"<p>One old word</p>", "<p>One new word</p>", "~change-1"},
		{row(""), row(`<tr id="own"><td>2</td></tr>`), "own"},
	} {
		r, ok := visualdiff.HTML(c.before, c.after, options)
		if !ok || r.First != c.want || c.want != "" && strings.Count(r.HTML, `id="`+c.want+`"`) != 1 {
			t.Errorf("the first change is %q, want %q\n%s", r.First, c.want, r.HTML)
		}
		none := options
		none.Anchor = ""
		if r, ok := visualdiff.HTML(c.before, c.after, none); !ok || r.First != "" || strings.Contains(r.HTML, "~change") {
			t.Errorf("%q in\n%s", r.First, r.HTML)
		}
	}
}

func TestHTML(t *testing.T) {
	for _, c := range []struct {
		name, before, after, want string
		changes                   int
	}{
		{"nothing", "<p>One</p>", "<p>One</p>", "<p>One</p>", 0},
		{"a word", "<p>The old word stays</p>", "<p>The new word stays</p>", "<p>The <del>old</del><ins>new</ins> word stays</p>", 1},
		{"words beside each other", "<p>It is very old here now</p>", "<p>It is quite new here now</p>", "<p>It is <del>very old</del><ins>quite new</ins> here now</p>", 1},
		{"scripts without spaces", "<p>安装程序</p>", "<p>安装新程序</p>", "<p>安装<ins>新</ins>程序</p>", 1},
		{"a block comes", "<p>One</p>", "<p>One</p><p>Two words</p>", "<p>One</p>\n<ins class=\"diff-added\">[Added]<p>Two words</p></ins>", 1},
		{"a block goes", "<p>One</p><p id=\"x\">Two words</p>", "<p>One</p>", "<p>One</p>\n<del class=\"diff-removed\">[Removed]<p>Two words</p></del>", 1},
		{"another block", "<p>One two</p>", "<p>Three four five</p>", "<del class=\"diff-removed\">[Removed]<p>One two</p></del>\n<ins class=\"diff-added\">[Added]<p>Three four five</p></ins>", 2},
		{"a block moves", "<p>First of all</p><p>Second one</p><p>Third one here</p>", "<p>Second one</p><p>Third one here</p><p>First of all</p>",
			"<p>Second one</p>\n<p>Third one here</p>\n<div class=\"diff-moved\">[Moved]<p>First of all</p></div>", 1},
		{"a heading keeps its link", `<h2 id="a">Alpha<a class="anchor" href="#a"></a></h2>`, `<h2 id="b">Beta<a class="anchor" href="#b"></a></h2>`, `<h2 id="b"><del>Alpha</del><ins>Beta</ins><a class="anchor" href="#b"></a></h2>`, 1},
		{"a link leads elsewhere", `<p>See <a href="/a">this page</a>.</p>`, `<p>See <a href="/~/changes/1/b">this page</a>.</p>`, `<p>See <a href="/a"><del>this page</del></a><a href="/~/changes/1/b"><ins>this page</ins></a>.</p>`, 1},
		{"a link of the draft is the same", `<p>See <a href="/a">it</a></p>`, `<p>See <a href="/~/changes/1/a">it</a></p>`, `<p>See <a href="/~/changes/1/a">it</a></p>`, 0},
		{"words in a link", `<p>See <a href="/a">this old page</a>.</p>`, `<p>See <a href="/~/changes/1/a">this new page</a>.</p>`, `<p>See <a href="/~/changes/1/a">this <del>old</del><ins>new</ins> page</a>.</p>`, 1},
		{"a mark comes", "<p>One word here</p>", "<p>One <strong>word</strong> here</p>", "<p>One <del>word</del><strong><ins>word</ins></strong> here</p>", 1},
		{"an entry comes", "<ul><li>One</li><li>Two</li></ul>", "<ul><li>One</li><li>New</li><li>Two</li></ul>", `<ul><li>One</li><li class="diff-added">[Added]New</li><li>Two</li></ul>`, 1},
		{"an entry of an entry", "<ul><li><p>One</p><ul><li>a b</li></ul></li></ul>", "<ul><li><p>One</p><ul><li>a c</li></ul></li></ul>", `<ul><li><p>One</p><ul><li>a <del>b</del><ins>c</ins></li></ul></li></ul>`, 1},
		{"a cell", "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>", "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>3</td></tr></tbody></table>",
			"<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td><del>2</del><ins>3</ins></td></tr></tbody></table>", 1},
		{"a row", "<table><tbody><tr><td>1</td></tr></tbody></table>", "<table><tbody><tr><td>1</td></tr><tr><td>2</td></tr></tbody></table>",
			`<table><tbody><tr><td>1</td></tr><tr class="diff-added"><td>[Added]2</td></tr></tbody></table>`, 1},
		{"a column", "<table><thead><tr><th>A</th><th>C</th></tr></thead><tbody><tr><td>1</td><td>1</td></tr><tr><td>8</td><td>9</td></tr></tbody></table>",
			"<table><thead><tr><th>A</th><th>B</th><th>C</th></tr></thead><tbody><tr><td>1</td><td>1</td><td>1</td></tr></tbody></table>",
			`<table><thead><tr><th>A</th><th class="diff-added">[Added]B</th><th>C</th></tr></thead><tbody><tr><td>1</td><td class="diff-added">[Added]1</td><td>1</td></tr><tr class="diff-removed"><td>[Removed]8</td><td></td><td>9</td></tr></tbody></table>`, 3},
		{"lines of code", `<pre><code><span class="line">a <span class="k">b</span> c</span>` + "\n" + `<span class="line">same</span>` + "\n</code></pre>",
			`<pre><code><span class="line">a <span class="n">b</span> d</span>` + "\n" + `<span class="line">same</span>` + "\n" + `<span class="line">more of it</span>` + "\n</code></pre>",
			`<pre><code><span class="line diff-line">a <span class="n">b</span> <del>c</del><ins>d</ins></span>` + "\n" + `<span class="line">same</span>` + "\n" + `<span class="line diff-added">[Added]more of it</span>` + "\n</code></pre>", 2},
		{"a picture", `<figure><img src="/f/1" alt="x"><figcaption><p>It</p></figcaption></figure>`, `<figure><img src="/f/2" alt="x"><figcaption><p>It</p></figcaption></figure>`,
			`<figure><del><img src="/f/1" alt="x"/></del><ins><img src="/f/2" alt="x"/></ins><figcaption><p>It</p></figcaption></figure>`, 2},
		{"a hint of another kind", `<aside class="hint hint-info"><div><p>Mind it</p></div></aside>`, `<aside class="hint hint-danger"><div><p>Mind it</p></div></aside>`, `<aside class="hint hint-danger diff-edited">[Changed]<div><p>Mind it</p></div></aside>`, 1},
		{"an icon", `<aside class="hint"><svg class="icon"><path d="1"></path></svg><div><p>It</p></div></aside>`, `<aside class="hint"><svg class="icon"><path d="2"></path></svg><div><p>It</p></div></aside>`, `<aside class="hint diff-edited">[Changed]<svg class="icon"><path d="2"></path></svg><div><p>It</p></div></aside>`, 1},
		{"numbers with points", "<p>Version 1.4 is here</p>", "<p>Version 2.0 is here</p>", "<p>Version <del>1.4</del><ins>2.0</ins> is here</p>", 1},
		{"what is closed opens", "<details><summary>More</summary><p>One two</p></details>", "<details><summary>More</summary><p>One three</p></details>", `<details open=""><summary>More</summary><p>One <del>two</del><ins>three</ins></p></details>`, 1},
		{"a tab", `<div class="tabs"><section class="tab"><p class="tab-title">A</p><p>x y</p></section></div>`, `<div class="tabs"><section class="tab"><p class="tab-title">A</p><p>x z</p></section><section class="tab"><p class="tab-title">B</p></section></div>`,
			`<div class="tabs"><section class="tab"><p class="tab-title">A</p><p>x <del>y</del><ins>z</ins></p></section><section class="tab diff-added">[Added]<p class="tab-title">B</p></section></div>`, 2},
		{"blocks that follow each other", "<p>One</p>", "<p>One</p><p>Two words</p><h2 id=\"x\">Three</h2>", "<p>One</p>\n<ins class=\"diff-added\">[Added]<p>Two words</p><h2 id=\"x\">Three</h2></ins>", 1},
		{"all of it", "", "<p>New page</p>", `<ins class="diff-added">[Added]<p>New page</p></ins>`, 1},
	} {
		got, ok := visualdiff.HTML(c.before, c.after, options)
		if text := short(got.HTML); !ok || text != c.want || got.Changes != c.changes {
			t.Errorf("%s: %d changes\n%s\nwant %d\n%s", c.name, got.Changes, text, c.changes, c.want)
		}
	}
}

func TestText(t *testing.T) {
	if got := visualdiff.Text("Install <it>", "Install & run"); got != "Install <del>&lt;it&gt;</del><ins>&amp; run</ins>" {
		t.Error(got)
	}
}

func TestLargePagesAreNotCompared(t *testing.T) {
	if _, ok := visualdiff.HTML(strings.Repeat("x", visualdiff.MaxBytes), "y", options); ok {
		t.Error("compared")
	}
	before, after := strings.Repeat("<p>one two three four</p>", 4000), strings.Repeat("<p>five six seven four</p>", 4000)
	if r, ok := visualdiff.HTML(before, after, options); !ok || r.Changes == 0 {
		t.Error("nothing is marked")
	}
}

// side returns the text of one side of a result, without the text that only the other
// side has.
func side(t *testing.T, s, tag, class string) string {
	t.Helper()
	root, err := dom.Parse(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(*dom.Node)
	walk = func(n *dom.Node) {
		if n.Type == dom.TextNode {
			b.WriteString(n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "class" && (strings.Contains(a.Val, class) || strings.Contains(a.Val, "visually-hidden")) {
				return
			}
		}
		if n.Data == tag {
			return
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
		b.WriteByte(' ')
	}
	walk(root)
	return strings.Join(strings.Fields(b.String()), " ")
}

// For any edit, a result without the removed parts has the text of the new page.
// Without the added and moved parts, it has only text of the old page.
func TestNothingIsLost(t *testing.T) {
	blocks := []string{
		"A paragraph with *marks* and [a link](https://a.test).", "Another text, which is longer than the others.", "## A heading", "* one\n* two\n  * deep\n* three", "1. first\n2. second",
		"| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |", "```js\nlet a = 1\nlet b = 2\nrun(a)\n```", "{% hint style=\"info\" %}\nMind *this* hint.\n{% endhint %}",
		"{% tabs %}\n{% tab title=\"One\" %}\nFirst tab\n{% endtab %}\n\n{% tab title=\"Two\" %}\nSecond tab\n{% endtab %}\n{% endtabs %}",
		"{% stepper %}\n{% step %}\n### Begin\n\nDo it.\n{% endstep %}\n\n{% step %}\nEnd it.\n{% endstep %}\n{% endstepper %}",
		"<details>\n\n<summary>More</summary>\n\nText inside.\n\n</details>", "> A quote\n> of two lines", "$$\nx^2\n$$", "![alt](https://a.test/x.png)", "* [ ] open\n* [x] done",
	}
	words := []string{"one", "two", "text", "tab", "1", "let", "first", "Mind", "heading", "x"}
	random := rand.New(rand.NewPCG(1, 2))
	render := func(list []string) string {
		var b bytes.Buffer
		if err := html.Write(&b, markup.Parse([]byte(strings.Join(list, "\n\n")), markup.Refs{}), html.Options{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for range 300 {
		var list []string
		for range 1 + random.IntN(8) {
			list = append(list, blocks[random.IntN(len(blocks))])
		}
		before := render(list)
		for range 1 + random.IntN(4) {
			i := random.IntN(len(list))
			switch random.IntN(4) {
			case 0:
				list = append(list[:i], list[i+1:]...)
			case 1:
				list = append(list, blocks[random.IntN(len(blocks))])
			default:
				list[i] = strings.Replace(list[i], words[random.IntN(len(words))], words[random.IntN(len(words))], 1)
			}
			if len(list) == 0 {
				break
			}
		}
		after := render(list)
		r, ok := visualdiff.HTML(before, after, options)
		if got, want := side(t, r.HTML, "del", "diff-removed"), side(t, after, "none", "none"); !ok || squeezed(got) != squeezed(want) {
			t.Fatalf("the new text is\n%s\nwant\n%s\nof\n%s\nto\n%s\n%s", got, want, before, after, r.HTML)
		}
		if strings.Contains(r.HTML, "diff-moved") {
			continue
		}
		if got, want := side(t, r.HTML, "ins", "diff-added"), side(t, before, "none", "none"); squeezed(got) != squeezed(want) {
			t.Fatalf("the old text is\n%s\nwant\n%s\nof\n%s\nto\n%s\n%s", got, want, before, after, r.HTML)
		}
	}
}

// squeezed removes all white space, because marks may add some.
func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }
