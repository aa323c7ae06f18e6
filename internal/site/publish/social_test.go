package publish_test

import (
	"bytes"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var cardMeta = regexp.MustCompile(`<meta property="og:image" content="([^"]+)">`)

// A page has a preview picture, which is visible to those who see the page.
func TestCards(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.beta()
	beta := func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "gitbook-visitor-public", Value: url.QueryEscape(`{"beta":true}`)})
	}
	at := func(page string, change ...func(*http.Request)) string {
		t.Helper()
		_, body := w.get(root+page, change...)
		m := cardMeta.FindStringSubmatch(body)
		if m == nil || !strings.Contains(body, `<meta property="og:image:width" content="1200">`) || !strings.Contains(body, "summary_large_image") {
			t.Fatalf("%s has no picture:\n%s", page, body)
		}
		return m[1]
	}
	install, secret := at("install"), at("secret", beta)
	a, body := w.get(install)
	img, err := png.Decode(strings.NewReader(body))
	if a.StatusCode != 200 || a.Header.Get("Content-Type") != "image/png" || err != nil || img.Bounds().Dx() != 1200 {
		t.Errorf("%s: %s %v", install, a.Status, err)
	}
	if a, other := w.get(secret, beta); a.StatusCode != 200 || bytes.Equal([]byte(other), []byte(body)) {
		t.Errorf("%s: %s", secret, a.Status)
	}
	for address, status := range map[string]int{
		secret: 404, strings.Replace(install, ".png", "0.png", 1): 307, strings.Replace(install, "~octavo", "~gitbook", 1): 307, root + "~octavo/ogimage/absent/x.png": 404,
		strings.Replace(install, root, root+"api/", 1): 404, // a page of another space
	} {
		if a, _ := w.get(address); a.StatusCode != status {
			t.Errorf("%s: %s, want %d", address, a.Status, status)
		}
	}
	w.customize(`{"title":"Another name"}`)
	if now := at("install"); now == install {
		t.Error("the picture has the same address with another name of the site")
	}
}

// The pictures of a public site may be cached and embedded elsewhere.
func TestCardsAreKept(t *testing.T) {
	w := newWorld(t)
	w.acme()
	_, body := w.get(root)
	a, _ := w.get(cardMeta.FindStringSubmatch(body)[1])
	if !strings.Contains(a.Header.Get("Cache-Control"), "immutable") || a.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
		t.Errorf("%v", a.Header)
	}
}
