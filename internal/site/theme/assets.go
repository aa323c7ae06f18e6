package theme

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/markup/packed"
	"github.com/octavo-docs/octavo/internal/site/coding"
)

// Asset is a file that pages need. Its name contains a hash of its content, so that browsers
// may cache it forever.
type Asset struct {
	Name   string
	Type   string
	Data   []byte
	Policy string // content security policy of a document
	Packed bool   // the data is compressed with gzip
	Shared bool   // loaded by a sandbox, which has no origin

	body *coding.Body // of the data, if it is not compressed
}

// The assets. They are immutable.
var (
	Style  = NewAsset("style.css", "text/css; charset=utf-8", styleSheet())
	Script = NewAsset("script.js", "text/javascript; charset=utf-8", script())
	Finder = asset("find.js", "text/javascript; charset=utf-8") // searches an index without a server
)

// Diagrams is a document that draws diagrams, in a frame of a page. It is a sandbox: if a
// diagram exploits the library that draws it, the code runs in a document without an origin,
// cookies or network access. The page receives only a picture. The library is loaded only by
// pages that have a diagram which the browser has not drawn before.
//
// A document without an origin shares no cache with any other, so everything it loads comes from
// the network each time. Therefore the page loads the library and sends its text to the sandbox.
var (
	Diagrams = sandbox("diagram.html", diagram, mermaid, licences)
	// Drawing lists the scripts that Diagrams loads, and their licences, which must go where they go.
	Drawing  = []Asset{drawing, mermaid, diagram, licences}
	drawing  = NewAsset("diagrams.js", "text/javascript; charset=utf-8", drawingScript())
	mermaid  = asset("mermaid.js.gz", "text/javascript; charset=utf-8").shared()
	diagram  = asset("diagram.js", "text/javascript; charset=utf-8").shared()
	licences = asset("mermaid.LICENSE.txt", "text/plain; charset=utf-8")
)

// sandbox returns a document that runs a script without access to anything else. It names a
// library that the script needs, and its licences.
func sandbox(name string, script, library, licences Asset) Asset {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Diagrams</title>\n")
	fmt.Fprintf(&b, "<link rel=\"license\" href=%q>\n<style>body{margin:0}</style>\n<script src=%q data-library=%q></script>\n</html>\n", licences.Name, script.Name, library.Name)
	a := NewAsset(name, "text/html; charset=utf-8", []byte(b.String()))
	a.Policy = "default-src 'none'; script-src 'self' blob:; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox allow-scripts"
	return a
}

// shared returns the asset with headers that let a sandbox load it, which has no origin.
func (a Asset) shared() Asset {
	a.Shared = true
	return a
}

func asset(name, kind string) Asset { return NewAsset(name, kind, source(name)) }

// source returns the content of a file of the folder web.
func source(name string) []byte {
	b, err := fs.ReadFile(web, "web/"+name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return b
}

// styles are the parts of the style sheet, in order: a rule of a later part wins over one of
// an earlier part that is as specific.
var styles = []string{
	"colors", "base", "header", "draft", "frame", "finder", "text", "code", "inline", "blocks", "media", "api", "panel", "small", "menu", "print",
}

func styleSheet() []byte {
	var b bytes.Buffer
	for _, name := range styles {
		b.Write(source("style/" + name + ".css"))
	}
	b.WriteString(widths())
	b.WriteString(mathFaces())
	return b.Bytes()
}

// scripts are the parts of the script, in the order in which they run. All parts see what
// tools declares, and nothing else of each other.
var scripts = []string{"scheme", "navigation", "tabs", "code", "media", "page", "api", "finder", "anchors"}

// Scripts that are in the page, where the policy allows them by their hash.
var (
	// early applies what a reader has chosen. It is in the page, because the page would be shown
	// in another way until a file has come.
	early = inline("script/early.js")
	// rules tell the browser which pages it may fetch before a reader follows a link to them. The
	// script adds them to the page.
	rules = inline("script/rules.json")
)

// inline returns the text of a file for a page, without comments and line breaks.
func inline(name string) string {
	var b strings.Builder
	for line := range strings.Lines(string(source(name))) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func script() []byte {
	var b bytes.Buffer
	text, _ := json.Marshal(rules) // a string of JSON is one of JavaScript
	fmt.Fprintf(&b, "\"use strict\";\n(() => {\nconst rules = %s;\n", text)
	b.Write(source("script/tools.js"))
	for _, name := range scripts {
		fmt.Fprintf(&b, "{\n%s}\n", source("script/"+name+".js"))
	}
	// Pages with a diagram load what draws diagrams.
	fmt.Fprintf(&b, "if (document.querySelector(\"pre.diagram\") && document.body.dataset.diagrams) document.head.append(make(\"script\", { src: new URL(%q, new URL(document.body.dataset.diagrams, location)), nonce: document.currentScript?.nonce ?? \"\" }));\n", drawing.Name)
	b.WriteString("})();\n")
	return b.Bytes()
}

// drawingScript returns the script of pages with diagrams, with the tools that it shares with the
// script of all pages.
func drawingScript() []byte {
	return fmt.Appendf(nil, "\"use strict\";\n(() => {\n%sconst library = %q;\n%s})();\n", source("script/tools.js"), mermaid.Name, source("script/diagrams.js"))
}

// NewAsset returns an asset whose name contains the hash of its content. The content is
// compressed with gzip if the name ends with .gz.
func NewAsset(name, kind string, b []byte) Asset {
	sum := sha256.Sum256(b)
	name, compressed := strings.CutSuffix(name, ".gz")
	ext := path.Ext(name)
	a := Asset{Name: strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:6]) + ext, Type: kind, Data: b, Packed: compressed}
	if !compressed {
		a.body = coding.New(b)
	}
	return a
}

// widths returns the CSS classes for widths in percent.
func widths() string {
	var b strings.Builder
	for i := 1; i <= 100; i++ {
		fmt.Fprintf(&b, ".width-%d{width:%d%%}\n", i, i)
	}
	return b.String()
}

// Find returns an asset by its name.
func Find(name string) (a Asset, ok bool) {
	for _, ours := range append([]Asset{Style, Script, Finder, Diagrams}, Drawing...) {
		if ours.Name == name {
			return ours, true
		}
	}
	for _, font := range mathFont {
		if font.Name == name {
			return font, true
		}
	}
	a, ok = hashedFonts().assets[name]
	return a, ok
}

// Bytes returns the content of an asset.
func (a Asset) Bytes() []byte {
	if a.Packed {
		return packed.Unpack(a.Data)
	}
	return a.Data
}

// Serve sends an asset by its name, and reports whether it exists.
func Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	a, ok := Find(name)
	if ok {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		a.Send(w, r)
	}
	return ok
}

// Send sends an asset. The caller sets Cache-Control.
func (a Asset) Send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	SetSecurityHeaders(h)
	h.Set("Content-Type", a.Type)
	if a.Policy != "" {
		h.Set("Content-Security-Policy", a.Policy)
	}
	if a.Shared {
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	if !a.Packed {
		a.body.Send(w, r, http.StatusOK)
		return
	}
	h.Set("Vary", "Accept-Encoding")
	data := a.Data
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
	} else {
		data = a.Bytes()
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}
