package folder

import (
	"testing"
	"testing/fstest"
)

func TestListIsAFolder(t *testing.T) {
	var files []Source
	for name, text := range map[string]string{"README.md": "# Home\n", "a/b/c.md": "# C\n", "a/z.md": "", ".gitbook/assets/x.png": "png"} {
		files = append(files, Source{name, int64(len(text)), []byte(text)})
	}
	if err := fstest.TestFS(List(files), "README.md", "a/b/c.md", "a/z.md", ".gitbook/assets/x.png"); err != nil {
		t.Error(err)
	}
	// What is not opened needs no bytes.
	tree, err := Read(List([]Source{{"README.md", 7, []byte("# Home\n")}, {"big.zip", 1 << 40, nil}, {"pic.png", 10, nil}}), Limits{})
	if err != nil || len(tree.Pages) != 1 || len(tree.Others) != 1 || len(tree.Problems) != 1 {
		t.Errorf("%+v, %v", tree, err)
	}
}
