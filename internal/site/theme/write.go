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
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/icons"
)

//go:embed web
var web embed.FS

// pages are the templates, by style of icons.
var pages = map[icons.Style]*template.Template{icons.Filled: parse(icons.Filled), icons.Outlined: parse(icons.Outlined)}

func parse(style icons.Style) *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"picture": picture, "cover": coverOf, "odd": func(i int) bool { return i%2 == 1 },
		"icon":     func(name string) template.HTML { return element(ourIcon(name)) },
		"pageIcon": func(name string) template.HTML { return element(icon(name, style)) },
	}).ParseFS(web, "web/*.html"))
}

// pictured is a picture with the data that its template needs.
type pictured struct {
	Picture
	Media, Alt string
}

func picture(f *Frame, p Picture, alt string) pictured { return pictured{p, f.Scheme.Dark(), alt} }

// covered is a cover with the data that its template needs.
type covered struct {
	Cover
	Media string
	Wide  bool
}

func coverOf(f *Frame, p *Page) covered { return covered{p.Cover, f.Scheme.Dark(), p.Wide} }

// Sizes returns how wide the cover is on screens.
func (c covered) Sizes() string {
	if c.Wide {
		return "100vw"
	}
	return "(max-width: 800px) calc(100vw - 32px), 768px"
}

// shown is the data of templates.
type shown struct {
	*Frame
	View    View
	Title   string // of the document
	Summary string
	Turn    turn
	Feed    string
	T       *Texts
}

// CSS returns the style of the colours and fonts.
func (s shown) CSS() template.CSS { return template.CSS(s.css()) } //nolint:gosec // made of numbers and escaped addresses

// Initial returns the icon of a site that has chosen none: the first letter of its title on its
// colour.
func (s shown) Initial() template.URL { return template.URL(s.initial()) } //nolint:gosec // an image of a letter and two colours

// Early returns the script that runs before anything is shown, see early.
func (s shown) Early() template.HTML {
	if s.Script == "" {
		return ""
	}
	attribute := ""
	if s.Nonce != "" {
		attribute = ` nonce="` + template.HTMLEscapeString(s.Nonce) + `"`
	}
	return template.HTML("<script" + attribute + ">" + early + "</script>\n") //nolint:gosec // a constant
}

// turn holds links to the previous and the next page.
type turn struct{ Previous, Next *Link }

// show returns the data of templates for a view in its frame.
func show(f *Frame, v View) shown {
	s := shown{Frame: f, View: v, T: f.Texts()}
	switch v := v.(type) {
	case *Page:
		s.Title, s.Summary, s.Turn, s.Feed = v.Title, v.Description, turn{v.Previous, v.Next}, v.Feed
	case *Results:
		s.Title = s.T.Search
	case *Message:
		s.Title = v.Title
	}
	return s
}

// RenderMoved returns a document that redirects browsers to another address.
func RenderMoved(lang, href, canonical string) ([]byte, error) {
	var b bytes.Buffer
	err := pages[icons.Filled].ExecuteTemplate(&b, "moved", struct{ Lang, Href, Canonical string }{lang, href, canonical})
	return b.Bytes(), err
}

// Write sends a view in its frame. If it returns an error, nothing was sent.
func Write(w http.ResponseWriter, status int, f *Frame, v View) error {
	b, err := Render(f, v)
	if err != nil {
		return err
	}
	SetSecurityHeaders(w.Header())
	w.Header().Set("Content-Security-Policy", Policy(f))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b) // the client may have disconnected
	return nil
}

// AcceptsHTML reports whether the client of a request is a browser. Browsers receive a page
// where programs receive text. The response varies by Accept.
func AcceptsHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// WriteText sends a line of plain text, for responses to programs.
func WriteText(w http.ResponseWriter, status int, text string) {
	writeAs(w, status, "text/plain", text+"\n")
}

// WriteMarkdown sends Markdown.
func WriteMarkdown(w http.ResponseWriter, status int, text string) {
	writeAs(w, status, "text/markdown", text)
}

func writeAs(w http.ResponseWriter, status int, kind, text string) {
	SetSecurityHeaders(w.Header())
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // the client may have disconnected
}

// SetSecurityHeaders sets the headers that every response of a site has. They disable content
// sniffing, and isolate the site from other sites.
func SetSecurityHeaders(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// Policy returns the content security policy of a page. It allows no scripts and styles but
// those of the frame, whatever a page contains. No other site may frame the page.
func Policy(f *Frame) string {
	if len(f.Frames) > 0 { // few pages have content of other web sites
		return policy(f)
	}
	return f.Parts.keep("policy", func() string { return policy(f) })
}

// hashOf returns the source of a policy that allows an element with a text.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func policy(f *Frame) string {
	ours, styles := "'self'", "'self'"
	if f.Nonce != "" {
		ours, styles = "'nonce-"+f.Nonce+"'", "'nonce-"+f.Nonce+"'"
	} else if f.Script != "" {
		ours += " " + hashOf(early)
		if f.Ahead {
			ours += " " + hashOf(rules)
		}
	}
	if css := f.css(); css != "" {
		styles += " " + hashOf(css)
	}
	frames := slices.Clone(f.Frames)
	if f.Diagrams != "" {
		frames = append(frames, "'self'")
	}
	frameSource := ""
	if len(frames) > 0 {
		frameSource = "frame-src " + strings.Join(frames, " ") + "; "
	}
	return fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; font-src 'self'; %simg-src 'self' data: https: http:; media-src 'self' https: http:; "+
		"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'", ours, styles, frameSource)
}
