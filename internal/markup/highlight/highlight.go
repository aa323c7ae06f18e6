// Package highlight splits code into the tokens of its language, for pages in HTML and
// on paper.
//
// Most languages are split by the lexers of a library. Shells are split here (shell.go), because
// most code of documentation is commands, in which the lexer finds neither the command nor its
// flags, nor what is a prompt and must not be copied.
package highlight

import (
	lru "container/list"
	"crypto/sha256"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/octavo-docs/octavo/internal/markup/defect"
)

// Limits of highlighting. It processes only about a quarter of a megabyte per
// second, and less for text that is crafted to be slow.
const (
	maxBlock = 64 << 10               // bytes of one block
	maxTime  = 250 * time.Millisecond // for one block, checked between two tokens
	maxWait  = 2 * time.Second        // for one block, even if its lexer does not return
	spanSize = 32                     // approximate size of a span in the cache
)

// MaxPage is the maximum number of bytes of code that should be highlighted
// in one document.
const MaxPage = 256 << 10

// Highlighter splits code into the tokens of its language. It caches results by
// language and content, so that a block is processed once. It is safe for
// concurrent use. A nil Highlighter highlights nothing.
type Highlighter struct {
	mu    sync.Mutex
	size  int // of all entries, in bytes, approximately
	max   int
	known map[key]*lru.Element
	order *lru.List                          // most recently used first
	runs  map[string]*lexerRuns              // by the name of the lexer
	find  func(language string) chroma.Lexer // returns nil if there is none
}

// lexerRuns are the runs of a lexer. There is at most one for each processor, so that
// a slow lexer does not occupy ever more threads.
type lexerRuns struct {
	running chan struct{} // holds a value for each run
	// stuck is the number of runs that did not return in time; guarded by
	// Highlighter.mu. Until they return, code of the language is shown plain.
	stuck int
}

type key struct {
	language string
	sum      [sha256.Size]byte
}

type entry struct {
	key   key
	spans []Span
}

// Span is a run of code with the same class. The length is in bytes.
type Span struct {
	Length int
	Class  string
}

// New returns a highlighter with a cache of about cacheBytes bytes.
func New(cacheBytes int) *Highlighter {
	return &Highlighter{max: cacheBytes, known: map[key]*lru.Element{}, order: lru.New(), runs: map[string]*lexerRuns{}, find: lexers.Get}
}

var languageForm = regexp.MustCompile(`^[A-Za-z0-9+#._-]{1,40}$`)

// IsLanguage reports whether a text has the form of the name of a language.
func IsLanguage(s string) bool { return languageForm.MatchString(s) }

// Spans returns the highlighted runs of a code, or nil if it is to be shown
// plain. The runs are shared with the cache and must not be modified.
func (h *Highlighter) Spans(language, code string) []Span {
	if h == nil || len(code) > maxBlock || !IsLanguage(language) {
		return nil
	}
	key := key{strings.ToLower(language), sha256.Sum256([]byte(code))}
	if spans, ok := h.get(key); ok {
		return spans
	}
	if slices.Contains(shells, key.language) {
		spans := shellSpans(key.language, code)
		h.put(key, spans)
		return spans
	}
	lexer := h.find(key.language)
	if lexer == nil {
		h.put(key, nil)
		return nil
	}
	runs := h.start(lexer.Config().Name)
	if runs == nil {
		return nil
	}
	if spans, ok := h.get(key); ok { // highlighted while this call waited
		<-runs.running
		return spans
	}
	done, ended, late := make(chan []Span, 1), false, false
	go func() {
		spans, whole := highlight(lexer, code)
		if whole {
			h.put(key, spans)
		}
		<-runs.running
		done <- spans
		h.mu.Lock()
		defer h.mu.Unlock()
		if ended = true; late {
			runs.stuck--
		}
	}()
	wait := time.NewTimer(maxWait)
	defer wait.Stop()
	select {
	case spans := <-done:
		return spans
	case <-wait.C:
		h.mu.Lock()
		defer h.mu.Unlock()
		if late = true; !ended {
			runs.stuck++
		}
		return nil
	}
}

// start waits until a lexer may run and adds a run. It returns nil if the lexer is
// stuck, or if other runs take too long.
func (h *Highlighter) start(name string) *lexerRuns {
	h.mu.Lock()
	runs := h.runs[name]
	if runs == nil {
		runs = &lexerRuns{running: make(chan struct{}, runtime.GOMAXPROCS(0))}
		h.runs[name] = runs
	}
	stuck := runs.stuck > 0
	h.mu.Unlock()
	if stuck {
		return nil
	}
	wait := time.NewTimer(maxWait)
	defer wait.Stop()
	select {
	case runs.running <- struct{}{}:
		return runs
	case <-wait.C:
		return nil
	}
}

func (h *Highlighter) get(key key) ([]Span, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e, ok := h.known[key]
	if !ok {
		return nil, false
	}
	h.order.MoveToFront(e)
	return e.Value.(*entry).spans, true
}

func (h *Highlighter) put(key key, spans []Span) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.known[key]; ok {
		return
	}
	e := &entry{key, spans}
	h.known[key] = h.order.PushFront(e)
	h.size += e.cost()
	for h.size > h.max && h.order.Len() > 0 {
		last := h.order.Back()
		old := h.order.Remove(last).(*entry)
		delete(h.known, old.key)
		h.size -= old.cost()
	}
}

func (e *entry) cost() int { return (len(e.spans) + 8) * spanSize }

// highlight splits code into spans. The lexers are third-party tables of regular
// expressions, which may panic, change the text or be slow. Spans that are not
// nil cover the whole code: the part after a failure or a timeout is plain. whole
// is false after a timeout.
func highlight(lexer chroma.Lexer, code string) (spans []Span, whole bool) {
	done := 0
	defer func() {
		if why := recover(); why != nil {
			defect.Note("markup: code could not be highlighted", why)
			spans, whole = append(spans, Span{len(code) - done, ""}), true
		}
	}()
	tokens, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return nil, true
	}
	until := time.Now().Add(maxTime)
	for t := tokens(); t != chroma.EOF; t = tokens() {
		if !strings.HasPrefix(code[done:], t.Value) {
			break // a lexer that changes the text; the rest stays plain
		}
		done += len(t.Value)
		class := tokenClass(t.Type)
		if n := len(spans); n > 0 && spans[n-1].Class == class {
			spans[n-1].Length += len(t.Value)
		} else if t.Value != "" {
			spans = append(spans, Span{len(t.Value), class})
		}
		if time.Now().After(until) {
			return append(spans, Span{len(code) - done, ""}), false
		}
	}
	return append(spans, Span{len(code) - done, ""}), true
}

// tokenClass returns the class of a token in the style sheets of the lexers.
func tokenClass(t chroma.TokenType) string {
	for ; t != 0; t = t.Parent() {
		if class, ok := chroma.StandardTypes[t]; ok {
			return class
		}
	}
	return ""
}
