package audit

import (
	"go/ast"
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

// source is what a package says about actions: its texts, the values of its constants, and the
// functions that make an action of a noun and a parameter.
type source struct {
	texts     map[string]bool
	constants map[string]string
	makers    map[string]maker
	files     []*ast.File
}

type maker struct {
	noun  string // with the dot at the end
	param int
}

// sources reads all packages of the program.
func sources(t *testing.T) map[string]*source {
	t.Helper()
	out := map[string]*source{}
	files := token.NewFileSet()
	for _, root := range []string{"../../internal", "../../cmd"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "audit/actions.go") {
				return err
			}
			f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			dir := filepath.Dir(path)
			if out[dir] == nil {
				out[dir] = &source{map[string]bool{}, map[string]string{}, map[string]maker{}, nil}
			}
			out[dir].files = append(out[dir].files, f)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range out {
		for _, f := range s.files {
			s.read(f)
		}
	}
	return out
}

func (s *source) read(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				for word := range strings.FieldsSeq(text) {
					s.texts[word] = true
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					s.constants[name.Name] = literal(n.Values[i])
				}
			}
		case *ast.FuncDecl:
			s.maker(n)
		}
		return true
	})
}

func literal(e ast.Expr) string {
	if l, is := e.(*ast.BasicLit); is && l.Kind == token.STRING {
		text, _ := strconv.Unquote(l.Value)
		return text
	}
	return ""
}

// actions calls fn for the value of each field Action in a node.
func actions(n ast.Node, fn func(ast.Expr)) {
	ast.Inspect(n, func(n ast.Node) bool {
		if kv, is := n.(*ast.KeyValueExpr); is {
			if key, is := kv.Key.(*ast.Ident); is && key.Name == "Action" {
				fn(kv.Value)
			}
		}
		return true
	})
}

// maker notes a function that makes an action of one of its parameters.
func (s *source) maker(f *ast.FuncDecl) {
	var params []string
	for _, p := range f.Type.Params.List {
		for _, name := range p.Names {
			params = append(params, name.Name)
		}
	}
	actions(f, func(e ast.Expr) {
		noun := ""
		if sum, is := e.(*ast.BinaryExpr); is {
			if noun, e = literal(sum.X), sum.Y; noun == "" {
				return
			}
		}
		if name, is := e.(*ast.Ident); is {
			if i := slices.Index(params, name.Name); i >= 0 {
				s.makers[f.Name.Name] = maker{noun, i}
			}
		}
	})
}

// recorded returns the actions that a package names.
func (s *source) recorded() []string {
	var out []string
	add := func(noun string, e ast.Expr) {
		verb := literal(e)
		if name, is := e.(*ast.Ident); is {
			verb = s.constants[name.Name]
		}
		if verb != "" {
			out = append(out, noun+verb)
		}
	}
	for _, f := range s.files {
		actions(f, func(e ast.Expr) {
			if sum, is := e.(*ast.BinaryExpr); is && literal(sum.X) != "" {
				add(literal(sum.X), sum.Y)
			} else {
				add("", e)
			}
		})
		ast.Inspect(f, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is {
				if name, is := call.Fun.(*ast.Ident); is {
					if m, known := s.makers[name.Name]; known && m.param < len(call.Args) {
						add(m.noun, call.Args[m.param])
					}
				}
			}
			return true
		})
	}
	return out
}

// names reports whether a package has the words of an action: as one, or in two parts. The second
// part can be a constant of another package.
func (s *source) names(action string, words map[string]bool) bool {
	if s.texts[action] {
		return true
	}
	for at, c := range action {
		if c == '.' && words[action[at+1:]] && (s.texts[action[:at]] || s.texts[action[:at+1]]) {
			return true
		}
	}
	return false
}

// elsewhere are actions that belong to no organization, and groups of them.
var elsewhere = []string{"user", "passkey", "instance", "session.refuse", "organization.purged", "webhook.test"}

// TestActionsAreComplete compares Actions with what the packages record: each action that one of them
// names is in the list, and for each in the list there is a package that names it.
func TestActionsAreComplete(t *testing.T) {
	known, found := Actions(), 0
	all, words := sources(t), map[string]bool{}
	for dir, s := range all {
		maps.Copy(words, s.texts)
		for _, action := range s.recorded() {
			noun, _, is := strings.Cut(action, ".")
			if !is || slices.Contains(elsewhere, noun) || slices.Contains(elsewhere, action) {
				continue
			}
			found++
			if !slices.Contains(known, action) {
				t.Errorf("%s records %s, which is not in the list", dir, action)
			}
		}
	}
	if found < 80 {
		t.Errorf("only %d actions were found", found)
	}
	for _, action := range known {
		named := false
		for _, s := range all {
			named = named || s.names(action, words)
		}
		if !named {
			t.Errorf("nothing records %s", action)
		}
	}
}

// TestActionsAreDocumented compares the table of the handbook with Actions.
func TestActionsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/manual/api/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	_, table, _ := strings.Cut(string(text), "## All actions")
	table, _, _ = strings.Cut(table, "\n## ")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 2 || !strings.Contains(cells[0], "`") {
			continue
		}
		for verb := range strings.SplitSeq(cells[1], ",") {
			documented = append(documented, strings.Trim(cells[0], " `")+"."+strings.Trim(verb, " `\n"))
		}
	}
	slices.Sort(documented)
	for _, action := range Actions() {
		if !slices.Contains(documented, action) {
			t.Errorf("%s is not in the handbook", action)
		}
	}
	for _, action := range documented {
		if !slices.Contains(Actions(), action) {
			t.Errorf("%s is in the handbook, and is no action", action)
		}
	}
}
