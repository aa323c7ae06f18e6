// Package formula typesets TeX formulas as MathML, which browsers render natively.
//
// The work is done by KaTeX, which runs in an interpreter inside this process. It has
// access to nothing but the formula, and it is stopped if it takes too long. Its
// output is checked before it is used.
package formula

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
	"golang.org/x/net/html"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/packed"
)

// Limits of one formula.
const (
	maxSource = 4 << 10
	maxMathML = 256 << 10
	maxTime   = 2 * time.Second
)

//go:embed katex.js.gz
var katex []byte

// program is KaTeX, compiled once.
var program = sync.OnceValues(func() (*goja.Program, error) {
	return goja.Compile("katex.js", string(packed.Unpack(katex)), false)
})

// options restricts formulas to mathematics: no addresses, no HTML, few macros.
const options = `(function (formula, display) {
	return katex.renderToString(formula, {output: "mathml", displayMode: display, trust: false, strict: "ignore", maxSize: 20, maxExpand: 200})
})`

// Typesetter typesets formulas, one at a time, and caches the results. The zero value
// is not usable.
type Typesetter struct {
	done *cache.Cache[key, typeset]

	mu   sync.Mutex
	vm   *goja.Runtime
	call goja.Callable // returns MathML
	tree goja.Callable // returns boxes
}

type key struct {
	formula string
	display bool
}

// typeset is the result of a formula. mathML is empty if the formula could not be
// typeset.
type typeset struct{ mathML string }

// New returns a typesetter with a cache of the given size in bytes.
func New(bytes int) *Typesetter {
	return &Typesetter{done: cache.New[key](bytes, func(t typeset) int { return 256 + len(t.mathML) })}
}

// MathML returns a formula as a MathML element. It returns false if the formula
// cannot be typeset.
func (t *Typesetter) MathML(formula string, display bool) (string, bool) {
	if len(formula) > maxSource || strings.TrimSpace(formula) == "" {
		return "", false
	}
	k := key{formula, display}
	out, ok := t.done.Get(k)
	if !ok {
		out.mathML, _ = t.typeset(formula, display) // a formula with an error is shown as its source
		t.done.Set(k, out)
	}
	return out.mathML, out.mathML != ""
}

func (t *Typesetter) typeset(formula string, display bool) (string, error) {
	result, err := t.run(func() goja.Callable { return t.call }, formula, display)
	if err != nil {
		return "", err
	}
	_, mathML, _ := strings.Cut(result, ">") // without the enclosing element
	return check(strings.TrimSuffix(mathML, "</span>"))
}

// run calls a function of the interpreter. It starts a new interpreter if there is
// none.
func (t *Typesetter) run(f func() goja.Callable, formula string, display bool) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.vm == nil {
		if err := t.start(); err != nil {
			return "", err
		}
	}
	vm := t.vm
	timer := time.AfterFunc(maxTime, func() { vm.Interrupt("it takes too long") })
	result, err := f()(goja.Undefined(), vm.ToValue(formula), vm.ToValue(display))
	if !timer.Stop() {
		t.vm = nil // it may have been interrupted in an inconsistent state
	}
	if err != nil {
		return "", err
	}
	return result.String(), nil
}

// start creates an interpreter and loads KaTeX.
func (t *Typesetter) start() error {
	p, err := program()
	if err != nil {
		return err
	}
	vm := goja.New()
	vm.SetMaxCallStackSize(2000)
	if _, err := vm.RunProgram(p); err != nil {
		return err
	}
	calls := make([]goja.Callable, 2)
	for i, source := range []string{options, tree} {
		f, err := vm.RunString(source)
		if err != nil {
			return err
		}
		var ok bool
		if calls[i], ok = goja.AssertFunction(f); !ok {
			return fmt.Errorf("KaTeX has no function")
		}
	}
	t.vm, t.call, t.tree = vm, calls[0], calls[1]
	return nil
}

// elements and attributes are the parts of MathML that formulas need. None of them
// loads a resource, is a link or refers to a style sheet.
var (
	elements = strings.Fields("math semantics annotation mrow mi mn mo mtext mspace ms msup msub msubsup mover munder munderover mfrac msqrt mroot " +
		"mtable mtr mtd mlabeledtr mstyle mpadded mphantom menclose merror mglyph")
	attributes = strings.Fields("xmlns display encoding mathvariant stretchy fence separator accent accentunder lspace rspace width height depth voffset " +
		"linethickness rowspacing columnalign columnspacing columnlines rowlines scriptlevel displaystyle mathcolor mathbackground mathsize minsize maxsize " +
		"symmetric movablelimits largeop notation side rowalign")
)

// check returns MathML without the attributes that are not allowed. It returns an
// error if there are other elements in it.
func check(mathML string) (string, error) {
	if len(mathML) > maxMathML || !strings.HasPrefix(mathML, "<math") {
		return "", fmt.Errorf("the result is too large, or is no formula")
	}
	tokens := html.NewTokenizer(strings.NewReader(mathML))
	var out strings.Builder
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			if err := tokens.Err(); err != io.EOF {
				return "", err
			}
			return out.String(), nil
		case html.TextToken:
			out.WriteString(html.EscapeString(tokens.Token().Data))
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			tag := tokens.Token()
			if !slices.Contains(elements, tag.Data) {
				return "", fmt.Errorf("%q is no element of a formula", tag.Data)
			}
			tag.Attr = slices.DeleteFunc(tag.Attr, func(a html.Attribute) bool { return !slices.Contains(attributes, a.Key) })
			out.WriteString(tag.String())
		default:
			return "", fmt.Errorf("%q in a formula", tokens.Token().String())
		}
	}
}
