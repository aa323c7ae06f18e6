package expr

// The kinds of node. eval.go says what each one means.
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

	// parameter is a value of the callback that runs. A callback lives no
	// longer than the call it is given to, so its parameters have fixed
	// places.
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

	// callback puts the item, its index and the list into the slots from
	// first on, as far as it has parameters, and evaluates its body.
	callback struct {
		first, params int
		body          node
	}

	// chain is where the value goes to that a `?.` found missing.
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

// maxParams is what a callback is called with: item, index, list.
const maxParams = 3

// children visits the nodes right below a node.
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
