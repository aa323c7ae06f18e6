package markup

import (
	"strings"

	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// A traced parse records where every part of a document is written, down to
// single characters, so that an edit can be made in the source. Other parses do
// not have this cost.

// trace is the position of the text of a leaf in the source.
type trace struct {
	parts []stretch
	html  bool // HTML instead of Markdown
}

// stretch is a part of a text and the source that it was parsed from. If both
// have the same length, they are the same bytes. Otherwise it is an indivisible
// unit, like a character reference.
type stretch struct {
	from, to   int // in the text
	start, end int // in the source
}

// places maps offsets in a nested source to offsets in the page. It is nil if
// they are not known.
type places []sameBytes

// sameBytes is a range that is contiguous in both sources.
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

// after returns the places of the text that begins n bytes later.
func (p places) after(n int) places {
	if p == nil {
		return nil
	}
	out := make(places, len(p))
	for i, r := range p {
		out[i] = sameBytes{r.at - n, r.source, r.length}
	}
	return out
}

// trimmed returns the places of s without the spaces around it.
func (p places) trimmed(s string) places {
	if p == nil {
		return nil
	}
	return p.after(len(s) - len(strings.TrimLeft(s, " \t\r\n")))
}

// placesOf returns the positions of the lines of a block, or nil without a
// trace.
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

// piece returns the places of a part of the converter's own source.
func (c *converter) piece(start, length int) places {
	if at := c.offset(start); at >= 0 && c.traced() {
		return places{{0, at, length}}
	}
	return nil
}

func (c *converter) traced() bool { return c.trace && c.clean }

// offset converts an offset in the converter's source to an offset in the page.
// It returns -1 if that is not known.
func (c *converter) offset(off int) int {
	if c.inner {
		return c.where.at(off)
	}
	return off
}

// traceSource records the source span of the text that was just added to a
// builder. decoded is whether the source has escapes or character references.
func (c *converter) traceSource(b *InlineBuilder, n, start, end int, decoded bool) {
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

func (c *converter) traceAt(b *InlineBuilder, n int, source string, at int, decoded bool) {
	if !decoded || len(source) == n {
		b.traceText(n, []stretch{{0, n, at, at + len(source)}}, false)
		return
	}
	b.traceText(n, decodedParts(source, at), false)
}

// traceLines records the positions of the lines of a code block.
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

// decodedParts splits a source with escapes and character references into
// verbatim and decoded parts.
func decodedParts(s string, at int) (parts []stretch) {
	size, plain := 0, 0 // length of the text so far; start of the current verbatim part
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

// htmlParts is decodedParts for text in HTML, in which spaces collapse. It
// returns nil if the length of the text is not size.
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

// traceText records the source of the last n bytes of the text.
func (b *InlineBuilder) traceText(n int, parts []stretch, html bool) {
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

// after returns the trace of the text after an offset.
func (t *trace) after(at int) *trace {
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

// upTo returns the trace of the text before an offset.
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
