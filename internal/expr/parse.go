package expr

import (
	"slices"
	"strings"
)

// Program is a parsed expression. It is safe for concurrent use.
type Program struct {
	root   node
	slots  int // maximum number of callback parameters in scope at once
	inputs []string
}

// Parse parses one expression, which may end with a semicolon. Every error is an
// *Error. It takes linear time: the grammar needs no backtracking.
func Parse(src string) (*Program, error) {
	tokens, lexErr := lex(src)
	if lexErr != nil {
		return nil, lexErr
	}
	p := &parser{tokens: tokens}
	switch {
	case p.peek().kind == tokEnd:
		p.fail(p.peek(), "the expression is empty")
	case p.isPunct("{"):
		p.fail(p.peek(), "`{` begins a block here; put an object in parentheses")
	}
	root := p.expression()
	p.take(";")
	if t := p.peek(); t.kind != tokEnd {
		p.unexpected(t)
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Program{root: root, slots: p.slots, inputs: inputsOf(root)}, nil
}

// parser reads the tokens once. The first error moves it to the last token, so
// that all loops and functions return.
type parser struct {
	tokens []token
	pos    int
	depth  int
	params []string // callback parameters in scope; the index is the slot
	slots  int
	err    *Error
}

func (p *parser) peek() token { return p.tokens[p.pos] }

func (p *parser) lookahead(n int) token {
	return p.tokens[min(p.pos+n, len(p.tokens)-1)]
}

func (p *parser) next() token {
	t := p.tokens[p.pos]
	if t.kind != tokEnd {
		p.pos++
	}
	return t
}

func (p *parser) isPunct(text string) bool {
	t := p.peek()
	return t.kind == tokPunct && t.text == text
}

func (p *parser) take(text string) bool {
	if !p.isPunct(text) {
		return false
	}
	p.pos++
	return true
}

func (p *parser) expect(text string) {
	if !p.take(text) {
		p.fail(p.peek(), "`%s` is missing before %s", text, describe(p.peek()))
	}
}

func (p *parser) fail(t token, format string, args ...any) node {
	if p.err == nil {
		p.err = failed(t.column, format, args...)
	}
	p.pos = len(p.tokens) - 1
	return &literal{}
}

func (p *parser) unexpected(t token) node {
	switch {
	case t.kind == tokName && reserved[t.text] != "":
		return p.fail(t, "%s", reserved[t.text])
	case t.kind == tokPunct && t.text == "=>":
		return p.fail(t, "the parameters of a callback are plain names, as in (item, index) => item")
	case t.kind == tokPunct && t.text == ";":
		return p.fail(t, "only one expression is allowed")
	case t.kind == tokPunct && t.text == ",":
		return p.fail(t, "only one expression is allowed; `,` separates arguments and items")
	}
	return p.fail(t, "%s is not expected here", describe(t))
}

func describe(t token) string {
	switch t.kind {
	case tokEnd:
		return "the end"
	case tokNumber:
		return "a number"
	case tokString:
		return "a text"
	}
	return "`" + t.text + "`"
}

// enter increments the nesting depth and fails if it is too deep. Each enter is
// followed by a leave.
func (p *parser) enter() {
	if p.depth++; p.depth > MaxDepth {
		p.fail(p.peek(), "the expression is nested more than %d deep", MaxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) expression() node {
	p.enter()
	defer p.leave()
	if p.atCallback() {
		return p.fail(p.peek(), "a callback can only be given to %s", strings.Join(callbackMethods(), ", "))
	}
	test, _ := p.binary(0)
	if !p.take("?") {
		return test
	}
	yes := p.expression()
	p.expect(":")
	return &conditional{test: test, yes: yes, no: p.expression()}
}

// strength is the precedence of binary operators. All but ** are
// left-associative.
var strength = map[string]int{
	"??": 1, "||": 2, "&&": 3,
	"==": 4, "!=": 4, "===": 4, "!==": 4,
	"<": 5, "<=": 5, ">": 5, ">=": 5,
	"+": 6, "-": 6, "*": 7, "/": 7, "%": 7, "**": 8,
}

// binary parses operands that are joined by operators stronger than weakest. It
// also returns the operator of the result, or "" if the result is in parentheses
// or has none.
func (p *parser) binary(weakest int) (node, string) {
	left, leftOp := p.unary(), ""
	for {
		t := p.peek()
		s := strength[t.text]
		if t.kind != tokPunct || s <= weakest {
			return left, leftOp
		}
		p.next()
		var right node
		var rightOp string
		if t.text == "**" {
			p.enter()
			right, rightOp = p.binary(s - 1)
			p.leave()
		} else {
			right, rightOp = p.binary(s)
		}
		if mixed(t.text, leftOp) || mixed(t.text, rightOp) {
			return p.fail(t, "put parentheses around one side: `??` does not mix with `||` and `&&`"), ""
		}
		switch t.text {
		case "&&", "||", "??":
			left = &logical{op: t.text, left: left, right: right}
		default:
			left = &binary{op: t.text, left: left, right: right, column: t.column}
		}
		leftOp = t.text
	}
}

func mixed(op, operand string) bool {
	either := operand == "||" || operand == "&&"
	return op == "??" && either || operand == "??" && (op == "||" || op == "&&")
}

func (p *parser) unary() node {
	t := p.peek()
	prefix := t.kind == tokPunct && (t.text == "!" || t.text == "-" || t.text == "+") ||
		t.kind == tokName && t.text == "typeof"
	if !prefix {
		return p.postfix()
	}
	p.enter()
	defer p.leave()
	p.next()
	operand := p.unary()
	if p.isPunct("**") {
		return p.fail(p.peek(), "put parentheses around the operand before `**`")
	}
	return &unary{op: t.text, operand: operand, column: t.column}
}

// postfix parses an operand and the members and method calls after it.
func (p *parser) postfix() node {
	n := p.primary()
	chained := false
	for {
		t := p.peek()
		switch {
		case t.kind != tokPunct:
			return endChain(n, chained)
		case t.text == ".":
			p.next()
			n = p.member(n, false)
		case t.text == "?.":
			chained = true
			p.next()
			if p.isPunct("[") {
				n = p.index(n, true)
			} else {
				n = p.member(n, true)
			}
		case t.text == "[":
			n = p.index(n, false)
		case t.text == "(":
			return p.fail(t, "only methods can be called: %s", strings.Join(methodNames(), ", "))
		default:
			return endChain(n, chained)
		}
	}
}

func endChain(n node, chained bool) node {
	if chained {
		return &chain{n}
	}
	return n
}

func (p *parser) member(object node, optional bool) node {
	t := p.next()
	if t.kind != tokName {
		if t.text == "(" {
			return p.fail(t, "`?.(` is not available")
		}
		return p.fail(t, "the name of a member is missing before %s", describe(t))
	}
	if p.isPunct("(") {
		return p.call(object, t, optional)
	}
	if isForbidden(t.text) {
		return p.fail(t, "`%s` cannot be read", t.text)
	}
	return &member{object: object, key: t.text, optional: optional, column: t.column}
}

func (p *parser) index(object node, optional bool) node {
	t := p.next()
	key := p.expression()
	p.expect("]")
	if l, ok := key.(*literal); ok {
		if name, ok := l.value.(string); ok && isForbidden(name) {
			return p.fail(t, "`%s` cannot be read", name)
		}
	}
	return &index{object: object, key: key, optional: optional, column: t.column}
}

func (p *parser) call(object node, name token, optional bool) node {
	m, known := methods[name.text]
	if !known {
		return p.fail(name, "there is no method %s; the methods are %s", name.text, strings.Join(methodNames(), ", "))
	}
	c := &call{object: object, name: name.text, method: m, optional: optional, column: name.column}
	p.expect("(")
	if m.callback {
		if !p.atCallback() {
			return p.fail(p.peek(), "%s takes a callback, such as item => item.status === \"approved\"", name.text)
		}
		c.callback = p.callback()
		p.take(",")
	} else {
		for !p.isPunct(")") && p.peek().kind != tokEnd {
			c.args = append(c.args, p.expression())
			if !p.take(",") {
				break
			}
		}
		if len(c.args) > m.args {
			return p.fail(name, "%s takes at most %d arguments", name.text, m.args)
		}
	}
	p.expect(")")
	return c
}

// atCallback reports whether `name =>` or `(name, name) =>` follows. It looks
// ahead only to the end of the names, so that parsing takes linear time.
func (p *parser) atCallback() bool {
	i := 1
	switch t := p.peek(); {
	case t.kind == tokName:
	case p.isPunct("("):
		for p.lookahead(i).kind == tokName {
			i++
			if t := p.lookahead(i); t.kind != tokPunct || t.text != "," {
				break
			}
			i++
		}
		if t := p.lookahead(i); t.kind != tokPunct || t.text != ")" {
			return false
		}
		i++
	default:
		return false
	}
	t := p.lookahead(i)
	return t.kind == tokPunct && t.text == "=>"
}

// callback parses a callback after atCallback reported one.
func (p *parser) callback() *callback {
	p.enter()
	defer p.leave()
	f := &callback{first: len(p.params)}
	if p.take("(") {
		for !p.isPunct(")") && p.err == nil {
			p.param(f)
			p.take(",")
		}
		p.expect(")")
	} else {
		p.param(f)
	}
	if arrow := p.peek(); arrow.newline {
		p.fail(arrow, "`=>` must be on the same line as its parameters")
	}
	p.expect("=>")
	if p.isPunct("{") {
		p.fail(p.peek(), "the body of a callback is one expression, without braces")
	}
	p.slots = max(p.slots, len(p.params))
	f.body = p.expression()
	p.params = p.params[:f.first]
	return f
}

func (p *parser) param(f *callback) {
	t := p.next()
	switch {
	case p.refusedName(t), p.err != nil:
	case constants[t.text] != nil:
		p.fail(t, "`%s` cannot be the name of a parameter", t.text)
	case slices.Contains(p.params[f.first:], t.text):
		p.fail(t, "two parameters have the name `%s`", t.text)
	case f.params == maxParams:
		p.fail(t, "a callback takes the item, its index and the list, no more")
	default:
		f.params++
		p.params = append(p.params, t.text)
	}
}

func (p *parser) primary() node {
	t := p.next()
	switch t.kind {
	case tokNumber:
		return &literal{t.number}
	case tokString:
		return &literal{t.text}
	case tokName:
		return p.name(t)
	case tokPunct:
		switch t.text {
		case "(":
			n := p.expression()
			p.expect(")")
			return n
		case "[":
			return p.list(t)
		case "{":
			return p.object(t)
		}
	}
	return p.unexpected(t)
}

func (p *parser) name(t token) node {
	switch t.text {
	case "true":
		return &literal{true}
	case "false":
		return &literal{false}
	case "null":
		return &literal{nil}
	}
	if p.refusedName(t) {
		return &literal{}
	}
	if v, ok := constants[t.text]; ok {
		return &literal{v}
	}
	for i := len(p.params) - 1; i >= 0; i-- {
		if p.params[i] == t.text {
			return &parameter{i}
		}
	}
	return &name{name: t.text, column: t.column}
}

func (p *parser) list(open token) node {
	l := &list{column: open.column}
	for !p.isPunct("]") && p.peek().kind != tokEnd {
		if p.isPunct(",") {
			return p.fail(p.peek(), "an item is missing before `,`")
		}
		l.items = append(l.items, p.expression())
		if !p.take(",") {
			break
		}
	}
	p.expect("]")
	return l
}

func (p *parser) object(open token) node {
	o := &object{column: open.column}
	for !p.isPunct("}") && p.peek().kind != tokEnd {
		t := p.next()
		f := field{key: t.text}
		switch t.kind {
		case tokNumber:
			f.key = numberText(t.number)
		case tokName, tokString:
		default:
			return p.fail(t, "a key must be a name, a text or a number")
		}
		if isForbidden(f.key) {
			return p.fail(t, "`%s` cannot be a key", f.key)
		}
		if t.kind == tokName && (p.isPunct(",") || p.isPunct("}")) {
			if !p.refusedName(t) {
				f.value = p.name(t)
			}
		} else {
			p.expect(":")
			f.value = p.expression()
		}
		o.fields = append(o.fields, f)
		if !p.take(",") {
			break
		}
	}
	p.expect("}")
	return o
}
