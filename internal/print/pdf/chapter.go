package pdf

import (
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
)

// cover writes the first page.
func (d *document) cover() {
	d.addFontsFor(d.Title + d.Subtitle)
	c := d.newPage()
	const x, w = 78.0, pageWidth - 2*78
	c.back(c.layer(), "q", fill(brandColor), rectangle(0, 0, 26, pageHeight), "f", fill(linkColor), rectangle(26, 0, 5, pageHeight), "f Q")
	y := 210.0
	if d.Subtitle != "" {
		d.drawLine(c, strings.ToUpper(d.Subtitle), style{size: 11, color: paleColor, back: none, face: bold}, x, y, w, 0)
	}
	y += 22
	size := 38.0
	if len(d.Title) > 40 {
		size = 28
	}
	n := 0
	d.lines([]span{{text: oneLine(d.Title), st: style{size: size, color: brandColor, back: none, face: bold}}}, w, func(l line) {
		if n++; n <= 6 {
			y += size * 1.15
			c.line(l, x, y)
		}
	})
	y += 26
	c.front(stroke(linkColor), "2 w", path(x, y, x+64, y), "S")
	y = pageHeight - 100 - 15*float64(len(d.Facts))
	for _, f := range d.Facts {
		y += 15
		d.drawLine(c, f, style{size: 9.5, color: paleColor, back: none}, x, y, w, 0)
	}
	d.placeDest("cover", c, 0)
	c.finish(d.parent)
}

// writeChapter writes the pages of a chapter.
func (d *document) writeChapter(ch Chapter) {
	title := oneLine(ch.Title)
	d.chapter, d.running, d.level = ch.ID, title, max(0, min(ch.Depth, 32))
	d.notes, d.code, d.formulas, d.shift = nil, highlight.MaxPage, maxFormulas, 0
	if ch.Document != nil {
		ch.Document = markup.ForReaders(ch.Document)
		d.addFontsFor(title + ch.Description + markup.Text(ch.Document.Nodes))
		least := 6
		for _, h := range markup.Headings(ch.Document) {
			least = min(least, h.Level)
		}
		d.shift = 1 - least // the highest heading level comes directly below the title
	} else {
		d.addFontsFor(title)
	}
	dest := pageDest(ch.ID)
	f := d.body
	size := 25.0
	switch {
	case ch.Document == nil:
		size = 14
	case d.level > 0:
		size = 22
	}
	st := style{size: size, color: brandColor, back: none, face: bold}
	if ch.Document == nil {
		st.color = linkColor
		title = strings.ToUpper(title)
	}
	e := entry{title: oneLine(ch.Title), depth: d.level, dest: dest, group: ch.Document == nil}
	f.text(withIcon(ch.Icon, st, span{text: title, st: st}), paraStyle{keep: true, leading: 1.2, dest: dest})
	if ch.Document != nil && ch.Description != "" {
		f.emit(item{kind: gap, h: 4, keep: true})
		st := style{size: 11.5, color: paleColor, back: none}
		f.text([]span{{text: oneLine(ch.Description), st: st}}, paraStyle{keep: true})
	}
	x := f.x
	f.emit(item{kind: box, h: 14, keep: ch.Document == nil, draw: func(c *canvas, left, y float64) {
		if e.page = c.number; ch.Document != nil {
			c.front(stroke(ruleColor), "0.8 w", path(left+x, y+8, left+x+f.w, y+8), "S")
		}
		if len(d.entries) < maxOutline {
			d.entries = append(d.entries, e)
		}
	}})
	d.addOutline(e)
	if ch.Document == nil {
		f.gap(6)
		return
	}
	f.gap(8)
	f.blocks(ch.Document.Nodes)
	f.notes()
}

// addOutline adds an entry to the outline.
func (d *document) addOutline(e entry) {
	if len(d.outline) < maxOutline && d.registerDest(e.dest) {
		d.outline = append(d.outline, e)
	}
}

// contents writes the table of contents. Its pages come before the chapters and have
// Roman page numbers.
func (d *document) contents() {
	c := d.newPage()
	page := 2 // after the cover
	d.placeDest("contents", c, 0)
	d.drawLine(c, "Contents", style{size: 25, color: brandColor, back: none, face: bold}, left, top+22, textWidth, 0)
	y := top + 52
	turn := func() {
		d.headerFooter(c, roman(page), "Contents")
		c.finish(d.parent)
	}
	for _, e := range d.entries {
		st := style{size: 10, color: inkColor, back: none}
		h := 16.0
		if e.depth == 0 {
			st.face, h = bold, 20
		}
		if e.group {
			st.face, st.color, st.size, h = bold, linkColor, 9.5, 24
		}
		if y+h > bottom {
			turn()
			c = d.newPage()
			page++
			y = top
		}
		y += h
		x := left + 14*float64(min(e.depth, 8))
		number := st
		number.face = 0
		nw := d.drawLine(c, strconv.Itoa(e.page), number, right-60, y, 60, 1)
		w := d.drawLine(c, e.title, st, x, y, right-x-nw-24, 0)
		if from, to := x+w+5, right-nw-5; to > from && !e.group {
			c.front(stroke(hexColor(0xb8c0ca)), "0.7 w [0.1 3.4] 0 d 1 J", path(from, y-1, to, y-1), "S")
		}
		c.area(&target{dest: e.dest}, x, y-11, right-x, 14)
	}
	turn()
	d.outline = append([]entry{{title: "Contents", dest: "contents"}}, d.outline...)
}

// roman returns a page number in lower-case Roman numerals.
func roman(n int) string {
	var b strings.Builder
	for _, d := range []struct {
		value int
		text  string
	}{{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		for n >= d.value {
			b.WriteString(d.text)
			n -= d.value
		}
	}
	return b.String()
}
