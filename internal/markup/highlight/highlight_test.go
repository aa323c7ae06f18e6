package highlight

import (
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
)

func TestHighlighterRemembersWithinItsSize(t *testing.T) {
	h := New(8 << 10)
	for i := range 200 {
		h.Spans("go", strings.Repeat("x := 1\n", i+1))
	}
	if h.size > h.max || h.order.Len() != len(h.known) || h.order.Len() == 200 {
		t.Errorf("%d bytes in %d entries", h.size, h.order.Len())
	}
	h = New(1 << 20)
	first := h.Spans("Go", "x := 1")
	if again := h.Spans("go", "x := 1"); len(first) < 3 || &first[0] != &again[0] {
		t.Error("it did not remember")
	}
	if (*Highlighter)(nil).Spans("go", "x") != nil || h.Spans("go", strings.Repeat("x", maxBlock+1)) != nil || h.Spans("../x", "x") != nil {
		t.Error("it highlights what it should not")
	}
}

func TestHighlighterServesManyAtOnce(t *testing.T) {
	h := New(1 << 20)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if len(h.Spans("json", `{"a": 1}`)) == 0 {
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
		h := New(1 << 20)
		l := hangingLexer{Lexer: lexers.Get("go"), runs: new(atomic.Int32), free: make(chan struct{})}
		h.find = func(string) chroma.Lexer { return l }
		var wg sync.WaitGroup
		for i := range 4 * runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				if spans := h.Spans([]string{"go", "golang", "a.go"}[i%3], "x := "+strconv.Itoa(i)); spans != nil {
					t.Errorf("got %v", spans)
				}
			})
		}
		wg.Wait()
		if n := int(l.runs.Load()); n > runtime.GOMAXPROCS(0) {
			t.Errorf("%d lexers run", n)
		}
		start := time.Now()
		if h.Spans("go", "x := 9") != nil || time.Since(start) != 0 {
			t.Errorf("after %s", time.Since(start))
		}
		close(l.free)
		synctest.Wait()
		runs := h.runs["Go"]
		if len(h.Spans("go", "x := 10")) == 0 || len(runs.running) != 0 || runs.stuck != 0 {
			t.Errorf("it is not used again; %d run, %d are stuck", len(runs.running), runs.stuck)
		}
	})
}
