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

// Served describes a file that is sent to a browser.
type Served struct {
	Name        string // file name for saving
	ContentType string
	Hash        Hash
	// Form names what is sent if it was made of the content, such as a picture of another size.
	Form string
	// Passing says that the next request for the address may get something else.
	Passing bool
	// Public files may be stored by shared caches. Secret files must not be stored at
	// all. Other files may be stored by the private cache of the browser, which must
	// revalidate them on each use.
	Public, Secret bool
}

// inline maps the types that browsers display in place to the type that is sent; empty
// means the same type. These types are passive: they cannot run scripts, load resources
// or submit forms. All kinds of text are sent as plain text, regardless of their original
// type.
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

// saved are the types that are sent unchanged because something depends on them: an SVG
// in an <img> (where scripts do not run), a font in a style sheet, the program that opens
// a download. Opened directly, these files are downloaded and not displayed. PDF is one
// of them: it can contain scripts and forms, and browsers do not display a PDF in a
// sandbox. All other types, especially HTML, XML, scripts and style sheets, are sent as
// application/octet-stream, so that no page can load them as code.
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

// contentPolicy is the policy for a file that is opened directly: no scripts, no forms,
// no origin, no frames. The three exceptions are required by the built-in viewers of
// browsers for images and videos.
const contentPolicy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

// cacheFor is one year, because the content of a hash never changes.
const cacheFor = 365 * 24 * time.Hour

// Serve responds to a GET or HEAD request with a file: the whole file, the requested
// range, or 304 Not Modified. The headers prevent the file from acting as a page of its
// host.
func Serve(w http.ResponseWriter, r *http.Request, f Served, rd io.ReadSeeker) {
	kept := "private, no-cache"
	switch {
	case f.Public && f.Passing:
		kept = "public, no-cache"
	case f.Public:
		kept = fmt.Sprintf("public, max-age=%d, immutable", int(cacheFor.Seconds()))
	case f.Secret:
		kept = "private, no-store"
	}
	h := w.Header()
	SetHeaders(h, f.Name, f.ContentType)
	// Pages of other hosts embed these files, because sites have their own hosts.
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", kept)
	tag := f.Hash.String()
	if f.Form != "" {
		tag += "-" + f.Form
	}
	h.Set("ETag", `"`+tag+`"`)
	// Multiple ranges need a seek for each range and have no use here.
	if strings.Contains(r.Header.Get("Range"), ",") {
		r = r.Clone(r.Context())
		r.Header.Del("Range")
	}
	if o, ok := rd.(*file); ok {
		rd = o.File // allows sendfile
	}
	http.ServeContent(w, r, "", time.Time{}, rd)
}

// SetHeaders sets the headers that describe a file and prevent it from acting as a page
// of its host.
func SetHeaders(h http.Header, name, contentType string) {
	contentType, shown := sentType(contentType)
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

// sentType returns the content type to send, and whether a browser may display the file.
func sentType(contentType string) (_ string, shown bool) {
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
	maxSavedName = 150 // maximum length of a file name in characters; file systems allow 255 bytes
	keptEnd      = 20  // last characters of a longer name that are kept, because they include the extension
	savedName    = "file"
)

// disposition returns a Content-Disposition header. According to RFC 6266 it contains the
// name in ASCII for old programs, and in full.
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

// cleanName removes characters that could lead to another folder, hide the file
// extension, or end the header.
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

// percent encodes a value according to RFC 5987.
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
