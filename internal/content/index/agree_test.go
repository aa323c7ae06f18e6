package index_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// agreeing is a folder with a page of each kind. The text of page/one.md
// is the case.
func agreeing(one string) fstest.MapFS {
	in := fstest.MapFS{}
	for name, text := range map[string]string{
		"README.md": "# Welcome\n",
		"SUMMARY.md": "# Table of contents\n\n* [Welcome](README.md)\n* [One](page/one.md)\n* [Two](page/two.md)\n\n" +
			"## Guides\n\n* [Far](elsewhere/file.md)\n* [Out](https://octavo.test)\n\n## Empty\n",
		"page/one.md": "# One\n\n## Here\n\n" + one + "\n",
		"page/two.md": "# Two\n\n## There\n\n<center id=\"raw\">x</center>\n\nA <b id=\"inside\">word</b>, <a name=\"old\"></a>.\n\n" +
			"{% include \"../.gitbook/includes/note.md\" %}\n",
		"page/what?.md":             "# Unlisted\n",
		"elsewhere/file.md":         "# Far\n\n## There\n",
		".gitbook/includes/note.md": "---\ntitle: Note\n---\n\n## Included\n\n[own](#included)\n",
		".gitbook/assets/a?b.png":   "a",
		"unlisted.md":               "# Unlisted\n",
	} {
		in[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return in
}

// A link is broken for `octavo check` of the folder, for `octavo check` of the
// space that it was imported into, and for the list of links, or for none of
// them. However it is written, it is exported as it was.
func TestCheckAndLinksAgree(t *testing.T) {
	d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
	try := func(one string, broken bool) {
		t.Helper()
		in := agreeing(one)
		tree, err := folder.Read(in, folder.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if found := checked(tree); found != broken {
			t.Errorf("%s: broken for check of the folder: %t", one, found)
		}
		if _, err := d.Content.Import(ctx, authz.OperatorGrant(d.By.User), d.Grant(t, d.ID).Space, tree, func(string, int, int) {}); err != nil {
			t.Fatal(err)
		}
		if found := d.broken(t); found > 0 != broken {
			t.Errorf("%s: broken in the list of links: %d", one, found)
		}
		out, err := d.Content.Exchange.Folder(ctx, d.Head(t, d.ID))
		if err != nil {
			t.Fatal(err)
		}
		files := testspace.Files{}
		if err := folder.Write(files, out); err != nil {
			t.Fatal(err)
		}
		if got, want := files["page/one.md"], string(in["page/one.md"].Data); got != want {
			t.Errorf("%s: exported as\n%s", one, got)
		}
		out.Unlisted = nil
		if found := checked(out); found != broken {
			t.Errorf("%s: broken for check of the space: %t", one, found)
		}
	}
	for _, dest := range []string{
		"two.md", "two", "../README.md", "/page/two.md", "..", "/", "?q=1", "two.md?x=1", "https://octavo.test/x", "mailto:a@b.test",
		"../.gitbook/assets/a%3Fb.png",
		// By address: groups, and a page whose file is elsewhere.
		"/guides", "../guides", "/guides/", "/guides.md", "/guides/README.md", "/empty", "/guides/file", "../guides/file.md",
		"#here", "?q#here", "#one", "two.md#there", "two.md#There", "two.md#t%68ere", "two.md#two", "two.md#", "two.md?x=1#there", "/guides/file#there",
		"two.md#raw", "two.md#inside", "two.md#old", "two.md#included",
	} {
		try(fmt.Sprintf("[link](<%s>)", dest), false)
	}
	for _, dest := range []string{
		"", "gone.md", "../gone", "../unlisted.md", "../.gitbook/assets/gone.png", "../../x.md",
		"/guides/gone", "/out", "/guides/out", "/guides#x", "/empty#x", "/guides/file#gone", "/gone/file",
		"#gone", "?q#gone", "two.md#gone", "gone.md#there",
	} {
		try(fmt.Sprintf("[link](<%s>)", dest), true)
	}
	try("![](<../.gitbook/assets/a%3Fb.png>)", false)
	try("![](two.md)", true)
	try("![](/guides)", true)
	try("![](gone.png)", true)
}

// checked reports whether check finds something in the page of the case.
func checked(t *folder.Tree) bool {
	for _, p := range folder.Check(t) {
		if p.File == "page/one.md" {
			return true
		}
	}
	return false
}

func (d *desk) broken(t *testing.T) int {
	t.Helper()
	_, _, stats, err := d.Content.Index.Links(context.Background(), d.Grant(t, d.ID), d.Head(t, d.ID), index.LinkFilter{Status: index.LinkBroken}, store.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return stats.Broken
}

// A link follows a group that is renamed, by address where it can.
func TestLinksFollowGroups(t *testing.T) {
	d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
	tree, err := folder.Read(agreeing("[link](/guides) [by id](/collections/c1)"), folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Content.Import(ctx, authz.OperatorGrant(d.By.User), d.Grant(t, d.ID).Space, tree, func(string, int, int) {}); err != nil {
		t.Fatal(err)
	}
	v := d.Head(t, d.ID)
	group, err := v.ByPath(ctx, "guides")
	if err != nil {
		t.Fatal(err)
	}
	d.Must(content.Change{Operation: content.UpdatePage, Page: string(group.ID), Meta: content.PageMeta{Slug: opt.Of("handbook")}})
	out, err := d.Content.Exchange.Folder(ctx, d.Head(t, d.ID))
	if err != nil {
		t.Fatal(err)
	}
	out.Unlisted = nil
	if checked(out) {
		t.Error(folder.Check(out))
	}
	files := testspace.Files{}
	if err := folder.Write(files, out); err != nil {
		t.Fatal(err)
	}
	if got, want := files["page/one.md"], "# One\n\n## Here\n\n[link](../handbook) [by id](/collections/c1)\n"; got != want {
		t.Errorf("exported as\n%s", got)
	}
	d.Verify(t)
}
