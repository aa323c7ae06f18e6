package markup

import (
	"strings"

	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// A traced parse remembers where every part of a document is written, down to
// single characters, so that an edit can be made in the source itself. Other
// parses do not pay for it.

// trace is where and how the text of a leaf is written.
type trace struct {
	parts []stretch
	html  bool // HTML, not Markdown
}

// stretch is a piece of text with the source that it was read from. If the two
// are equally long, they are the same bytes; else it is one piece, like a
// character reference.
type stretch struct {
	from, to   int // in the text
	start, end int // in the source
}

// places says where the characters of a source inside of a source are
// written. Nil: nobody knows.
type places []sameBytes

// sameBytes are bytes that follow each other in both.
type sameBytes struct{ at, source, length int }

// at returns the offset in the source of the page, or -1.
func (p places) at(off int) int {
	for _, r := range p {
		if off >= r.at && off < r.at+r.length {
			return r.source + off - r.at
		}
	}
	if k := len(p); k > 0 && off == p[k-1].at+p[k-1].length {
		return p[k-1].source + p[k-1].length
	}
	return -1
}

// behind returns the places of the text that begins n bytes later.
func (p places) behind(n int) places {
	if p == nil {
		return nil
	}
	out := make(places, len(p))
	for i, r := range p {
		out[i] = sameBytes{r.at - n, r.source, r.length}
	}
	return out
}

// trimmed returns the places of a text without the spaces around it.
func (p places) trimmed(s string) places {
	if p == nil {
		return nil
	}
	return p.behind(len(s) - len(strings.TrimLeft(s, " \t\r\n")))
}

// placesOf returns where the lines of a block are, nil without a trace.
func (c *converter) placesOf(lines *text.Segments) places {
	if !c.traced() {
		return nil
	}
	var out places
	at := 0
	for _, l := range lines.Sliced(0, lines.Len()) {
		start := c.offset(l.Start)
		if start < 0 || l.Padding > 0 || l.ForceNewline {
			return nil
		}
		out = append(out, sameBytes{at, start, l.Stop - l.Start})
		at += l.Stop - l.Start
	}
	return out
}

// piece returns the places of a piece of the converter's own source.
func (c *converter) piece(start, length int) places {
	if at := c.offset(start); at >= 0 && c.traced() {
		return places{{0, at, length}}
	}
	return nil
}

func (c *converter) traced() bool { return c.trace && c.clean }

// offset returns where a byte of the converter's source is in that of the page,
// or -1.
func (c *converter) offset(off int) int {
	if c.inner {
		return c.where.at(off)
	}
	return off
}

// traceSource records of the text that was just added to a builder that it is at a place
// in the converter's source, as it is written or with references to characters.
func (c *converter) traceSource(b *inlineBuilder, n, start, end int, decoded bool) {
	if !c.traced() || n == 0 || start > end || end > len(c.text) {
		return
	}
	if c.inner {
		at := c.offset(start)
		if at < 0 || c.offset(end) != at+end-start {
			return
		}
		c.traceAt(b, n, c.text[start:end], at, decoded)
		return
	}
	c.traceAt(b, n, c.text[start:end], start, decoded)
}

func (c *converter) traceAt(b *inlineBuilder, n int, source string, at int, decoded bool) {
	if !decoded || len(source) == n {
		b.traceText(n, []stretch{{0, n, at, at + len(source)}}, false)
		return
	}
	b.traceText(n, decodedParts(source, at), false)
}

// traceLines says where the lines of code are written.
func (c *converter) traceLines(code *Node, lines *text.Segments) {
	if !c.traced() {
		return
	}
	for i, n := range code.Nodes {
		if i >= lines.Len() {
			return
		}
		l := &n.Nodes[0].Leaves[0]
		s := lines.At(i)
		if start := c.offset(s.Start); start >= 0 && s.Padding == 0 && strings.TrimRight(c.text[s.Start:s.Stop], "\r\n") == l.Text {
			l.trace = &trace{parts: []stretch{{0, len(l.Text), start, start + len(l.Text)}}}
			n.span = Span{start, start + len(l.Text)}
		}
	}
}

// decodedParts cuts a source with escapes and character references into what
// is itself and what is not.
func decodedParts(s string, at int) (parts []stretch) {
	size, plain := 0, 0 // of the text so far; where the piece that is itself begins
	flush := func(end int) {
		if end > plain {
			parts = append(parts, stretch{size, size + end - plain, at + plain, at + end})
			size += end - plain
		}
	}
	for i := 0; i < len(s); {
		n, read := 0, 0
		if s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]) {
			n, read = 2, 1
		} else if s[i] == '&' {
			r, k := characterReference(s[i:])
			n, read = k, len(r)
		}
		if n == 0 {
			i++
			continue
		}
		flush(i)
		parts = append(parts, stretch{size, size + read, at + i, at + i + n})
		size += read
		i += n
		plain = i
	}
	flush(len(s))
	return parts
}

// htmlParts does the same for a text in HTML, whose spaces collapse. It returns
// nil for one whose text is another.
func htmlParts(s string, where places, size int) (parts []stretch) {
	add := func(from, to, n int) bool {
		start, end := where.at(from), where.at(to-1)+1
		if start < 0 || end <= 0 {
			return false
		}
		at := 0
		if k := len(parts); k > 0 {
			at = parts[k-1].to
			if p := &parts[k-1]; n == to-from && p.end == start && p.to-p.from == p.end-p.start && n == end-start {
				p.to, p.end = p.to+n, end
				return true
			}
		}
		parts = append(parts, stretch{at, at + n, start, end})
		return true
	}
	for i := 0; i < len(s); {
		to, n := i+1, 1
		switch s[i] {
		case ' ', '\t', '\n', '\r':
			to = i + len(s[i:]) - len(strings.TrimLeft(s[i:], " \t\r\n"))
		case '&':
			if end := strings.IndexByte(s[i:], ';'); end > 1 && end < 40 {
				if r := html.UnescapeString(s[i : i+end+1]); r != s[i:i+end+1] {
					to, n = i+end+1, len(r)
				}
			}
		}
		if !add(i, to, n) {
			return nil
		}
		i = to
	}
	if k := len(parts); k == 0 || parts[k-1].to != size {
		return nil
	}
	return parts
}

// traceText records where the last n bytes of the text were read from.
func (b *inlineBuilder) traceText(n int, parts []stretch, html bool) {
	if len(b.leaves) == 0 || n == 0 {
		return
	}
	before := len(b.lastText()) - n
	if b.where == nil {
		b.where = &trace{html: html}
	}
	for _, s := range parts {
		s.from, s.to = s.from+before, s.to+before
		b.where.parts = append(b.where.parts, s)
	}
}

// from returns the trace of the text behind an offset.
func (t *trace) behind(at int) *trace {
	if t == nil {
		return nil
	}
	out := &trace{html: t.html}
	for _, s := range t.parts {
		switch {
		case s.from >= at:
			out.parts = append(out.parts, stretch{s.from - at, s.to - at, s.start, s.end})
		case s.to > at && s.to-s.from == s.end-s.start:
			out.parts = append(out.parts, stretch{0, s.to - at, s.start + at - s.from, s.end})
		}
	}
	return out
}

// upTo returns the trace of the text in front of an offset.
func (t *trace) upTo(at int) *trace {
	if t == nil {
		return nil
	}
	out := &trace{html: t.html}
	for _, s := range t.parts {
		switch {
		case s.to <= at:
			out.parts = append(out.parts, s)
		case s.from < at && s.to-s.from == s.end-s.start:
			out.parts = append(out.parts, stretch{s.from, at, s.start, s.start + at - s.from})
		}
	}
	return out
}
