package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// A strict reader for the output of the writer: all offsets of objects must be right, and
// all streams must decompress.

type (
	pdfName string
	pdfRef  int
	pdfDict map[string]any
	pdfFile struct {
		t       testing.TB
		data    []byte
		offsets []int
		trailer pdfDict
	}
)

func readPDF(t testing.TB, data []byte) *pdfFile {
	t.Helper()
	f := &pdfFile{t: t, data: data}
	if !bytes.HasPrefix(data, []byte("%PDF-1.7\n")) || !bytes.HasSuffix(data, []byte("\n%%EOF\n")) {
		t.Fatalf("no PDF: %q", data[:min(len(data), 20)])
	}
	tail := data[max(0, len(data)-40):]
	m := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(tail)
	if m == nil {
		t.Fatalf("no startxref: %q", tail)
	}
	at, _ := strconv.Atoi(string(m[1]))
	var n int
	if _, err := fmt.Sscanf(string(data[at:at+30]), "xref\n0 %d\n", &n); err != nil {
		t.Fatal("no table of objects:", err)
	}
	rows := data[at+len(fmt.Sprintf("xref\n0 %d\n", n)):]
	f.offsets = make([]int, n)
	for i := range n {
		row := string(rows[20*i : 20*i+20])
		if len(row) != 20 || row[17] != 'n' && row[17] != 'f' {
			t.Fatalf("row %d of the table is %q", i, row)
		}
		if row[17] == 'n' {
			f.offsets[i], _ = strconv.Atoi(row[:10])
			if want := fmt.Sprintf("%d 0 obj\n", i); !bytes.HasPrefix(data[f.offsets[i]:], []byte(want)) {
				t.Fatalf("object %d is not where the table says", i)
			}
		} else if i > 0 {
			t.Errorf("object %d was promised and not written", i)
		}
	}
	p := &pdfParser{f: f, b: rows[20*n+len("trailer\n"):]}
	f.trailer = p.value().(pdfDict)
	return f
}

// get resolves references.
func (f *pdfFile) get(v any) any {
	for {
		r, ok := v.(pdfRef)
		if !ok {
			return v
		}
		at := f.offsets[r]
		head := fmt.Sprintf("%d 0 obj\n", int(r))
		p := &pdfParser{f: f, b: f.data[at+len(head):]}
		v = p.value()
	}
}

func (f *pdfFile) dict(v any) pdfDict {
	d, ok := f.get(v).(pdfDict)
	if !ok {
		f.t.Fatalf("%v is no dictionary", v)
	}
	return d
}

// stream returns the decompressed content of a stream.
func (f *pdfFile) stream(v any) []byte {
	r := v.(pdfRef)
	at := f.offsets[r] + len(fmt.Sprintf("%d 0 obj\n", int(r)))
	p := &pdfParser{f: f, b: f.data[at:]}
	d := p.value().(pdfDict)
	rest := bytes.TrimPrefix(p.b, []byte("\nstream\n"))
	n := f.get(d["Length"]).(float64)
	if len(rest) == len(p.b) || !bytes.HasPrefix(rest[int(n):], []byte("\nendstream\n")) {
		f.t.Fatalf("object %d is no stream of its length", r)
	}
	raw := rest[:int(n)]
	if d["Filter"] != pdfName("FlateDecode") {
		return raw
	}
	z, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		f.t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

// pages returns all pages in order.
func (f *pdfFile) pages() []pdfDict {
	root := f.dict(f.trailer["Root"])
	tree := f.dict(root["Pages"])
	var out []pdfDict
	for _, k := range tree["Kids"].([]any) {
		out = append(out, f.dict(k))
	}
	if len(out) != int(tree["Count"].(float64)) {
		f.t.Errorf("%d pages, %v counted", len(out), tree["Count"])
	}
	return out
}

// pageRefs returns the number of each page by its object.
func (f *pdfFile) pageRefs() map[pdfRef]int {
	tree := f.dict(f.dict(f.trailer["Root"])["Pages"])
	out := map[pdfRef]int{}
	for i, k := range tree["Kids"].([]any) {
		out[k.(pdfRef)] = i
	}
	return out
}

var (
	showText  = regexp.MustCompile(`(?s)BT (?:/(F\d+) [\d.]+ Tf )?(.*?)ET\n`)
	textPiece = regexp.MustCompile(`/Span<</ActualText <FEFF([0-9A-F]*)>>>BDC .*? EMC|<([0-9A-F]+)>`)
)

// text returns the text of a page.
func (f *pdfFile) text(page pdfDict) string {
	content := f.stream(page["Contents"])
	fonts := f.dict(page["Resources"])["Font"].(pdfDict)
	maps := map[string]map[string]string{}
	font := ""
	var b strings.Builder
	for _, m := range showText.FindAllStringSubmatch(string(content), -1) {
		if m[1] != "" {
			font = m[1]
		}
		if maps[font] == nil {
			maps[font] = f.unicode(f.dict(fonts[font]))
		}
		b.WriteString(f.pieces(m[2], maps[font]))
	}
	return b.String()
}

// pieces returns the text of a text-showing operator.
func (f *pdfFile) pieces(shown string, codes map[string]string) string {
	var b strings.Builder
	for _, p := range textPiece.FindAllStringSubmatch(shown, -1) {
		b.WriteString(utf16Hex(p[1]))
		for i := 0; i+4 <= len(p[2]); i += 4 {
			s, ok := codes[p[2][i:i+4]]
			if !ok {
				f.t.Errorf("code %s has no text", p[2][i:i+4])
			}
			b.WriteString(s)
		}
	}
	return b.String()
}

func utf16Hex(s string) string {
	raw, _ := hex.DecodeString(s)
	var units []uint16
	for i := 0; i+1 < len(raw); i += 2 {
		units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	return string(utf16.Decode(units))
}

var charLine = regexp.MustCompile(`<([0-9A-F]{4})><([0-9A-F]+)>`)

func (f *pdfFile) unicode(font pdfDict) map[string]string {
	out := map[string]string{}
	for _, m := range charLine.FindAllStringSubmatch(string(f.stream(font["ToUnicode"])), -1) {
		out[m[1]] = utf16Hex(m[2])
	}
	return out
}

// dests returns the page numbers of destinations by name, from 0.
func (f *pdfFile) dests() map[string]int {
	out := map[string]int{}
	pages := f.pageRefs()
	last := ""
	var walk func(v any)
	walk = func(v any) {
		d := f.dict(v)
		kids, _ := d["Kids"].([]any)
		for _, k := range kids {
			walk(k)
		}
		names, _ := d["Names"].([]any)
		for i := 0; i+1 < len(names); i += 2 {
			name := names[i].(string)
			if name <= last && last != "" {
				f.t.Errorf("names are not in order: %q after %q", name, last)
			}
			last = name
			to := names[i+1].([]any)
			n, ok := pages[to[0].(pdfRef)]
			if !ok {
				f.t.Errorf("%q leads to no page", name)
			}
			out[name] = n
		}
	}
	walk(f.dict(f.dict(f.trailer["Root"])["Names"])["Dests"])
	return out
}

type bookmark struct {
	title string
	dest  string
	below []bookmark
}

// outline returns the bookmarks, and checks how they are linked.
func (f *pdfFile) outline() []bookmark {
	root := f.dict(f.trailer["Root"])
	return f.bookmarks(root["Outlines"])
}

func (f *pdfFile) bookmarks(parent any) []bookmark {
	d := f.dict(parent)
	var out []bookmark
	var prev any
	at := d["First"]
	for at != nil {
		e := f.dict(at)
		if e["Parent"] != parent || e["Prev"] != prev {
			f.t.Errorf("%v is tied wrongly: %v", at, e)
		}
		b := bookmark{title: readText(e["Title"].(string)), dest: e["Dest"].(string)}
		if e["First"] != nil {
			b.below = f.bookmarks(at)
			if int(-e["Count"].(float64)) != len(b.below) {
				f.t.Errorf("%v counts %v", at, e["Count"])
			}
		}
		out = append(out, b)
		prev = at
		at = e["Next"]
	}
	if prev != d["Last"] && len(out) > 0 {
		f.t.Errorf("the last of %v is %v, not %v", parent, d["Last"], prev)
	}
	return out
}

func readText(s string) string {
	if !strings.HasPrefix(s, "\xfe\xff") {
		return s
	}
	var units []uint16
	for i := 2; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}

// links returns the targets of the links of a page: names of destinations, and addresses.
func (f *pdfFile) links(page pdfDict) (dests, urls []string) {
	annots, _ := f.get(page["Annots"]).([]any)
	for _, a := range annots {
		d := f.dict(a)
		if s, ok := d["Dest"].(string); ok {
			dests = append(dests, s)
		} else {
			urls = append(urls, f.dict(d["A"])["URI"].(string))
		}
	}
	return dests, urls
}

// check checks the properties that every file must have.
func (f *pdfFile) check() {
	f.t.Helper()
	dests := f.dests()
	for i, p := range f.pages() {
		ops := string(f.stream(p["Contents"]))
		if strings.Count(ops, "BT ") != strings.Count(ops, " ET\n") {
			f.t.Errorf("page %d: text objects do not end", i)
		}
		words := strings.Fields(ops)
		depth := 0
		for _, w := range words {
			switch w {
			case "q":
				depth++
			case "Q":
				if depth--; depth < 0 {
					f.t.Fatalf("page %d: more states are restored than saved", i)
				}
			case "NaN", "+Inf", "-Inf":
				f.t.Errorf("page %d: %s", i, w)
			}
		}
		if depth != 0 {
			f.t.Errorf("page %d: %d states are not restored", i, depth)
		}
		f.text(p)
		to, urls := f.links(p)
		for _, d := range to {
			if _, ok := dests[d]; !ok {
				f.t.Errorf("page %d: a link leads to %q, which is nowhere", i, d)
			}
		}
		for _, u := range urls {
			scheme, _, _ := strings.Cut(u, ":")
			switch strings.ToLower(scheme) {
			case "http", "https", "mailto", "tel":
			default:
				f.t.Errorf("page %d: a link leads to %q", i, u)
			}
		}
	}
	var walk func([]bookmark)
	walk = func(list []bookmark) {
		for _, b := range list {
			if _, ok := dests[b.dest]; !ok {
				f.t.Errorf("the bookmark %q leads nowhere", b.title)
			}
			walk(b.below)
		}
	}
	walk(f.outline())
}

// pdfParser reads values.
type pdfParser struct {
	f *pdfFile
	b []byte
}

func (p *pdfParser) space() {
	p.b = bytes.TrimLeft(p.b, " \n\r\t")
}

var refForm = regexp.MustCompile(`^(\d+) 0 R`)
var numberForm = regexp.MustCompile(`^-?\d+(\.\d+)?`)
var nameForm = regexp.MustCompile(`^/([^/\[\]<>() \n]*)`)

func (p *pdfParser) value() any {
	p.space()
	switch {
	case bytes.HasPrefix(p.b, []byte("<<")):
		p.b = p.b[2:]
		d := pdfDict{}
		for {
			if p.space(); bytes.HasPrefix(p.b, []byte(">>")) {
				p.b = p.b[2:]
				return d
			}
			key, ok := p.value().(pdfName)
			if !ok {
				p.f.t.Fatalf("a key is no name at %q", p.b[:min(len(p.b), 40)])
			}
			d[string(key)] = p.value()
		}
	case p.b[0] == '[':
		p.b = p.b[1:]
		list := []any{}
		for {
			if p.space(); p.b[0] == ']' {
				p.b = p.b[1:]
				return list
			}
			list = append(list, p.value())
		}
	case p.b[0] == '<':
		end := bytes.IndexByte(p.b, '>')
		raw, err := hex.DecodeString(string(p.b[1:end]))
		if err != nil {
			p.f.t.Fatal(err)
		}
		p.b = p.b[end+1:]
		return string(raw)
	case p.b[0] == '(':
		return p.literal()
	case p.b[0] == '/':
		m := nameForm.FindSubmatch(p.b)
		p.b = p.b[len(m[0]):]
		return pdfName(m[1])
	}
	if m := refForm.FindSubmatch(p.b); m != nil {
		p.b = p.b[len(m[0]):]
		n, _ := strconv.Atoi(string(m[1]))
		return pdfRef(n)
	}
	if m := numberForm.Find(p.b); m != nil {
		p.b = p.b[len(m):]
		n, _ := strconv.ParseFloat(string(m), 64)
		return n
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(p.b, []byte(word)) {
			p.b = p.b[len(word):]
			if word == "null" {
				return nil
			}
			return word == "true"
		}
	}
	p.f.t.Fatalf("no value at %q", p.b[:min(len(p.b), 40)])
	return nil
}

func (p *pdfParser) literal() string {
	var out []byte
	for i := 1; ; i++ {
		switch c := p.b[i]; c {
		case ')':
			p.b = p.b[i+1:]
			return string(out)
		case '\\':
			i++
			if c = p.b[i]; c >= '0' && c <= '7' {
				n, _ := strconv.ParseUint(string(p.b[i:i+3]), 8, 8)
				out = append(out, byte(n))
				i += 2
			} else {
				out = append(out, c)
			}
		case '(':
			p.f.t.Fatal("a parenthesis that is not escaped")
		default:
			out = append(out, c)
		}
	}
}
