package octavo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// Package web/services makes every service complete. Who sets a field of a service later
// makes it depend on the order of calls what the service does.
func TestServicesAreNotChanged(t *testing.T) {
	named := serviceFields(t)
	for file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			own := serviceReceiver(fn)
			ast.Inspect(fn, func(n ast.Node) bool {
				a, ok := n.(*ast.AssignStmt)
				if !ok {
					return true
				}
				for _, to := range a.Lhs {
					if setsServiceField(to, own, named) {
						t.Errorf("%s: a field of a service is set: give the value to its constructor, in services.New", set.Position(to.Pos()))
					}
				}
				return true
			})
		}
	}
}

// serviceFields returns the names of the fields of services.Services that are services.
func serviceFields(t *testing.T) map[string]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "internal/web/services/services.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSpec)
		if !ok || s.Name.Name != "Services" {
			return true
		}
		for _, field := range s.Type.(*ast.StructType).Fields.List {
			for _, name := range field.Names {
				names[name.Name] = true
			}
		}
		return false
	})
	if len(names) < 10 {
		t.Fatalf("services.Services has %d fields", len(names))
	}
	return names
}

// serviceReceiver returns the name of the receiver of a method of a type Service, or "".
func serviceReceiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 {
		return ""
	}
	if p, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
		if name, ok := p.X.(*ast.Ident); ok && name.Name == "Service" {
			return fn.Recv.List[0].Names[0].Name
		}
	}
	return ""
}

// setsServiceField reports whether an expression is an exported field of a service: own.Field
// in a method of the service, or x.Content.Field.
func setsServiceField(to ast.Expr, own string, named map[string]bool) bool {
	field, ok := to.(*ast.SelectorExpr)
	if !ok || !field.Sel.IsExported() {
		return false
	}
	switch of := field.X.(type) {
	case *ast.Ident:
		return own != "" && of.Name == own
	case *ast.SelectorExpr:
		_, direct := of.X.(*ast.Ident)
		return direct && named[of.Sel.Name]
	}
	return false
}
