package revision

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// What leaves the folder is shown below the address of the repository, and
// nothing else is.
func TestOutsideAddresses(t *testing.T) {
	s := NewSource(&store.Store{}, "")
	rev := revisionOf(t, s, docs.Revision{}, func(d *Draft) { d.Set(KeySetting+SettingLayout, []byte(`{"root":"./book/"}`)) })
	v := s.View(docs.Space{Git: &docs.GitInfo{TreeURL: "https://git.example/a/b/blob/main/", Directory: "docs dir"}}, rev)
	const shown = "https://git.example/a/b/blob/main/"
	for _, c := range []struct{ dest, want string }{
		{"../../src/main.go", shown + "docs%20dir/src/main.go"},
		{"../../../src/main.go#L10", shown + "src/main.go#L10"},
		{"../../../src/a%20b.go?raw=1#x", shown + "src/a%20b.go?raw=1#x"},
		{"../..", shown + "docs%20dir"},
		{"../../../src/a:b.go", shown + "src/a:b.go"},
		{"../../../../src/main.go", ""},        // of another repository
		{"../../..", ""},                       // the repository itself has no file name
		{"../other.md", ""},                    // in the folder
		{"setup.md", ""},                       // beside the page
		{"/../../src/main.go", ""},             // from the top of the folder
		{"https://example.com/../../x", ""},    // an address
		{"//example.com/../../../../x", ""},    // a host
		{"javascript:../../../x", ""},          // a scheme
		{"../../%2e%2e/%2e%2e/etc/passwd", ""}, // escaped, and still of another repository
		{"../../../%2e%2e/x", ""},
		{"#x", ""}, {"", ""}, {"?x", ""}, {"%zz/../../../x", ""},
	} {
		o, ok, err := v.repositoryLinksOf(t.Context(), v.Space, "guide/README.md")
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		got, ok := v.leaving(t.Context(), "guide/README.md", o)(c.dest)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q: %q, want %q", c.dest, got, c.want)
		}
	}
	v.Space.Git.TreeURL = ""
	if _, ok, err := v.repositoryLinksOf(t.Context(), v.Space, "guide/README.md"); ok || err != nil {
		t.Error(ok, err)
	}
}
