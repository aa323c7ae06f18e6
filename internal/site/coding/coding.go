// Package coding holds the bodies of HTTP responses in the content codings that clients
// accept. A body is compressed when a client first requests a coding. The result is
// cached, so that nothing is compressed twice.
package coding

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// Coding is a content coding of RFC 9110.
type Coding uint8

// The codings. Of codings with the same quality value, the last one is preferred.
const (
	Identity Coding = iota
	Gzip
	Zstd
	Brotli
	count
)

var names = [count]string{"identity", "gzip", "zstd", "br"}

func (c Coding) String() string { return names[c] }

// Accepted returns the coding that a client prefers, according to the values of its
// Accept-Encoding headers.
func Accepted(values []string) Coding {
	if len(values) == 1 {
		if last := latest.Load(); last != nil && last.header == values[0] {
			return last.coding
		}
	}
	c := accepted(values)
	if len(values) == 1 && len(values[0]) <= maxKept {
		latest.Store(&choice{strings.Clone(values[0]), c})
	}
	return c
}

// choice is the coding for an Accept-Encoding header. The last choice is cached, because
// nearly all browsers send the same header.
type choice struct {
	header string
	coding Coding
}

var latest atomic.Pointer[choice]

// maxKept is the maximum length of a header that is cached.
const maxKept = 256

func accepted(values []string) Coding {
	best, most := Identity, 0.0
	for _, list := range values {
		for one := range strings.SplitSeq(list, ",") {
			name, weight, weighted := strings.Cut(one, ";")
			q := 1.0
			if weighted {
				q = Quality(weight)
			}
			if c := named(strings.TrimSpace(name)); q > most || q == most && q > 0 && c > best {
				best, most = c, q
			}
		}
	}
	return best
}

func named(name string) Coding {
	for c := Brotli; c > Identity; c-- {
		if strings.EqualFold(name, names[c]) {
			return c
		}
	}
	return Identity // also for unsupported codings, such as deflate
}

// Quality parses a weight such as q=0.5. It returns 0 for an invalid weight.
func Quality(text string) float64 {
	name, value, _ := strings.Cut(strings.TrimSpace(text), "=")
	q, err := strconv.ParseFloat(value, 64)
	if err != nil || !strings.EqualFold(name, "q") || q < 0 || q > 1 {
		return 0
	}
	return q
}

// minCompressed is the minimum size of a body that is worth compressing.
const minCompressed = 1 << 10

// Body is the body of a response. It is immutable and safe for concurrent use.
type Body struct {
	forms [count]form
	tag   string
}

// form is a body in one coding, with the values of its headers.
type form struct {
	once                   sync.Once
	data                   []byte
	etag, length, encoding []string
}

// New returns a body with data. The caller must not change data afterwards.
func New(data []byte) *Body {
	sum := sha256.Sum256(data)
	b := &Body{tag: hex.EncodeToString(sum[:12])}
	b.forms[Identity].fill(data, b.tag, Identity)
	return b
}

func (f *form) fill(data []byte, tag string, c Coding) {
	f.data, f.length = data, []string{strconv.Itoa(len(data))}
	if c != Identity {
		f.encoding = []string{names[c]}
		tag += "-" + names[c]
	}
	f.etag = []string{`"` + tag + `"`}
}

// Bytes returns the uncompressed content.
func (b *Body) Bytes() []byte { return b.forms[Identity].data }

// Weight returns an estimate of the memory of a body in all codings, in bytes.
// Compressed text has less than a third of its size.
func (b *Body) Weight() int { return 1<<10 + 2*len(b.Bytes()) }

// in returns the body in a coding, or uncompressed if compression does not make it
// smaller.
func (b *Body) in(c Coding) *form {
	plain := &b.forms[Identity]
	if c == Identity || len(plain.data) < minCompressed {
		return plain
	}
	f := &b.forms[c]
	f.once.Do(func() {
		if data := compress(c, plain.data); len(data) < len(plain.data) {
			f.fill(data, b.tag, c)
		}
	})
	if f.data == nil {
		return plain
	}
	return f
}

// encoder is a reusable compressor.
type encoder interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// brotliQuality is the Brotli compression level. Higher levels gain little: two levels
// more double the time for three percent of the size.
const brotliQuality = 5

// encoders pools encoders, because allocating their tables takes longer than compressing
// a page.
var encoders = [count]sync.Pool{
	Gzip:   {New: func() any { return gzip.NewWriter(nil) }},
	Zstd:   {New: func() any { return newZstd() }},
	Brotli: {New: func() any { return brotli.NewWriterLevel(nil, brotliQuality) }},
}

func newZstd() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
}

// compress returns the data in a coding.
func compress(c Coding, data []byte) []byte {
	var out bytes.Buffer
	e := encoders[c].Get().(encoder)
	defer encoders[c].Put(e)
	e.Reset(&out)
	_, err := e.Write(data)
	if err == nil {
		err = e.Close()
	}
	if err != nil {
		return data // uncompressed; does not happen, because writing to memory does not fail
	}
	return bytes.Clone(out.Bytes())
}

var vary = []string{"Accept-Encoding"}

// Send responds to a request with the body in the coding that the client prefers, or with
// 304 Not Modified if the client has it already. Each coding has its own entity tag. The
// caller sets other headers, and in Vary what else the body depends on. Send does not
// support range requests.
func (b *Body) Send(w http.ResponseWriter, r *http.Request, status int) {
	f := b.in(Accepted(r.Header["Accept-Encoding"]))
	h := w.Header()
	h["Etag"] = f.etag
	if others := h["Vary"]; others == nil {
		h["Vary"] = vary
	} else if !slices.ContainsFunc(others, func(s string) bool { return strings.Contains(s, vary[0]) }) {
		h["Vary"] = append(slices.Clip(others), vary[0])
	}
	if known := r.Header["If-None-Match"]; status == http.StatusOK && known != nil && has(known, f.etag[0]) {
		delete(h, "Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h["Content-Length"] = f.length
	if f.encoding != nil {
		h["Content-Encoding"] = f.encoding
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(f.data) // fails only if the client has disconnected
	}
}

// has reports whether values of If-None-Match contain an entity tag. Tags are compared
// weakly, as RFC 9110 requires.
func has(lists []string, etag string) bool {
	for _, list := range lists {
		for one := range strings.SplitSeq(list, ",") {
			if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == etag {
				return true
			}
		}
	}
	return false
}
