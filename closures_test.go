package octavo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// assigning are functions with a closure that may run again and that assigns to something outside, each
// with the reason why nothing of a run that failed remains.
var assigning = map[string]string{
	"internal/store.InTxQueued":                "the result of the last run, which is dropped if it failed",
	"internal/identity/signin.Service.UseLink": "the link that the last run refused, which is recorded after its transaction",
}

// A transaction that collides runs again, and so does what lost against somebody who was faster.
// So a function that runs in a transaction, and one that is passed to a retry, keeps nothing
// outside: what it makes is its result.
func TestWhatMayRunAgainAssignsToNothingOutside(t *testing.T) {
	found := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(goFiles(t))) {
		if strings.HasSuffix(file, "_test.go") || !strings.HasPrefix(file, "internal/") && !strings.HasPrefix(file, "cmd/") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			name := path.Dir(file) + "." + functionName(fn)
			for _, at := range assignedOutside(fn) {
				found[name] = true
				if assigning[name] == "" {
					t.Errorf("%s: %s assigns to something outside of what may run again: return it instead, or name %s in assigning with the reason", set.Position(at), name, name)
				}
			}
		}
	}
	for name := range assigning {
		if !found[name] {
			t.Errorf("%s is in assigning for nothing: remove it", name)
		}
	}
}

// The test above finds what it is for.
func TestAssignmentsOutsideAreFound(t *testing.T) {
	for source, want := range map[string]int{
		`func f() { var x int; s.Do(ctx, func(tx *store.Tx) error { x = 1; return nil }) }`:                         1,
		`func f() { var x T; s.Do(ctx, func(tx *Tx) error { x.y[0]++; return nil }) }`:                              1,
		`func f() { s.Do(ctx, func(tx *store.Tx) (err error) { x, err := 1, err; x = 2; err = nil; return err }) }`: 0,
		`func f() { var x int; Retry(ctx, s, func(sp Space) (T, error) { x, err = g(); return nil, err }) }`:        2,
		`func f() { var x int; each(func(sp Space) { x = 1 }) }`:                                                    0,
		`func (s *S) f(tx *store.Tx) { s.x = 1; s = nil }`:                                                          1,
		`func f(tx *store.Tx, p *P) { p.x = 1; tx.y = 2 }`:                                                          0,
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), "f.go", "package p\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := assignedOutside(parsed.Decls[0].(*ast.FuncDecl)); len(got) != want {
			t.Errorf("%s: %d assignments, want %d", source, len(got), want)
		}
	}
}

// assignedOutside returns the places in a function where a part that may run again assigns to a variable that
// it does not declare.
func assignedOutside(fn *ast.FuncDecl) []token.Pos {
	var out []token.Pos
	if inTransaction(fn.Type) {
		out = outsideOf(fn, fn.Body, receiver(fn))
	}
	retried := map[*ast.FuncLit]bool{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, arg := range n.Args {
				if f, ok := arg.(*ast.FuncLit); ok && strings.EqualFold(calledName(n), "retry") {
					retried[f] = true
				}
			}
		case *ast.FuncLit:
			if retried[n] || inTransaction(n.Type) {
				out = append(out, outsideOf(n, n.Body, token.NoPos)...)
			}
		}
		return true
	})
	return out
}

// inTransaction reports whether a function takes the transaction that it runs in.
func inTransaction(f *ast.FuncType) bool {
	return slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool {
		star, ok := p.Type.(*ast.StarExpr)
		if !ok {
			return false
		}
		switch x := star.X.(type) {
		case *ast.Ident:
			return x.Name == "Tx"
		case *ast.SelectorExpr:
			return x.Sel.Name == "Tx"
		}
		return false
	})
}

// receiver returns the place where the receiver of a method of a pointer is declared, or NoPos.
func receiver(fn *ast.FuncDecl) token.Pos {
	if fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 {
		return token.NoPos
	}
	if _, ok := fn.Recv.List[0].Type.(*ast.StarExpr); !ok {
		return token.NoPos
	}
	return fn.Recv.List[0].Names[0].Pos()
}

// outsideOf returns the assignments in a body to variables that are not declared in within, or to
// what the variable that is declared at through points to.
func outsideOf(within ast.Node, body *ast.BlockStmt, through token.Pos) []token.Pos {
	var out []token.Pos
	check := func(to ast.Expr) {
		id, whole := rootOf(to)
		if id == nil || id.Name == "_" {
			return
		}
		declared := id.Obj != nil && within.Pos() <= id.Obj.Pos() && id.Obj.Pos() < within.End()
		if !declared || id.Obj.Pos() == through && !whole {
			out = append(out, to.Pos())
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, to := range n.Lhs {
					check(to)
				}
			}
		case *ast.IncDecStmt:
			check(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				check(n.Key)
				if n.Value != nil {
					check(n.Value)
				}
			}
		}
		return true
	})
	return out
}

// rootOf returns the variable of an expression that is assigned to, and whether it is assigned to as a whole.
func rootOf(to ast.Expr) (id *ast.Ident, whole bool) {
	whole = true
	for {
		switch x := to.(type) {
		case *ast.Ident:
			return x, whole
		case *ast.SelectorExpr:
			to, whole = x.X, false
		case *ast.IndexExpr:
			to, whole = x.X, false
		case *ast.StarExpr:
			to, whole = x.X, false
		case *ast.ParenExpr:
			to = x.X
		default:
			return nil, false
		}
	}
}

// calledName returns the name of a called function, without its package or receiver.
func calledName(call *ast.CallExpr) string {
	f := call.Fun
	if i, ok := f.(*ast.IndexExpr); ok {
		f = i.X
	}
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
