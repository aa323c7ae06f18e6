package publish_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/publish/export"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// part returns the item of the site with a kind and a title.
func (w *world) part(kind docs.SiteItemKind, title string) docs.SiteItem {
	w.Helper()
	v, err := w.audience.View(w.Context(), w.grant())
	must(w.T, err)
	for _, it := range v.Structure.All(kind) {
		if it.Title == title {
			return it
		}
	}
	w.Fatalf("the site has no %s %q", kind, title)
	return docs.SiteItem{}
}

// setSpace changes the site space with a title.
func (w *world) setSpace(title string, p sites.SpacePatch) {
	w.Helper()
	_, _, err := w.sites.UpdateSpace(w.Context(), w.grant(), w.part(docs.SiteSpace, title).ID, p)
	must(w.T, err)
}

func (w *world) setSection(title string, p sites.SectionPatch) {
	w.Helper()
	_, _, err := w.sites.UpdateSection(w.Context(), w.grant(), w.part(docs.SiteSection, title).ID, p)
	must(w.T, err)
}

// parts returns the titles of the parts of the book of the site.
func (w *world) parts() (titles []string) {
	w.Helper()
	site, err := w.sites.Store.Site(w.Context(), w.site)
	must(w.T, err)
	b, err := export.BookOfSite(w.Context(), w.handler.Pages, site.It)
	must(w.T, err)
	for _, p := range b.Spaces {
		titles = append(titles, p.Title)
	}
	return titles
}

// says checks the status and the body of a page; a text that begins with ! must not be there.
func (w *world) says(at string, status int, want ...string) {
	w.Helper()
	a, body := w.get(at)
	if a.StatusCode != status {
		w.Errorf("%s: %s", at, a.Status)
	}
	for _, s := range want {
		absent, not := strings.CutPrefix(s, "!")
		if strings.Contains(body, absent) == not {
			w.Errorf("%s: want %s in\n%s", at, s, body)
		}
	}
}

// Readers find nothing of a draft: neither a variant, nor a section, nor what is in a group.
// Who makes a preview sees it there, unless the preview shows only what is live.
func TestDraftsOfParts(t *testing.T) {
	w := newWorld(t)
	w.old = "fr"
	w.acme()
	preview := func(start audience.PreviewStart) (home string, visitor func(*http.Request)) {
		t.Helper()
		at, err := w.audience.PreviewURL(t.Context(), w.grant(), start)
		must(t, err)
		home, token, _ := strings.Cut(at, "?token=")
		return home, func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "octavo-preview-token", Value: token}) }
	}
	v1 := w.part(docs.SiteSpace, "v1")
	for name, change := range map[string]func(draft bool){
		"variant": func(draft bool) { w.setSpace("v1", sites.SpacePatch{Draft: opt.Of(draft)}) },
	} {
		w.says(root, 200, `href="/v1/?language=fr"`)
		change(true)
		w.says(root, 200, "!/v1/")
		w.says(root+"v1/install", 404)
		w.says(root+"sitemap.xml", 200, "!/v1/", "/install<")
		w.says(root+"llms.txt", 200, "!/v1/")
		w.says(root+"~octavo/found?q=old+way", 200, "!/v1/")
		if sp, err := w.sites.Store.Space(t.Context(), v1.Space); err != nil || sp.It.Published != nil {
			t.Errorf("%s: the space of a draft is published at %v, %v", name, sp.It.Published, err)
		}
		if files, _ := w.exported(""); files["v1/install/index.html"] != "" || files["install/index.html"] == "" {
			t.Errorf("%s: the export has drafts, or lacks what is live", name)
		}
		home, visitor := preview(audience.PreviewStart{Space: v1.ID})
		if home != root+"v1/" {
			t.Errorf("the preview of a draft begins at %s", home)
		}
		if a, body := w.get(root+"v1/install", visitor); a.StatusCode != 200 || !strings.Contains(body, "The old way") {
			t.Errorf("%s: the preview lacks the draft: %s", name, a.Status)
		}
		_, visitor = preview(audience.PreviewStart{Live: true})
		if a, _ := w.get(root+"v1/install", visitor); a.StatusCode != 404 {
			t.Errorf("%s: a preview of what is live shows the draft: %s", name, a.Status)
		}
		change(false)
		w.says(root+"v1/install", 200)
		if sp, err := w.sites.Store.Space(t.Context(), v1.Space); err != nil || sp.It.Published == nil {
			t.Errorf("%s: the space is not published any more: %v", name, err)
		}
	}

	w.setSection("API", sites.SectionPatch{Draft: opt.Of(true)})
	w.says(root, 200, "!>API<", ">Shop<")
	w.says(root+"api/news", 404)
	w.setSection("API", sites.SectionPatch{Draft: opt.Of(false)})
	w.says(root+"api/news", 200)

	_, group, err := w.sites.AddGroup(t.Context(), w.grant(), sites.NewGroup{Title: "More", Draft: true, Sections: []docs.SiteItemID{w.part(docs.SiteSection, "API").ID}})
	must(t, err)
	w.says(root, 200, "!>More<", "!>API<")
	w.says(root+"api/news", 404)
	api := w.part(docs.SiteSpace, "API")
	if sp, err := w.sites.Store.Space(t.Context(), api.Space); err != nil || sp.It.Published != nil || !api.Drafted || api.Draft {
		t.Errorf("the space in a draft group is published at %v: %+v, %v", sp.It.Published, api, err)
	}
	_, _, err = w.sites.UpdateGroup(t.Context(), w.grant(), group.ID, sites.GroupPatch{Draft: opt.Of(false)})
	must(t, err)
	w.says(root, 200, ">More<", ">API<")
	w.says(root+"api/news", 200)
}

// Navigation leaves out what is hidden, and so do lists for machines, books and searches
// elsewhere. Its address leads to it, and its readers see where they are.
func TestHiddenParts(t *testing.T) {
	w := newWorld(t)
	w.old = "fr"
	w.acme()
	w.setSpace("v1", sites.SpacePatch{Hidden: opt.Of(true)})
	w.says(root, 200, "!Version:", "!hreflang")
	w.says(root+"v1/install", 200, "The old way", "Version", `href="/install?language=en"`)
	w.says(root+"sitemap.xml", 200, "!/v1/", "/install<")
	w.says(root+"llms.txt", 200, "!/v1/")
	if a, _ := w.get(root, func(r *http.Request) { r.Header.Set("Accept-Language", "fr") }); a.StatusCode != 200 {
		t.Errorf("a reader is sent to a hidden variant: %s", a.Header.Get("Location"))
	}
	if files, _ := w.exported(""); !strings.Contains(files["v1/install/index.html"], "The old way") || strings.Contains(files["index.html"], "Version:") {
		t.Error("the export has no hidden variant, or its navigation leads to it")
	}

	finds := func() bool {
		_, body := w.get(root+"~octavo/mcp", post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"searchDocumentation","arguments":{"query":"calls"}}}`,
			"Content-Type", "application/json", "Accept", "application/json, text/event-stream"))
		return strings.Contains(body, "/api/")
	}
	w.says(root+"~octavo/found?q=calls", 200, `/api/`)
	if !finds() {
		t.Error("an assistant does not find what is not hidden")
	}
	w.setSpace("API", sites.SpacePatch{Hidden: opt.Of(true)})
	if finds() {
		t.Error("an assistant finds what is hidden")
	}
	w.says(root, 200, "!>API<", ">Shop<")
	w.says(root+"~octavo/found?q=calls", 200, "!/api/")
	w.says(root+"api/news", 200, `aria-current="true">API<`)
	w.says(root+"api/~octavo/found?q=calls", 200, `/api/`)
	if got := w.parts(); len(got) != 1 {
		t.Errorf("parts of the book: %q", got)
	}
}

// Titles of parts are in the language of the variant that is read.
func TestLocalizedTitles(t *testing.T) {
	w := newWorld(t)
	w.old = "fr"
	w.acme()
	titles := map[string]string{"fr": "Référence", "de": "Referenz"}
	w.setSection("API", sites.SectionPatch{LocalizedTitle: opt.Of(titles)})
	w.setSection("Acme docs", sites.SectionPatch{LocalizedTitle: opt.Of(map[string]string{"fr": "Guide & co"})})
	w.setSpace("v1", sites.SpacePatch{LocalizedTitle: opt.Of(map[string]string{"fr": "Première"})})
	_, _, err := w.sites.UpdateLink(t.Context(), w.grant(), w.part(docs.SiteLink, "Shop").ID, sites.LinkPatch{LocalizedTitle: opt.Of(map[string]string{"fr": "Boutique"})})
	must(t, err)
	w.says(root, 200, ">API<", ">Shop<", ">Acme docs<", ">v1<")
	w.says(root+"v1/install", 200, ">Référence<", ">Boutique<", ">Guide &amp; co<", ">Première<", "!>API<")
	w.says(root+"v1/~octavo/search?q=calls", 200, "<small>Référence")
	w.says(root+"llms.txt", 200, "## Première", "## API")
	if got := strings.Join(w.parts(), "|"); got != "Acme docs: v2|Guide & co: Première|API" {
		t.Errorf("parts of the book: %s", got)
	}
	for _, bad := range []map[string]string{{"xx": "No"}, {"fr": strings.Repeat("é", 129)}} {
		_, _, err := w.sites.UpdateSection(t.Context(), w.grant(), w.part(docs.SiteSection, "API").ID, sites.SectionPatch{LocalizedTitle: opt.Of(bad)})
		if err == nil || !strings.Contains(err.Error(), "localizedTitle") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
