package expr

// node is an expression in the tree of a program.
type node interface {
	eval(r *run) (any, error)
}

type (
	literal struct{ value any }

	// name is a key of the environment.
	name struct {
		name   string
		column int
	}

	// parameter is a parameter of a callback. Callbacks cannot be stored, so each
	// parameter has a fixed slot.
	parameter struct{ slot int }

	member struct {
		object   node
		key      string
		optional bool
		column   int
	}

	index struct {
		object, key node
		optional    bool
		column      int
	}

	call struct {
		object   node
		name     string
		method   method
		args     []node
		callback *callback // of some, every, map and so on
		optional bool
		column   int
	}

	// callback evaluates its body with the item, its index and the list in the
	// slots from first on, as many as it has parameters.
	callback struct {
		first, params int
		body          node
	}

	// chain is a member chain with a `?.`. Its evaluation ends where the operand
	// of a `?.` is null or undefined.
	chain struct{ inner node }

	unary struct {
		op      string
		operand node
		column  int
	}

	binary struct {
		op          string
		left, right node
		column      int
	}

	logical struct {
		op          string
		left, right node
	}

	conditional struct{ test, yes, no node }

	list struct {
		items  []node
		column int
	}

	object struct {
		fields []field
		column int
	}

	field struct {
		key   string
		value node
	}
)

// maxParams is the number of arguments of a callback: item, index, list.
const maxParams = 3

// children calls visit for the direct children of a node.
func children(n node, visit func(node)) {
	switch n := n.(type) {
	case *member:
		visit(n.object)
	case *index:
		visit(n.object)
		visit(n.key)
	case *call:
		visit(n.object)
		for _, arg := range n.args {
			visit(arg)
		}
		if n.callback != nil {
			visit(n.callback.body)
		}
	case *chain:
		visit(n.inner)
	case *unary:
		visit(n.operand)
	case *binary:
		visit(n.left)
		visit(n.right)
	case *logical:
		visit(n.left)
		visit(n.right)
	case *conditional:
		visit(n.test)
		visit(n.yes)
		visit(n.no)
	case *list:
		for _, item := range n.items {
			visit(item)
		}
	case *object:
		for _, f := range n.fields {
			visit(f.value)
		}
	}
}
