package octavo_test

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// The table of packages in docs/architecture.md has a row for each package of
// internal, and none for a package that does not exist.
func TestArchitectureNamesAllPackages(t *testing.T) {
	b, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(b), "\n## All packages\n")
	if !found {
		t.Fatal("docs/architecture.md has no table of all packages")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	named := map[string]bool{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) == 5 {
			if name := strings.TrimSpace(cells[2]); strings.HasPrefix(name, "`") {
				named["internal/"+strings.Trim(name, "`")] = strings.TrimSpace(cells[3]) != ""
			}
		}
	}
	exist := map[string]bool{}
	for file := range goFiles(t) {
		if strings.HasPrefix(file, "internal/") && !strings.HasSuffix(file, "_test.go") {
			exist[path.Dir(file)] = true
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(exist)) {
		if !named[pkg] {
			t.Errorf("docs/architecture.md: the table of all packages has no line about %s", pkg)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(named)) {
		if !exist[pkg] {
			t.Errorf("docs/architecture.md: there is no package %s", pkg)
		}
	}
}
