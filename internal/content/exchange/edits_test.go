package exchange_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// replace changes a piece of text in the document of a page, as an editor
// does, which knows no Markdown.
func (d *desk) replace(file, old, text string) {
	d.T.Helper()
	p := d.PageOf(file)
	doc, err := d.Head(d.T, d.ID).Document(context.Background(), p)
	if err != nil {
		d.T.Fatal(err)
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		d.T.Fatal(err)
	}
	if doc, err = markup.Decode("body.document", raw); err != nil {
		d.T.Fatal(err)
	}
	found := 0
	var walk func([]*markup.Node)
	walk = func(nodes []*markup.Node) {
		for _, n := range nodes {
			for i, l := range n.Leaves {
				if strings.Contains(l.Text, old) && found == 0 {
					found++
					n.Leaves[i].Text = strings.Replace(l.Text, old, text, 1)
				}
			}
			walk(n.Nodes)
			walk(n.Fragments)
		}
	}
	walk(doc.Nodes)
	if found == 0 {
		d.T.Fatalf("%s has no text %q", file, old)
	}
	d.Must(content.Change{Operation: content.UpdatePage, Page: string(p.ID), Body: &revision.Body{Document: doc}})
}

// changedLines returns the lines that a diff takes away and adds.
func changedLines(diff string) string {
	var out []string
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && (line[0] == '-' || line[0] == '+') && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "+++ ") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// An edit inside of a larger block leaves the rest of the block as somebody
// wrote it. GitBook had most of these wrong once.
func TestAnEditInsideABlockLeavesTheRest(t *testing.T) {
	d := newDesk(t, testdb.SQLite(t))
	files := testgit.Repository(t, "every")
	d.Import(t, files)
	before := d.Exported()
	for _, c := range []struct{ name, file, old, text, want string }{
		{"bullets", "writing/styles.md", "two", "2", "-- two\n+- 2"},
		{"a nested item", "writing/styles.md", "four spaces in", "4 spaces in", "-    - four spaces in\n+    - 4 spaces in"},
		{"other bullets", "writing/styles.md", "signs", "marks", "-+ signs\n++ marks"},
		{"numbers", "writing/styles.md", "second", "2nd", "-2) second\n+2) 2nd"},
		{"equal numbers", "writing/styles.md", "ones", "twos", "-1. ones\n+1. twos"},
		{"a loose list", "writing/styles.md", "items", "things", "-- items\n+- things"},
		{"soft breaks and a hard one", "writing/styles.md", "can be broken", "may be broken", "-can be broken   \n+may be broken   "},
		{"marks", "writing/styles.md", "bold", "strong", "-over lines, with __bold__, *italic*, ***both*** and <https://lantern.example>.\n+over lines, with __strong__, *italic*, ***both*** and <https://lantern.example>."},
		{"a lazy quote", "writing/styles.md", "lazy line", "lazy words", "-lazy line\n+lazy words"},
		{"references", "writing/styles.md", "a reference", "a link", "-[a reference][ref], [ref] and ![an image][pic].\n+[a link][ref], [ref] and ![an image][pic]."},
		{"a narrow table", "writing/styles.md", "left cell", "a much longer cell", "-| left cell | *right* |\n+| a much longer cell | *right* |"},
		{"a closed heading", "writing/styles.md", "Closed heading", "Shut heading", "-### Closed heading ###\n+### Shut heading ###"},
		{"a fence", "writing/styles.md", "fence('other')", "fence(1)", "-fence('other')\n+fence(1)"},
		{"a table in disorder", "writing/tables.md", "first", "1st", "-| first | y |\n+| 1st | y |"},
		{"a pipe", "writing/tables.md", "has | pipe", "a | pipe", "-| has \\| pipe | `a\\|b` |\n+| a \\| pipe | `a\\|b` |"},
		{"widths", "writing/tables.md", "slim", "thin", "-<table><thead><tr><th width=\"120\">Wide</th><th width=\"80\" align=\"right\">Right</th></tr></thead><tbody><tr><td>slim</td><td>fat</td></tr></tbody></table>\n+<table><thead><tr><th width=\"120\">Wide</th><th width=\"80\" align=\"right\">Right</th></tr></thead><tbody><tr><td>thin</td><td>fat</td></tr></tbody></table>"},
		{"HTML on lines", "writing/tables.md", "indented source", "source", "-    <tr><td>indented source</td></tr>\n+    <tr><td>source</td></tr>"},
		{"a hint in a list", "writing/nested.md", "In a list, with", "Here, with", "-   In a list, with\n+   Here, with"},
		{"code in a hint in a list", "writing/nested.md", "and code", "code", "-     and code\n+     code"},
		{"a list in a tab", "writing/nested.md", "b", "B", "-- b\n+- B"},
		{"a step in a tab", "writing/nested.md", "Step in a tab", "A step", "-### Step in a tab\n+### A step"},
		{"a column", "writing/nested.md", "Right.", "R.", "-Right.\n+R."},
		{"a hint in a quote", "writing/nested.md", "the depth", "deep", "-> the depth\n+> deep"},
		{"heading of a step", "writing/headings.md", "Step heading", "Step", "-## Step heading\n+## Step"},
		{"beside empty formulas", "writing/headings.md", " are empty, ", " are nothing, ", "-$$$$ and $$ $$ are empty, $$x_1$$ is not.\n+$$$$ and $$ $$ are nothing, $$x_1$$ is not."},
		{"of Windows", "writing/windows.md", "Four", "For", "-Four.\n+For."},
		{"a list of Windows", "writing/windows.md", "two", "2", "-- two\n+- 2"},
		{"a table of Windows", "writing/windows.md", "1", "one", "-| 1 | 2 |\n+| one | 2 |"},
		{"without an end", "writing/no-end.md", "The last line", "It", "-The last line ends here\n+It ends here"},
		{"behind a mark", "writing/mark.md", "There is a mark", "A mark is", "-There is a mark in front.\n+A mark is in front."},
		{"beside a comment", "writing/comments.md", "After", "Behind", "-After <!-- inside --> text.\n+Behind <!-- inside --> text."},
		{"an update", "news.md", "It glows.", "It shines.", "-It glows.\n+It shines."},
		{"beside links", "making/lamps.md", "A lamp has a", "Lamps have a", "-A lamp has a [wick](wicks.md), some [oil](./oil.md) and [glass](glass/).\n+Lamps have a [wick](wicks.md), some [oil](./oil.md) and [glass](glass/)."},
		{"beside a broken link", "making/lamps.md", "See ", "Read ", "-See [oil.md](oil.md \"mention\"), [another handbook](https://app.gitbook.com/s/kJ2mXw9LpQ/lamps) and [what is gone](gone.md).\n+Read [oil.md](oil.md \"mention\"), [another handbook](https://app.gitbook.com/s/kJ2mXw9LpQ/lamps) and [what is gone](gone.md)."},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.replace(c.file, c.old, c.text)
			got := changedLines(testgit.Diff(t, before, d.Exported()))
			if got != c.want {
				t.Errorf("the diff is\n%s\nwant\n%s", got, c.want)
			}
			after := d.Exported()
			d.Import(t, after)
			if diff := testgit.Diff(t, after, d.Exported()); diff != "" {
				t.Errorf("a round trip changes it:\n%s", diff)
			}
			d.Import(t, files)
			if diff := testgit.Diff(t, before, d.Exported()); diff != "" {
				t.Fatalf("what was brought again differs:\n%s", diff)
			}
		})
	}
}

// Changes of a page that are not in its text, and what they do to the files.
func TestChangesBesideTheText(t *testing.T) {
	files := testgit.Repository(t, "every")
	for _, c := range []struct {
		name   string
		change func(d *desk)
		want   string // the files that differ, and the lines
	}{
		{"an icon goes", func(d *desk) {
			d.Must(content.Change{Operation: content.UpdatePage, Page: string(d.PageOf("README.md").ID), Meta: content.PageMeta{Icon: opt.Null[string]()}})
		}, "README.md\n-icon: lantern"},
		{"an icon in a head with comments", func(d *desk) {
			d.Must(content.Change{Operation: content.UpdatePage, Page: string(d.PageOf("writing/heads.md").ID), Meta: content.PageMeta{Icon: opt.Of("brush")}})
		}, "writing/heads.md\n-icon:   \"pen\"\n+icon: \"brush\""},
		{"a description on lines", func(d *desk) {
			d.Must(content.Change{Operation: content.UpdatePage, Page: string(d.PageOf("README.md").ID), Meta: content.PageMeta{Description: opt.Of("All of it.")}})
		}, "README.md\n-  Everything about lanterns,\n-  in one place.\n+  All of it."},
		{"hidden no more", func(d *desk) {
			d.Must(content.Change{Operation: content.UpdatePage, Page: string(d.PageOf("making/wicks.md").ID), Meta: content.PageMeta{Hidden: opt.Of(false)}})
		}, "making/wicks.md\n----\n-hidden: true\n----\n-"},
		{"a title", func(d *desk) {
			d.Must(content.Change{Operation: content.UpdatePage, Page: string(d.PageOf("writing/windows.md").ID), Meta: content.PageMeta{Title: opt.Of("Glass in frames"), Slug: opt.Of("windows")}})
		}, "SUMMARY.md\n-* [Windows](writing/windows.md)\n+* [Glass in frames](writing/windows.md)\nwriting/windows.md\n-# Windows\n+# Glass in frames"},
		{"a title that is in SUMMARY.md only", func(d *desk) {
			d.Must(content.Change{Operation: content.UpdatePage, Page: string(d.PageOf("making/wicks/fine.md").ID), Meta: content.PageMeta{Title: opt.Of("Finest wicks"), Slug: opt.Of("fine")}})
		}, "SUMMARY.md\n-    * [Very fine wicks](making/wicks/fine.md)\n+    * [Finest wicks](making/wicks/fine.md)"},
		// Links to it stay as they were written: nobody knows what was meant.
		{"a page goes", func(d *desk) {
			d.Must(content.Change{Operation: content.DeletePage, Page: string(d.PageOf("making/oil.md").ID)})
		}, "SUMMARY.md\n-  * [Oil](making/oil.md)\nmaking/oil.md\n-" + strings.ReplaceAll(strings.TrimSuffix(files["making/oil.md"], "\n"), "\n", "\n-")},
		{"a page comes", func(d *desk) {
			d.Must(testspace.Insert("Shades", "Paper.\n", string(d.PageOf("making/lamps.md").ID)))
		}, "SUMMARY.md\n+  * [Shades](making-lanterns/lamps/shades.md)\nmaking-lanterns/lamps/shades.md\n+# Shades\n+\n+Paper."},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, testdb.SQLite(t))
			d.Import(t, files)
			before := d.Exported()
			c.change(d)
			after := d.Exported()
			diff := testgit.Diff(t, before, after)
			var got []string
			for _, part := range strings.Split("\n"+diff, "\ndiff --git ")[1:] {
				name, rest, _ := strings.Cut(part, "\n")
				_, name, _ = strings.Cut(name, "/")
				_, name, _ = strings.Cut(name[:strings.LastIndex(name, " b/")], "/")
				got = append(got, name, changedLines(rest))
			}
			if s := strings.Join(got, "\n"); s != c.want {
				t.Errorf("the diff is\n%s\nwant\n%s\n%s", s, c.want, diff)
			}
			d.Import(t, after)
			if diff := testgit.Diff(t, after, d.Exported()); diff != "" {
				t.Errorf("a round trip changes it:\n%s", diff)
			}
		})
	}
}

// Files do not multiply: not by round trips, and not by one of the same name
// that somebody uploads.
func TestFilesDoNotMultiply(t *testing.T) {
	d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
	d.Import(t, testgit.Repository(t, "every"))
	for i := range 3 {
		before := d.Exported()
		files, err := d.Head(t, d.ID).Files(ctx, "", 0)
		if err != nil || len(files) == 0 {
			t.Fatalf("%v, %v", files, err)
		}
		d.replace("making/lamps.md", "A lamp has a", "A lamp has a")
		if next := d.Import(t, before); next.Changed {
			t.Errorf("round %d made a revision", i)
		}
		again, err := d.Head(t, d.ID).Files(ctx, "", 0)
		if err != nil || len(again) != len(files) {
			t.Errorf("%d files became %d (%v)", len(files), len(again), err)
		}
		if diff := testgit.Diff(t, before, d.Exported()); diff != "" {
			t.Errorf("round %d:\n%s", i, diff)
		}
	}
	// Another space has the same bytes: nothing in them is of the moment or
	// of the space.
	other := newDesk(t, testdb.SQLite(t))
	other.Import(t, d.Exported())
	if diff := testgit.Diff(t, d.Exported(), other.Exported()); diff != "" {
		t.Errorf("another space has other files:\n%s", diff)
	}
}

// A page that gets another address here has another file there, and whatever
// led to it leads to it still.
func TestRedirectsFollowTheirPages(t *testing.T) {
	d := newDesk(t, testdb.SQLite(t))
	files := testgit.Repository(t, "every")
	files[".gitbook.yaml"] += "  deep: making/lamps.md#top   # kept\n"
	d.Import(t, files)
	before := d.Exported()
	lamps := d.PageOf("making/lamps.md")
	d.Must(content.Change{Operation: content.UpdatePage, Page: string(lamps.ID), Meta: content.PageMeta{Slug: opt.Of("lights")}})
	after := d.Exported()
	want := strings.NewReplacer("making/lamps.md", "making-lanterns/lights.md").Replace(files[".gitbook.yaml"])
	if after[".gitbook.yaml"] != want {
		t.Errorf("the configuration is\n%s\nwant\n%s", after[".gitbook.yaml"], want)
	}
	if s := after["README.md"]; !strings.Contains(s, "[lamps](making-lanterns/lights.md)") {
		t.Errorf("the landing page has\n%s", s)
	}
	if _, there := after["making/lamps.md"]; there || after["making-lanterns/lights.md"] == "" {
		t.Error("the file is where it was")
	}
	d.Import(t, after)
	if diff := testgit.Diff(t, after, d.Exported()); diff != "" {
		t.Errorf("a round trip changes it:\n%s", diff)
	}
	// One to a page that is gone stays.
	d.Must(content.Change{Operation: content.DeletePage, Page: string(lamps.ID)})
	if got := d.Exported()[".gitbook.yaml"]; got != want {
		t.Errorf("a page that is gone: %s", got)
	}
	d.Import(t, before)
	if diff := testgit.Diff(t, before, d.Exported()); diff != "" {
		t.Errorf("what was brought again differs:\n%s", diff)
	}
}
