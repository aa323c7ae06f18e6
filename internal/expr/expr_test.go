package expr

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/testing/testcpu"
)

// testEnv returns a new copy of testdata/env.json.
func testEnv(t testing.TB) map[string]any {
	t.Helper()
	b, err := os.ReadFile("testdata/env.json")
	if err != nil {
		t.Fatal(err)
	}
	var env map[string]any
	if err := json.Unmarshal(b, &env); err != nil {
		t.Fatal(err)
	}
	return env
}

type row struct {
	where string
	cells []string
}

// rows returns the rows of a table whose cells are separated by tabs. The first
// cell is an expression, which may be blank.
func rows(t testing.TB, file string, cells int) []row {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var all []row
	for i, line := range strings.Split(string(b), "\n") {
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		r := row{where: file + ":" + strconv.Itoa(i+1), cells: strings.Split(line, "\t")}
		if len(r.cells) != cells {
			t.Fatalf("%s has %d cells, not %d", r.where, len(r.cells), cells)
		}
		all = append(all, r)
	}
	return all
}

func wanted(t testing.TB, cell string) any {
	t.Helper()
	switch cell {
	case "undefined":
		return Undefined{}
	case "NaN":
		return math.NaN()
	case "Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	case "-0":
		return math.Copysign(0, -1)
	}
	var v any
	if err := json.Unmarshal([]byte(cell), &v); err != nil {
		t.Fatalf("%s: %v", cell, err)
	}
	return v
}

// equal is DeepEqual, except that NaN equals itself and -0 does not equal 0.
func equal(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && (a != a && b != b || a == b && math.Signbit(a) == math.Signbit(b))
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !equal(v, w) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func TestExpressionsGiveTheirResult(t *testing.T) {
	env := testEnv(t)
	for _, r := range append(rows(t, "accept.txt", 2), rows(t, "ours.txt", 2)...) {
		p, err := Parse(r.cells[0])
		if err != nil {
			t.Errorf("%s: Parse(%s): %v", r.where, r.cells[0], err)
			continue
		}
		got, err := p.Eval(env)
		if err != nil || !equal(got, wanted(t, r.cells[1])) {
			t.Errorf("%s: %s = %#v, %v; want %s", r.where, r.cells[0], got, err, r.cells[1])
		}
	}
	if !reflect.DeepEqual(env, testEnv(t)) {
		t.Error("an evaluation changed the data")
	}
}

func TestWhatIsNotAnExpressionIsRefused(t *testing.T) {
	for _, r := range rows(t, "reject.txt", 3) {
		p, err := Parse(r.cells[0])
		expectError(t, r, err)
		if p != nil || Condition(r.cells[0], testEnv(t)) != (trim(r.cells[0]) == "") {
			t.Errorf("%s: a refused condition holds", r.where)
		}
	}
}

func TestFailuresHide(t *testing.T) {
	env := testEnv(t)
	for _, r := range rows(t, "fail.txt", 3) {
		p, err := Parse(r.cells[0])
		if err != nil {
			t.Errorf("%s: Parse(%s): %v", r.where, r.cells[0], err)
			continue
		}
		v, err := p.Eval(env)
		expectError(t, r, err)
		if v != nil || Condition(r.cells[0], env) {
			t.Errorf("%s: %s returns %v besides the error", r.where, r.cells[0], v)
		}
	}
}

func expectError(t *testing.T, r row, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%s: %s: %v, want an *Error", r.where, r.cells[0], err)
		return
	}
	if strconv.Itoa(e.Column) != r.cells[1] || !strings.Contains(e.Message, r.cells[2]) {
		t.Errorf("%s: %s: %v; want column %s and %q", r.where, r.cells[0], err, r.cells[1], r.cells[2])
	}
}

func TestSpacesAndLines(t *testing.T) {
	for src, want := range map[string]any{
		"\n\t1\r\n+\u00a0\ufeff2\u2028": 3.0,
		"1 // one\n + 2":                3.0,
		"1 /* one\n */ + 2":             3.0,
		"[1]\n.map(n =>\n n)\n[0]":      1.0,
		"1\n;\n":                        1.0,
	} {
		if p, err := Parse(src); err != nil {
			t.Errorf("%q: %v", src, err)
		} else if got, err := p.Eval(nil); err != nil || got != want {
			t.Errorf("%q = %v, %v", src, got, err)
		}
	}
	for _, src := range []string{"1\n2", "[1].map(n\n=> n)", "[1].map((n)\n=> n)", "\"a\nb\"", "\"a\\\nb\"", "1\x00", "\xff", "1 + \xff"} {
		if _, err := Parse(src); err == nil {
			t.Errorf("%q is accepted", src)
		}
	}
}

func TestLength(t *testing.T) {
	for _, c := range []string{"a", "é", "😀"} {
		if _, err := Parse(`"` + strings.Repeat(c, MaxLength-2) + `"`); err != nil {
			t.Errorf("%d characters: %v", MaxLength, err)
		}
		var e *Error
		if _, err := Parse(`"` + strings.Repeat(c, MaxLength-1) + `"`); !errors.As(err, &e) || e.Column != MaxLength+1 {
			t.Errorf("%d characters: %v", MaxLength+1, err)
		}
	}
}

// These texts make other parsers slow or overflow the stack.
func TestHostileTextsAreRefusedQuickly(t *testing.T) {
	nest := func(open, middle, end string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	flat := testcpu.Time(func() { _, _ = Parse("1" + strings.Repeat("+1", 500)) })
	for name, src := range map[string]string{
		"parentheses beyond the length": nest("(", "1", ")", 10_000),
		"a million brackets":            strings.Repeat("[", 1_000_000),
		"parentheses":                   nest("(", "1", ")", 500),
		"lists":                         nest("[", "1", "]", 500),
		"objects":                       "(" + nest("{a:", "1", "}", 250) + ")",
		"indexes":                       nest("a[", "1", "]", 300),
		"not":                           strings.Repeat("!", 1000) + "1",
		"minus":                         strings.Repeat("- ", 500) + "1",
		"typeof":                        strings.Repeat("typeof ", 140) + "1",
		"choices":                       strings.Repeat("1?", 250) + "1" + strings.Repeat(":1", 250),
		"choices to the right":          strings.Repeat("1?1:", 250) + "1",
		"powers":                        strings.Repeat("1**", 300) + "1",
		"callbacks":                     nest("a.map(b=>", "b", ")", 100),
		"parameters that are lists":     nest("([", "a", "])=>1", 140),
		"parameters with defaults":      nest("(a=", "a", ")=>1", 140),
		"open parentheses with names":   strings.Repeat("(a,", 340),
		"arguments":                     nest("a.at(", "1", ")", 160),
	} {
		if _, err := Parse(src); err == nil {
			t.Errorf("%s: no error", name)
		}
		if took := testcpu.Time(func() { _, _ = Parse(src) }); took > 20*flat {
			t.Errorf("%s: reading it takes %v, a flat expression %v", name, took, flat)
		}
	}
	for name, src := range map[string]string{
		"parentheses": nest("(", "1", ")", MaxDepth-1),
		"sum":         "1" + strings.Repeat("+1", 500),
		"members":     "visitor" + strings.Repeat("?.a", 300),
	} {
		if p, err := Parse(src); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if _, err := p.Eval(testEnv(t)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBudget(t *testing.T) {
	many := make([]any, 1000)
	for i := range many {
		many[i] = "item"
	}
	loop := []any{1.0}
	loop[0] = loop
	env := map[string]any{"many": many, "long": strings.Repeat("ab", 1<<20), "loop": loop}
	doubled := `"aaaaaaaaaaaaaaaa"`
	for range 40 {
		doubled = "[" + doubled + "].map(a=>a+a)[0]"
	}
	simple, err := Parse("many.every(a => many.every(b => a === b))")
	if err != nil {
		t.Fatal(err)
	}
	steps := testcpu.Time(func() { _, _ = simple.Eval(env) }) // all of the budget
	for _, src := range []string{
		"many.map(a => many.map(b => many.map(c => a)))",
		"many.every(a => many.every(b => a === b))",
		"many.map(a => many.join()).join()",
		"many.map(a => many.slice()).length",
		"many.map(a => many.filter(b => true)).length",
		"many.map(a => many.map(b => [a, b, a, b, a, b, a, b])).length",
		"many.map(a => many.map(b => ({a, b}))).length",
		"many.map(a => long.length).length",
		"many.map(a => long.includes(\"c\")).length",
		"many.map(a => long.indexOf(\"b\", 1)).length",
		"many.map(a => long.startsWith(\"a\", 9)).length",
		"many.map(a => long[9]).length",
		"many.map(a => +long).length",
		"many.map(a => long === long).length",
		"many.map(a => long < long).length",
		"many.map(a => long.trim()).length",
		"long.toUpperCase()",
		"long + long",
		"long.split(\"\").length",
		"long.split(\"a\").length",
		"loop + \"\"",
		"loop == 1",
		"loop.join()",
		doubled,
	} {
		p, err := Parse(src)
		if err != nil {
			if src != doubled {
				t.Errorf("%s: %v", src, err)
			}
			continue
		}
		_, err = p.Eval(env)
		if !errors.Is(err, ErrBudget) {
			t.Errorf("%s: %v", src, err)
		}
		if took := testcpu.Time(func() { _, _ = p.Eval(env) }); took > 20*steps {
			t.Errorf("%s: it takes %v, as many simple steps take %v", src, took, steps)
		}
		if _, again := p.Eval(env); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: %v, then %v", src, err, again)
		}
		if Condition(src, env) {
			t.Errorf("%s holds", src)
		}
	}
}

func TestOnlyPlainDataIsRead(t *testing.T) {
	env := map[string]any{
		"int": 5, "int64": int64(6), "time": time.Now(), "strings": []string{"a"}, "func": func() {},
		"nested": map[string]any{"error": errors.New("x"), "list": []any{struct{ A int }{1}}},
		"undef":  Undefined{},
	}
	for src, want := range map[string]any{"int + 1": 6.0, "int64 + 1": 7.0, "[int].includes(5)": true, "undef": Undefined{}, "typeof undef": "undefined"} {
		p, err := Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Eval(env); err != nil || got != want {
			t.Errorf("%s = %v, %v", src, got, err)
		}
	}
	for _, src := range []string{"time", "typeof time", "time.Unix", "strings", "strings.length", "func", "nested.error", "nested.list[0]",
		"nested.list.map(x => 1)", "nested.list.join()", "nested.list + 1", "nested.list.includes(1)"} {
		p, err := Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := p.Eval(env); err == nil {
			t.Errorf("%s = %v", src, v)
		}
	}
}

func TestInputs(t *testing.T) {
	for src, want := range map[string]string{
		"1 + 2":                                                     "",
		"visitor.claims.unsigned.plan === 'pro'":                    "visitor.claims.unsigned.plan",
		"visitor?.claims?.plan":                                     "visitor.claims.plan",
		"(visitor?.claims).plan":                                    "visitor.claims.plan",
		"visitor['claims'].plan":                                    "visitor.claims.plan",
		"visitor.claims['a.b'].c":                                   "visitor.claims",
		"visitor.claims[''].c":                                      "visitor.claims",
		"visitor.claims[space.vars.key].deep":                       "space.vars.key visitor.claims",
		"visitor.claims[space.vars[page.vars.x]].deep":              "page.vars.x space.vars visitor.claims",
		"reviews[0].status":                                         "reviews",
		"reviews.length":                                            "reviews",
		"space.vars.name.toLowerCase().length":                      "space.vars.name",
		"space.vars.name.trim().split(page.vars.x)[actor.i]":        "actor.i page.vars.x space.vars.name",
		"reviews.every(r => r.status === space.vars.ok)":            "reviews space.vars.ok",
		"a.b && !a.b ? c.d : [e.f, {g: h.i}.g, -j, typeof k][l]":    "a.b c.d e.f h.i j k l",
		"reviews.map(visitor => visitor.claims)":                    "reviews",
		"visitor.claims.plan == 'a' || visitor.claims.plan === 'b'": "visitor.claims.plan",
		"a ?? b": "a b",
	} {
		p, err := Parse(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := strings.Join(p.Inputs(), " "); got != want {
			t.Errorf("%s reads %q, want %q", src, got, want)
		}
		for i := range p.Inputs() {
			p.Inputs()[i] = "changed"
		}
		if got := strings.Join(p.Inputs(), " "); got != want {
			t.Error("a caller can change the inputs of a program")
		}
	}
}

func TestCondition(t *testing.T) {
	env := testEnv(t)
	for src, want := range map[string]bool{
		"": true, " \n\t": true, "\u00a0": true,
		"true": true, "1": true, "'a'": true, "[]": true, "({})": true,
		"false": false, "0": false, "''": false, "null": false, "undefined": false, "NaN": false,
		"visitor.claims.beta": true, "visitor.claims.nothing": false,
		"nonsense(": false, "missing": false, "!missing": false, "true || while": false,
		"visitor.claims.nothing.deep": false, "!visitor.claims.nothing.deep": false,
	} {
		if got := Condition(src, env); got != want {
			t.Errorf("Condition(%q) = %v", src, got)
		}
	}
	if Condition("visitor.claims.beta", nil) {
		t.Error("a condition holds without data")
	}
}

func TestText(t *testing.T) {
	for want, v := range map[string]any{
		"as <is> ": "as <is> ", "true": true, "false": false, "12": 12.0, "0.5": 0.5, "1e+21": 1e21, "NaN": math.NaN(),
		"7": 7, "8": int64(8),
	} {
		if got := Text(v); got != want {
			t.Errorf("Text(%v) = %q", v, got)
		}
	}
	for _, v := range []any{nil, Undefined{}, []any{1.0}, map[string]any{}, time.Now()} {
		if got := Text(v); got != "" {
			t.Errorf("Text(%v) = %q", v, got)
		}
	}
}

func TestProgramsServeManyAtOnce(t *testing.T) {
	p, err := Parse(`nums.map((n, i) => nums.filter(m => m > n).length + i).join() + visitor.claims.plan`)
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv(t)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 200 {
				if v, err := p.Eval(env); err != nil || v != "0,3,3pro" {
					t.Errorf("%v, %v", v, err)
					return
				}
			}
		})
	}
	wait.Wait()
}
