package pdf

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf16"
)

// object is the number of an object in the file.
type object int

func (o object) String() string { return strconv.Itoa(int(o)) + " 0 R" }

// writer writes objects in sequence and keeps only their offsets. After the first error
// all writes are dropped.
type writer struct {
	w       *bufio.Writer
	at      int64
	offsets []int64 // by object, from 1; 0 if it is not written yet
	err     error
	deflate *zlib.Writer
	packed  bytes.Buffer
}

func newWriter(w io.Writer) *writer {
	out := &writer{w: bufio.NewWriterSize(w, 64<<10), deflate: zlib.NewWriter(io.Discard)}
	// The bytes of the second line mark the file as binary.
	out.print("%%PDF-1.7\n%%\xe2\xe3\xcf\xd3\n")
	return out
}

// Write implements io.Writer.
func (w *writer) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(b)
	w.at += int64(n)
	w.err = err
	return n, err
}

func (w *writer) print(format string, args ...any) {
	if w.err == nil {
		fmt.Fprintf(w, format, args...)
	}
}

// reserve returns an object that is written later.
func (w *writer) reserve() object {
	w.offsets = append(w.offsets, 0)
	return object(len(w.offsets))
}

// put writes a reserved object.
func (w *writer) put(o object, format string, args ...any) {
	w.offsets[o-1] = w.at
	w.print("%d 0 obj\n", int(o))
	w.print(format, args...)
	w.print("\nendobj\n")
}

// add writes a new object.
func (w *writer) add(format string, args ...any) object {
	o := w.reserve()
	w.put(o, format, args...)
	return o
}

// stream writes a compressed stream; dict has additional entries.
func (w *writer) stream(dict string, data []byte) object {
	w.packed.Reset()
	w.deflate.Reset(&w.packed)
	_, err := w.deflate.Write(data)
	if err == nil {
		err = w.deflate.Close()
	}
	if w.err == nil {
		w.err = err
	}
	o := w.reserve()
	w.offsets[o-1] = w.at
	w.print("%d 0 obj\n<</Length %d/Filter/FlateDecode%s>>\nstream\n", int(o), w.packed.Len(), dict)
	w.Write(w.packed.Bytes())
	w.print("\nendstream\nendobj\n")
	return o
}

// streamFrom writes a stream while it is produced; its length is written after it.
// compress is false if the data is compressed already.
func (w *writer) streamFrom(dict string, compress bool, fill func(io.Writer) error) object {
	o, length := w.reserve(), w.reserve()
	w.offsets[o-1] = w.at
	if compress {
		dict += "/Filter/FlateDecode"
	}
	w.print("%d 0 obj\n<</Length %s%s>>\nstream\n", int(o), length, dict)
	from := w.at
	var err error
	if compress {
		w.deflate.Reset(w)
		if err = fill(w.deflate); err == nil {
			err = w.deflate.Close()
		}
	} else {
		err = fill(w)
	}
	if w.err == nil {
		w.err = err
	}
	size := w.at - from
	w.print("\nendstream\nendobj\n")
	w.put(length, "%d", size)
	return o
}

// close writes the cross-reference table and the trailer.
func (w *writer) close(root, info object, id string) error {
	start := w.at
	w.print("xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, at := range w.offsets {
		if at == 0 {
			w.print("0000000000 65535 f \n")
			continue
		}
		w.print("%010d 00000 n \n", at)
	}
	w.print("trailer\n<</Size %d/Root %s/Info %s/ID[<%s><%s>]>>\nstartxref\n%d\n%%%%EOF\n", len(w.offsets)+1, root, info, id, id, start)
	if w.err != nil {
		return w.err
	}
	if w.at >= maxFile {
		return fmt.Errorf("the document is larger than %d bytes, more than a PDF can be", int64(maxFile))
	}
	return w.w.Flush()
}

// maxFile is the largest offset with the ten digits of the cross-reference table.
const maxFile = 9_999_999_999

// text returns a text string: ASCII as a literal, other text as UTF-16.
func text(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			plain = false
			break
		}
	}
	if plain {
		return literal(s)
	}
	return hexText(s)
}

// hexText returns a text string in UTF-16.
func hexText(s string) string {
	out := []byte("<FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		out = fmt.Appendf(out, "%04X", u)
	}
	return string(append(out, '>'))
}

// literal returns a byte string.
func literal(s string) string {
	out := []byte{'('}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '(' || c == ')' || c == '\\':
			out = append(out, '\\', c)
		case c < ' ' || c > '~':
			out = fmt.Appendf(out, "\\%03o", c)
		default:
			out = append(out, c)
		}
	}
	return string(append(out, ')'))
}

func num(f float64) string { return string(appendNum(nil, f)) }

// appendNum formats a number with at most two decimals. NaN and infinities become 0: a
// wrong position is better than an invalid page.
func appendNum(out []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(out, '0')
	}
	const most = 1e6
	f = min(max(f, -most), most)
	n := int64(math.Round(f * 100))
	if n < 0 {
		out, n = append(out, '-'), -n
	}
	out = strconv.AppendInt(out, n/100, 10)
	if n %= 100; n == 0 {
		return out
	}
	out = append(out, '.', byte('0'+n/10))
	if n%10 != 0 {
		out = append(out, byte('0'+n%10))
	}
	return out
}
