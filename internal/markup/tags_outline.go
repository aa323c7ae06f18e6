package markup

import (
	"bytes"
	"strings"
)

// outline is the result of a first pass over the source, which finds the ends
// of HTML elements, formulas and raw sections. The block parser uses it, so
// that it never has to read ahead.
type outline struct {
	elements map[int]*span
	maths    map[int]int // offset of an opening `$$` line to the offset of its closing line
	literals map[int]int // the same mapping for lines of `{% raw %}` and `{% endraw %}`
}

// span is the position of an HTML element at the start of a line.
type span struct {
	name            string
	start, openEnd  int
	close, closeEnd int  // -1 if it is not closed
	clean           bool // only space follows the closing tag
}

// wholeElements are the HTML elements that begin a block and extend to their
// end tag, regardless of the content between.
var wholeElements = map[string]bool{
	"table": true, "figure": true, "pre": true, "picture": true, "p": true, "summary": true, "div": true, "details": true,
	"h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "ul": true, "ol": true, "blockquote": true,
}

func newOutline(b []byte) *outline {
	o := &outline{}
	if bytes.Contains(b, []byte("$$")) {
		o.maths = map[int]int{}
		o.pairMaths(b)
	}
	if bytes.Contains(b, []byte("endraw")) {
		o.literals = map[int]int{}
		o.pairLiterals(b)
	}
	if bytes.IndexByte(b, '<') < 0 {
		return o
	}
	o.elements = map[int]*span{}
	open := map[string][]*span{}
	for start := 0; start < len(b); {
		end := len(b)
		if i := bytes.IndexByte(b[start:], '\n'); i >= 0 {
			end = start + i
		}
		if bytes.IndexByte(b[start:end], '<') >= 0 {
			o.htmlLine(b, start, end, open)
		}
		start = end + 1
	}
	return o
}

// pairMaths finds the lines that contain only `$$`. Each of them may open a
// formula, which the next one closes. The parser does not look up those inside
// code.
func (o *outline) pairMaths(b []byte) {
	last := -1
	for start := 0; start < len(b); {
		end := len(b)
		if i := bytes.IndexByte(b[start:], '\n'); i >= 0 {
			end = start + i
		}
		at := skipPrefix(b, start, end)
		if isMathFence(b[at:end]) {
			if last >= 0 {
				o.maths[last] = at
			}
			last = at
		}
		start = end + 1
	}
}

// pairLiterals finds pairs of lines between which nothing is a tag.
func (o *outline) pairLiterals(b []byte) {
	var open []int // without an end so far
	for start := 0; start < len(b); {
		end := len(b)
		if i := bytes.IndexByte(b[start:], '\n'); i >= 0 {
			end = start + i
		}
		at := skipPrefix(b, start, end)
		switch loneTag(b[at:end]) {
		case "raw":
			open = append(open, at)
		case "endraw":
			for _, from := range open {
				o.literals[from] = at
			}
			open = open[:0]
		}
		start = end + 1
	}
}

// loneTag returns the name of the tag that a line consists of, or "".
func loneTag(line []byte) string {
	t, ok := readTag(line)
	if !ok || len(bytes.TrimSpace(line[t.end:])) > 0 {
		return ""
	}
	return t.name
}

func isMathFence(line []byte) bool { return string(bytes.TrimSpace(line)) == "$$" }

// skipPrefix returns the offset after spaces, quote marks, list markers and
// footnote labels.
func skipPrefix(b []byte, at, end int) int {
	for at < end {
		switch c := b[at]; {
		case c == ' ' || c == '\t' || c == '>' || c == '\r':
			at++
			continue
		case (c == '*' || c == '-' || c == '+') && at+1 < end && (b[at+1] == ' ' || b[at+1] == '\t'):
			at++
			continue
		case c == '[':
			if _, n := footnoteLabel(b[at:end]); n > 0 && at+n < end && b[at+n] == ':' {
				at += n + 1
				continue
			}
		case c >= '0' && c <= '9':
			i := at
			for i < end && b[i] >= '0' && b[i] <= '9' && i-at < 9 {
				i++
			}
			if i+1 < end && (b[i] == '.' || b[i] == ')') && (b[i+1] == ' ' || b[i+1] == '\t') {
				at = i + 1
				continue
			}
		}
		break
	}
	return at
}

// htmlLine processes the HTML elements of a line, except in inline code.
func (o *outline) htmlLine(b []byte, start, end int, open map[string][]*span) {
	at := skipPrefix(b, start, end)
	begin := at
	for at < end {
		switch b[at] {
		case '\\':
			at += 2
			continue
		case '`':
			n := runLength(b[at:end], '`')
			at += n
			if i := closingRun(b[at:end], n); i >= 0 {
				at += i + n
			}
			continue
		case '<':
			if next := o.htmlTag(b, begin, at, end, open); next > at {
				at = next
				continue
			}
		}
		at++
	}
}

func runLength(line []byte, c byte) int {
	n := 0
	for n < len(line) && line[n] == c {
		n++
	}
	return n
}

// closingRun returns the index of a run of exactly n backticks, or -1.
func closingRun(b []byte, n int) int {
	for i := 0; i < len(b); {
		if b[i] != '`' {
			i++
			continue
		}
		l := runLength(b[i:], '`')
		if l == n {
			return i
		}
		i += l
	}
	return -1
}

func (o *outline) htmlTag(b []byte, begin, at, end int, open map[string][]*span) (next int) {
	i := at + 1
	closing := i < end && b[i] == '/'
	if closing {
		i++
	}
	from := i
	for i < end && isNameByte(b[i]) {
		i++
	}
	if i-from > 10 || i == from {
		return 0
	}
	name := strings.ToLower(string(b[from:i]))
	if !wholeElements[name] {
		return 0
	}
	stop := htmlTagEnd(b[i:min(len(b), i+maxTagBytes)])
	if stop < 0 {
		return 0
	}
	stop += i
	if !closing {
		e := &span{name: name, start: at, openEnd: stop, close: -1, closeEnd: -1}
		open[name] = append(open[name], e)
		if at == begin {
			o.elements[at] = e
		}
		return stop
	}
	if list := open[name]; len(list) > 0 {
		e := list[len(list)-1]
		open[name] = list[:len(list)-1]
		e.close, e.closeEnd = at, stop
		e.clean = len(bytes.TrimSpace(b[stop:max(end, stop)])) == 0
	}
	return stop
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}

// htmlTagEnd returns the offset after the ">" that ends a tag, or -1.
func htmlTagEnd(b []byte) int {
	var quote byte
	for i, c := range b {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		case c == '<':
			return -1
		}
	}
	return -1
}
