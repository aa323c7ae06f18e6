package theme

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// Asset is a file that pages need. Its name has a hash of its bytes in it, so
// that browsers may keep it for good.
type Asset struct {
	Name string
	Type string
	Data []byte
}

// The assets. They never change.
var (
	Style  = asset("style.css", "text/css; charset=utf-8", widths())
	Script = asset("script.js", "text/javascript; charset=utf-8", "")
)

// asset reads a file of the program and appends to it.
func asset(name, kind, more string) Asset {
	b, err := fs.ReadFile(web, "web/"+name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return named(name, kind, append(b, more...))
}

// named returns bytes as an asset with their hash in its name.
func named(name, kind string, b []byte) Asset {
	sum := sha256.Sum256(b)
	ext := path.Ext(name)
	return Asset{strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:6]) + ext, kind, b}
}

// widths are the classes for widths in percent.
func widths() string {
	var b strings.Builder
	for i := 1; i <= 100; i++ {
		fmt.Fprintf(&b, ".width-%d{width:%d%%}\n", i, i)
	}
	return b.String()
}

// Serve sends an asset by its name and reports whether there is one.
func Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	a, ok := hashedFonts().assets[name]
	for _, ours := range []Asset{Style, Script} {
		if ours.Name == name {
			a, ok = ours, true
		}
	}
	if ok {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		a.Send(w, r)
	}
	return ok
}

// Send sends an asset. How long it may be kept is up to the caller.
func (a Asset) Send(w http.ResponseWriter, r *http.Request) {
	Secure(w.Header())
	w.Header().Set("Content-Type", a.Type)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.Data))
}
