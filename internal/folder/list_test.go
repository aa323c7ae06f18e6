package folder

import (
	"testing"
	"testing/fstest"
)

func TestListIsAFolder(t *testing.T) {
	var files []Source
	for name, text := range map[string]string{"README.md": "# Home\n", "a/b/c.md": "# C\n", "a/z.md": "", ".gitbook/assets/x.png": "png"} {
		files = append(files, Source{Path: name, Size: int64(len(text)), Data: []byte(text)})
	}
	if err := fstest.TestFS(List(files), "README.md", "a/b/c.md", "a/z.md", ".gitbook/assets/x.png"); err != nil {
		t.Error(err)
	}
	// What is not opened needs no bytes.
	tree, err := Read(List([]Source{{Path: "README.md", Size: 7, Data: []byte("# Home\n")}, {Path: "big.zip", Size: 1 << 40}, {Path: "pic.png", Size: 10}}), Limits{})
	if err != nil || len(tree.Pages) != 1 || len(tree.Others) != 1 || len(tree.Problems) != 1 {
		t.Errorf("%+v, %v", tree, err)
	}
}
