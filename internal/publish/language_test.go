package publish_test

import (
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/sites"
	"github.com/octavo-docs/octavo/internal/theme"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// Pages have labels in the language of their space, and messages without a page in that of the site.
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
	_, err := w.sites.ReplaceKey(t.Context(), w.grant())
	must(t, err)
	check("install", 401, `<html lang="de"`, "<h1>Anmelden</h1>", "Dokumentation</title>")
	check("install?jwt_token=a.b.c", 401, "Anmeldung fehlgeschlagen", "Das Anmeldetoken ist fehlerhaft. Wenn das", "Erneut anmelden")
}

// Readers and programs get the same reasons.
func TestReasonsAreTheSame(t *testing.T) {
	r := theme.TextsIn("en").Refused
	for why, text := range map[visitor.Refusal]string{
		visitor.Expired: r.Expired, visitor.Early: r.Early, visitor.Endless: r.Endless, visitor.Signature: r.Signature, visitor.Algorithm: r.Algorithm, visitor.Malformed: r.Malformed,
	} {
		if text != why.Text() {
			t.Errorf("%s: %q, and for programs %q", why, text, why.Text())
		}
	}
}
