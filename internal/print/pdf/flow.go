package pdf

// A document is laid out as a sequence of items from top to bottom: lines, pictures,
// table rows, gaps between them, and frames that open and close around items. The pager
// places items on pages as they arrive. Table cells collect their items first, because a
// row is as high as its highest cell.

type kind uint8

const (
	box  kind = iota // content with a height
	gap              // space between boxes; adjacent gaps collapse, and gaps at the top of a page vanish
	pad              // space that never collapses
	open             // a frame begins
	shut             // the innermost frame ends
)

// item is one element of the layout.
type item struct {
	kind kind
	h    float64
	keep bool // stays on the same page as the next box
	draw func(c *canvas, x, y float64)
	row  *row // for a box that can be split
	fr   *frame
}

// frame is a decoration around or beside items, such as a border or a bar.
type frame struct {
	// paint draws the part of the frame on one page, behind the items. first and last
	// report whether the frame begins and ends on this page.
	paint func(c *canvas, layer int, x, top, bottom float64, first, last bool)
	again *item // repeated at the top of every further page, such as the header of a table
}

// row is a row of cells side by side.
type row struct {
	cells []cell
	pad   float64 // padding above and below
	least float64 // minimum height
	// paint draws the background of the row.
	paint func(c *canvas, layer int, x, y, h float64)
}

type cell struct {
	x     float64
	items []item
	h     float64
	align float64 // vertical alignment: 0 is top, 0.5 middle, 1 bottom
}

// rowItem returns a row as an item.
func rowItem(r *row) item {
	for i := range r.cells {
		r.cells[i].h = height(r.cells[i].items)
	}
	return item{kind: box, h: r.height(), row: r}
}

func (r *row) height() float64 {
	h := r.least
	for _, c := range r.cells {
		h = max(h, c.h+2*r.pad)
	}
	return h
}

func (r *row) draw(c *canvas, x, y float64) {
	h := r.height()
	if r.paint != nil {
		r.paint(c, c.layer(), x, y, h)
	}
	for _, e := range r.cells {
		drawItems(c, e.items, x+e.x, y+r.pad+(h-2*r.pad-e.h)*e.align)
	}
}

// cut splits a row at a height. ok is false if one of the parts would have no content.
func (r *row) cut(h float64) (above, below item, ok bool) {
	a, b := *r, *r
	a.cells, b.cells = make([]cell, len(r.cells)), make([]cell, len(r.cells))
	a.least, b.least = 0, 0
	rest := false
	for i, c := range r.cells {
		head, tail := divide(c.items, h-2*r.pad)
		ok = ok || hasBox(head)
		rest = rest || hasBox(tail)
		a.cells[i], b.cells[i] = c, c
		a.cells[i].items, b.cells[i].items = head, tail
	}
	return rowItem(&a), rowItem(&b), ok && rest
}

func hasBox(items []item) bool {
	for _, it := range items {
		if it.kind == box {
			return true
		}
	}
	return false
}

// height returns the height of items that are not split.
func height(items []item) float64 {
	h, space, any := 0.0, 0.0, false
	for _, it := range items {
		switch it.kind {
		case gap:
			space = max(space, it.h)
			continue
		case pad: // a gap is not counted next to the padding of a frame
			h += it.h
			any = true
		case box:
			if any {
				h += space
			}
			space = 0
			h += it.h
			any = true
		}
	}
	return h
}

// divide returns the items that fit into a height, and the rest.
func divide(items []item, most float64) (head, tail []item) {
	h, space, any := 0.0, 0.0, false
	var opened []*frame
	for i, it := range items {
		switch it.kind {
		case gap:
			space = max(space, it.h)
			continue
		case open:
			opened = append(opened, it.fr)
			continue
		case shut:
			if len(opened) > 0 {
				opened = opened[:len(opened)-1]
			}
			continue
		case pad:
			h += it.h
			any = true
			continue
		}
		if any {
			h += space
		}
		space = 0
		if h+it.h <= most {
			h += it.h
			any = true
			continue
		}
		at, opened := keepTogether(items, i, opened)
		head = append(head, items[:at]...)
		rest := items[at:]
		if it.row != nil && at == i {
			if above, below, ok := it.row.cut(most - h); ok {
				head = append(head, above)
				rest = append([]item{below}, items[i+1:]...)
			}
		}
		for range opened {
			head = append(head, item{kind: shut})
		}
		for _, f := range opened {
			tail = append(tail, item{kind: open, fr: f})
			if f.again != nil {
				tail = append(tail, *f.again)
			}
		}
		return head, append(tail, rest...)
	}
	return items, nil
}

// keepTogether moves a cut up to a place where no items are split that must stay
// together, if some content stays above. It returns the new cut and the frames that are
// open there.
func keepTogether(items []item, cut int, opened []*frame) (int, []*frame) {
	at := cut
	for at > 0 && items[at-1].keep {
		at--
	}
	if at == cut || !hasBox(items[:at]) {
		return cut, opened
	}
	opened = nil
	for _, it := range items[:at] {
		switch {
		case it.kind == open:
			opened = append(opened, it.fr)
		case it.kind == shut && len(opened) > 0:
			opened = opened[:len(opened)-1]
		}
	}
	return at, opened
}

// drawItems draws items on one page, without page breaks.
func drawItems(c *canvas, items []item, x, y float64) {
	type started struct {
		fr    *frame
		layer int
		top   float64
	}
	var stack []started
	space, any := 0.0, false
	for _, it := range items {
		switch it.kind {
		case gap:
			space = max(space, it.h)
		case open:
			if any {
				y += space
			}
			space = 0
			stack = append(stack, started{it.fr, c.layer(), y})
		case shut:
			if n := len(stack); n > 0 {
				s := stack[n-1]
				stack = stack[:n-1]
				if s.fr.paint != nil {
					s.fr.paint(c, s.layer, x, s.top, y, true, true)
				}
			}
		case pad:
			y += it.h
			any = true
		default:
			if any {
				y += space
			}
			space, any = 0, true
			it.paint(c, x, y)
			y += it.h
		}
	}
}

func (it *item) paint(c *canvas, x, y float64) {
	switch {
	case it.row != nil:
		it.row.draw(c, x, y)
	case it.draw != nil:
		it.draw(c, x, y)
	}
}

// flow lays out items in a column.
type flow struct {
	d     *document
	x, w  float64 // from the left of the page or of the cell
	emit  func(item)
	depth int
	size  float64 // of text
	dense bool    // in a cell, with less space
	color color   // of text
	lists int     // number of enclosing lists
	// headSize and headColor override the size and the colour of headings. If headSize is
	// 0, the level determines both.
	headSize  float64
	headColor color
}

// inner returns a narrower flow within f. It returns f unchanged if the result would be
// too narrow to read.
func (f flow) inner(left, right float64) flow {
	if f.w-left-right >= minWidth {
		f.x += left
		f.w -= left + right
	}
	return f
}

// minWidth is the narrowest column of text.
const minWidth = 90

func (f flow) gap(h float64) {
	if f.dense {
		h = min(h*0.5, 4)
	}
	f.emit(item{kind: gap, h: h})
}

// pager places items on pages.
type pager struct {
	d       *document
	c       *canvas
	y       float64
	space   float64
	empty   bool // the page is empty
	frames  []pagedFrame
	pending []item // items that must stay with a box that has not arrived yet
}

type pagedFrame struct {
	fr    *frame
	layer int
	top   float64
	begun bool // the frame began on an earlier page
}

// maxPending is the maximum number of pending items.
const maxPending = 200

func (p *pager) emit(it item) {
	if p.d.err() != nil {
		return
	}
	waits := len(p.pending) > 0 || it.kind == open || it.keep
	p.pending = append(p.pending, it)
	if !waits || it.kind == box && !it.keep || len(p.pending) > maxPending {
		p.flush()
	}
}

// flush places the pending items, on one page if possible.
func (p *pager) flush() {
	items := p.pending
	p.pending = nil
	need := height(items)
	if last := len(items) - 1; last >= 0 && items[last].row != nil {
		need -= max(0, items[last].h-enoughRow)
	}
	if p.y+p.space+need > bottom && !p.empty && hasBox(items) {
		p.nextPage()
	}
	for _, it := range items {
		p.put(it)
	}
}

// enoughRow is the minimum height of a row that should follow the items that are kept
// with it.
const enoughRow = 60

func (p *pager) put(it item) {
	switch it.kind {
	case gap:
		p.space = max(p.space, it.h)
		return
	case open:
		if !p.empty {
			p.y += p.space
		}
		p.space = 0
		p.frames = append(p.frames, pagedFrame{fr: it.fr, layer: p.canvas().layer(), top: p.y})
		return
	case shut:
		if n := len(p.frames); n > 0 {
			p.paint(p.frames[n-1], true)
			p.frames = p.frames[:n-1]
		}
		return
	case pad:
		p.canvas()
		p.y += it.h
		return
	}
	if !p.empty {
		p.y += p.space
	}
	p.space = 0
	for p.y+it.h > bottom {
		if it.row != nil && (it.h > (bottom-top)/2 || p.empty) {
			if above, below, ok := it.row.cut(bottom - p.y); ok {
				above.paint(p.canvas(), left, p.y)
				p.y += above.h
				p.nextPage()
				it = below
				continue
			}
		}
		if p.empty || p.d.err() != nil {
			break // higher than a page
		}
		p.nextPage()
	}
	it.paint(p.canvas(), left, p.y)
	p.y += it.h
	p.empty = false
}

// canvas returns the current page. The page is created when the first item is placed on
// it.
func (p *pager) canvas() *canvas {
	if p.c == nil {
		p.c = p.d.newPage()
		p.y, p.empty = top, true
	}
	return p.c
}

// nextPage ends the page and starts the next one, where the open frames continue.
func (p *pager) nextPage() {
	for _, f := range p.frames {
		p.paint(f, false)
	}
	p.d.endPage(p.c)
	p.c, p.space = nil, 0
	c := p.canvas()
	for i := range p.frames {
		f := &p.frames[i]
		f.layer, f.top, f.begun = c.layer(), p.y, true
		if a := f.fr.again; a != nil {
			a.paint(c, left, p.y)
			p.y += a.h
		}
	}
}

func (p *pager) paint(f pagedFrame, last bool) {
	if f.fr.paint != nil && p.c != nil {
		f.fr.paint(p.c, f.layer, left, f.top, p.y, !f.begun, last)
	}
}

// end closes open frames and ends the page.
func (p *pager) end() {
	p.flush()
	for len(p.frames) > 0 {
		p.put(item{kind: shut})
	}
	if p.c != nil {
		p.d.endPage(p.c)
	}
	p.c, p.space = nil, 0
	p.y, p.empty = top, true
}
