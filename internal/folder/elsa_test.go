package folder

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

type dirSink string

func (d dirSink) WriteFile(name string, data io.Reader) error {
	p := filepath.Join(string(d), name)
	os.MkdirAll(filepath.Dir(p), 0o755)
	f, err := os.Create(p)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(f, data)
	return err
}

func TestElsa(t *testing.T) {
	tree, err := Read(os.DirFS(os.Getenv("ELSA_IN")), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("pages", len(tree.All()), "files", len(tree.Files), "others", len(tree.Others), "unlisted", len(tree.Unlisted), "problems", len(tree.Problems))
	if err := Write(dirSink(os.Getenv("ELSA_OUT")), tree); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, p := range Check(tree) {
		count[p.Code]++
		if p.Code == CodeMarkup { fmt.Println(p) }
	}
	fmt.Println(count, string(PrintSummary(tree)) == string(tree.SummarySource))
	types := map[string]int{}
	for _, p := range tree.All() { types[p.Type]++; if p.LinkTitle != "" { types["linkTitle"]++ } }
	fmt.Println(types)
}
