package folder

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/errs"
)

func TestListIsAFolder(t *testing.T) {
	var files []Source
	for name, text := range map[string]string{"README.md": "# Home\n", "a/b/c.md": "# C\n", "a/z.md": "", ".gitbook/assets/x.png": "png"} {
		files = append(files, Source{Path: name, Size: int64(len(text)), Data: []byte(text)})
	}
	if err := fstest.TestFS(List(files), "README.md", "a/b/c.md", "a/z.md", ".gitbook/assets/x.png"); err != nil {
		t.Error(err)
	}
	// Files that Read does not open need no data.
	tree, err := Read(List([]Source{{Path: "README.md", Size: 7, Data: []byte("# Home\n")}, {Path: "big.zip", Size: 1 << 40}, {Path: "pic.png", Size: 10}}), Limits{})
	if err != nil || len(tree.Pages) != 1 || len(tree.Others) != 1 || len(tree.Problems) != 1 {
		t.Errorf("%+v, %v", tree, err)
	}
}

// A summary that exceeds the limit is an error of kind Invalid.
func TestListWithALargeSummary(t *testing.T) {
	files := []Source{{Path: "README.md", Size: 7, Data: []byte("# Home\n")}, {Path: "SUMMARY.md", Size: 9 << 20}}
	if _, err := Read(List(files), Limits{}); !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), "SUMMARY.md is larger than 5 MB") {
		t.Error(err)
	}
}

// Problems name limits in a unit in which they are not zero.
func TestLimitsBelowAMegabyte(t *testing.T) {
	files := []Source{{Path: "README.md", Size: 7, Data: []byte("# Home\n")}, {Path: "big.md", Size: 300 << 10}, {Path: "pic.png", Size: 600 << 10}}
	tree, err := Read(List(files), Limits{Markdown: 256 << 10, Asset: 512<<10 + 1})
	if err != nil || len(tree.Problems) != 2 || !strings.HasSuffix(tree.Problems[0].Message, "larger than 256 KB") || !strings.HasSuffix(tree.Problems[1].Message, "larger than 524289 bytes") {
		t.Errorf("%+v, %v", tree, err)
	}
}

// A file that a page refers to many times is returned once.
func TestReferencesAreListedOnce(t *testing.T) {
	if got := References(Place{}, "a/p.md", []byte(strings.Repeat("[x](../b.md) ![](c.png)\n", 1000))); len(got) != 2 {
		t.Errorf("%d references: %.100q", len(got), got)
	}
}
