package html

import (
	stdhtml "html"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
)

var tagsForm = regexp.MustCompile(`<[^>]*>`)

// A reader sees the code unchanged, whatever the lexer does.
func TestHighlightingKeepsTheCode(t *testing.T) {
	h := highlight.New(1 << 20)
	language := rapid.SampledFrom([]string{"go", "js", "html", "php", "yaml", "bash", "python", "markdown", "json", "diff", "nosuch", "", "a b"})
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"func", "{", "}", "\"", "'", "`", "<?php", "?>", "<b>", "&amp;", "//", "/*", "\t", " ", "é", "日", "\\", "#", "$x", "```", "\r", "1.5", "\ufeff",
	}), 0, 30)
	rapid.Check(t, func(rt *rapid.T) {
		code := aBlock("code", map[string]any{"syntax": language.Draw(rt, "language")})
		var want strings.Builder
		for range rapid.IntRange(1, 4).Draw(rt, "lines") {
			line := strings.Join(pieces.Draw(rt, "line"), "")
			n := aBlock("code-line", nil, words(line))
			if rapid.Bool().Draw(rt, "note") {
				note := anInline("annotation", nil, words("noted"))
				n.Nodes = append(n.Nodes, note, words("rest"))
				line += "notedrest"
			}
			code.Nodes = append(code.Nodes, n)
			want.WriteString(strings.ReplaceAll(line, "\r", "") + "\n")
		}
		out := render(t, Options{Highlight: h}, code)
		out = out[:strings.Index(out, "</pre>")]
		if got := stdhtml.UnescapeString(tagsForm.ReplaceAllString(out, "")); got != want.String() {
			rt.Fatalf("got %q\nwant %q\n%s", got, want.String(), out)
		}
	})
}

// A page that consists of code is highlighted up to a limit of bytes.
func TestHighlightingOfAPageIsBounded(t *testing.T) {
	h := highlight.New(16 << 20)
	var nodes []*markup.Node
	for i := range 100 {
		code := aBlock("code", map[string]any{"syntax": "json"})
		for range 2000 {
			code.Nodes = append(code.Nodes, aBlock("code-line", nil, words(`{"a": [1, 2, 3]}`+strings.Repeat(" ", i%7))))
		}
		nodes = append(nodes, code)
	}
	out := render(t, Options{Highlight: h}, nodes...)
	lines := strings.Split(out, `class="line"`)[1:]
	if len(lines) != 200_000 {
		t.Errorf("the page has %d lines", len(lines))
	}
	highlighted := 0 // bytes
	for _, line := range lines {
		if strings.Contains(line, `<span class="p">`) {
			highlighted += len(`{"a": [1, 2, 3]}`)
		}
	}
	if highlighted == 0 || highlighted > highlight.MaxPage {
		t.Errorf("%d bytes of code are highlighted, want some and at most %d", highlighted, highlight.MaxPage)
	}
}
