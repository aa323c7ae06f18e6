package folder

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

var someProblems = []Problem{
	{"a b/ü.md", 3, CodeBrokenLink, "there is no <x> & y"},
	{"c.md", 0, CodeNotInSummary, "the page is not shown"},
}

func TestFormat(t *testing.T) {
	for format, want := range map[string]string{
		"text": "error: a b/ü.md:3: there is no <x> & y (broken-link)\nwarning: c.md: the page is not shown (not-in-summary)\n",
		"json": `[
  {
    "file": "a b/ü.md",
    "line": 3,
    "code": "broken-link",
    "message": "there is no <x> & y",
    "level": "error"
  },
  {
    "file": "c.md",
    "code": "not-in-summary",
    "message": "the page is not shown",
    "level": "warning"
  }
]
`,
	} {
		var b bytes.Buffer
		if err := Format(&b, someProblems, format); err != nil || b.String() != want {
			t.Errorf("%s: %v\n%s", format, err, b.String())
		}
	}
	if err := Format(&bytes.Buffer{}, nil, "xml"); err == nil {
		t.Error("there is no xml")
	}
}

func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := Format(&b, someProblems, "sarif"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != 2 || log.Runs[0].Tool.Driver.Name != "octavo" {
		t.Fatalf("%+v", log)
	}
	first, second := log.Runs[0].Results[0], log.Runs[0].Results[1]
	at := first.Locations[0].PhysicalLocation
	if log.Runs[0].Tool.Driver.Rules[first.RuleIndex].ID != CodeBrokenLink || at.ArtifactLocation.URI != "a%20b/%C3%BC.md" || at.Region.StartLine != 3 {
		t.Errorf("%+v", first)
	}
	if second.Level != "warning" || second.Locations[0].PhysicalLocation.Region != nil {
		t.Errorf("%+v", second)
	}
	b.Reset()
	if err := Format(&b, nil, "sarif"); err != nil || !strings.Contains(b.String(), `"results": []`) {
		t.Errorf("no problems: %s", b.String())
	}
}

// Every code has a rule with a description.
func TestEveryCodeHasARule(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "problem.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Code") {
			return true
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if rules[code].about == "" || err != nil {
			t.Errorf("%s has no rule", spec.Names[0].Name)
		}
		n++
		return true
	})
	if n != len(rules) {
		t.Errorf("%d codes, %d rules", n, len(rules))
	}
}
