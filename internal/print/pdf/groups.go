package pdf

import (
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/icons"
	"strconv"
)

// layoutColumns lays out n flows in columns. shares are the relative widths; nil means
// equal widths.
func (f flow) layoutColumns(n int, shares []float64, body func(i int, in flow)) {
	const between = 16.0
	room := f.w - between*float64(n-1)
	if n == 0 {
		return
	}
	if room/float64(n) < minWidth*0.8 || f.depth > 12 { // too narrow: one below the other
		for i := range n {
			body(i, f)
			f.gap(paragraph)
		}
		return
	}
	r := &row{}
	x := f.x
	for i := range n {
		w := room / float64(n)
		if shares != nil {
			w = room * shares[i]
		}
		r.cells = append(r.cells, cell{x: x, items: f.collect(w, func(in flow) { body(i, in) })})
		x += w + between
	}
	f.emit(rowItem(r))
}

// collect returns the items that body emits into a flow of width w.
func (f flow) collect(w float64, body func(flow)) []item {
	var items []item
	in := f
	in.x, in.w = 0, w
	in.emit = func(it item) { items = append(items, it) }
	body(in)
	return items
}

func (f flow) columns(n *markup.Node) {
	shares := make([]float64, len(n.Nodes))
	sum, given := 0.0, 0
	for i, c := range n.Nodes {
		if w, ok := width(c, 100); ok {
			shares[i] = w
			sum += w
			given++
		}
	}
	if rest := len(shares) - given; rest > 0 && given > 0 && sum < 95 { // the other columns share the remaining width
		for i := range shares {
			if shares[i] == 0 {
				shares[i] = (100 - sum) / float64(rest)
			}
		}
		given, sum = len(shares), 100
	}
	if given < len(shares) || sum <= 0 {
		shares = nil
	} else {
		for i := range shares {
			if shares[i] /= sum; shares[i] < 0.15 {
				shares = nil
				break
			}
		}
	}
	f.layoutColumns(len(n.Nodes), shares, func(i int, in flow) { in.blocks(n.Nodes[i].Nodes) })
	f.gap(paragraph)
}

func (f flow) expandable(n *markup.Node) {
	dest := ""
	if a := n.Anchor(); a != "" {
		dest = pageDest(f.d.chapter) + "#" + a
	}
	for _, fr := range n.Fragments {
		if fr.Slot() != "expandable-title" {
			continue
		}
		st := f.plain()
		st.face = bold
		in := f.inner(14, 0)
		size := f.size
		for _, p := range fr.Nodes {
			in.text(in.inlines(p.Nodes, st), paraStyle{keep: true, dest: dest, lead: func(c *canvas, x, base float64) {
				c.icon(icons.Find("chevron-down", icons.Filled), x-13, base-size*0.74, size*0.76, paleColor)
			}})
		}
	}
	f.emit(item{kind: gap, h: 5, keep: true})
	for _, fr := range n.Fragments {
		if fr.Slot() == "expandable-body" {
			f.inner(2, 0).barred(ruleColor, 12, func(in flow) { in.blocks(fr.Nodes) })
		}
	}
	f.gap(paragraph)
}

// tabs lays out tabs one after the other, each below its title.
func (f flow) tabs(n *markup.Node) {
	for _, tab := range n.Nodes {
		title, icon := oneLine(tab.Str(markup.FieldTitle)), iconOf(tab)
		dest := ""
		if a := tab.Anchor(); a != "" {
			dest = pageDest(f.d.chapter) + "#" + a
		}
		st := f.plain()
		st.face, st.size, st.color = bold, st.size*0.92, brandColor
		x, w := f.x, f.w
		f.emit(item{kind: box, h: 20, keep: true, draw: func(c *canvas, left, y float64) {
			if dest != "" {
				f.d.placeDest(dest, c, y)
			}
			layer := c.layer()
			wide := 0.0
			if icon != "" {
				wide = st.size * 1.5
				c.icon(icons.Find(icon, icons.Filled), left+x+9, y+5.2, st.size*1.05, st.color)
			}
			wide += f.d.drawLine(c, title, st, left+x+9+wide, y+13.6, w-20-wide, 0)
			c.back(layer, "q", fill(headBack), rounded(left+x, y+1, wide+18, 24, 4), "f",
				fill(white), rectangle(left+x, y+19.3, wide+18, 7), "f", fill(linkColor), rectangle(left+x, y+18.6, wide+18, 1.4), "f Q")
			c.front(stroke(ruleColor), "0.6 w", path(left+x+wide+18, y+19.6, left+x+w, y+19.6), "S")
		}})
		f.emit(item{kind: gap, h: 8, keep: true})
		f.inner(9, 0).blocks(tab.Nodes)
		f.gap(paragraph + 2)
	}
	f.gap(paragraph + 2)
}

// stepper lays out numbered steps beside a vertical line.
func (f flow) stepper(n *markup.Node) {
	for i, step := range n.Nodes {
		x, last, icon := f.x, i == len(n.Nodes)-1, iconOf(step)
		const r = 8.5
		f.emit(item{kind: open, fr: &frame{paint: func(c *canvas, layer int, left, top, bottom float64, first, ends bool) {
			from := top
			if first {
				from += 2*r + 3
			}
			if !ends || !last || bottom-from > 12 {
				c.back(layer, "q", stroke(ruleColor), "1 w", path(left+x+r, from, left+x+r, bottom), "S Q")
			}
			if !first {
				return
			}
			c.back(layer, "q", fill(brandColor), circle(left+x+r, top+r, r), "f Q")
			if icon != "" {
				c.icon(icons.Find(icon, icons.Filled), left+x+r*0.48, top+r*0.48, r*1.04, white)
				return
			}
			st := style{size: 9, color: white, back: none, face: bold}
			f.d.drawLine(c, strconv.Itoa(i+1), st, left+x, top+r+3.2, 2*r, 0.5)
		}}})
		in := f.inner(28, 0)
		in.emit(item{kind: pad, h: 1, keep: true})
		in.blocks(step.Nodes)
		in.emit(item{kind: pad, h: 8})
		f.emit(item{kind: shut})
		f.emit(item{kind: gap, h: 3})
	}
	f.gap(paragraph + 2)
}

// notes lays out the notes of a chapter. A note can add further notes.
func (f flow) notes() {
	d := f.d
	if len(d.notes) == 0 {
		return
	}
	f.gap(22)
	st := style{size: 11, color: inkColor, back: none, face: bold}
	x := f.x
	f.emit(item{kind: box, h: 10, keep: true, draw: func(c *canvas, left, y float64) {
		c.front(stroke(ruleColor), "0.7 w", path(left+x, y, left+x+120, y), "S")
	}})
	f.text([]span{{text: "Notes", st: st}}, paraStyle{keep: true})
	f.emit(item{kind: gap, h: 5, keep: true})
	small := f
	small.size = f.size * 0.9
	for i := 0; i < len(d.notes); i++ {
		n := d.notes[i]
		in := small.inner(listStep, 0)
		place := pageDest(d.chapter) + "#~note" + strconv.Itoa(i+1)
		sign := func(c *canvas, x, base float64) {
			d.placeDest(place, c, base-in.size)
			st := in.plain()
			st.color = linkColor
			w := d.drawLine(c, strconv.Itoa(i+1)+".", st, x-40, base, 35, 1)
			c.area(&target{dest: n.back}, x-5-w, base-in.size, w+2, in.size*1.3)
		}
		var body []*markup.Node
		for _, fr := range n.node.Fragments {
			body = append(body, fr.Nodes...)
		}
		in.listItem(in, &markup.Node{Nodes: body}, sign)
	}
}
