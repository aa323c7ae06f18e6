package formula

import (
	"context"
	_ "embed"
	"errors"
	"sync"
	"time"

	"github.com/dop251/goja"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/markup/packed"
)

//go:embed katex.js.gz
var katex []byte

// program is KaTeX, compiled once.
var program = sync.OnceValues(func() (*goja.Program, error) {
	return goja.Compile("katex.js", string(packed.Unpack(katex)), false)
})

// mathML is a function that returns MathML. It restricts formulas to mathematics: no addresses,
// no HTML, few macros.
const mathML = `(function (formula, display) {
	return katex.renderToString(formula, {output: "mathml", displayMode: display, trust: false, strict: "ignore", maxSize: 20, maxExpand: 200})
})`

// machine is an interpreter with KaTeX. The process has as many as processors, which all
// typesetters share. Each takes some megabytes, so they are started when they are needed.
type machine struct {
	vm     *goja.Runtime
	mathML goja.Callable
	boxes  goja.Callable
	broken bool // it was interrupted
	done   func()
}

var (
	machines = budget.NewPool("formulas", int64(budget.Processors()))
	idle     = make(chan *machine, budget.Processors())
)

// take waits for an interpreter. Who has least of them is served first.
func take(ctx context.Context, who string) (*machine, error) {
	done, err := machines.Take(ctx, who, 1)
	if err != nil {
		return nil, err
	}
	var m *machine
	select {
	case m = <-idle:
	default:
		if m, err = newMachine(); err != nil {
			done()
			return nil, err
		}
	}
	m.done = done
	return m, nil
}

// release returns an interpreter to the others.
func (m *machine) release() {
	if !m.broken {
		idle <- m // there are never more than the channel holds
	}
	m.done()
}

func newMachine() (*machine, error) {
	p, err := program()
	if err != nil {
		return nil, err
	}
	m := &machine{vm: goja.New()}
	m.vm.SetMaxCallStackSize(2000)
	if _, err := m.vm.RunProgram(p); err != nil {
		return nil, err
	}
	if m.mathML, err = m.function(mathML); err != nil {
		return nil, err
	}
	m.boxes, err = m.function(tree)
	return m, err
}

func (m *machine) function(source string) (goja.Callable, error) {
	v, err := m.vm.RunString(source)
	if err != nil {
		return nil, err
	}
	f, ok := goja.AssertFunction(v)
	if !ok {
		return nil, errors.New("KaTeX has no function")
	}
	return f, nil
}

// errSlow is the error for a formula for which there is no time.
var errSlow = errors.New("the formula takes too long")

// call calls a function with a formula. The error is errSlow after maxTime, and that of the
// context when the context ends. A formula that KaTeX refuses has an empty result.
func (m *machine) call(ctx context.Context, f goja.Callable, formula string, display bool) (string, error) {
	slow := time.AfterFunc(maxTime, func() { m.vm.Interrupt(errSlow) })
	left := context.AfterFunc(ctx, func() { m.vm.Interrupt(ctx.Err()) })
	result, err := f(goja.Undefined(), m.vm.ToValue(formula), m.vm.ToValue(display))
	if inTime, awaited := slow.Stop(), left(); !inTime || !awaited {
		m.broken = true // it may have been interrupted in an inconsistent state
		if err != nil && ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			return "", errSlow
		}
	}
	if err != nil {
		return "", nil
	}
	return result.String(), nil
}
