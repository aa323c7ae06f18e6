package publish_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// Pages have labels in the language of their space. Messages without a page have the language
// of the site.
func TestLanguages(t *testing.T) {
	w := newWorld(t)
	w.old = "fr"
	w.change = func(s string) string { return strings.ReplaceAll(s, "The old way.", "## Now\n\n* [x] The old way.") }
	w.acme()
	w.customize(`{"internationalization":{"locale":"de"},"pageActions":{"items":["mcp"]}}`)
	check := func(at string, status int, want ...string) {
		t.Helper()
		a, body := w.get(root + at)
		if a.StatusCode != status {
			t.Errorf("/%s: %s", at, a.Status)
		}
		for _, s := range want {
			if !strings.Contains(body, s) {
				t.Errorf("/%s: no %s in\n%s", at, s, body)
			}
		}
	}
	check("v1/install", 200, `<html lang="fr"`, "Aller au contenu", `aria-label="Lien vers cette section"`, `aria-label="terminé"`)
	check("v1/nothing", 404, `<html lang="fr"`, "Page introuvable", "Aller à la page d’accueil")
	check("nothing", 404, `<html lang="en"`, "There is no page at this address.")

	w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityAuth)})
	_, err := w.sites.Settings.ReplaceKey(t.Context(), w.grant())
	must(t, err)
	check("install", 401, `<html lang="de"`, "<h1>Anmelden</h1>", "Dokumentation</title>")
	check("install?jwt_token=a.b.c", 401, "Anmeldung fehlgeschlagen", "Das Anmeldetoken ist fehlerhaft. Wenn das", "Erneut anmelden")
}

// Readers and programs get the same reasons.
func TestReasonsAreTheSame(t *testing.T) {
	r := theme.TextsIn("en").Refused
	for why, text := range map[visitor.Refusal]string{
		visitor.Expired: r.Expired, visitor.Early: r.Early, visitor.Lifetime: r.Lifetime, visitor.Signature: r.Signature, visitor.Algorithm: r.Algorithm, visitor.Malformed: r.Malformed,
	} {
		if text != why.Text() {
			t.Errorf("%s: %q, and for programs %q", why, text, why.Text())
		}
	}
}

// Visitors are redirected to the variant in their language. If they choose another one, the
// choice is kept.
func TestReadersArriveInTheirLanguage(t *testing.T) {
	w := newWorld(t)
	w.old = "fr"
	w.acme()
	ask := func(at string, headers ...string) (*http.Response, string) {
		t.Helper()
		a, _ := w.get(root+at, func(r *http.Request) {
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
		})
		return a, a.Header.Get("Location")
	}
	for _, c := range []struct{ at, prefers, cookie, to string }{
		{at: "", to: ""},
		{at: "", prefers: "fr", to: "/v1/"},
		{at: "", prefers: "de, fr-CA;q=0.8, en;q=0.7", to: "/v1/"},
		{at: "", prefers: "en-GB, fr;q=0.8", to: ""},
		{at: "", prefers: "fr;q=0, *", to: ""},
		{at: "", prefers: strings.Repeat("x,", 10_000) + "fr", to: ""},
		{at: "", prefers: "fr", cookie: "en", to: ""},
		{at: "", prefers: "en", cookie: "fr", to: "/v1/"},
		{at: "", prefers: "en", cookie: "//evil.test", to: ""},
		{at: "?a=b", prefers: "fr", to: "/v1/?a=b"},
		{at: "v1/", prefers: "en", to: ""},
		{at: "install", prefers: "fr", to: ""},
		{at: "v1/install", prefers: "en", to: ""},
	} {
		for range 2 { // the first response is not cached for everybody
			a, to := ask(c.at, "Accept-Language", c.prefers, "Cookie", "octavo-language="+c.cookie)
			if to != c.to || (to != "") != (a.StatusCode == http.StatusTemporaryRedirect) {
				t.Errorf("%+v: %s to %q", c, a.Status, to)
			}
		}
	}
	if a, _ := ask("", "Accept-Language", "fr"); a.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("others are sent to the language of one reader: %q", a.Header.Get("Cache-Control"))
	}
	for at, want := range map[string][2]string{ // address after the choice, cookie
		"?language=en":             {"/", "octavo-language=en; Path=/;"},
		"?language=fr&a=b":         {"/?a=b", "octavo-language=fr; Path=/;"},
		"v1/install?language=fr":   {"/v1/install", "octavo-language=fr; Path=/;"},
		"?language=xx":             {"/", ""},
		"?language=fr%0d%0aX:%20y": {"/", ""},
	} {
		a, to := ask(at)
		if got := a.Header.Get("Set-Cookie"); to != want[0] || a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(got, want[1]) || (want[1] == "") != (got == "") {
			t.Errorf("%s: %s to %q with %q", at, a.Status, to, got)
		}
	}
	for at, want := range map[string]string{"": `href="/v1/?language=fr"`, "v1/install": `href="/install?language=en"`} {
		if _, body := w.get(root + at); !strings.Contains(body, want) {
			t.Errorf("no %s on /%s", want, at)
		}
	}
}
