package octavo_test

import (
	"cmp"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/golden"
)

// TestArchitectureNamesAllPackages compares the table of packages in
// docs/architecture.md with the first sentences of their docs, row by row. With
// -update it writes the table.
func TestArchitectureNamesAllPackages(t *testing.T) {
	const file = "docs/architecture.md"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(b), "\n| package | |\n|---|---|\n")
	if !found {
		t.Fatal(file + " has no table of all packages")
	}
	_, after, found := strings.Cut(rest, "\n\n")
	if !found {
		t.Fatal(file + " ends with the table of all packages")
	}
	var table strings.Builder
	for _, pkg := range packages(t) {
		fmt.Fprintf(&table, "| `%s` | %s |\n", strings.TrimPrefix(pkg, "internal/"), synopsis(t, pkg))
	}
	golden.Compare(t, file, []byte(before+"\n| package | |\n|---|---|\n"+table.String()+"\n"+after))
}

// packages returns the packages below internal in the order of rows, those for tests
// last.
func packages(t *testing.T) []string {
	t.Helper()
	seen := map[string]bool{}
	for file := range goFiles(t) {
		if strings.HasPrefix(file, "internal/") && !strings.HasSuffix(file, "_test.go") {
			seen[path.Dir(file)] = true
		}
	}
	place := func(pkg string) int {
		if wing(pkg) == testOnly {
			return len(rows)
		}
		return rankOf(wing(pkg))
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
}

// synopsis returns the first sentence of the doc of a package without "Package name".
func synopsis(t *testing.T, pkg string) string {
	t.Helper()
	sentence := new(doc.Package).Synopsis(packageDoc(t, pkg))
	_, sentence, ok := strings.Cut(sentence, " "+path.Base(pkg)+" ") // "Package name", "Command name"
	if !ok {
		t.Errorf("the doc of %s does not begin with its name", pkg)
	}
	return strings.ReplaceAll(strings.TrimSuffix(sentence, "."), "|", `\|`)
}

// packageDoc returns the doc of a package.
func packageDoc(t *testing.T, pkg string) string {
	t.Helper()
	files, err := filepath.Glob(pkg + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || path.Base(file) == "generate.go" {
			continue // a generator is a program beside the package
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		if parsed.Doc != nil {
			return parsed.Doc.Text()
		}
	}
	t.Errorf("%s has no doc", pkg)
	return ""
}

var goFile = regexp.MustCompile(`[\w./*]+\.go\b`)

// Docs of packages say which file decides what: these files are there, in the package or
// below internal.
func TestDocsNameFilesThatExist(t *testing.T) {
	for _, pkg := range packages(t) {
		for _, named := range goFile.FindAllString(packageDoc(t, pkg), -1) {
			inside, _ := filepath.Glob(path.Join(pkg, named))
			outside, _ := filepath.Glob(path.Join("internal", named))
			if len(inside)+len(outside) == 0 && !strings.HasPrefix(named, "cmd/") {
				t.Errorf("the doc of %s names %s, which does not exist", pkg, named)
			}
		}
	}
}
