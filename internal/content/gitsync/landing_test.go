package gitsync

import (
	"context"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// A landing page above the root of the documentation is the first page. It is
// synchronized in both directions, and nothing else above the root changes.
func TestLandingPageAboveTheRoot(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	files := map[string]string{
		".gitbook.yaml": "root: ./docs\nstructure:\n  readme: ../README.md\n",
		"README.md":     "# Repository\n\nSee [A](docs/a.md) and [code](src/main.go).\n\n__Words__.\n",
		"OTHER.md":      "# Other\n", "src/main.go": "package main\n",
		"docs/SUMMARY.md": "* [A](a.md)\n* [B](guide/b.md)\n",
		"docs/a.md":       "# A\n\n[up](../README.md) and [other](../OTHER.md)\n",
		"docs/guide/b.md": "# B\n\n[A](../a.md)\n",
	}
	d.origin.Commit(files)
	d.pull("")
	ctx := context.Background()
	tops, err := d.head().Children(ctx, "")
	if err != nil || len(tops) != 3 || tops[0].Title != "Repository" || tops[0].File != "../README.md" {
		t.Fatalf("%v: %+v", err, tops)
	}
	links := func(title string) (found []docs.Ref) {
		t.Helper()
		doc, err := d.head().Document(ctx, d.pages()[title].Page)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range markup.References(doc) {
			found = append(found, r.Ref)
		}
		return found
	}
	home, a := d.pages()["Repository"].ID, d.pages()["A"].ID
	if refs := links("Repository"); len(refs) == 0 || refs[0].Page != string(a) {
		t.Errorf("the landing page refers to %+v", refs)
	}
	if refs := links("A"); len(refs) == 0 || refs[0].Page != string(home) {
		t.Errorf("page A refers to %+v", refs)
	}

	changed := func(base string) string { return testgit.Git(t, d.origin.Bare, "diff", "--name-only", base, "main") }
	tip := d.origin.Tip()
	if d.push("unchanged"); d.origin.Tip() != tip {
		t.Fatalf("a push without an edit changes %q", changed(tip))
	}

	// An edit of the page changes only its file.
	md := "See [A](docs/a.md), [B](/pages/" + string(d.pages()["B"].ID) + ") and [code](src/main.go).\n\n__Words__.\n"
	d.apply("", content.Change{Operation: content.UpdatePage, Page: string(home), Body: &revision.Body{Markdown: &md}})
	d.push("")
	want := "# Repository\n\nSee [A](docs/a.md), [B](docs/guide/b.md) and [code](src/main.go).\n\n__Words__.\n"
	if got := d.origin.Files("main")["README.md"]; got != want || changed(tip) != "README.md" {
		t.Errorf("README.md is %q; changed are %q", got, changed(tip))
	}

	// A link to the landing page from another page is written as a relative path.
	tip = d.origin.Tip()
	md = "[A](../a.md) [home](/pages/" + string(home) + ")\n"
	d.apply("", content.Change{Operation: content.UpdatePage, Page: string(d.pages()["B"].ID), Body: &revision.Body{Markdown: &md}})
	d.push("")
	if got := d.origin.Files("main")["docs/guide/b.md"]; got != "# B\n\n[A](../a.md) [home](../../README.md)\n" || changed(tip) != "docs/guide/b.md" {
		t.Errorf("b.md is %q; changed are %q", got, changed(tip))
	}

	// A commit that changes the file, and other files that are not content, changes the
	// page.
	d.origin.Pull()
	d.origin.Commit(map[string]string{"README.md": strings.Replace(want, "Words", "Phrases", 1), "OTHER.md": "# Another\n"})
	d.pull("")
	if got := d.markdown("Repository"); !strings.Contains(got, "__Phrases__") || d.pages()["Repository"].ID != home {
		t.Errorf("the page is %q", got)
	}
	// When a page moves, the link on the landing page is updated.
	tip = d.origin.Tip()
	d.apply("", content.Change{Operation: content.UpdatePage, Page: string(a), Into: opt.Of(string(d.pages()["B"].ID))})
	d.push("")
	if got := changed(tip); strings.Contains(got, "OTHER") || strings.Contains(got, "main.go") {
		t.Errorf("changed are %q", got)
	}
	if got := d.origin.Files("main")["OTHER.md"]; got != "# Another\n" {
		t.Errorf("OTHER.md is %q", got)
	}
	d.verify()
}

// A landing page outside of the connected folder is refused.
func TestLandingPageOutsideOfTheRepository(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.remote.Directory = "sub"
	d.origin.Commit(map[string]string{
		"README.md": "# Not ours\n", "sub/.gitbook.yaml": "root: ./docs\nstructure:\n  readme: ../../README.md\n", "sub/docs/a.md": "# A\n",
	})
	if o := d.do(docs.GitImport, nil); o.Reason == "" || !strings.Contains(o.Error, "structure.readme") {
		t.Errorf("%+v", o)
	}
	if n := len(d.pages()); n > 0 {
		t.Errorf("%d pages were imported", n)
	}
}
