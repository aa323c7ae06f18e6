package theme

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/http"
)

//go:embed web
var web embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{"logo": logo, "cover": cover, "query": query}).ParseFS(web, "web/*.html"))

// alternatives is a picture as a frame shows it.
type alternatives struct {
	Picture
	Alt string
}

func logo(f *Frame, p Picture, alt string) alternatives { return alternatives{cover(f, p), alt} }

// cover leaves one form of a picture if the frame has one scheme of colours.
func cover(f *Frame, p Picture) Picture {
	switch {
	case f.Scheme == Light:
		p.Dark = ""
	case f.Scheme == Dark && p.Dark != "":
		p.Light, p.Dark = p.Dark, ""
	}
	return p
}

// query is what was searched for.
func query(v View) string {
	if r, ok := v.(*Results); ok {
		return r.Query
	}
	return ""
}

// shown is what templates work on.
type shown struct {
	*Frame
	View    View
	Title   string // of the document
	Summary string
	CSS     template.CSS // of the colours and fonts
}

// Render returns a view in its frame as a whole document.
func Render(f *Frame, v View) ([]byte, error) {
	s := shown{Frame: f, View: v, CSS: template.CSS(f.css())} //nolint:gosec // made of numbers and escaped addresses
	switch v := v.(type) {
	case *Page:
		s.Title, s.Summary = v.Title, v.Description
	case *Results:
		s.Title = "Search"
	case *Message:
		s.Title = v.Title
	}
	var b bytes.Buffer
	err := pages.ExecuteTemplate(&b, v.name(), s)
	return b.Bytes(), err
}

// Write sends a view in its frame. Nothing was sent if it returns an error.
func Write(w http.ResponseWriter, status int, f *Frame, v View) error {
	b, err := Render(f, v)
	if err != nil {
		return err
	}
	Secure(w.Header())
	w.Header().Set("Content-Security-Policy", Policy(f))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b) // to somebody who has gone
	return nil
}

// WriteText sends a line of plain text, for answers that no person waits for.
func WriteText(w http.ResponseWriter, status int, text string) {
	Secure(w.Header())
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // to somebody who has gone
}

// Secure sets the headers that every answer of a site has: the browser does not
// guess types, and tells other sites nothing.
func Secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// Policy is the content security policy of a page: no script and no style runs
// but those of the frame, whatever gets into a page. No other site may frame it.
func Policy(f *Frame) string {
	ours, styles := "'self'", "'self'"
	if f.Nonce != "" {
		ours, styles = "'nonce-"+f.Nonce+"'", "'nonce-"+f.Nonce+"'"
	}
	if css := f.css(); css != "" {
		sum := sha256.Sum256([]byte(css))
		styles += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	fonts := ""
	if !f.Fonts.empty() {
		fonts = "font-src 'self'; "
	}
	return fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; %simg-src 'self' data: https: http:; media-src 'self' https: http:; "+
		"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'", ours, styles, fonts)
}
