package publish_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/assets"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// font returns a font with one weight.
func (w *world) font(s *assets.Service, bytes string) docs.Font {
	w.Helper()
	g, _, err := authz.NewChecker(w.sites.Store.Reader).Org(w.Context(), w.actor, authz.ManageFonts, w.org)
	must(w.T, err)
	u, err := s.Announce(g, docs.Upload{Kind: docs.UploadFont, Name: "a.woff2", Size: int64(len(bytes))})
	must(w.T, err)
	must(w.T, s.Receive(w.Context(), w.actor, u, strings.NewReader(bytes)))
	f, err := s.CreateFont(w.Context(), g, assets.FontPatch{Family: opt.Of("Acme"), Faces: []assets.FacePatch{{Weight: 400, Key: u.Key}}})
	must(w.T, err)
	return f
}

// customize changes a part of the customization of the site, given as JSON.
func (w *world) customize(part string) {
	w.Helper()
	var p customization.Patch
	must(w.T, json.Unmarshal([]byte(part), &p))
	_, err := w.sites.Settings.Customize(w.Context(), w.grant(), p)
	must(w.T, err)
}

func TestAFontIsServedBySitesThatUseIt(t *testing.T) {
	w := newWorld(t)
	w.acme()
	const root = "https://acme.docs.test/"
	s := &assets.Service{Store: w.sites.Store, Blobs: w.content.Blobs}
	used, other := w.font(s, "wOF2 the text"), w.font(s, "wOF2 another")
	file := func(f docs.Font) string { return root + sites.FontPath + f.Faces[0].File() }
	choose := func(f docs.Font) string {
		return fmt.Sprintf(`{"id":%q,"custom":true,"fontFamily":"x","fontFaces":[{"weight":400,"sources":[{"url":"https://elsewhere.test/x.woff2"}]}]}`, f.ID)
	}

	_, body := w.get(root)
	if strings.Contains(body, sites.FontPath) || !strings.Contains(body, `url("/~octavo/assets/inter-latin-`) {
		t.Errorf("a site without custom fonts has one, or not that of its name: %s", body)
	}
	named := regexp.MustCompile(`/~octavo/assets/inter-latin-[a-z0-9-]+\.woff2`).FindString(body)
	if res, body := w.get(strings.TrimSuffix(root, "/") + named); res.StatusCode != http.StatusOK || !strings.HasPrefix(body, "wOF2") || !strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%s: %d %v", named, res.StatusCode, res.Header)
	}
	if res, _ := w.get(file(used)); res.StatusCode != http.StatusNotFound {
		t.Errorf("a font that the site does not use: %d", res.StatusCode)
	}

	w.customize(`{"styling":{"font":` + choose(used) + `}}`)
	res, body := w.get(root)
	face := `@font-face{font-family:octavo-text;font-weight:400;font-display:swap;src:url("/` + sites.FontPath + used.Faces[0].File() + `") format("woff2")}`
	if !strings.Contains(body, face) || strings.Contains(body, "elsewhere.test") {
		t.Errorf("want %s in %s", face, body)
	}
	if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "font-src 'self';") {
		t.Errorf("the policy forbids the font: %s", csp)
	}
	res, body = w.get(file(used))
	if res.StatusCode != http.StatusOK || body != "wOF2 the text" || res.Header.Get("Content-Type") != "font/woff2" || res.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%d %q %v", res.StatusCode, body, res.Header)
	}
	for _, name := range []string{other.Faces[0].File(), strings.Repeat("0", 64) + ".woff2", "..%2F" + used.Faces[0].File(), used.Faces[0].Blob + ".otf", used.Faces[0].Blob} {
		if res, _ := w.get(root + sites.FontPath + name); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}

	// For visitors of a share link, every address contains the key.
	w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityLink)})
	link, err := w.sites.ShareLinks.Add(t.Context(), w.grant(), "for a friend")
	must(t, err)
	_, body = w.get(root + string(link.Key) + "/")
	for _, found := range regexp.MustCompile(`"(/[^"]*~octavo/(?:assets|fonts)/[^"]*)"`).FindAllStringSubmatch(body, -1) {
		if res, _ := w.get("https://acme.docs.test" + found[1]); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", found[1], res.StatusCode)
		}
	}
	if res, _ := w.get(root + string(link.Key) + "/~octavo/assets/" + theme.Style.Name); res.StatusCode != http.StatusOK {
		t.Errorf("the style sheet behind the key: %d", res.StatusCode)
	}
	if !strings.Contains(body, string(link.Key)+"/"+sites.FontPath) {
		t.Errorf("no font in %s", body)
	}

	w.customize(`{"styling":{"font":"Inter"}}`)
	if res, _ := w.get(file(used)); res.StatusCode != http.StatusNotFound {
		t.Errorf("a font that the site does not use any more: %d", res.StatusCode)
	}
}
