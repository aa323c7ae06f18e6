// Package coding holds the bodies of HTTP answers in the content codings that
// clients accept. Each is compressed when the first client asks for it, and then
// kept: nothing is compressed twice.
package coding

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// Coding is a content coding of RFC 9110.
type Coding uint8

// The codings. Of those that a client likes as much, the last one is sent.
const (
	Identity Coding = iota
	Gzip
	Zstd
	Brotli
	count
)

var names = [count]string{"identity", "gzip", "zstd", "br"}

func (c Coding) String() string { return names[c] }

// Accepted returns the coding that a client likes best, by the values of its
// Accept-Encoding.
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

// choice is the coding for a header. Nearly all browsers send the same, so that the
// last one is kept.
type choice struct {
	header string
	coding Coding
}

var latest atomic.Pointer[choice]

// maxKept is the length of a header that is kept.
const maxKept = 256

func accepted(values []string) Coding {
	best, most := Identity, 0.0
	for _, list := range values {
		for one := range strings.SplitSeq(list, ",") {
			name, weight, weighted := strings.Cut(one, ";")
			q := 1.0
			if weighted {
				q = quality(weight)
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
	return Identity // also for what is unknown, such as deflate
}

// quality reads a weight such as q=0.5. One that is none counts nothing.
func quality(text string) float64 {
	name, value, _ := strings.Cut(strings.TrimSpace(text), "=")
	q, err := strconv.ParseFloat(value, 64)
	if err != nil || !strings.EqualFold(name, "q") || q < 0 || q > 1 {
		return 0
	}
	return q
}

// minCompressed is the size of a body that is worth compressing.
const minCompressed = 1 << 10

// Body is the content of an answer. It never changes.
type Body struct {
	forms [count]form
	tag   string
}

// form is a body in one coding. The values of headers are made once too.
type form struct {
	once                   sync.Once
	data                   []byte
	etag, length, encoding []string
}

// New returns a body of bytes, which nobody may change afterwards.
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

// Bytes returns the content as it is.
func (b *Body) Bytes() []byte { return b.forms[Identity].data }

// Weight is how many bytes of memory a body may take in all codings. Compressed
// text has less than a third of its size.
func (b *Body) Weight() int { return 1<<10 + 2*len(b.Bytes()) }

// in returns the body in a coding, or as it is where compressing does not help.
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

// encoder compresses one body after the other.
type encoder interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// brotliQuality is the one from which on more work makes little difference: two
// more double the time for three percent of the size.
const brotliQuality = 5

// encoders keep the tables of encoders, which take longer to make than a page to
// compress.
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
		return data // is sent as it is; writing to memory does not fail
	}
	return bytes.Clone(out.Bytes())
}

var vary = []string{"Accept-Encoding"}

// Send answers a request with the body in the coding that the client likes best,
// or says that the client has it already. Each coding has a tag of its own. Other
// headers are up to the caller. Parts of the body are not sent alone.
func (b *Body) Send(w http.ResponseWriter, r *http.Request, status int) {
	f := b.in(Accepted(r.Header["Accept-Encoding"]))
	h := w.Header()
	h["Vary"], h["Etag"] = vary, f.etag
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
		_, _ = w.Write(f.data) // to somebody who has gone
	}
}

// has reports whether lists of tags, as clients send them in If-None-Match, have
// one. They are compared weakly, as RFC 9110 says.
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
