package testgit

import (
	"embed"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed testdata/*.txtar
var archives embed.FS

// Repository returns the files of one of our test repositories: testdata/NAME.txtar,
// whose README explains the form.
func Repository(t testing.TB, name string) map[string]string {
	t.Helper()
	src, err := archives.ReadFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range txtar.Parse(src).Files {
		name, how, _ := strings.Cut(f.Name, " | ")
		text := string(f.Data)
		for word := range strings.FieldsSeq(how) {
			switch from, isFrom := strings.CutPrefix(word, "from="); {
			case isFrom:
				text = projectFile(t, from)
			case word == "crlf":
				text = strings.ReplaceAll(text, "\n", "\r\n")
			case word == "bom":
				text = "\ufeff" + text
			case word == "cut":
				text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
			case word == "base64":
				b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				text = string(b)
			default:
				t.Fatalf("%s: %q is no way to make a file", name, word)
			}
		}
		if _, twice := files[name]; twice {
			t.Fatalf("%s is there twice", name)
		}
		files[name] = text
	}
	return files
}

// projectFile reads a file of the project, so that what other packages test
// with needs no second copy.
func projectFile(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd() // the folder of the package, which is in the project
	if err != nil {
		t.Fatal(err)
	}
	for !isFile(filepath.Join(dir, "go.mod")) {
		if dir == filepath.Dir(dir) {
			t.Fatal("no folder above that of the test has a go.mod")
		}
		dir = filepath.Dir(dir)
	}
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Below returns the files of one folder by their names in it.
func Below(files map[string]string, dir string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
			out[rest] = text
		}
	}
	return out
}
