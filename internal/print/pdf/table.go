package pdf

import (
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
)

// Limits of tables.
const (
	sampledRows = 60   // rows that are measured to determine column widths
	sampledText = 400  // bytes of a cell that are measured
	narrowest   = 34.0 // minimum width of a column, in points
	cellPad     = 5.0
	deepest     = 12 // blocks around a table with rows and columns
)

func (f flow) table(n *markup.Node) {
	t := markup.ReadTable(n)
	switch {
	case len(t.Columns) == 0:
		return
	case f.depth > deepest || !t.Cards && f.w/float64(len(t.Columns)) < narrowest:
		f.records(t)
		return
	case t.Cards:
		f.cards(t)
		return
	}
	switch n := len(t.Columns); {
	case n > 9:
		f.size = min(f.size, 7)
	case n > 6:
		f.size = min(f.size, 8)
	}
	widths := f.columnWidths(t)
	at := make([]float64, len(widths)+1)
	for i, w := range widths {
		at[i+1] = at[i] + w
	}
	fr := &frame{}
	x, w := f.x, f.w
	head := f.headRow(t, widths, at)
	if head != nil {
		fr.again = head
	}
	fr.paint = func(c *canvas, layer int, left, top, bottom float64, _, _ bool) {
		c.back(layer, "q", stroke(ruleColor), "0.6 w", rectangle(left+x, top, w, bottom-top), "S Q")
	}
	f.emit(item{kind: open, fr: fr})
	if head != nil {
		h := *head
		h.keep = true
		f.emit(h)
	}
	for i, r := range t.Rows {
		if f.d.err() != nil {
			return
		}
		f.emit(f.tableRow(t, r, widths, at, i))
	}
	f.emit(item{kind: shut})
	f.gap(paragraph + 4)
}

// headRow returns the header row, or nil if no column has a title.
func (f flow) headRow(t *markup.Table, widths, at []float64) *item {
	if t.HideHeader {
		return nil
	}
	r := &row{pad: cellPad}
	any := false
	for i, col := range t.Columns {
		any = any || len(col.Title) > 0
		items := f.inCell(widths[i], func(in flow) {
			st := in.plain()
			st.face = bold
			in.text(in.inlines(col.Title, st), paraStyle{align: col.Align})
		})
		r.cells = append(r.cells, cell{x: f.x + at[i] + cellPad, items: items, align: 1})
	}
	if !any {
		return nil
	}
	x, w := f.x, f.w
	r.paint = func(c *canvas, layer int, left, y, h float64) {
		c.back(layer, "q", fill(headBack), rectangle(left+x+0.3, y+0.3, w-0.6, h-0.3), "f", stroke(hexColor(0xb9c2cd)), "0.8 w", path(left+x, y+h, left+x+w, y+h), "S Q")
	}
	it := rowItem(r)
	const most = 200 // a higher header would leave no room for rows
	if it.h > most {
		return nil
	}
	return &it
}

// inCell returns the items of a table cell.
func (f flow) inCell(w float64, body func(flow)) []item {
	in := f
	in.size, in.dense = min(f.size, cellSize), true
	in.depth++
	return in.collect(max(w-2*cellPad, 10), body)
}

func (f flow) tableRow(t *markup.Table, r markup.TableRow, widths, at []float64, i int) item {
	out := &row{pad: cellPad}
	for x, col := range t.Columns {
		columns, _, covered := t.Span(r, x)
		if covered {
			continue
		}
		to := min(x+columns, len(widths))
		got, ok := t.Cell(r, x)
		if !ok {
			continue
		}
		w := at[to] - at[x]
		c := cell{x: f.x + at[x] + cellPad, items: f.inCell(w, func(in flow) { in.cell(got, col.Align) })}
		switch col.Valign {
		case "middle":
			c.align = 0.5
		case "bottom":
			c.align = 1
		}
		out.cells = append(out.cells, c)
	}
	x, w := f.x, f.w
	out.least = f.size
	out.paint = func(c *canvas, layer int, left, y, h float64) {
		if i > 0 {
			c.back(layer, "q", stroke(hexColor(0xe3e7ec)), "0.5 w", path(left+x, y, left+x+w, y), "S Q")
		}
	}
	return rowItem(out)
}

// cell lays out the value of a cell.
func (f flow) cell(c markup.TableCell, align string) {
	st := f.plain()
	p := paraStyle{align: align}
	switch {
	case len(c.Nodes) > 0:
		f.aligned(c.Nodes, align)
	case c.Check != nil:
		done := *c.Check
		f.text(nil, paraStyle{lead: checkbox(f.size, done, 0)})
	case c.OfStars > 0:
		f.text([]span{{text: stars(c.Stars, c.OfStars), st: st}}, p)
	case c.Image != nil:
		n := &markup.Node{Data: map[string]any{"ref": *c.Image, "alt": c.Alt}}
		f.figure(n, "start")
	case len(c.Options) > 0:
		var spans []span
		for i, o := range c.Options {
			if i > 0 {
				spans = append(spans, span{text: "  ", st: st})
			}
			tag := st
			tag.back = headBack
			if rgb, ok := backColors[o.Color]; ok {
				tag.back = hexColor(rgb)
			}
			spans = append(spans, span{text: o.Label, st: tag})
		}
		f.text(spans, p)
	case len(c.Refs) > 0:
		in := &inliner{d: f.d, width: f.w}
		for i, ref := range c.Refs {
			if i > 0 {
				in.add(", ", st)
			}
			in.linked(ref, st, nil)
		}
		f.text(in.out, p)
	case c.Text != "":
		f.text([]span{{text: c.Text, st: st}}, p)
	}
}

// aligned lays out blocks; paragraphs without an alignment have that of the column.
func (f flow) aligned(nodes []*markup.Node, align string) {
	for _, n := range nodes {
		if n.Type == "paragraph" && !n.Has(markup.FieldAlign) {
			f.text(f.inlines(n.Nodes, f.plain()), paraStyle{align: align})
			f.gap(paragraph)
			continue
		}
		f.blocks([]*markup.Node{n})
	}
}

func stars(n, of int) string {
	out := make([]rune, of)
	for i := range out {
		if out[i] = '☆'; i < n {
			out[i] = '★'
		}
	}
	return string(out)
}

// columnWidths returns the widths of the columns: those that the author set for all
// columns, or widths by content.
func (f flow) columnWidths(t *markup.Table) []float64 {
	n := len(t.Columns)
	out := make([]float64, n)
	chosen := true
	for i, c := range t.Columns {
		out[i] = c.Width * f.w
		chosen = chosen && out[i] >= narrowest
	}
	if chosen {
		return out
	}
	whole, word := make([]float64, n), make([]float64, n)
	st := style{size: min(f.size, cellSize), back: none}
	note := func(i int, text string, st style) {
		a, b := f.d.widths([]span{{text: sample(text), st: st}})
		whole[i], word[i] = max(whole[i], a+2*cellPad+1), max(word[i], min(b+2*cellPad+1, f.w/2))
	}
	head := st
	head.face = bold
	for i, c := range t.Columns {
		whole[i], word[i] = narrowest, narrowest
		if !t.HideHeader {
			note(i, markup.Text(c.Title), head)
		}
		for k, r := range t.Rows {
			if k == sampledRows {
				break
			}
			if got, ok := t.Cell(r, i); ok {
				f.measure(got, i, note, st)
			}
		}
	}
	return f.withFixed(t, whole, word)
}

// sample returns the part of a text that is measured.
func sample(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), sampledText)], "")
}

// withFixed distributes the width among columns, some of which have a fixed width.
func (f flow) withFixed(t *markup.Table, whole, word []float64) []float64 {
	const most = 0.7 // of the width
	sum := 0.0
	for i, c := range t.Columns {
		if c.Pixels > 0 {
			sum += max(c.Pixels*pixelPoints, word[i])
		}
	}
	if sum == 0 {
		return shareOut(f.w, whole, word)
	}
	scale := min(1, most*f.w/sum)
	out := make([]float64, len(whole))
	var free []int
	var freeWhole, freeWord []float64
	for i, c := range t.Columns {
		if c.Pixels > 0 {
			out[i] = max(c.Pixels*pixelPoints, word[i]) * scale
			continue
		}
		free, freeWhole, freeWord = append(free, i), append(freeWhole, whole[i]), append(freeWord, word[i])
	}
	for k, w := range shareOut(f.w-sum*scale, freeWhole, freeWord) {
		out[free[k]] = w
	}
	return out
}

// pixelPoints is the width of a web pixel on paper in points. It is smaller than 0.75,
// because the text column on paper is narrower.
const pixelPoints = textWidth / 750

func (f flow) measure(c markup.TableCell, i int, note func(int, string, style), st style) {
	switch {
	case len(c.Nodes) > 0:
		mixed := st
		if hasCode(c.Nodes) {
			mixed.face = mono
		}
		note(i, markup.Text(c.Nodes), mixed)
	case c.OfStars > 0:
		note(i, stars(c.Stars, c.OfStars), st)
	case c.Image != nil:
		note(i, "mmmmmmmmmmmm", st)
	default:
		text := c.Text
		for _, o := range c.Options {
			text += o.Label + "  "
		}
		for _, r := range c.Refs {
			text += f.d.nameOf(r) + " "
		}
		note(i, text, st)
	}
}

// hasCode reports whether a text contains code, which is wider than other text.
func hasCode(nodes []*markup.Node) bool {
	for _, n := range nodes {
		for _, l := range n.Leaves {
			for _, m := range l.Marks {
				if m.Type == "code" {
					return true
				}
			}
		}
		if hasCode(n.Nodes) {
			return true
		}
	}
	return false
}

// shareOut distributes a width. Every column gets the width of its longest word if
// possible; the rest is distributed by the amount of text.
func shareOut(w float64, whole, word []float64) []float64 {
	out := make([]float64, len(whole))
	sumWhole, sumWord := 0.0, 0.0
	for i := range whole {
		whole[i] = max(whole[i], word[i])
		sumWhole += whole[i]
		sumWord += word[i]
	}
	switch {
	case sumWhole <= w: // every cell fits on one line
		for i := range out {
			out[i] = whole[i] + (w-sumWhole)*whole[i]/sumWhole
		}
	case sumWord <= w:
		for i := range out {
			out[i] = word[i]
			if sumWhole > sumWord {
				out[i] += (w - sumWord) * (whole[i] - word[i]) / (sumWhole - sumWord)
			}
		}
	default: // words must be broken
		least := narrowest * 0.9
		room := w - least*float64(len(out))
		for i := range out {
			out[i] = least + room*word[i]/sumWord
		}
	}
	return out
}

// records shows a table with too many columns, or in too many blocks, as a list of rows.
func (f flow) records(t *markup.Table) {
	for i, r := range t.Rows {
		if i > 0 {
			f.gap(6)
		}
		f.barred(ruleColor, 10, func(in flow) {
			for x, col := range t.Columns {
				got, ok := t.Cell(r, x)
				if !ok {
					continue
				}
				in.record(t, col, got)
				in.emit(item{kind: gap, h: 2})
			}
		})
	}
	f.gap(paragraph)
}

// record shows one cell of a row: beside the column title if it is a single paragraph or
// text, otherwise below the title.
func (f flow) record(t *markup.Table, col markup.TableColumn, c markup.TableCell) {
	st := f.plain()
	label := st
	label.face = bold
	var title []span
	if !t.HideHeader {
		title = f.inlines(col.Title, label)
	}
	switch {
	case len(title) == 0:
		f.cell(c, "")
	case len(c.Nodes) == 1 && c.Nodes[0].Type == "paragraph":
		title = append(title, span{text: ": ", st: label})
		f.text(append(title, f.inlines(c.Nodes[0].Nodes, st)...), paraStyle{})
	case c.Text != "":
		f.text(append(title, span{text: ": ", st: label}, span{text: c.Text, st: st}), paraStyle{})
	default:
		f.text(title, paraStyle{keep: true})
		f.cell(c, "")
	}
}

// cards lays out the rows of a table as cards side by side.
func (f flow) cards(t *markup.Table) {
	per := 3
	if t.Large || f.w < 330 {
		per = 2
	}
	if f.w < 220 {
		per = 1
	}
	const between = 12.0
	w := (f.w - between*float64(per-1)) / float64(per)
	for from := 0; from < len(t.Rows); from += per {
		r := &row{pad: cardPad}
		list := t.Rows[from:min(from+per, len(t.Rows))]
		targets := make([]*target, len(list))
		for i, card := range list {
			if ref, ok := t.Target(card); ok {
				targets[i] = f.d.target(ref)
			}
			items := f.inCell(w-2*cardInset+2*cellPad, func(in flow) { in.card(t, card) })
			r.cells = append(r.cells, cell{x: f.x + (w+between)*float64(i) + cardInset, items: items})
		}
		x := f.x
		r.paint = func(c *canvas, layer int, left, y, h float64) {
			for i := range list {
				at := left + x + (w+between)*float64(i)
				c.back(layer, "q", fill(white), stroke(hexColor(0xcdd4dc)), "0.7 w", rounded(at, y, w, h, 5), "B Q")
				if targets[i] != nil {
					c.area(targets[i], at, y, w, h)
				}
			}
		}
		f.emit(rowItem(r))
		f.emit(item{kind: gap, h: between})
	}
	f.gap(paragraph)
}

// cardPad and cardInset are the vertical and horizontal padding of a card.
const (
	cardPad   = 9.0
	cardInset = 10.0
)

// cover fills the top of a card with a picture, cropped to the edges.
func (f flow) cover(p *picture) {
	w, h := p.points()
	wide := f.w + 2*cardInset
	high := min(wide*0.5, 110)
	scale := max(wide/w, high/h)
	w, h = w*scale, h*scale
	f.emit(item{kind: box, h: high - cardPad + 8, keep: true, draw: func(c *canvas, left, y float64) {
		x, y := left+f.x-cardInset, y-cardPad
		c.images[p.ref] = true
		c.front(roundedTop(x+0.35, y+0.35, wide-0.7, high, 4.7), "W n",
			num(w), "0 0", num(h), num(x+(wide-w)/2), num(pageHeight-y-(high-h)/2-h), "cm", "/I"+strconv.Itoa(int(p.ref)), "Do")
	}})
}

func (f flow) card(t *markup.Table, r markup.TableRow) {
	if cover, ok := t.Cover(r); ok {
		if p := f.d.picture(cover.Ref); p != nil {
			f.cover(p)
		}
	}
	shown := false
	for x, col := range t.Columns {
		got, ok := t.Cell(r, x)
		if !ok {
			continue
		}
		if !t.HideHeader && len(col.Title) > 0 {
			st := f.plain()
			st.size, st.color = st.size*0.82, paleColor
			f.text(f.inlines(col.Title, st), paraStyle{keep: true})
		}
		in := f
		if !shown && len(got.Nodes) > 0 { // the first text is the title of the card
			in.size = f.size * 1.06
		}
		shown = true
		in.cell(got, "")
		f.emit(item{kind: gap, h: 4})
	}
	if ref, ok := t.Target(r); ok {
		in := &inliner{d: f.d, width: f.w}
		st := f.plain()
		st.size *= 0.9
		if !shown {
			st.face = bold
		}
		if in.linked(ref, st, nil); f.d.target(ref) != nil {
			f.text(in.out, paraStyle{})
		}
	}
}
