package octavo_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// maxFunction is the most lines of a function.
const maxFunction = 80

// longFunctions are longer than maxFunction, each with the reason why parts of
// it would be harder to read than the whole.
var longFunctions = map[string]string{}

// A function that does not fit on two screens has a second idea in it.
func TestFunctionsStaySmall(t *testing.T) {
	long := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(goFiles(t))) {
		if !strings.HasPrefix(file, "internal/") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1
			if n <= maxFunction {
				continue
			}
			name := path.Dir(file) + "." + functionName(fn)
			long[name] = true
			if longFunctions[name] == "" {
				t.Errorf("%s: %s has %d lines: split it, or add it to longFunctions with a reason", set.Position(fn.Pos()), name, n)
			}
		}
	}
	for name := range longFunctions {
		if !long[name] {
			t.Errorf("%s is in longFunctions and has at most %d lines: remove it from the list", name, maxFunction)
		}
	}
}

// maxMethods is the maximum number of methods that are declared for a type. Methods that
// are promoted from embedded types do not count.
const maxMethods = 90

// largeTypes have more methods than maxMethods, each with the reason.
var largeTypes = map[string]string{}

// A type with many methods is a package without its borders: each method can call all others
// and change what they keep.
func TestTypesHaveFewMethods(t *testing.T) {
	methods := map[string]int{}
	for file := range goFiles(t) {
		if !strings.HasPrefix(file, "internal/") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				of, _, _ := strings.Cut(functionName(fn), ".")
				methods[path.Dir(file)+"."+of]++
			}
		}
	}
	byNumber := slices.SortedFunc(maps.Keys(methods), func(a, b string) int {
		return cmp.Or(methods[b]-methods[a], strings.Compare(a, b))
	})
	for i, name := range byNumber {
		n := methods[name]
		if i < 10 {
			t.Logf("%4d methods: %s", n, name)
		}
		if n > maxMethods && largeTypes[name] == "" {
			t.Errorf("%s has %d methods, more than %d: make several types of it, or add it to largeTypes with a reason", name, n, maxMethods)
		}
	}
	for name := range largeTypes {
		if n := methods[name]; n <= maxMethods {
			t.Errorf("%s is in largeTypes and has %d methods: remove it from the list", name, n)
		}
	}
}

func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	of := fn.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	if i, ok := of.(*ast.IndexExpr); ok {
		of = i.X
	}
	if i, ok := of.(*ast.IndexListExpr); ok {
		of = i.X
	}
	return fmt.Sprintf("%s.%s", of, fn.Name.Name)
}
