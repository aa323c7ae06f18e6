package markup

import (
	stdhtml "html"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"pgregory.net/rapid"
)

var tagsForm = regexp.MustCompile(`<[^>]*>`)

// A reader sees the code unchanged, whatever the lexer does.
func TestHighlightingKeepsTheCode(t *testing.T) {
	h := NewHighlighter(1 << 20)
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
		out := render(t, HTMLOptions{Highlight: h}, code)
		out = out[:strings.Index(out, "</pre>")]
		if got := stdhtml.UnescapeString(tagsForm.ReplaceAllString(out, "")); got != want.String() {
			rt.Fatalf("got %q\nwant %q\n%s", got, want.String(), out)
		}
	})
}

func TestHighlighterRemembersWithinItsSize(t *testing.T) {
	h := NewHighlighter(8 << 10)
	for i := range 200 {
		h.spans("go", strings.Repeat("x := 1\n", i+1))
	}
	if h.size > h.max || h.order.Len() != len(h.known) || h.order.Len() == 200 {
		t.Errorf("%d bytes in %d entries", h.size, h.order.Len())
	}
	h = NewHighlighter(1 << 20)
	first := h.spans("Go", "x := 1")
	if again := h.spans("go", "x := 1"); len(first) < 3 || &first[0] != &again[0] {
		t.Error("it did not remember")
	}
	if (*Highlighter)(nil).spans("go", "x") != nil || h.spans("go", strings.Repeat("x", maxHighlight+1)) != nil || h.spans("../x", "x") != nil {
		t.Error("it highlights what it should not")
	}
}

func TestHighlighterServesManyAtOnce(t *testing.T) {
	h := NewHighlighter(1 << 20)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if len(h.spans("json", `{"a": 1}`)) == 0 {
					t.Error("nothing was highlighted")
				}
			}
		})
	}
	wg.Wait()
}

// hangingLexer does not return until free is closed.
type hangingLexer struct {
	chroma.Lexer
	runs *atomic.Int32
	free chan struct{}
}

func (l hangingLexer) Tokenise(_ *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	l.runs.Add(1)
	<-l.free
	return chroma.Literator(chroma.Token{Type: chroma.Keyword, Value: text}), nil
}

// A lexer that hangs occupies at most one goroutine for each processor, under whatever name
// code refers to it, and is used again after it has returned.
func TestHangingLexerIsNotRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHighlighter(1 << 20)
		l := hangingLexer{Lexer: lexers.Get("go"), runs: new(atomic.Int32), free: make(chan struct{})}
		h.find = func(string) chroma.Lexer { return l }
		var wg sync.WaitGroup
		for i := range 4 * runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				if spans := h.spans([]string{"go", "golang", "a.go"}[i%3], "x := "+strconv.Itoa(i)); spans != nil {
					t.Errorf("got %v", spans)
				}
			})
		}
		wg.Wait()
		if n := int(l.runs.Load()); n > runtime.GOMAXPROCS(0) {
			t.Errorf("%d lexers run", n)
		}
		start := time.Now()
		if h.spans("go", "x := 9") != nil || time.Since(start) != 0 {
			t.Errorf("after %s", time.Since(start))
		}
		close(l.free)
		synctest.Wait()
		runs := h.runs["Go"]
		if len(h.spans("go", "x := 10")) == 0 || len(runs.running) != 0 || runs.stuck != 0 {
			t.Errorf("it is not used again; %d run, %d are stuck", len(runs.running), runs.stuck)
		}
	})
}

// A page that consists of code is highlighted up to a limit of bytes.
func TestHighlightingOfAPageIsBounded(t *testing.T) {
	h := NewHighlighter(16 << 20)
	var nodes []*Node
	for i := range 100 {
		code := aBlock("code", map[string]any{"syntax": "json"})
		for range 2000 {
			code.Nodes = append(code.Nodes, aBlock("code-line", nil, words(`{"a": [1, 2, 3]}`+strings.Repeat(" ", i%7))))
		}
		nodes = append(nodes, code)
	}
	out := render(t, HTMLOptions{Highlight: h}, nodes...)
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
	if highlighted == 0 || highlighted > maxHighlightPage {
		t.Errorf("%d bytes of code are highlighted, want some and at most %d", highlighted, maxHighlightPage)
	}
}
