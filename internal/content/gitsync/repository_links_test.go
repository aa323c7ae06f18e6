package gitsync

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// In the document for readers, links of a page to files of the repository that are not
// documentation lead to the host of the repository. Neither the source nor a commit
// contains these addresses, even if the document is written back.
func TestLinksOutOfTheFolder(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.remote.Directory = "docs"
	const page = "# Home\n\nSee [the code](../src/main.go#L3), [the guide](guide.md) and\n[nothing](../../x).\n\nMore words.\n\n[other](../README.md) __words__\n"
	d.origin.Commit(map[string]string{
		"src/main.go": "package main\n", "README.md": "# Not ours\n",
		"docs/README.md": page, "docs/guide.md": "# Guide\n\nWords.\n", "docs/SUMMARY.md": "* [Home](README.md)\n* [Guide](guide.md)\n",
	})
	const shown = "https://git.example/a/b/blob/main"
	withTree := func(o *docs.GitOperation) { o.Request.TreeURL = shown }
	if o := d.do(docs.GitImport, withTree); o.Reason != "" {
		t.Fatalf("%+v", o)
	}
	ctx := context.Background()
	read := func() string {
		t.Helper()
		doc, err := d.head().Read(ctx, d.pages()["Home"].Page)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	text := read()
	for _, want := range []string{`"` + shown + `/src/main.go#L3"`, `"` + shown + `/README.md"`, `"../../x"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if strings.Contains(text, shown+"/docs") {
		t.Errorf("a link to a page leads elsewhere: %s", text)
	}
	if got := d.markdown("Home"); "# Home\n\n"+got != page {
		t.Errorf("the source is %q", got)
	}
	tip := d.origin.Tip()
	edited, err := markup.Decode("body", []byte(strings.NewReplacer("See ", "Look at ", "words", "phrases").Replace(text)))
	if err != nil {
		t.Fatal(err)
	}
	d.apply("", content.Change{Operation: content.UpdatePage, Page: string(d.pages()["Home"].ID), Body: &revision.Body{Document: edited}})
	want := strings.NewReplacer("See ", "Look at ", "words", "phrases").Replace(page)
	if got := d.markdown("Home"); "# Home\n\n"+got != want {
		t.Errorf("the source is %q", got)
	}
	if o := d.do(docs.GitExport, withTree); o.Reason != "" {
		t.Fatalf("%+v", o)
	}
	if got := d.origin.Files("main")["docs/README.md"]; got != want {
		t.Errorf("%q", got)
	}
	if got := testgit.Git(t, d.origin.Bare, "diff", "--name-only", tip, "main"); got != "docs/README.md" {
		t.Errorf("the export changes %q", got)
	}
	d.verify()
}

// Different paths to the same file, and its address, keep their form when another part of
// the page changes.
func TestLinksOutOfTheFolderThatAreWrittenTwice(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.remote.Directory = "docs"
	const shown = "https://git.example/a/b/blob/main"
	const page = "# Home\n\n[a](" + shown + "/src/main.go) [b](../src/main.go)\n\n[c](../lib/../src/main.go)\n\nMore words.\n"
	d.origin.Commit(map[string]string{"src/main.go": "package main\n", "docs/README.md": page})
	if o := d.do(docs.GitImport, func(o *docs.GitOperation) { o.Request.TreeURL = shown }); o.Reason != "" {
		t.Fatalf("%+v", o)
	}
	write := func(old, text, want string) {
		t.Helper()
		doc, err := d.head().Read(context.Background(), d.pages()["Home"].Page)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		edited, err := markup.Decode("body", []byte(strings.Replace(string(b), old, text, 1)))
		if err != nil {
			t.Fatal(err)
		}
		d.apply("", content.Change{Operation: content.UpdatePage, Page: string(d.pages()["Home"].ID), Body: &revision.Body{Document: edited}})
		if got := d.markdown("Home"); "# Home\n\n"+got != want {
			t.Errorf("the source is %q", got)
		}
	}
	want := strings.Replace(page, "More", "Other", 1)
	write("More", "Other", want)
	// If one of the links is replaced, the others remain paths if they can be identified.
	write(shown+"/src/main.go", "https://example.com", strings.NewReplacer(shown+"/src/main.go", "https://example.com", "../lib/..", "..").Replace(want))
	d.verify()
}
