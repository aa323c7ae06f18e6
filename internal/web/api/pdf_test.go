package api_test

import (
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// pdfURL asks for the address of a PDF.
func (w *world) pdfURL(who, path string) string {
	w.t.Helper()
	return w.must(who, "GET", path, "").json().(map[string]any)["url"].(string)
}

func TestPDFs(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.liveSpace()
		a := w.must("admin", "POST", "/spaces/$space/content", `{"changes":[
			{"operation":"insert_page","title":"Birds","ref":"b","document":{"markdown":"See [owls](./o).\n"}},
			{"operation":"insert_page","title":"Owls","ref":"o","into":"b","document":{"markdown":"Night.\n"}}]}`).json().(map[string]any)
		birds := a["changes"].([]any)[0].(map[string]any)["page"].(map[string]any)["id"].(string)
		all := w.pdfURL("admin", "/spaces/$space/pdf")
		got := fetch(t, "GET", all)
		if got.status != 200 || !strings.HasPrefix(got.body, "%PDF-1.7") || !strings.HasSuffix(got.body, "%%EOF\n") {
			t.Fatalf("%d %.200s", got.status, got.body)
		}
		for name, want := range map[string]string{
			"Content-Type": "application/pdf", "X-Content-Type-Options": "nosniff", "Content-Disposition": "attachment; filename=",
		} {
			if !strings.HasPrefix(got.header.Get(name), want) {
				t.Errorf("%s: %q", name, got.header.Get(name))
			}
		}
		pages := func(at string) int { return strings.Count(fetch(t, "GET", at).body, "/Type/Page/") }
		one := w.pdfURL("admin", "/spaces/$space/pdf?only=true&page="+birds)
		both := w.pdfURL("admin", "/spaces/$space/pdf?page="+birds)
		if pages(all) != 5 || pages(both) != 4 || pages(one) != 2 { // cover, contents and chapters
			t.Errorf("pages: %d, %d, %d", pages(all), pages(both), pages(one))
		}
		// The same bytes, so a range can be fetched later.
		if part := fetch(t, "GET", all, "Range: bytes=0-7"); part.status != 206 || part.body != "%PDF-1.7" || part.header.Get("ETag") != got.header.Get("ETag") {
			t.Errorf("%d %q %v", part.status, part.body, part.header)
		}
		if head := fetch(t, "HEAD", all); head.status != 200 || head.body != "" {
			t.Errorf("HEAD: %d", head.status)
		}
		// It stays the revision that was asked for.
		w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"insert_page","title":"Fish","document":{"markdown":"Wet.\n"}}]}`)
		if pages(all) != 5 || pages(w.pdfURL("admin", "/spaces/$space/pdf")) != 6 {
			t.Error("an address follows the newest revision")
		}
	})
}

// A PDF can be fetched with the address that was given out, unchanged, for
// an hour, and no longer than there is a space.
func TestPDFAddressesAreSigned(t *testing.T) {
	o := testdb.SQLite(t)
	later := time.Duration(0)
	o.Clock = func() time.Time { return time.Now().Add(later) }
	w := newWorld(t, o, nil)
	w.liveSpace()
	w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"insert_page","title":"Secret","document":{"markdown":"x\n"}}]}`)
	at := w.pdfURL("admin", "/spaces/$space/pdf")
	file := w.upload("admin", "one.txt", []byte("one")).json().(map[string]any)["downloadURL"].(string)
	change := func(f func(u *url.URL, q url.Values)) string {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		f(u, q)
		u.RawQuery = q.Encode()
		return u.String()
	}
	other, _ := url.Parse(file)
	for name, at := range map[string]string{
		"no signature":        change(func(_ *url.URL, q url.Values) { q.Del("signature") }),
		"signature of a file": change(func(_ *url.URL, q url.Values) { q.Set("signature", other.Query().Get("signature")) }),
		"a page":              change(func(_ *url.URL, q url.Values) { q.Set("page", "x") }),
		"only":                change(func(_ *url.URL, q url.Values) { q.Set("only", "true") }),
		"nobody":              change(func(_ *url.URL, q url.Values) { q.Del("user") }),
		"somebody else":       change(func(_ *url.URL, q url.Values) { q.Set("user", "x") }),
		"another name":        change(func(u *url.URL, _ url.Values) { u.Path += "x" }),
		"another revision": change(func(u *url.URL, _ url.Values) {
			p := strings.Split(u.Path, "/")
			p[4] = "x"
			u.Path = strings.Join(p, "/")
		}),
	} {
		if got := fetch(t, "GET", at); got.status != 404 || !strings.Contains(got.body, `"code":404`) {
			t.Errorf("%s: %d %.100s", name, got.status, got.body)
		}
	}
	later = 59 * time.Minute
	if got := fetch(t, "GET", at); got.status != 200 {
		t.Errorf("after 59 minutes: %d", got.status)
	}
	later = 61 * time.Minute
	if got := fetch(t, "GET", at); got.status != 403 || !strings.Contains(got.body, "expired") {
		t.Errorf("after 61 minutes: %d", got.status)
	}
	later = 0
	w.must("admin", "DELETE", "/spaces/$space", "")
	if got := fetch(t, "GET", at); got.status != 404 {
		t.Errorf("the space is deleted: %d", got.status)
	}
}

// What only some visitors see, and what is off the navigation, is not in the
// PDF of a space.
func TestPDFsHoldWhatReadersSee(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.liveSpace()
	hidden := w.insert(`{"title":"Hidden","hidden":true,"document":{"markdown":"x\n"}}`)
	w.vars["some"] = w.insert(`{"title":"Some","condition":"visitor.claims.beta","document":{"markdown":"x\n"}}`)
	w.insert(`{"title":"Below","into":"` + w.vars["some"] + `","document":{"markdown":"x\n"}}`)
	got := fetch(t, "GET", w.pdfURL("admin", "/spaces/$space/pdf"))
	if n := strings.Count(got.body, "/Type/Page/"); n != 2 { // the cover and one page
		t.Errorf("%d pages", n)
	}
	if got := fetch(t, "GET", w.pdfURL("admin", "/spaces/$space/pdf?page="+hidden)); strings.Count(got.body, "/Type/Page/") != 2 {
		t.Error("a hidden page that was named is not there")
	}
	w.importFolder(w.vars["space"], fstest.MapFS{ // titles of groups are chapters, unless there is nothing below
		"SUMMARY.md": &fstest.MapFile{Data: []byte("* [Seen](seen.md)\n\n## Hidden\n\n* [Hidden](hidden.md)\n\n## Claimed\n\n* [Claimed](claimed.md)\n\n## Empty\n")},
		"seen.md":    &fstest.MapFile{Data: []byte("# Seen\n\nx\n")},
		"hidden.md":  &fstest.MapFile{Data: []byte("---\nhidden: true\n---\n\n# Hidden\n\nx\n")},
		"claimed.md": &fstest.MapFile{Data: []byte("---\nif: visitor.claims.beta\n---\n\n# Claimed\n\nx\n")},
	})
	if n := strings.Count(fetch(t, "GET", w.pdfURL("admin", "/spaces/$space/pdf")).body, "/Type/Page/"); n != 2 {
		t.Errorf("%d pages with groups of nothing", n)
	}
}

// An address is no way around rights that were taken away since.
func TestPDFAddressesEndWithTheRight(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.liveSpace()
	w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"insert_page","title":"Secret","document":{"markdown":"x\n"}}]}`)
	w.addUser("bob", "read")
	at := w.pdfURL("bob", "/spaces/$space/pdf")
	if got := fetch(t, "GET", at); got.status != 200 {
		t.Fatalf("as a member: %d", got.status)
	}
	w.must("admin", "DELETE", "/orgs/$org/members/$user_bob", "")
	for _, method := range []string{"GET", "HEAD"} {
		if got := fetch(t, method, at); got.status != 404 {
			t.Errorf("%s after the removal: %d", method, got.status)
		}
	}
}
