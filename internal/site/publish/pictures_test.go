package publish_test

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/pictures"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// photo returns a JPEG file of a picture.
func photo(t *testing.T, w, h int) string {
	t.Helper()
	img, r := image.NewGray(image.Rect(0, 0, w, h)), rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(r.IntN(60) + i%w/16)
	}
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, img, nil))
	return b.String()
}

// pictured makes a site whose pages have pictures, and a server that makes them smaller.
func (w *world) pictured() {
	w.Helper()
	space, other := w.emptySpace("Pictures"), w.emptySpace("Other")
	w.imported(space, map[string]string{
		"README.md":                   "---\ncover: .gitbook/assets/cover.jpg\n---\n\n# Home\n\n![First](.gitbook/assets/a,photo.jpg)\n",
		"two.md":                      "# Two\n\n![First](.gitbook/assets/a,photo.jpg)\n\n![Second](.gitbook/assets/small.jpg)\n\n{% embed url=\"https://youtu.be/dQw4w9WgXcQ\" %}\n\n{% embed url=\"https://example.com/\" %}\n",
		"wide.md":                     "---\nlayout:\n  width: wide\n---\n\n# Wide\n\n![First](.gitbook/assets/a,photo.jpg)\n",
		".gitbook/assets/a,photo.jpg": photo(w.T, 1000, 500), ".gitbook/assets/cover.jpg": photo(w.T, 1600, 400), ".gitbook/assets/small.jpg": photo(w.T, 40, 30),
		".gitbook/assets/broken.jpg": photo(w.T, 1000, 400)[:12<<10],
		"broken.md":                  "# Broken\n\n![](.gitbook/assets/broken.jpg)\n",
	})
	w.imported(other, map[string]string{"README.md": "# Other\n\n![](.gitbook/assets/b.jpg)\n", ".gitbook/assets/b.jpg": photo(w.T, 1000, 300)})
	top, _, err := authz.NewChecker(w.sites.Store.Reader).Org(w.Context(), w.actor, authz.CreateContent, w.org)
	must(w.T, err)
	site, err := w.sites.Create(w.Context(), top, sites.NewSite{Title: "Acme docs", Spaces: []docs.SpaceID{space, other}})
	must(w.T, err)
	w.site = site.ID
	w.update(sites.SitePatch{Basename: opt.Of("acme")})
	_, err = w.sites.Publish(w.Context(), w.grant(), true)
	must(w.T, err)
	w.makePictures()
}

// makePictures gives the server of the world a folder for pictures.
func (w *world) makePictures() {
	w.Helper()
	w.folder = filepath.Join(w.TempDir(), "pictures")
	m, err := pictures.New(w.folder, 10<<20)
	must(w.T, err)
	w.handler.Pictures, w.handler.Pages.Pictures = m, true
}

// at768 returns the address of the first picture with 768 pixels on a page.
func (w *world) at768(page string) string {
	w.Helper()
	a, body := w.get(root + page)
	m := image768.FindStringSubmatch(body)
	if m == nil {
		w.Fatalf("%s: %s, no picture in\n%s", page, a.Status, body[strings.Index(body, "<main")+1:])
	}
	return "https://acme.docs.test" + m[1]
}

var image768 = regexp.MustCompile(`(/[^ "]*~octavo/pictures/[^ "]*/768/[^ "]*) 768w`)

func TestPagesNamePicturesInSeveralWidths(t *testing.T) {
	w := newWorld(t)
	w.pictured()
	_, home := w.get(root)
	for _, want := range []string{
		`<div class="cover"><picture><img src="/~octavo/files/[^"]*/cover.jpg" srcset="/~octavo/pictures/[^ ]*/384/cover.jpg 384w, [^"]*/1152/cover.jpg 1152w, /~octavo/files/[^ ]*/cover.jpg 1600w" sizes="\(max-width: 800px\) calc\(100vw - 32px\), 768px" width="1600" height="400" fetchpriority="high" alt="">`,
		`<img src="[^"]*/a%2Cphoto.jpg" srcset="/~octavo/pictures/[^ ]*/384/a%2Cphoto.jpg 384w, [^ ]*/768/a%2Cphoto.jpg 768w, [^ ]*~octavo/files/[^ ]*/a%2Cphoto.jpg 1000w" sizes="auto, \(max-width: 800px\) calc\(100vw - 32px\), 768px" width="1000" height="500" loading="lazy" decoding="async" alt="First">`,
	} {
		if !regexp.MustCompile(want).MatchString(home) {
			t.Errorf("no %s in\n%s", want, home)
		}
	}
	_, two := w.get(root + "two")
	for _, want := range []string{
		`sizes="\(max-width: 800px\) calc\(100vw - 32px\), 768px" width="1000" height="500" fetchpriority="high" alt="First">`,
		`<img src="[^"]*small.jpg" width="40" height="30" loading="lazy" decoding="async" alt="Second">`,
	} {
		if !regexp.MustCompile(want).MatchString(two) {
			t.Errorf("no %s in\n%s", want, two)
		}
	}
	if _, wide := w.get(root + "wide"); !strings.Contains(wide, `calc(100vw - 32px), 1000px" width="1000"`) {
		t.Errorf("a wide page: %s", wide)
	}
	files, _ := w.exported("")
	for name, text := range files { // there is no server that makes pictures
		if strings.HasSuffix(name, ".html") && strings.Contains(text, "~octavo/pictures/") {
			t.Errorf("%s names a picture that a server makes", name)
		}
	}
	if home := files["index.html"]; !strings.Contains(home, `width="1600" height="400" fetchpriority="high"`) || !strings.Contains(home, `width="1000" height="500" loading="lazy"`) {
		t.Errorf("an exported page:\n%s", home)
	}
}

func TestPicturesAreSent(t *testing.T) {
	w := newWorld(t)
	w.pictured()
	at := w.at768("two")
	elsewhere := w.at768("other/")
	for _, c := range []struct {
		name, at string
		status   int
		header   string // name of a header field, and a part of its value
		value    string
	}{
		{"as the page names it", at, 200, "Content-Type", "image/jpeg"},
		{"for ever", at, 200, "Cache-Control", "public, max-age=31536000, immutable"},
		{"not as a page", at, 200, "Content-Security-Policy", "sandbox"},
		{"a width that there is not", strings.Replace(at, "/768/", "/769/", 1), 404, "", ""},
		{"a width that is larger", strings.Replace(at, "/768/", "/1152/", 1), 404, "", ""},
		{"no width", strings.Replace(at, "/768/", "/-1/", 1), 404, "", ""},
		{"a width in other words", strings.Replace(at, "/768/", "/0768/", 1), 307, "Location", "/768/"},
		{"a word", strings.Replace(at, "/768/", "/x/", 1), 404, "", ""},
		{"another hash", regexp.MustCompile(`/[0-9a-f]{12}/`).ReplaceAllString(at, "/000000000000/"), 307, "Location", "/768/"},
		{"another name", strings.Replace(at, "photo.jpg", "photo.html", 1), 307, "Location", "photo.jpg"},
		{"an address elsewhere", root + "~octavo/pictures/https:%2f%2fevil.test%2fa.png/000000000000/768/a.png", 404, "", ""},
		{"a file that is absent", root + "~octavo/pictures/absent/000000000000/768/a.png", 404, "", ""},
		{"a picture of another space", strings.Replace(elsewhere, "/other/", "/", 1), 404, "", ""},
		{"at the place of the other space", elsewhere, 200, "", ""},
		{"what cannot be read is sent as it is", w.at768("broken"), 200, "Content-Type", "image/jpeg"},
	} {
		a, _ := w.get(c.at)
		if a.StatusCode != c.status || !strings.Contains(a.Header.Get(c.header), c.value) {
			t.Errorf("%s: %s: %s, %s: %q, want %d with %q", c.name, c.at, a.Status, c.header, a.Header.Get(c.header), c.status, c.value)
		}
	}
	a, body := w.get(at)
	config, err := jpeg.DecodeConfig(strings.NewReader(body))
	if err != nil || config.Width != 768 || config.Height != 384 {
		t.Errorf("%+v: %v", config, err)
	}
	if again, body := w.get(at, func(r *http.Request) { r.Header.Set("If-None-Match", a.Header.Get("ETag")) }); again.StatusCode != 304 || body != "" {
		t.Errorf("asked again: %s", again.Status)
	}
	if made := w.handler.Pictures.Made(); made != 3 {
		t.Errorf("%d pictures were decoded", made)
	}

	w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityAuth)})
	if a, _ := w.get(at); a.StatusCode == 200 || strings.Contains(a.Header.Get("Cache-Control"), "public") {
		t.Errorf("a picture of a site for some readers: %s %v", a.Status, a.Header)
	}
}

// A server that is busy sends the picture as it is, and browsers ask again.
func TestBusyServersSendOriginals(t *testing.T) {
	w := newWorld(t)
	w.pictured()
	at := w.at768("two")
	full := budget.NewPool("pictures", 1)
	_, err := full.Take(t.Context(), "other", 1)
	must(t, err)
	waiting, leave := context.WithCancel(t.Context())
	for !errs.Is(err, errs.Busy) { // until no more may wait
		ctx, cancel := context.WithTimeout(waiting, time.Millisecond)
		go func() { _, _ = full.Take(waiting, string(w.org), 1) }()
		_, err = full.Take(ctx, string(w.org), 1)
		cancel()
	}
	free := w.handler.Pictures.Memory
	w.handler.Pictures.Memory = full
	a, body := w.get(at)
	config, err := jpeg.DecodeConfig(strings.NewReader(body))
	if a.StatusCode != 200 || err != nil || config.Width != 1000 || a.Header.Get("Cache-Control") != "public, no-cache" {
		t.Errorf("%s %v, %d pixels: %v", a.Status, a.Header, config.Width, err)
	}
	leave()
	w.handler.Pictures.Memory = free
	a, body = w.get(at, func(r *http.Request) { r.Header.Set("If-None-Match", a.Header.Get("ETag")) })
	if config, err := jpeg.DecodeConfig(strings.NewReader(body)); a.StatusCode != 200 || err != nil || config.Width != 768 {
		t.Errorf("later: %s, %d pixels: %v", a.Status, config.Width, err)
	}
}

// A folder that cannot be written to costs no picture.
func TestPicturesWithoutAFolder(t *testing.T) {
	w := newWorld(t)
	w.pictured()
	_, home := w.get(root + "two")
	must(t, os.RemoveAll(w.folder))
	at := "https://acme.docs.test" + image768.FindStringSubmatch(home)[1]
	a, body := w.get(at)
	if config, err := jpeg.DecodeConfig(strings.NewReader(body)); a.StatusCode != 200 || err != nil || config.Width != 1000 || a.Header.Get("Cache-Control") != "public, no-cache" {
		t.Errorf("%s %v: %v", a.Status, a.Header, err)
	}
	if !strings.Contains(w.log.String(), "could not be made smaller") {
		t.Errorf("the log is %s", w.log.String())
	}
}

// Videos are links unless the site allows frames; then the policy of the page names their host, and
// nothing else.
func TestEmbeds(t *testing.T) {
	w := newWorld(t)
	w.pictured()
	const policy = "Content-Security-Policy"
	a, body := w.get(root + "two")
	if strings.Contains(body, "data-player") || strings.Contains(a.Header.Get(policy), "youtube") || !strings.Contains(body, `<a href="https://youtu.be/dQw4w9WgXcQ"`) {
		t.Errorf("without the setting: %s\n%s", a.Header.Get(policy), body)
	}
	w.customize(`{"embeds":{"providers":["vimeo"]}}`)
	if a, body := w.get(root + "two"); strings.Contains(body, "data-player") || strings.Contains(a.Header.Get(policy), "vimeo") {
		t.Errorf("with another host: %s\n%s", a.Header.Get(policy), body)
	}
	w.customize(`{"embeds":{"providers":["vimeo","youtube"]}}`)
	a, body = w.get(root + "two")
	if strings.Count(body, "data-player") != 1 || !strings.Contains(body, `<figure class="embed" data-player="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ" data-host="www.youtube-nocookie.com" data-video>`) {
		t.Errorf("with the setting:\n%s", body)
	}
	if got := a.Header.Get(policy); !strings.Contains(got, "; frame-src https://www.youtube-nocookie.com 'self'; ") {
		t.Errorf("policy: %s", got)
	}
	if a, _ := w.get(root); strings.Contains(a.Header.Get(policy), "youtube") {
		t.Errorf("a page without a video: %s", a.Header.Get(policy))
	}
}
