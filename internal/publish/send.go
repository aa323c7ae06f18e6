package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"html"
	"net/http"
	"net/url"
	"time"

	"github.com/octavo-docs/octavo/internal/coding"
	"github.com/octavo-docs/octavo/internal/emoji"
	"github.com/octavo-docs/octavo/internal/theme"
)

// send sends a text, compressed, with a tag of what is in it: who has it already gets
// 304.
func send(w http.ResponseWriter, r *http.Request, kind string, b []byte) error {
	w.Header().Set("Content-Type", kind)
	coding.New(b).Send(w, r, http.StatusOK)
	return nil
}

// sendPicture is send for bytes that are compressed by themselves.
func sendPicture(w http.ResponseWriter, r *http.Request, kind string, b []byte) error {
	sum := sha256.Sum256(b)
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	return nil
}

const htmlType = "text/html; charset=utf-8"

// sendPage sends a view in its frame.
func sendPage(w http.ResponseWriter, r *http.Request, f *theme.Frame, view theme.View) error {
	b, err := theme.Render(f, view)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", theme.Policy(f))
	return send(w, r, htmlType, b)
}

// unescape returns the path of an address. It is false for one that
// no page can have.
func unescape(path string) (string, bool) {
	s, err := url.PathUnescape(path)
	return s, err == nil
}

// emojiIcon is a picture of an emoji.
func emojiIcon(code string) []byte {
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><text y=".9em" font-size="90">` +
		html.EscapeString(emoji.FromCode(code)) + `</text></svg>`)
}
