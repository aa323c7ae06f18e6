package expr

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"pgregory.net/rapid"

	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

// engine is a JavaScript engine that returns the expected result of an
// expression. Names and methods that expressions do not have are removed from it.
type engine struct{ vm *goja.Runtime }

const strip = `
(function () {
	const keep = {
		String: ["length", "toString", "valueOf", "at", "startsWith", "endsWith", "includes", "indexOf", "slice", "split", "toLowerCase", "toUpperCase", "trim"],
		Array: ["length", "toString", "at", "includes", "indexOf", "slice", "join", "some", "every", "find", "filter", "map"],
		Object: ["toString", "valueOf"], Number: ["toString", "valueOf"], Boolean: ["toString", "valueOf"], Function: [],
	};
	// The engine does not find 0 in [-0].
	const apply = Reflect.apply, list = Array.prototype, includes = list.includes, indexOf = list.indexOf;
	list.includes = function (item, from) {
		return apply(includes, this, [item, from]) || item === 0 && apply(indexOf, this, [0, from]) >= 0;
	};
	const names = Object.getOwnPropertyNames, all = globalThis;
	for (const type of names(keep))
		for (const key of names(all[type].prototype))
			if (!keep[type].includes(key)) delete all[type].prototype[key];
	for (const key of names(all)) delete all[key];
})()`

func newEngine(t testing.TB) *engine {
	t.Helper()
	e := &engine{vm: goja.New()}
	parse := e.vm.Get("JSON").ToObject(e.vm).Get("parse")
	fn, ok := goja.AssertFunction(parse)
	if !ok {
		t.Fatal("JSON.parse is no function")
	}
	if _, err := e.vm.RunString(strip); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("testdata/env.json")
	if err != nil {
		t.Fatal(err)
	}
	env, err := fn(goja.Undefined(), e.vm.ToValue(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	o := env.ToObject(e.vm)
	for _, key := range o.Keys() {
		if err := e.vm.Set(key, o.Get(key)); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// errNoAnswer is returned if the engine takes too long or crashes, as for
// ""["-"].
var errNoAnswer = errors.New("the engine has no answer")

func (e *engine) eval(src string) (result any, err error) {
	timer := time.AfterFunc(5*time.Second, func() { e.vm.Interrupt(errNoAnswer) })
	defer func() {
		timer.Stop()
		e.vm.ClearInterrupt()
		if recover() != nil || errors.As(err, new(*goja.InterruptedError)) {
			err = errNoAnswer
		}
	}()
	v, err := e.vm.RunString(src)
	if err != nil {
		return nil, err
	}
	return e.plain(v), nil
}

func (e *engine) plain(v goja.Value) any {
	switch {
	case v == nil || goja.IsUndefined(v):
		return Undefined{}
	case goja.IsNull(v):
		return nil
	}
	if o, ok := v.(*goja.Object); ok {
		if o.ClassName() == "Array" {
			items := []any{}
			for i := range int(o.Get("length").ToInteger()) {
				items = append(items, e.plain(o.Get(strconv.Itoa(i))))
			}
			return items
		}
		fields := map[string]any{}
		for _, key := range o.Keys() {
			fields[key] = e.plain(o.Get(key))
		}
		return fields
	}
	switch x := v.Export().(type) {
	case int64:
		return float64(x)
	default:
		return x
	}
}

// deliberate reports whether an error is intended although JavaScript has a
// result.
func deliberate(err error) bool {
	if errors.Is(err, ErrBudget) {
		return true
	}
	for _, part := range []string{"two objects", "is a method: call", "cannot be read"} {
		if strings.Contains(err.Error(), part) {
			return true
		}
	}
	return false
}

// agree evaluates an expression with this package and with the engine, and
// reports differences.
func agree(t interface{ Errorf(string, ...any) }, e *engine, env map[string]any, src string) {
	p, err := Parse(src)
	if err != nil {
		t.Errorf("%s: %v", src, err)
		return
	}
	ours, err := p.Eval(env)
	theirs, theirErr := e.eval(src)
	switch {
	case err != nil && deliberate(err), errors.Is(theirErr, errNoAnswer), err == nil && showsSign(p.root):
	case (err != nil) != (theirErr != nil):
		t.Errorf("%s: ours %#v, %v; theirs %#v, %v", src, ours, err, theirs, theirErr)
	case err == nil && !equal(unsigned(ours), unsigned(theirs)):
		t.Errorf("%s: ours %#v; theirs %#v", src, ours, theirs)
	}
}

// showsSign reports whether the result of an expression may depend on the sign of
// a zero, which the engine loses in some places.
func showsSign(root node) bool {
	makes, rounds := false, false
	var look func(node)
	look = func(n node) {
		switch n := n.(type) {
		case *unary:
			makes = makes || n.op != "!" && n.op != "typeof" // also of the text "-0"
		case *binary:
			makes = makes || n.op == "*" || n.op == "%" || n.op == "-"
			rounds = rounds || n.op == "/" || n.op == "**"
		}
		children(n, look)
	}
	look(root)
	return makes && rounds
}

// unsigned replaces -0 by 0, because the engine loses the sign in some places.
// The table tests the sign.
func unsigned(v any) any {
	switch v := v.(type) {
	case float64:
		return v + 0
	case []any:
		items := []any{}
		for _, item := range v {
			items = append(items, unsigned(item))
		}
		return items
	case map[string]any:
		fields := map[string]any{}
		for key, item := range v {
			fields[key] = unsigned(item)
		}
		return fields
	}
	return v
}

func TestTheTableHoldsInJavaScript(t *testing.T) {
	e, env := newEngine(t), testEnv(t)
	for _, r := range rows(t, "accept.txt", 2) {
		agree(t, e, env, r.cells[0])
	}
}

func TestCaseAgreesWithJavaScript(t *testing.T) {
	e := newEngine(t)
	both, err := e.vm.RunString("s => s.toUpperCase() + s.toLowerCase()")
	if err != nil {
		t.Fatal(err)
	}
	change, _ := goja.AssertFunction(both)
	for c := range rune(0x20000) { // all letters with a case are below
		if c == '\u0345' { // a mark that has a case: implementations differ
			continue
		}
		if !isCased(c) && !isCaseIgnorable(c) && upper(string(c))+lower(string(c)) == string(c)+string(c) {
			continue
		}
		s := strings.ReplaceAll("x aΣxa Σx xΣ", "x", string(c))
		v, err := change(goja.Undefined(), e.vm.ToValue(s))
		if err != nil {
			t.Fatal(err)
		}
		if ours := upper(s) + lower(s); ours != v.String() {
			t.Errorf("%+q: ours %+q, theirs %+q", s, ours, v)
		}
	}
}

// generator writes random expressions. It puts comparisons of comparisons in
// parentheses: the engine parses them in the wrong order.
type generator struct {
	t      *rapid.T
	params []string
}

func (g *generator) pick(from ...string) string {
	return rapid.SampledFrom(from).Draw(g.t, "pick")
}

func (g *generator) leaf() string {
	if len(g.params) > 0 && rapid.Bool().Draw(g.t, "param") {
		return g.pick(g.params...)
	}
	return g.pick("null", "undefined", "true", "false", "NaN", "Infinity", "0", "1", "2", "-1", "1.5", "1e21", "1e-7", "0x10", "4294967297",
		`""`, `"a"`, `"abc"`, `"12"`, `" 7 "`, `"0x1f"`, `"1e3"`, `"é"`, `"ß"`, `"ΣΑΣ"`, `"length"`, `"plan"`, `"true"`, `","`,
		"visitor.claims.plan", "visitor.claims.beta", "visitor.claims.seats", "visitor.claims.none", "visitor.claims.missing", "visitor.claims",
		"visitor.claims.groups", "visitor.claims.list", "visitor.claims.obj", "space.vars.name", "space.vars.greek", "space.vars.sharp",
		"reviews", "reviews[0]", "nums", "mixed", "missing", "changeRequest.createdBy.id", "actor.id")
}

func (g *generator) expression(depth int) string {
	if depth == 0 {
		return g.leaf()
	}
	sub := func() string { return g.expression(depth - 1) }
	switch rapid.IntRange(0, 16).Draw(g.t, "kind") {
	case 0:
		return g.leaf()
	case 1:
		return g.pick("!", "-", "+", "typeof ") + "(" + sub() + ")"
	case 2, 3:
		return "(" + sub() + ") " + g.pick("+", "-", "*", "/", "%", "**") + " (" + sub() + ")"
	case 4, 5:
		return "(" + sub() + ") " + g.pick("==", "!=", "===", "!==", "<", ">", "<=", ">=") + " (" + sub() + ")"
	case 6:
		return "(" + sub() + ") " + g.pick("&&", "||", "??") + " (" + sub() + ")"
	case 7: // precedence of operators
		return g.leaf() + g.pick(" + ", " - ", " * ", " / ", " % ", " < ", " == ") + g.leaf() +
			g.pick(" + ", " - ", " * ", " / ", " % ", " === ", " && ", " || ") + g.leaf() + g.pick(" && ", " || ", " + ") + g.leaf()
	case 8:
		return "(" + sub() + ") ? " + sub() + " : " + sub()
	case 9:
		return "[" + sub() + ", " + sub() + "]"
	case 10:
		return "({a: " + sub() + ", length: " + sub() + "})"
	case 11:
		return "(" + sub() + ")" + g.pick(".", "?.") + g.pick("plan", "length", "a", "status", "id")
	case 12:
		return "(" + sub() + ")" + g.pick("", "?.") + "[" + sub() + "]" + g.pick("", ".length", "?.a")
	case 13:
		return "(" + sub() + ")" + g.pick(".", "?.") + g.pick("toLowerCase()", "toUpperCase()", "trim()", "join()", "slice()", "at()", "split()")
	case 14: // the engine does not wrap limits beyond 64 bits
		return "(" + sub() + ").split(" + sub() + ", " + g.pick("undefined", "null", "0", "1", "2", "-1", "1.5", `"2"`, "NaN", "4294967297") + ")"
	case 15:
		args := sub()
		if rapid.Bool().Draw(g.t, "second") {
			args += ", " + sub()
		}
		return "(" + sub() + ")" + g.pick(".", "?.") + g.pick("startsWith", "endsWith", "includes", "indexOf", "slice") + "(" + args + ")"
	default:
		receiver := sub()
		before := len(g.params)
		names := []string{"p" + strconv.Itoa(before), "q" + strconv.Itoa(before)}[:rapid.IntRange(1, 2).Draw(g.t, "params")]
		g.params = append(g.params, names...)
		body := sub()
		g.params = g.params[:before]
		return "(" + receiver + ")." + g.pick("some", "every", "find", "filter", "map") + "((" + strings.Join(names, ", ") + ") => " + body + ")"
	}
}

func TestGeneratedExpressionsAgreeWithJavaScript(t *testing.T) {
	e, env := newEngine(t), testEnv(t)
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		src := g.expression(rapid.IntRange(1, 4).Draw(t, "depth"))
		if len([]rune(src)) > MaxLength {
			t.Skip("too long")
		}
		agree(t, e, env, src)
	})
}
