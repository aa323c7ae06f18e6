package publish_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// outlined reports whether the outline of a PDF has a chapter.
func outlined(body, title string) bool {
	return strings.Contains(body, "<</Title ("+title+")/Parent") || strings.Contains(body, "<</Title("+title+")/Parent")
}

// Readers can download content that they see as PDF, if the customization offers it.
func TestPDF(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.beta()
	beta := func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "gitbook-visitor-public", Value: url.QueryEscape(`{"beta":true}`)})
	}
	w.customize(`{"pageActions":{"items":["markdown"]}}`)
	if a, _ := w.get(root + "~octavo/pdf"); a.StatusCode != 404 {
		t.Errorf("not offered: %s", a.Status)
	}
	w.customize(`{"pageActions":{"items":["pdf","external-ai"]}}`)
	_, page := w.get(root + "install")
	links := regexp.MustCompile(`href="(/~octavo/pdf[^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(links) != 2 || !strings.Contains(page, theme.TextsIn("en").DownloadPDF) {
		t.Fatalf("no links to PDFs in\n%s", page)
	}
	only := "https://acme.docs.test" + strings.ReplaceAll(links[0][1], "&amp;", "&")
	a, body := w.get(only)
	if a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(body, "%PDF-") || !strings.Contains(a.Header.Get("Content-Disposition"), "install") {
		t.Errorf("a page: %s %v", a.Status, a.Header)
	}
	all := root + "~octavo/pdf"
	_, without := w.get(all)
	_, with := w.get(all, beta)
	if !outlined(without, "Deep") || outlined(without, "Secret") || outlined(without, "Hidden") {
		t.Errorf("the space without the claim has %q", regexp.MustCompile(`<</Title.{40}`).FindAllString(without, -1))
	}
	if !outlined(with, "Secret") {
		t.Errorf("the space with the claim has %q", regexp.MustCompile(`<</Title.{40}`).FindAllString(with, -1))
	}
	secret := regexp.MustCompile(`page=([^&"]+)`)
	_, page = w.get(root+"secret", beta)
	id := secret.FindStringSubmatch(page)[1]
	for address, status := range map[string]int{all + "?page=" + id: 404, all + "?page=absent": 404, root + "api/~octavo/pdf?page=" + id: 404, root + "~gitbook/pdf": 200} {
		if a, _ := w.get(address); a.StatusCode != status {
			t.Errorf("%s: %s, want %d", address, a.Status, status)
		}
	}
	if a, _ := w.get(all+"?page="+id, beta); a.StatusCode != 200 {
		t.Errorf("with the claim: %s", a.Status)
	}
	w.handler.Take = func(http.ResponseWriter, *http.Request) error { return errs.E(errs.TooMany, "wait") }
	if a, _ := w.get(all); a.StatusCode != 429 {
		t.Errorf("beyond the limit: %s", a.Status)
	}
}

// External assistants receive the address of a page only if it is public.
func TestPagesOpenInAssistants(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.customize(`{"pageActions":{"items":["external-ai"]}}`)
	const link = `<a href="https://chatgpt.com/?q=Read&#43;https%3A%2F%2Facme.docs.test%2Finstall.md&#43;and`
	if _, page := w.get(root + "install"); !strings.Contains(page, link) && !strings.Contains(page, strings.ReplaceAll(link, "&#43;", "+")) || !strings.Contains(page, "https://claude.ai/new?q=") {
		t.Errorf("no links to assistants in\n%s", menu.FindString(page))
	}
	w.beta() // from now on, the content depends on claims of the reader
	if _, page := w.get(root + "install"); strings.Contains(page, "chatgpt.com") {
		t.Error("assistants are sent to a site that they cannot read")
	}
}
