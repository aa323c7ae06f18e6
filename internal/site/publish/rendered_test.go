package publish_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// imported imports files into a space.
func (w *world) imported(space docs.SpaceID, files map[string]string) {
	w.Helper()
	in := fstest.MapFS{}
	for name, text := range files {
		in[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tree, err := folder.Read(in, folder.Limits{})
	must(w.T, err)
	sp, err := w.sites.Store.Space(w.Context(), space)
	must(w.T, err)
	_, err = w.content.Import(w.Context(), authz.OperatorGrant(w.actor.User), sp.It, tree, func(string, int, int) {})
	must(w.T, err)
}

// linked is a space with everything that the text of a page may depend on.
var linked = map[string]string{
	"SUMMARY.md": "* [Home](README.md)\n* [One](one.md)\n* [Two](two.md)\n  * [Deep](deep.md)\n* [Plain](plain.md)\n* [Parts](parts.md)\n",
	"README.md":  "# Home\n\n[one](one.md), [deep](deep.md#x), [later](later.md) and [other](https://base.test/s/OTHER/).\n\n{% include \".gitbook/includes/note.md\" %}\n",
	"one.md":     "# One\n\nBack to [home](README.md). {% content-ref url=\"two.md\" %}\n[two.md](two.md)\n{% endcontent-ref %}\n\n{% content-ref url=\"two.md\" %}\n[two.md](two.md)\n{% endcontent-ref %}\n",
	"two.md":     "---\ndescription: Second\n---\n\n# Two\n\n{% file src=\".gitbook/assets/data.csv\" %}\n",
	"deep.md":    "# Deep\n\nVersion <code class=\"expression\">space.vars.version</code>.\n\n{% if space.vars.version == \"2\" %}\nNew.\n{% endif %}\n",
	"plain.md":   "# Plain\n\nNothing but text.\n",
	"parts.md":   "# Parts\n\n{% include \".gitbook/includes/note.md\" %}\n\nThe end.\n",

	".gitbook/vars.yaml":        "version: \"1\"\n",
	".gitbook/assets/data.csv":  "1,2\n",
	".gitbook/includes/note.md": "# Note\n\nSee [two](../../two.md).\n",
}

// A cached text equals the one that a server without a cache renders, after any change. A
// change renders only texts that refer to the changed content.
func TestKeptTextsAreThoseOfNow(t *testing.T) {
	o := testdb.SQLite(t)
	w := newWorldIn(t, o)
	other, space := w.emptySpace("Other"), w.emptySpace("Main")
	files := maps.Clone(linked)
	files["README.md"] = strings.ReplaceAll(files["README.md"], "OTHER", string(other))
	w.imported(other, map[string]string{"README.md": "# Elsewhere\n"})
	w.imported(space, files)
	top, _, err := authz.NewChecker(w.sites.Store.Reader).Org(t.Context(), w.actor, authz.CreateContent, w.org)
	must(t, err)
	site, err := w.sites.Create(t.Context(), top, sites.NewSite{Title: "Acme docs", Spaces: []docs.SpaceID{space, other}})
	must(t, err)
	w.site = site.ID
	w.update(sites.SitePatch{Basename: opt.Of("acme")})
	_, err = w.sites.Publish(t.Context(), w.grant(), true)
	must(t, err)

	paths := []string{"", "one", "two", "two/deep", "plain", "parts", "later", "moved/plain"}
	compare := func(what string, most int64) {
		t.Helper()
		before := w.handler.Rendered()
		fresh := newNode(t, o, w.content.Blobs)
		for _, path := range paths {
			a, kept := w.get(root + path)
			b, made := fresh.get(root + path)
			if kept != made || a.Header.Get("ETag") != b.Header.Get("ETag") {
				t.Errorf("%s: /%s is kept as\n%s\nand would be\n%s", what, path, kept, made)
			}
		}
		if made := w.handler.Rendered() - before; made > most {
			t.Errorf("%s: %d texts were made, want at most %d", what, made, most)
		}
	}
	compare("at first", 6)
	compare("without a change", 0)
	for _, step := range []struct {
		what string
		made int64
		do   func()
	}{
		{"an edit", 1, func() { files["plain.md"] += "\nMore.\n" }},
		{"an edit of a page that others link to", 1, func() { files["two.md"] += "\nMore.\n" }},
		{"a title that others show", 2, func() { files["two.md"] = strings.Replace(files["two.md"], "# Two", "# Zwei", 1) }},
		{"a description", 1, func() { files["two.md"] = strings.Replace(files["two.md"], "Second", "The second", 1) }},
		{"an included text", 2, func() { files[".gitbook/includes/note.md"] += "\nMore.\n" }},
		{"a variable", 6, func() { files[".gitbook/vars.yaml"] = "version: \"2\"\n" }},
		{"a page that a link waited for", 2, func() {
			files["later.md"] = "# Later\n"
			files["SUMMARY.md"] += "* [Later](later.md)\n"
		}},
		{"another file", 1, func() { files[".gitbook/assets/data.csv"] = "1,2,3,4,5,6\n" }},
		{"another order", 0, func() {
			files["SUMMARY.md"] = strings.Replace(files["SUMMARY.md"], "* [One](one.md)\n", "", 1) + "* [One](one.md)\n"
		}},
		{"a page that moves", 1, func() {
			files["SUMMARY.md"] = strings.Replace(files["SUMMARY.md"], "  * [Deep]", "* [Deep]", 1)
		}},
		{"a page that is gone", 3, func() {
			delete(files, "two.md")
			files["SUMMARY.md"] = strings.Replace(files["SUMMARY.md"], "* [Two](two.md)\n", "", 1)
		}},
	} {
		step.do()
		w.imported(space, files)
		compare(step.what, step.made)
	}
	w.imported(other, map[string]string{"README.md": "# Elsewhere\n\nEdited.\n"})
	compare("an edit elsewhere", 0)
	_, g := w.titled("Other")
	_, _, err = w.spaces.Update(t.Context(), g, spaces.SpacePatch{Title: opt.Of("Other title")})
	must(t, err)
	compare("a title elsewhere", 0)
	if a, _ := w.get(root + "plain"); a.StatusCode != 200 { // so that pages were compared, not errors
		t.Errorf("plain: %s", a.Status)
	}
}

// emptySpace creates a space without pages.
func (w *world) emptySpace(title string) docs.SpaceID {
	w.Helper()
	top, _, err := authz.NewChecker(w.sites.Store.Reader).Org(w.Context(), w.actor, authz.CreateContent, w.org)
	must(w.T, err)
	sp, _, err := w.spaces.Create(w.Context(), top, spaces.NewSpace{Title: title, EditMode: docs.EditLive, Language: "en", Empty: true})
	must(w.T, err)
	return sp.ID
}

// An edit of a text does not change the navigation. Edits of everything that the navigation
// shows do.
func TestANavigationOutlivesEditsOfTexts(t *testing.T) {
	w := newWorld(t)
	space := w.emptySpace("Main")
	w.imported(space, linked)
	now := func() *theme.Link {
		n, err := w.handler.Navigation(t.Context(), space)
		must(t, err)
		return n
	}
	was := now()
	for _, c := range []struct {
		what   string
		change content.Change
		same   bool
	}{
		{"a text", content.Change{Body: text("# Plain\n\nOther words.\n")}, true},
		{"another text", content.Change{Body: text("# Plain\n\nAnd [one](one.md).\n")}, true},
		{"a title", content.Change{Meta: content.PageMeta{Title: opt.Of("Renamed")}}, false},
		{"an icon", content.Change{Meta: content.PageMeta{Icon: opt.Of("star")}}, false},
		{"a condition", content.Change{Meta: content.PageMeta{Condition: opt.Of("visitor.claims.beta")}}, false},
		{"a text again", content.Change{Body: text("# Plain\n\nThe end.\n")}, false}, // and its title
		{"whether it is listed", content.Change{Meta: content.PageMeta{Hidden: opt.Of(true)}}, false},
		{"its address", content.Change{Meta: content.PageMeta{Slug: opt.Of("other")}}, false},
	} {
		w.edit("Main", "plain", "", c.change)
		is := now()
		if same := is == was; same != c.same {
			t.Errorf("%s changes: the navigation is the same is %t", c.what, same)
		}
		was = is
	}
}
