package blob

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Served is a file as it is sent to a browser.
type Served struct {
	Name        string // what it is called when it is saved
	ContentType string
	Hash        Hash
	// Public files may be kept by caches that many people share, Secret ones by
	// nobody, others by the person's own, which asks each time whether they are
	// still to be had.
	Public, Secret bool
}

// inline types are displayed by a browser where they are. They are passive: none
// of them can run a script, load something or send a form. Texts of all kinds
// are displayed as plain text, whatever they would do otherwise.
var inline = map[string]string{
	"image/avif": "", "image/bmp": "", "image/gif": "", "image/jpeg": "", "image/png": "",
	"image/tiff": "", "image/webp": "", "image/x-icon": "", "image/vnd.microsoft.icon": "",
	"image/vnd.mozilla.apng": "image/png", "image/apng": "",
	"audio/aac": "", "audio/flac": "", "audio/mp4": "", "audio/mpeg": "", "audio/ogg": "",
	"audio/wav": "", "audio/webm": "", "audio/x-m4a": "audio/mp4",
	"video/mp4": "", "video/ogg": "", "video/webm": "", "video/quicktime": "",

	"text/plain": textAsText, "text/csv": textAsText, "text/tab-separated-values": textAsText,
	"text/markdown": textAsText, "text/x-typescript": textAsText, "text/calendar": textAsText,
	"text/vcard": textAsText, "application/json": textAsText, "application/jsonl": textAsText,
	"application/geo+json": textAsText, "application/toml": textAsText, "application/yaml": textAsText,
}

const textAsText = "text/plain; charset=utf-8"

// saved types are announced as what they are, because something depends on
// it: a drawing in an <img> (where scripts do not run), a font in a style
// sheet, the program that opens a download. As a page of their own they are
// saved and not shown. A PDF belongs here: it can hold scripts and forms, and
// browsers refuse to show one in a sandbox. All the rest, HTML, XML, scripts
// and style sheets above all, is sent as bytes without a meaning, so that no
// page can load it as code.
var saved = map[string]bool{
	svgImage: true, "application/pdf": true, "application/epub+zip": true,
	"application/zip": true, "application/gzip": true, "application/x-tar": true,
	"application/x-7z-compressed": true, "application/x-bzip2": true, "application/x-xz": true, "application/zstd": true,
	"application/msword": true, "application/vnd.ms-excel": true, "application/vnd.ms-powerpoint": true,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   true,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         true,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": true,
	"application/vnd.oasis.opendocument.text":                                   true,
	"application/vnd.oasis.opendocument.spreadsheet":                            true,
	"application/vnd.oasis.opendocument.presentation":                           true,
	"font/collection": true, "font/otf": true, "font/ttf": true, "font/woff": true, "font/woff2": true,
	"text/vtt": true,
}

// contentPolicy holds for a file that is opened as a page of its own: no
// script, no form, no origin, not in a frame. The three exceptions are what a
// browser's own viewer of an image or a film needs.
const contentPolicy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

// A year; what has a hash never changes.
const cacheFor = 365 * 24 * time.Hour

// Serve sends a file in answer to GET or HEAD: whole, or the range that was
// asked for, or 304 if the caller has it. The headers keep it from acting as
// a page of the host that it comes from.
func Serve(w http.ResponseWriter, r *http.Request, f Served, rd io.ReadSeeker) {
	kept := "private, no-cache"
	switch {
	case f.Public:
		kept = fmt.Sprintf("public, max-age=%d, immutable", int(cacheFor.Seconds()))
	case f.Secret:
		kept = "private, no-store"
	}
	h := w.Header()
	SetHeaders(h, f.Name, f.ContentType)
	// Pages of other hosts show these files: sites have hosts of their own.
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", kept)
	h.Set("ETag", `"`+f.Hash.String()+`"`)
	// A list of ranges costs a seek for each and helps nobody here.
	if strings.Contains(r.Header.Get("Range"), ",") {
		r = r.Clone(r.Context())
		r.Header.Del("Range")
	}
	if o, ok := rd.(*file); ok {
		rd = o.File // which the system sends without copying
	}
	http.ServeContent(w, r, "", time.Time{}, rd)
}

// SetHeaders says what a file is, in headers that keep it from acting as a page of
// the host that it comes from.
func SetHeaders(h http.Header, name, contentType string) {
	contentType, shown := announce(contentType)
	kind := "attachment"
	if shown {
		kind = "inline"
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", disposition(kind, name))
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

// announce returns the type that is sent, and whether the file may be displayed.
func announce(contentType string) (_ string, shown bool) {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return octets, false
	}
	if as, ok := inline[t]; ok {
		if as == "" {
			as = t
		}
		return as, true
	}
	if saved[t] {
		return t, false
	}
	return octets, false
}

const (
	maxSavedName = 150 // characters; systems allow 255 bytes
	keptEnd      = 20  // of a longer name, as the end says what it is
	savedName    = "file"
)

// disposition names the file twice, as RFC 6266 says: in ASCII for old
// programs, and in full.
func disposition(kind, name string) string {
	name = cleanName(name)
	ascii := strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf || r == '%' { // some programs decode % here
			return '_'
		}
		return r
	}, name)
	out := kind + `; filename="` + ascii + `"`
	if ascii != name {
		out += "; filename*=UTF-8''" + percent(name)
	}
	return out
}

// cleanName leaves nothing that leads to another folder, hides the end of a
// name, or ends the header.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			return -1
		case strings.ContainsRune(`/\:*?"<>|`, r):
			return '_'
		}
		return r
	}, name)
	name = strings.TrimLeft(strings.TrimSpace(name), ".")
	if r := []rune(name); len(r) > maxSavedName {
		name = string(r[:maxSavedName-keptEnd]) + string(r[len(r)-keptEnd:])
	}
	if name == "" {
		return savedName
	}
	return name
}

// percent encodes as RFC 5987 wants it.
func percent(s string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~"
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(plain, s[i]) >= 0 {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	return b.String()
}
