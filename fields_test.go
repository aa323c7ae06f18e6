package octavo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// fieldsLeft are the packages outside of internal/web that still say where in a request a
// field is.
var fieldsLeft = map[string]bool{
	"internal/site/sites": true, // a field that is called path
}

// partOfRequest is the beginning of a path that says where in a request a field is.
var partOfRequest = regexp.MustCompile(`^(body|query|path|header)[.\[]`)

// A service is called by the API, by the command line and by SCIM. It names a field as it is
// in its own input; the API says in which part of the request the field is.
func TestServicesNameFieldsOnly(t *testing.T) {
	left := map[string]bool{}
	for file := range goFiles(t) {
		if strings.HasPrefix(file, "internal/web/") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			text, is := n.(*ast.BasicLit)
			if !is || text.Kind != token.STRING {
				return true
			}
			says, err := strconv.Unquote(text.Value)
			if err != nil || !partOfRequest.MatchString(says) {
				return true
			}
			left[path.Dir(file)] = true
			if !fieldsLeft[path.Dir(file)] {
				t.Errorf("%s: %s says where in a request the field is: name the field only", set.Position(n.Pos()), text.Value)
			}
			return true
		})
	}
	for dir := range fieldsLeft {
		if !left[dir] {
			t.Errorf("%s names fields only: remove it from fieldsLeft", dir)
		}
	}
}
