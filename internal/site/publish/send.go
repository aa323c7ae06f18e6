package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"html"
	"net/http"
	"net/url"
	"time"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/site/coding"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// send sends a text with compression and an ETag. If the client has the same content
// cached, the status is 304.
func send(w http.ResponseWriter, r *http.Request, kind string, b []byte) error {
	w.Header().Set("Content-Type", kind)
	coding.New(b).Send(w, r, http.StatusOK)
	return nil
}

// sendPicture is send for content that is already compressed.
func sendPicture(w http.ResponseWriter, r *http.Request, kind string, b []byte) error {
	sum := sha256.Sum256(b)
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	return nil
}

const htmlType = "text/html; charset=utf-8"

// sendPage renders a view in its frame and sends it.
func sendPage(w http.ResponseWriter, r *http.Request, f *theme.Frame, view theme.View) error {
	b, err := theme.Render(f, view)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", theme.Policy(f))
	return send(w, r, htmlType, b)
}

// unescape unescapes a path. It returns false if the escaping is invalid: no page has such
// a path.
func unescape(path string) (string, bool) {
	s, err := url.PathUnescape(path)
	return s, err == nil
}

// emojiIcon returns an SVG image of an emoji.
func emojiIcon(code string) []byte {
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><text y=".9em" font-size="90">` +
		html.EscapeString(emoji.FromCode(code)) + `</text></svg>`)
}
