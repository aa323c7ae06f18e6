package syntax

import (
	"bytes"
	"strings"
)

// Outline is the result of a first pass over the source, which finds the ends
// of HTML elements, formulas and raw sections. The block parser uses it, so
// that it never has to read ahead.
type Outline struct {
	Elements map[int]*Extent
	Maths    map[int]int // offset of an opening `$$` line to the offset of its closing line
	Literals map[int]int // the same mapping for lines of `{% raw %}` and `{% endraw %}`
}

// Extent is the position of an HTML element at the start of a line.
type Extent struct {
	Name            string
	start, OpenEnd  int
	Close, CloseEnd int  // -1 if it is not closed
	Clean           bool // only space follows the closing tag
}

// wholeElements are the HTML elements that begin a block and extend to their
// end tag, regardless of the content between.
var wholeElements = map[string]bool{
	"table": true, "figure": true, "pre": true, "picture": true, "p": true, "summary": true, "div": true, "details": true,
	"h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "ul": true, "ol": true, "blockquote": true,
}

// NewOutline finds the pairs of a source.
func NewOutline(b []byte) *Outline {
	o := &Outline{}
	if bytes.Contains(b, []byte("$$")) {
		o.Maths = map[int]int{}
		o.pairMaths(b)
	}
	if bytes.Contains(b, []byte("endraw")) {
		o.Literals = map[int]int{}
		o.pairLiterals(b)
	}
	if bytes.IndexByte(b, '<') < 0 {
		return o
	}
	o.Elements = map[int]*Extent{}
	open := map[string][]*Extent{}
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
func (o *Outline) pairMaths(b []byte) {
	last := -1
	for start := 0; start < len(b); {
		end := len(b)
		if i := bytes.IndexByte(b[start:], '\n'); i >= 0 {
			end = start + i
		}
		at := SkipPrefix(b, start, end)
		if IsMathFence(b[at:end]) {
			if last >= 0 {
				o.Maths[last] = at
			}
			last = at
		}
		start = end + 1
	}
}

// pairLiterals finds pairs of lines between which nothing is a tag.
func (o *Outline) pairLiterals(b []byte) {
	var open []int // without an end so far
	for start := 0; start < len(b); {
		end := len(b)
		if i := bytes.IndexByte(b[start:], '\n'); i >= 0 {
			end = start + i
		}
		at := SkipPrefix(b, start, end)
		switch LoneTag(b[at:end]) {
		case "raw":
			open = append(open, at)
		case "endraw":
			for _, from := range open {
				o.Literals[from] = at
			}
			open = open[:0]
		}
		start = end + 1
	}
}

// LoneTag returns the name of the tag that a line consists of, or "".
func LoneTag(line []byte) string {
	t, ok := ReadTag(line)
	if !ok || len(bytes.TrimSpace(line[t.End:])) > 0 {
		return ""
	}
	return t.Name
}

// IsMathFence reports whether a line begins or ends a formula.
func IsMathFence(line []byte) bool { return string(bytes.TrimSpace(line)) == "$$" }

// SkipPrefix returns the offset after spaces, quote marks, list markers and
// footnote labels.
func SkipPrefix(b []byte, at, end int) int {
	for at < end {
		switch c := b[at]; {
		case c == ' ' || c == '\t' || c == '>' || c == '\r':
			at++
			continue
		case (c == '*' || c == '-' || c == '+') && at+1 < end && (b[at+1] == ' ' || b[at+1] == '\t'):
			at++
			continue
		case c == '[':
			if _, n := FootnoteLabel(b[at:end]); n > 0 && at+n < end && b[at+n] == ':' {
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
func (o *Outline) htmlLine(b []byte, start, end int, open map[string][]*Extent) {
	at := SkipPrefix(b, start, end)
	begin := at
	for at < end {
		switch b[at] {
		case '\\':
			at += 2
			continue
		case '`':
			n := RunLength(b[at:end], '`')
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

// RunLength returns how many times c is at the start of a line.
func RunLength(line []byte, c byte) int {
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
		l := RunLength(b[i:], '`')
		if l == n {
			return i
		}
		i += l
	}
	return -1
}

func (o *Outline) htmlTag(b []byte, begin, at, end int, open map[string][]*Extent) (next int) {
	i := at + 1
	closing := i < end && b[i] == '/'
	if closing {
		i++
	}
	from := i
	for i < end && IsNameByte(b[i]) {
		i++
	}
	if i-from > 10 || i == from {
		return 0
	}
	name := strings.ToLower(string(b[from:i]))
	if !wholeElements[name] {
		return 0
	}
	stop := HTMLTagEnd(b[i:min(len(b), i+maxTagBytes)])
	if stop < 0 {
		return 0
	}
	stop += i
	if !closing {
		e := &Extent{Name: name, start: at, OpenEnd: stop, Close: -1, CloseEnd: -1}
		open[name] = append(open[name], e)
		if at == begin {
			o.Elements[at] = e
		}
		return stop
	}
	if list := open[name]; len(list) > 0 {
		e := list[len(list)-1]
		open[name] = list[:len(list)-1]
		e.Close, e.CloseEnd = at, stop
		e.Clean = len(bytes.TrimSpace(b[stop:max(end, stop)])) == 0
	}
	return stop
}

// IsNameByte reports whether c may be in the name of an element.
func IsNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}

// HTMLTagEnd returns the offset after the ">" that ends a tag, or -1.
func HTMLTagEnd(b []byte) int {
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

// FootnoteLabel parses `[^label]`. The label has no spaces and no brackets. It
// returns the label and the length, or 0.
func FootnoteLabel(b []byte) (string, int) {
	if len(b) < 4 || b[0] != '[' || b[1] != '^' {
		return "", 0
	}
	for i := 2; i < len(b) && i < 100; i++ {
		switch c := b[i]; {
		case c == ']':
			if i == 2 {
				return "", 0
			}
			return string(b[2:i]), i + 1
		case c == '[' || c <= ' ' || c == '\\' || c == '`' || c == '<':
			return "", 0
		}
	}
	return "", 0
}
