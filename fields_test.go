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

// calledAlike are fields of services that are called as a part of a request, with what they are.
// The API finds them in the type of the body.
var calledAlike = map[string]string{
	"header.links[%d].condition": "a link in the header of a site",
}

// A service is called by the API, by the command line and by SCIM. It names a field as it is
// in its own input; the API says in which part of the request the field is.
func TestServicesNameFieldsOnly(t *testing.T) {
	seen := map[string]bool{}
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
			if seen[says] = true; calledAlike[says] != "" {
				return true
			}
			t.Errorf("%s: %s says where in a request the field is: name the field only", set.Position(n.Pos()), text.Value)
			return true
		})
	}
	for says := range calledAlike {
		if !seen[says] {
			t.Errorf("no service says %s: remove it from calledAlike", says)
		}
	}
}
