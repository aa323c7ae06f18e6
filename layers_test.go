package octavo_test

import (
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/octavo-docs/octavo/"

// rows are the folders of the program from top to bottom. A package may import what is
// in its own folder, and the folders of lower rows.
var rows = []string{
	"cmd bench scripts",
	"web",
	"translation",
	"spaces",
	"site",
	"support",
	"content",
	"identity openapi assets webhooks",
	"audit",
	"authz",
	"jobs seal reading print blob",
	"markup store",
	"docs",
	"chunk search outbound",
	"budget visitor",
	"cache errs expr jsontext names opt",
}

// testing may be imported by tests alone.
const testOnly = "testing"

// aside are packages with one importer that are not below it, each with the reason.
var aside = map[string]string{
	"internal/content/apireview": "the server starts it; it is a service of content, as its siblings",
	"internal/identity/scim":     "the server mounts it; it is the door of directories to identity",
	"internal/site/explain":      "the API asks it; what it explains is the site",
	"internal/site/publish":      "the server mounts it; it is the door of readers to sites",
	"internal/web/console":       "the server mounts it beside the API",
}

// wing returns the folder of a package as rows has it. The manual (docs/manual), which
// is a package so that it can be embedded, counts as internal/docs.
func wing(pkg string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(pkg, "internal/"), "/")
	return first
}

func rankOf(folder string) int {
	return slices.IndexFunc(rows, func(row string) bool { return slices.Contains(strings.Fields(row), folder) })
}

// What lower packages know must not depend on who uses them.
func TestImportsGoDownward(t *testing.T) {
	exist := map[string]bool{}
	for file, imports := range goFiles(t) {
		pkg := path.Dir(file)
		if pkg == "." {
			continue
		}
		mine := wing(pkg)
		exist[mine] = true
		if mine == testOnly || strings.HasSuffix(file, "_test.go") {
			continue // tests may start a whole server
		}
		rank := rankOf(mine)
		if rank < 0 {
			t.Errorf("%s: the folder %s is in no row of layers_test.go: move the package into a folder that is, or give the folder its row", file, mine)
			continue
		}
		for _, imp := range imports {
			own, ok := strings.CutPrefix(imp, module)
			if !ok {
				continue
			}
			switch theirs := wing(own); {
			case theirs == testOnly:
				t.Errorf("%s imports %s, which is for tests only", file, own)
			case theirs != mine && rankOf(theirs) <= rank:
				t.Errorf("%s imports %s, which is not below it: move the shared part down", file, own)
			}
		}
	}
	for _, row := range rows {
		for folder := range strings.FieldsSeq(row) {
			if !exist[folder] {
				t.Errorf("there is no folder %s: remove it from rows", folder)
			}
		}
	}
}

// A package that only one other uses is a part of it, and its path says so.
func TestAPackageWithOneImporterIsBelowIt(t *testing.T) {
	users := map[string]map[string]bool{}
	for file, imports := range goFiles(t) {
		pkg := path.Dir(file)
		if pkg == "." || wing(pkg) == testOnly || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, imp := range imports {
			own, ok := strings.CutPrefix(imp, module)
			if !ok || own == pkg || !strings.HasPrefix(own, "internal/") {
				continue
			}
			if users[own] == nil {
				users[own] = map[string]bool{}
			}
			users[own][pkg] = true
		}
	}
	for pkg, by := range users {
		one := ""
		for user := range by {
			one = user
		}
		alone := len(by) == 1 && !strings.HasPrefix(pkg, one+"/") && strings.HasPrefix(one, "internal/")
		if alone && aside[pkg] == "" {
			t.Errorf("only %s imports %s: move it below, or name it in aside with the reason", one, pkg)
		}
		if !alone && aside[pkg] != "" {
			t.Errorf("%s is in aside for nothing: remove it", pkg)
		}
	}
	for pkg := range aside {
		if users[pkg] == nil {
			t.Errorf("nobody imports %s: remove it from aside", pkg)
		}
	}
}
