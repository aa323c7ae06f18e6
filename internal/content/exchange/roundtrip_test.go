package exchange_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// desk is a space to write in, with what these tests ask of it.
type desk struct{ testspace.Desk }

func newDesk(t testing.TB, o store.Options) *desk { return &desk{*testspace.New(t, o)} }

// repositories returns the folders that a space can have: our test
// repositories, and a page for each case of syntax.
func repositories(t testing.TB) map[string]map[string]string {
	t.Helper()
	mono := testgit.Repository(t, "monorepo")
	out := map[string]map[string]string{
		"every": testgit.Repository(t, "every"), "inferred": testgit.Repository(t, "inferred"), "odd": testgit.Repository(t, "odd"),
		"kiln": testgit.Below(mono, "products/kiln"), "wheel": testgit.Below(mono, "products/wheel"), "syntax": {},
	}
	b, err := os.ReadFile("../../markup/testdata/syntax.txt")
	if err != nil {
		t.Fatal(err)
	}
	summary := "# Table of contents\n\n* [Home](README.md)\n"
	for i, part := range strings.Split("\n"+string(b), "\n=== ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		source, _, _ := strings.Cut(rest, "--- nodes\n")
		file := fmt.Sprintf("case-%d.md", i)
		out["syntax"][file] = "# " + name + "\n\nFirst.\n\n" + source + "\nLast.\n"
		summary += "* [" + name + "](" + file + ")\n"
	}
	out["syntax"]["SUMMARY.md"] = summary
	out["syntax"]["README.md"] = "# Home\n"
	if dir := os.Getenv(docsVariable); dir != "" {
		out[docsVariable] = filesBelow(t, dir)
	}
	return out
}

// docsVariable names a folder of somebody's documentation to test with as
// well.
const docsVariable = "OCTAVO_TEST_DOCS"

func filesBelow(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	fsys := os.DirFS(dir)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(name, ".git/") {
			return err
		}
		b, err := fs.ReadFile(fsys, name)
		out[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// carried returns those of a folder's files that a space takes: not what is
// hidden, beside its root, or no page for its name.
func carried(t testing.TB, files map[string]string) map[string]string {
	t.Helper()
	in := fstest.MapFS{}
	for name, text := range files {
		in[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tree, err := folder.Read(in, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	out := maps.Clone(files)
	for name := range out {
		rest, below := strings.CutPrefix(name, strings.TrimPrefix(tree.Root+"/", "./"))
		hidden := strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, ".gitbook/") || strings.HasPrefix(rest, "node_modules/")
		if name != ".gitbook.yaml" && (!below || hidden || names.Problem(name) != "") {
			delete(out, name)
		}
	}
	return out
}

// What an import reads, an export writes, byte for byte; importing it
// again changes nothing.
func TestFolderRoundTrip(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
		in := fstest.MapFS{
			"README.md":                 {Data: []byte("---\ndescription: Hello\nunknown: kept\n---\n\n# Welcome\n\n{% include \".gitbook/includes/note.md\" %}\n\n![x](.gitbook/assets/dot.png)\n")},
			"SUMMARY.md":                {Data: []byte("# Table of contents\n\n* [Welcome](README.md)\n* [Guide](guide/README.md)\n  * [Steps](guide/steps.md)\n* [Out](https://octavo.test)\n")},
			"guide/README.md":           {Data: []byte("# Guide\n\nSee [steps](steps.md).\n")},
			"guide/steps.md":            {Data: []byte("Steps without a title\r\n=====\r\n\r\n{% unknown a=\"b\" %}\nkept\n{% endunknown %}\n")},
			".gitbook/includes/note.md": {Data: []byte("---\ntitle: Note\n---\n\nA reusable zebra.\n")},
			".gitbook/assets/dot.png":   {Data: []byte("\x89PNG\r\n\x1a\n not really")},
			".gitbook/vars.yaml":        {Data: []byte("name: Octavo\nyear: 2026\n")},
			"notes.md":                  {Data: []byte("not listed\n")},
		}
		read := func() *folder.Tree {
			tree, err := folder.Read(in, folder.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			return tree
		}
		run := func() content.ImportSummary {
			out, err := d.Content.Import(ctx, authz.OperatorGrant(d.By.User), d.Grant(t, d.ID).Space, read(), func(string, int, int) {})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		if first := run(); !first.Changed {
			t.Fatalf("%+v", first)
		}
		if again := run(); again.Changed {
			t.Errorf("importing the same again made the revision %s", again.Revision)
		}
		d.Verify(t)
		tree, err := d.Content.Exchange.Folder(ctx, d.Head(t, d.ID))
		if err != nil {
			t.Fatal(err)
		}
		out := testspace.Files{}
		if err := folder.Write(out, tree); err != nil {
			t.Fatal(err)
		}
		for name, f := range in {
			if got := out[name]; got != string(f.Data) {
				t.Errorf("%s is\n%q\nwant\n%q", name, got, f.Data)
			}
			delete(out, name)
		}
		for name := range out {
			t.Errorf("%s was not there before", name)
		}
		// Reusable content is found where it is used.
		hits, _, err := d.Content.Search(ctx, []*revision.View{d.Head(t, d.ID)}, "zebra", 10, nil)
		if err != nil || len(hits) != 1 || hits[0].Title != "Welcome" {
			t.Errorf("search finds %v (%v)", hits, err)
		}
		in[".gitbook/includes/note.md"] = &fstest.MapFile{Data: []byte("---\ntitle: Note\n---\n\nA reusable giraffe.\n")}
		run()
		if hits, _, err := d.Content.Search(ctx, []*revision.View{d.Head(t, d.ID)}, "giraffe", 10, nil); err != nil || len(hits) != 1 {
			t.Errorf("search finds %v (%v)", hits, err)
		}
		d.Verify(t)
	})
}

// What is imported is exported as it was, whatever it is, and importing it
// again changes nothing.
func TestRepositoriesComeBackAsTheyWere(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d := newDesk(t, o)
		for name, files := range repositories(t) {
			d.Import(t, files)
			want := carried(t, files)
			if diff := testgit.Diff(t, want, d.Exported()); diff != "" {
				t.Errorf("%s is exported with changes:\n%s", name, diff)
			}
			if again := d.Import(t, files); again.Changed {
				t.Errorf("%s: importing the same again made a revision", name)
			}
			if again := d.Import(t, d.Exported()); again.Changed {
				t.Errorf("%s: importing what was exported made a revision", name)
			}
		}
		d.Verify(t)
	})
}

// A page that was made or renamed here is the same page after an export and
// an import of what was exported.
func TestExportAndImportKeepIDs(t *testing.T) {
	d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
	out := d.Must(testspace.Insert("Alpha", "Text.\n", ""), testspace.Insert("Beta", "See [a](alpha.md).\n", ""), testspace.Insert("Gamma", "Below.\n", ""))
	beta := out.Outcomes[1].Page
	d.Must(content.Change{Operation: content.UpdatePage, Page: string(out.Outcomes[2].Page), Into: opt.Of(string(beta))})
	d.Must(testspace.Write(beta, fmt.Sprintf("# Beta\n\nBy id: [a](/pages/%s#x), [c](/pages/%s).\n", out.Outcomes[0].Page, out.Outcomes[2].Page)))
	tree, err := d.Content.Exchange.Folder(ctx, d.Head(t, d.ID))
	if err != nil {
		t.Fatal(err)
	}
	files := testspace.Files{}
	if err := folder.Write(files, tree); err != nil {
		t.Fatal(err)
	}
	if got, want := files["beta.md"], "# Beta\n\nBy id: [a](README.md#x), [c](beta/gamma.md).\n"; got != want {
		t.Errorf("beta.md is\n%s\nwant\n%s", got, want)
	}
	if _, ok := files["README.md"]; !ok {
		t.Errorf("the first page is no README.md: %v", files)
	}
	in := fstest.MapFS{}
	for name, data := range files {
		in[name] = &fstest.MapFile{Data: []byte(data)}
	}
	back, err := folder.Read(in, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Content.Import(ctx, authz.OperatorGrant(d.By.User), d.Grant(t, d.ID).Space, back, func(string, int, int) {}); err != nil {
		t.Fatal(err)
	}
	v := d.Head(t, d.ID)
	for i, path := range []string{"alpha", "beta", "beta/gamma"} {
		if p, err := v.ByPath(ctx, path); err != nil || p.ID != out.Outcomes[i].Page {
			t.Errorf("%s is %q now, and was %q (%v)", path, p.ID, out.Outcomes[i].Page, err)
		}
	}
	d.Verify(t)
}

// A folder is exported as it was, also if its paths look like the forms with ids that API
// clients write.
func TestPathsThatLookLikeIDs(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
		files := testgit.Repository(t, "unusual")
		d.Import(t, files)
		if diff := testgit.Diff(t, carried(t, files), d.Exported()); diff != "" {
			t.Errorf("the folder is exported with changes:\n%s", diff)
		}
		if part := d.FirstPage("A part", func(p docs.Page) bool { return p.Title == "A part" }); part.Target == nil || part.Target.Kind != docs.RefAnchor || part.Target.Page != string(d.PageOf("pages/deep.md").ID) {
			t.Errorf("the link to a part of a page leads to %+v", part.Target)
		}
		if again := d.Import(t, files); again.Changed {
			t.Error("importing the same again made a revision")
		}
		v, deep := d.Head(t, d.ID), d.PageOf("pages/deep.md")
		if ref, ok := v.Linker(ctx, "links.md").Current("/pages/deep.md", markup.UseLink); !ok || ref.Page != string(deep.ID) {
			t.Errorf("/pages/deep.md leads to %+v, %v", ref, ok)
		}
		d.Must(content.Change{Operation: content.UpdatePage, Page: string(deep.ID), Into: opt.Of(string(d.PageOf("README.md").ID)), Meta: content.PageMeta{Slug: opt.Of("moved")}})
		if text := d.Exported()["links.md"]; strings.Contains(text, "(/pages/deep.md)") || !strings.Contains(text, "![](/pages/media/a.png)") {
			t.Errorf("after the page was moved, the links are %q", text)
		}
	})
}
