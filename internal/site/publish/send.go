package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

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
