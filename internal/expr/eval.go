package expr

import "math"

// run is one evaluation.
type run struct {
	env    map[string]any
	slots  []any
	depth  int // depth of nested lists that are being converted to text
	budget *budget
}

// budget is the number of steps and bytes that can still be used.
type budget struct{ steps, bytes int }

func newBudget() *budget { return &budget{steps: MaxSteps, bytes: MaxBytes} }

// shortCircuit is the value of a member chain after a `?.` on null or
// undefined. chain converts it to Undefined.
type shortCircuit struct{}

// Eval evaluates the expression over env. It returns nil, a bool, a float64, a
// string, a []any, a map[string]any or Undefined. Every error is an *Error.
//
// The values of env have the same types, or int or int64. Reading a value of
// another type is an error. Lists and objects in the result may be shared with
// env and must not be modified.
func (p *Program) Eval(env map[string]any) (any, error) { return p.eval(env, newBudget()) }

// Document evaluates the expressions of one document. Together they may use
// documentTimes the steps and bytes of a single expression; further expressions
// fail.
type Document struct {
	env  map[string]any
	left budget
}

const documentTimes = 8

// NewDocument returns a Document whose expressions read env.
func NewDocument(env map[string]any) *Document {
	return &Document{env, budget{documentTimes * MaxSteps, documentTimes * MaxBytes}}
}

// Eval parses and evaluates an expression.
func (d *Document) Eval(src string) (any, error) {
	d.left.steps = max(0, d.left.steps-len(src)/stepBytes) // cost of parsing
	p, err := Parse(src)
	if err != nil {
		return nil, err
	}
	own := budget{min(MaxSteps, d.left.steps), min(MaxBytes, d.left.bytes)}
	rest := own
	v, err := p.eval(d.env, &rest)
	d.left.steps -= own.steps - rest.steps
	d.left.bytes -= own.bytes - rest.bytes
	return v, err
}

// Steps returns the number of steps that the expressions have used so far.
func (d *Document) Steps() int { return documentTimes*MaxSteps - d.left.steps }

// Condition is like the function Condition, for a condition of the document.
func (d *Document) Condition(src string) bool {
	if trim(src) == "" {
		return true
	}
	v, err := d.Eval(src)
	return err == nil && truthy(v)
}

func (p *Program) eval(env map[string]any, left *budget) (any, error) {
	r := &run{env: env, budget: left}
	if p.slots > 0 {
		r.slots = make([]any, p.slots)
	}
	v, err := p.root.eval(r)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// spend subtracts steps from the budget. It returns an error if too few are left.
func (r *run) spend(column, steps int) error {
	if r.budget.steps -= steps; r.budget.steps < 0 {
		r.budget.steps = 0
		return &Error{Column: column, Message: "the expression takes too many steps", err: ErrBudget}
	}
	return nil
}

// scan subtracts the steps for reading a text of the given size.
func (r *run) scan(column, bytes int) error { return r.spend(column, 1+bytes/stepBytes) }

// allocate subtracts bytes that are about to be allocated, and the steps to write
// them. It returns an error if too few are left.
func (r *run) allocate(column, bytes int) error {
	if r.budget.bytes -= bytes; bytes < 0 || r.budget.bytes < 0 {
		r.budget.bytes = 0
		return &Error{Column: column, Message: "the expression makes too much text or too long lists", err: ErrBudget}
	}
	return r.scan(column, bytes)
}

const (
	// itemBytes is the size that is counted for an item of a list or a key of an
	// object.
	itemBytes = 32
	// stepBytes is the number of bytes of text that count as one step.
	stepBytes = 16
)

func (n *literal) eval(r *run) (any, error) { return n.value, r.spend(1, 1) }

func (n *parameter) eval(r *run) (any, error) { return r.slots[n.slot], r.spend(1, 1) }

func (n *name) eval(r *run) (any, error) {
	v, ok := r.env[n.name]
	if !ok {
		return nil, failed(n.column, "%s is not defined", n.name)
	}
	if err := r.spend(n.column, 1); err != nil {
		return nil, err
	}
	return normalize(v, n.column)
}

// normalize checks that a value of the data has an allowed type, and converts
// integers to float64.
func normalize(v any, column int) (any, error) {
	switch v := v.(type) {
	case nil, bool, float64, string, []any, map[string]any, Undefined:
		return v, nil
	case int:
		return float64(v), nil
	case int64:
		return float64(v), nil
	}
	return nil, failed(column, "the data has a value of a type that expressions cannot read")
}

func (n *chain) eval(r *run) (any, error) {
	v, err := n.inner.eval(r)
	if _, missing := v.(shortCircuit); missing {
		return Undefined{}, err
	}
	return v, err
}

// receiver evaluates the operand before a dot or a bracket. missing is true if it
// is null or undefined and optional is set, or if an earlier `?.` ended the
// chain.
func (r *run) receiver(n node, optional bool, column int, what string) (v any, missing bool, err error) {
	if v, err = n.eval(r); err != nil {
		return nil, false, err
	}
	switch v.(type) {
	case shortCircuit:
		return nil, true, nil
	case nil, Undefined:
		if optional {
			return nil, true, nil
		}
		null := "undefined"
		if v == nil {
			null = "null"
		}
		return nil, false, failed(column, "cannot read %s of %s; use `?.` if it may be missing", what, null)
	}
	return v, false, r.spend(column, 1)
}

func (n *member) eval(r *run) (any, error) {
	v, missing, err := r.receiver(n.object, n.optional, n.column, n.key)
	if err != nil {
		return nil, err
	}
	if missing {
		return shortCircuit{}, nil
	}
	return r.get(v, n.key, n.column)
}

func (n *index) eval(r *run) (any, error) {
	v, missing, err := r.receiver(n.object, n.optional, n.column, "a member")
	if err != nil {
		return nil, err
	}
	if missing {
		return shortCircuit{}, nil
	}
	key, err := n.key.eval(r)
	if err != nil {
		return nil, err
	}
	if i, ok := key.(float64); ok {
		switch v := v.(type) {
		case []any:
			return r.item(v, i, n.column)
		case string:
			return r.unit(v, i, n.column)
		}
	}
	text, err := r.text(key, n.column)
	if err != nil {
		return nil, err
	}
	if isForbidden(text) {
		return nil, failed(n.column, "`%s` cannot be read", text)
	}
	return r.get(v, text, n.column)
}

// get returns the value of an own key of v.
func (r *run) get(v any, key string, column int) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		item, ok := v[key]
		if !ok {
			return Undefined{}, nil
		}
		return normalize(item, column)
	case []any:
		if key == "length" {
			return float64(len(v)), nil
		}
		if i, ok := indexText(key); ok {
			return r.item(v, i, column)
		}
	case string:
		if key == "length" {
			return float64(units(v)), r.scan(column, len(v))
		}
		if i, ok := indexText(key); ok {
			return r.unit(v, i, column)
		}
	default:
		return Undefined{}, nil
	}
	if _, ok := methods[key]; ok {
		return nil, failed(column, "%s is a method: call it with ( )", key)
	}
	return Undefined{}, nil
}

func (r *run) item(items []any, i float64, column int) (any, error) {
	if i != math.Trunc(i) || i < 0 || i >= float64(len(items)) {
		return Undefined{}, nil
	}
	return normalize(items[int(i)], column)
}

func (r *run) unit(s string, i float64, column int) (any, error) {
	if err := r.scan(column, len(s)); err != nil {
		return nil, err
	}
	if i != math.Trunc(i) || i < 0 || i >= float64(units(s)) {
		return Undefined{}, nil
	}
	return slice(s, int(i), int(i)+1), nil
}

func (n *call) eval(r *run) (any, error) {
	v, missing, err := r.receiver(n.object, n.optional, n.column, n.name)
	if err != nil {
		return nil, err
	}
	if missing {
		return shortCircuit{}, nil
	}
	c := invocation{run: r, column: n.column, callback: n.callback}
	for i, a := range n.args {
		if c.args[i], err = a.eval(r); err != nil {
			return nil, err
		}
	}
	c.count = len(n.args)
	switch v := v.(type) {
	case string:
		if n.method.text != nil {
			return n.method.text(&c, v)
		}
	case []any:
		if n.method.list != nil {
			return n.method.list(&c, v)
		}
	}
	return nil, failed(n.column, "%s is not a method of %s", n.name, kindOf(v))
}

func (n *unary) eval(r *run) (any, error) {
	v, err := n.operand.eval(r)
	if n.op == "typeof" {
		if x, ok := n.operand.(*name); ok {
			if _, known := r.env[x.name]; !known {
				return "undefined", r.spend(n.column, 1)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if err := r.spend(n.column, 1); err != nil {
		return nil, err
	}
	switch n.op {
	case "typeof":
		return typeOf(v), nil
	case "!":
		return !truthy(v), nil
	}
	x, err := r.number(v, n.column)
	if n.op == "-" {
		x = -x
	}
	return x, err
}

func (n *logical) eval(r *run) (any, error) {
	v, err := n.left.eval(r)
	if err != nil {
		return nil, err
	}
	if err := r.spend(1, 1); err != nil {
		return nil, err
	}
	enough := false
	switch n.op {
	case "&&":
		enough = !truthy(v)
	case "||":
		enough = truthy(v)
	case "??":
		enough = !isNullish(v)
	}
	if enough {
		return v, nil
	}
	return n.right.eval(r)
}

func (n *conditional) eval(r *run) (any, error) {
	v, err := n.test.eval(r)
	if err != nil {
		return nil, err
	}
	if err := r.spend(1, 1); err != nil {
		return nil, err
	}
	if truthy(v) {
		return n.yes.eval(r)
	}
	return n.no.eval(r)
}

func (n *list) eval(r *run) (any, error) {
	if err := r.allocate(n.column, itemBytes*len(n.items)); err != nil {
		return nil, err
	}
	items := make([]any, len(n.items))
	for i, item := range n.items {
		var err error
		if items[i], err = item.eval(r); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func (n *object) eval(r *run) (any, error) {
	if err := r.allocate(n.column, itemBytes*len(n.fields)); err != nil {
		return nil, err
	}
	o := make(map[string]any, len(n.fields))
	for _, f := range n.fields {
		v, err := f.value.eval(r)
		if err != nil {
			return nil, err
		}
		o[f.key] = v
	}
	return o, nil
}

func (n *binary) eval(r *run) (any, error) {
	a, err := n.left.eval(r)
	if err != nil {
		return nil, err
	}
	b, err := n.right.eval(r)
	if err != nil {
		return nil, err
	}
	if err := r.spend(n.column, 1); err != nil {
		return nil, err
	}
	switch n.op {
	case "===", "!==":
		same, err := r.strictEqual(a, b, n.column)
		return same == (n.op == "==="), err
	case "==", "!=":
		same, err := r.looseEqual(a, b, n.column)
		return same == (n.op == "=="), err
	case "<":
		return r.less(a, b, false, n.column)
	case ">":
		return r.less(b, a, false, n.column)
	case "<=":
		return r.less(b, a, true, n.column)
	case ">=":
		return r.less(a, b, true, n.column)
	case "+":
		return r.add(a, b, n.column)
	}
	x, err := r.number(a, n.column)
	if err != nil {
		return nil, err
	}
	y, err := r.number(b, n.column)
	if err != nil {
		return nil, err
	}
	switch n.op {
	case "-":
		return x - y, nil
	case "*":
		return x * y, nil
	case "/":
		return x / y, nil
	case "%":
		return math.Mod(x, y), nil
	default:
		return power(x, y), nil
	}
}
