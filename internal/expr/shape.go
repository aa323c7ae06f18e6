package expr

import (
	"maps"
	"slices"
	"strings"
)

// Shape describes the data that an expression is evaluated over: an object with
// Members, a list of Items, or a value without members if both are nil. A nil
// shape describes any value.
type Shape struct {
	Members map[string]*Shape
	Items   *Shape
}

// Check returns an error for the first name or member that data of the shape does
// not have. Eval does not require it: there, an unknown member is undefined.
func (p *Program) Check(env *Shape) error {
	c := &shapeCheck{env: env, params: make([]shaped, p.slots)}
	c.of(p.root)
	if c.err != nil {
		return c.err
	}
	return nil
}

// shaped is the shape of a value and its path in messages.
type shaped struct {
	*Shape
	path string
}

// item returns the shape of an item of a list.
func (s shaped) item() shaped {
	if s.Shape == nil {
		return shaped{}
	}
	return shaped{s.Items, s.path + "[]"}
}

type shapeCheck struct {
	env    *Shape
	params []shaped // of callbacks, by slot
	err    *Error
}

// of returns the shape of the result of a node, and checks its children.
func (c *shapeCheck) of(n node) shaped {
	switch n := n.(type) {
	case *name:
		return c.member(shaped{Shape: c.env}, n.name, n.column)
	case *parameter:
		return c.params[n.slot]
	case *chain:
		return c.of(n.inner)
	case *member:
		return c.member(c.of(n.object), n.key, n.column)
	case *index:
		of := c.of(n.object)
		c.of(n.key)
		if l, ok := n.key.(*literal); ok {
			if key, ok := l.value.(string); ok {
				return c.member(of, key, n.column)
			}
		}
		return of.item()
	case *call:
		return c.call(n)
	}
	children(n, func(child node) { c.of(child) })
	return shaped{}
}

// member returns the shape of a member.
func (c *shapeCheck) member(of shaped, key string, column int) shaped {
	if of.Shape == nil {
		return shaped{}
	}
	prefix := of.path
	if prefix != "" {
		prefix += "."
	}
	if m, ok := of.Members[key]; ok {
		return shaped{m, prefix + key}
	}
	switch {
	case key == "length" && of.Members == nil:
	case c.err != nil:
	case of.Items != nil:
		c.err = failed(column, "%s%s is unknown: %s is a list", prefix, key, of.path)
	case of.Members == nil:
		c.err = failed(column, "%s%s is unknown: %s is a single value", prefix, key, of.path)
	default:
		known := slices.Sorted(maps.Keys(of.Members))
		c.err = failed(column, "%s%s is unknown; known are %s%s", prefix, key, prefix, strings.Join(known, ", "+prefix))
	}
	return shaped{}
}

// call returns the shape of the result of a method.
func (c *shapeCheck) call(n *call) shaped {
	of := c.of(n.object)
	for _, arg := range n.args {
		c.of(arg)
	}
	if f := n.callback; f != nil {
		for i, value := range []shaped{of.item(), {&Shape{}, "the index"}, of}[:f.params] {
			c.params[f.first+i] = value
		}
		c.of(f.body)
	}
	switch n.name {
	case "filter", "slice":
		return of
	case "find", "at":
		return of.item()
	}
	return shaped{}
}
