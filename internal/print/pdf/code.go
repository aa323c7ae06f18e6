package pdf

import (
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
)

// codeBlock is a block of code.
type codeBlock struct {
	title    string
	source   string // every line ends with a newline
	numbered bool
	spans    []highlight.Span
	marked   func(line int) bool
	notes    func(line int) []*markup.Node
}

// wholeCode is the maximum number of lines of a block that is not split across pages.
const wholeCode = 10

// code lays out a block of code.
func (f flow) code(n *markup.Node) {
	b := codeBlock{title: n.Str(markup.FieldTitle), source: markup.CodeText(n), numbered: n.Flag(markup.FieldLineNumbers)}
	language := n.Str(markup.FieldSyntax)
	if language == "mermaid" && b.title == "" {
		b.title = "Diagram (Mermaid)"
	}
	if len(b.source) <= f.d.code {
		if b.spans = f.d.Highlight.Spans(language, b.source); b.spans != nil {
			f.d.code -= len(b.source)
		}
	}
	b.marked = func(i int) bool { return i < len(n.Nodes) && n.Nodes[i].Flag(markup.FieldHighlighted) }
	b.notes = func(i int) []*markup.Node {
		var out []*markup.Node
		if i < len(n.Nodes) {
			for _, in := range n.Nodes[i].Nodes {
				if in.Type == "annotation" {
					out = append(out, in)
				}
			}
		}
		return out
	}
	f.listing(b)
}

func (f flow) listing(b codeBlock) {
	x, w := f.x, f.w
	f.emit(item{kind: open, fr: &frame{again: &item{kind: pad, h: 6}, paint: func(c *canvas, layer int, left, top, bottom float64, _, last bool) {
		if !last {
			bottom += 4
		}
		c.back(layer, "q", fill(codeBack), stroke(hexColor(0xe3e7ec)), "0.6 w", rounded(left+x, top, w, bottom-top, 4), "B Q")
	}}})
	if b.title != "" {
		st := style{size: f.size * 0.84, color: paleColor, back: none, face: bold}
		f.emit(item{kind: box, h: 19, keep: true, draw: func(c *canvas, left, y float64) {
			f.d.drawLine(c, b.title, st, left+x+10, y+12.6, w-20, 0)
			c.front(stroke(hexColor(0xe3e7ec)), "0.6 w", path(left+x, y+19, left+x+w, y+19), "S")
		}})
	}
	f.emit(item{kind: pad, h: 6, keep: true})
	size := codeSize * min(1, f.size/bodySize)
	in := f.inner(10, 10)
	in.size = size
	gutter := 0.0
	lines := strings.Count(b.source, "\n")
	if b.numbered && lines > 0 {
		gutter = size*0.62*float64(len(strconv.Itoa(lines))) + 8
		in = in.inner(gutter, 0)
	}
	colored := coloring{spans: b.spans}
	i := 0
	for l := range strings.Lines(b.source) {
		spans := colored.line(l, size)
		if b.notes != nil {
			for _, n := range b.notes(i) {
				note := &inliner{d: f.d}
				note.noteSign(n, style{size: size, color: inkColor, back: none})
				spans = append(spans, note.out...)
			}
		}
		number := ""
		if b.numbered {
			number = strconv.Itoa(i + 1)
		}
		in.codeLine(codeLine{spans, number, gutter, b.marked != nil && b.marked(i), i < lines-1 && (i == 0 || i == lines-2 || lines <= wholeCode)}, x, w)
		i++
	}
	f.emit(item{kind: pad, h: 6})
	f.emit(item{kind: shut})
	f.gap(paragraph + 2)
}

// codeLine is a line of code before line breaking.
type codeLine struct {
	spans  []span
	number string
	gutter float64 // width of the column of line numbers
	marked bool
	keep   bool // keep with the next line
}

// codeLine lays out one line of code. Continuation lines are indented.
func (f flow) codeLine(cl codeLine, x, w float64) {
	h := f.size * codeLead
	begin := 0.0
	for _, s := range cl.spans { // leading spaces determine the indentation of continuation lines
		rest := strings.TrimLeft(s.text, " ")
		begin += float64(len(s.text)-len(rest)) * f.size * 0.6
		if rest != "" {
			break
		}
	}
	further := min(begin+f.size*1.2, f.w/2)
	f.d.codeLines(cl.spans, f.w, f.w-further, func(l line, begins bool) {
		at, num := f.x, cl.number
		if !begins {
			at, num = f.x+further, ""
		}
		f.emit(item{kind: box, h: h, keep: cl.keep, draw: func(c *canvas, left, y float64) {
			base := y + h*0.74
			if cl.marked {
				c.back(c.layer(), "q", fill(markBack), rectangle(left+x+1, y, w-2, h), "f Q")
			}
			if num != "" {
				f.d.drawLine(c, num, style{size: f.size * 0.9, color: hexColor(0xa3adb8), back: none, face: mono}, left+f.x-cl.gutter, base, cl.gutter-8, 1)
			}
			c.line(l, left+at, base)
		}})
	})
}

// codeLines breaks a line of code: at spaces and punctuation if the line is at least half
// full there, otherwise anywhere.
func (d *document) codeLines(spans []span, width, further float64, emit func(l line, begins bool)) {
	begins := true
	var chars []char
	for i, s := range spans {
		for r, text := range characters(s.text) {
			switch {
			case text != "" && d.emoji(text) != nil:
				chars = append(chars, char{r: r, text: text, pic: d.emoji(text), span: int32(i)})
				continue
			case r == '\n' || r == '\r' || steersDirection(r):
				continue
			case r < ' ':
				r = 0xfffd
			}
			chars = append(chars, char{r: r, span: int32(i)})
		}
	}
	for {
		n := min(len(chars), maxWindow)
		glyphs := d.shape(spans, chars[:n])
		chars = chars[n:]
		for {
			used, last, end := 0.0, 0, len(glyphs)
			for i, g := range glyphs {
				if used+g.w > width+0.01 && i > 0 {
					if end = clusterEnd(glyphs, i); last > i/2 {
						end = last
					}
					break
				}
				used += g.w
				switch g.r {
				case ' ', ',', ';', '/', '|', '&', '.', '(', '{', '=', '-':
					last = i + 1
				}
			}
			l := line{spans: spans, glyphs: glyphs[:end]}
			for _, g := range l.glyphs {
				l.width += g.w
			}
			emit(l, begins)
			begins, width = false, further
			if glyphs = glyphs[end:]; len(glyphs) == 0 {
				break
			}
		}
		if len(chars) == 0 {
			return
		}
	}
}

// coloring assigns the colours of highlighted tokens to lines of code.
type coloring struct {
	spans []highlight.Span
	used  int
}

func (c *coloring) line(l string, size float64) []span {
	var out []span
	col := 0
	add := func(s, class string) {
		st := style{size: size, color: inkColor, back: none, face: mono}
		for n := min(len(class), 3); n > 0; n-- {
			if look, ok := codeColors[class[:n]]; ok {
				st.color = hexColor(look.rgb)
				st.face |= look.face
				break
			}
		}
		var b strings.Builder
		for _, r := range s {
			if r == '\t' { // expand to the next tab stop
				n := tabWidth - col%tabWidth
				b.WriteString(strings.Repeat(" ", n))
				col += n
				continue
			}
			b.WriteRune(r)
			col++
		}
		out = append(out, span{text: b.String(), st: st})
	}
	for l != "" {
		if len(c.spans) == 0 {
			add(l, "")
			break
		}
		n := min(len(l), c.spans[0].Length-c.used)
		if n > 0 {
			add(l[:n], c.spans[0].Class)
			l = l[n:]
		}
		if c.used += n; c.used >= c.spans[0].Length {
			c.spans, c.used = c.spans[1:], 0
		}
	}
	return out
}

const tabWidth = 4
