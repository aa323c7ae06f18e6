package octavo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// partOfRequest is the beginning of a path that says where in a request a field is.
var partOfRequest = regexp.MustCompile(`^(body|query|path|header)[.\[]`)

// A service is called by the API, by the command line and by SCIM. It names a field as it is
// in its own input; the API says in which part of the request the field is.
func TestServicesNameFieldsOnly(t *testing.T) {
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
			t.Errorf("%s: %s says where in a request the field is: name the field only", set.Position(n.Pos()), text.Value)
			return true
		})
	}
}
