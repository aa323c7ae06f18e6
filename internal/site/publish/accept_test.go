package publish_test

import (
	"net/http"
	"strings"
	"testing"
)

// Pages are HTML or Markdown, as the request prefers. Caches keep both apart.
func TestPagesAsMarkdownByAccept(t *testing.T) {
	w := newWorld(t)
	w.acme()
	_, want := w.get(root + "install.md")
	tag := map[bool]string{}
	for accept, markdown := range map[string]bool{
		"": false, "*/*": false, "text/html": false, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": false,
		"text/markdown": true, "text/markdown, */*": true, "text/markdown, text/html;q=0.9": true, "Text/Markdown; Q=0.5, text/html;q=0.4": true,
		"text/markdown, text/html": false, "text/markdown;q=0.5, text/html": false, "text/markdown;q=0": false, "text/markdown;q=0.5, */*": false, "text/markdown;q=x": false,
	} {
		for range 2 { // the second response may be cached
			a, body := w.get(root+"install", func(r *http.Request) { r.Header.Set("Accept", accept) })
			kind := "text/html; charset=utf-8"
			if markdown {
				kind = "text/markdown; charset=utf-8"
			}
			if a.StatusCode != 200 || a.Header.Get("Content-Type") != kind || (body == want) != markdown || strings.Join(a.Header.Values("Vary"), ", ") != "Accept, Accept-Encoding" || a.Header.Get("Cache-Control") != "public, no-cache" {
				t.Errorf("Accept %q: %s %v", accept, a.Status, a.Header)
			}
			tag[markdown] = a.Header.Get("ETag")
		}
	}
	for _, c := range []struct {
		accept, tag string
		status      int
	}{
		{"text/markdown", tag[true], 304}, {"text/markdown", tag[false], 200}, {"text/html", tag[false], 304}, {"text/html", tag[true], 200},
	} {
		a, _ := w.get(root+"install", func(r *http.Request) { r.Header.Set("Accept", c.accept); r.Header.Set("If-None-Match", c.tag) })
		if a.StatusCode != c.status || c.tag == "" {
			t.Errorf("Accept %s with %q: %s, want %d", c.accept, c.tag, a.Status, c.status)
		}
	}
}
