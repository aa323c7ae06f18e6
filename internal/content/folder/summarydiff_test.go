package folder

import "testing"

func TestSummaryChangesReportsFilesThatAreListedDifferently(t *testing.T) {
	before := "# Summary\n\n* [Home](README.md)\n* [A](a.md)\n  * [B](a/b.md \"bee\")\n* [C](c)\n\n## Group\n\n* [D](d/README.md)\n* [D again](d)\n* [E](e.md)\n"
	for _, c := range []struct {
		name, after string
		files       map[string]bool
	}{
		{"nothing", before, map[string]bool{"README.md": false, "a.md": false, "d/README.md": false}},
		{"another place", "* [Home](README.md)\n* [A](a.md)\n* [B](a/b.md \"bee\")\n* [C](c)\n\n## Other\n\n* [D](d/README.md)\n* [D again](d)\n* [E](e.md)\n",
			map[string]bool{"a/b.md": false, "c.md": false, "e.md": false}},
		{"one more", "* [Home](README.md)\n* [New](new)\n* [A](a.md)\n  * [B](a/b.md \"bee\")\n* [C](c)\n\n## Group\n\n* [D](d/README.md)\n* [D again](d)\n* [E](e.md)\n",
			map[string]bool{"new.md": true, "new/README.md": true, "new": true, "a.md": false, "README.md": false, "e.md": false}},
		{"another title and label", "* [Start](README.md)\n* [A](a.md)\n  * [B](a/b.md \"be\")\n* [C](c)\n\n## Group\n\n* [D](d/README.md)\n* [D again](d)\n* [E](e.md)\n",
			map[string]bool{"README.md": true, "a/b.md": true, "c.md": false, "d.md": false}},
		{"the second is the first", "* [Home](README.md)\n* [A](a.md)\n  * [B](a/b.md \"bee\")\n* [C](c)\n\n## Group\n\n* [D again](d)\n* [D](d/README.md)\n* [E](e.md)\n",
			map[string]bool{"d/README.md": true, "d.md": true, "e.md": false}},
	} {
		changed, _, ok := SummaryChanges("SUMMARY.md", []byte(before), []byte(c.after), Limits{})
		if !ok {
			t.Fatalf("%s: cannot be compared", c.name)
		}
		for file, want := range c.files {
			if changed(file) != want {
				t.Errorf("%s: %s changed: %t, want %t", c.name, file, changed(file), want)
			}
		}
	}
}
