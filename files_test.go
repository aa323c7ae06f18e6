package octavo_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A file that nobody reads in one sitting has a second idea in it.
func TestFilesStaySmall(t *testing.T) {
	for _, file := range slices.Sorted(maps.Keys(goFiles(t))) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(b), "\n"); n > 700 {
			t.Errorf("%s has %d lines", file, n)
		}
	}
}

// goFiles returns the imports of every Go file of the project.
func goFiles(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := eachFile(func(file string) error {
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		imports := []string{}
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, name)
		}
		out[file] = imports
		return nil
	})
	if err != nil || len(out) < 20 {
		t.Fatalf("%d Go files found: %v", len(out), err)
	}
	return out
}

// eachFile calls fn with every file of the project but test data and what is
// installed.
func eachFile(fn func(file string) error) error {
	return filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && p != "." || d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == "data") {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		return fn(filepath.ToSlash(p))
	})
}
