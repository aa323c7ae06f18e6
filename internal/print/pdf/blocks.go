package pdf

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/icons"
)

// plain returns the style of plain text in the flow.
func (f flow) plain() style { return style{size: f.size, color: f.color, back: none} }

// paraStyle is the layout of a paragraph in its column.
type paraStyle struct {
	align   string
	leading float64 // relative to the size; 0 is the default
	keep    bool    // all lines stay with the next box
	leads   bool    // the last line stays with the next box
	lead    func(c *canvas, x, base float64)
	dest    string // destination at the first line
}

// text lays out a paragraph.
func (f flow) text(spans []span, p paraStyle) {
	size := f.size
	for _, s := range spans {
		if s.st.rise == 0 && s.st.face&mono == 0 {
			size = max(size, s.st.size)
		}
	}
	lead := leading
	if p.leading > 0 {
		lead = p.leading
	}
	h := size * lead
	// Lines are held back, so that the last two can be kept together.
	var held []item
	begun := false
	release := func(n int) {
		for len(held) > n {
			f.emit(held[0])
			held = held[1:]
		}
	}
	f.d.lines(spans, f.w, func(l line) {
		above := max((h-size)/2+size*0.78, l.rise+size*0.15)
		lh := above + max((h-size)/2+size*0.22, l.fall+size*0.15)
		x := f.x
		switch {
		case p.align == "center":
			x += (f.w - l.width) / 2
		case (p.align == "end" || p.align == "right") != l.rtl:
			x += f.w - l.width
		}
		first := l.first
		if begun && len(held) == 1 { // the first two stay together
			held[0].keep = true
		}
		begun = first
		held = append(held, item{kind: box, h: lh, keep: p.keep, draw: func(c *canvas, left, y float64) {
			base := y + above
			if first && p.dest != "" {
				f.d.placeDest(p.dest, c, y)
			}
			if first && p.lead != nil {
				p.lead(c, left+f.x, base)
			}
			c.line(l, left+x, base)
		}})
		release(2)
	})
	if len(held) == 2 {
		held[0].keep = true
	}
	if p.leads && len(held) > 0 {
		held[len(held)-1].keep = true
	}
	release(0)
}

// blocks lays out blocks from top to bottom.
func (f flow) blocks(nodes []*markup.Node) {
	if f.depth++; f.depth > maxDepth || f.d.err() != nil {
		return
	}
	for i, n := range nodes {
		if err := budget.Yield(f.d.ctx); err != nil {
			f.d.fail(err)
			return
		}
		if n.Object != markup.ObjectBlock && n.Object != markup.ObjectFragment {
			f.text(f.inlines([]*markup.Node{n}, f.plain()), paraStyle{})
			f.gap(paragraph)
			continue
		}
		f.block(n, i)
	}
}

func (f flow) block(n *markup.Node, i int) {
	if lay := blockForms[n.Type]; lay != nil {
		lay(f, n, i)
		return
	}
	f.blocks(n.Nodes)
	f.blocks(n.Fragments)
}

// heading lays out a heading. first is set if the heading is the first block of a
// container.
func (f flow) heading(n *markup.Node, first bool) {
	level := min(max(n.HeadingLevel()+f.d.shift, 1), 6)
	h := headings[level]
	size := h.size
	if f.dense || f.depth > 1 {
		size = min(size, 12)
	}
	st := style{size: size, color: inkColor, back: none, face: bold}
	switch {
	case f.headSize > 0:
		st.size, st.color = min(size, f.headSize), f.headColor
	case level == 6:
		st.color = paleColor
	}
	dest := ""
	if a := n.Anchor(); a != "" {
		dest = pageDest(f.d.chapter) + "#" + a
		if level <= 2 {
			f.d.addOutline(entry{title: oneLine(markup.Text(n.Nodes)), depth: f.d.level + level, dest: dest})
		}
	}
	if !first {
		f.gap(h.above)
	}
	f.text(f.inlines(n.Nodes, st), paraStyle{align: n.Str(markup.FieldAlign), keep: true, leading: 1.25, dest: dest})
	f.emit(item{kind: gap, h: 6, keep: true})
}

func (f flow) list(n *markup.Node) {
	start := 1
	if s, ok := n.Num(markup.FieldStart); ok {
		start = int(s)
	}
	for i, it := range n.Nodes {
		in := f.inner(listStep, 0)
		in.lists++
		sign := f.bullet()
		if n.Type == "list-ordered" {
			sign = f.numbering(start + i)
		}
		if done, ok := it.FlagSet(markup.FieldChecked); ok {
			sign = checkbox(f.size, done, 13)
		}
		if startsRTL(charsOf(markup.Text(it.Nodes))) {
			in, sign = f.mirrored(sign)
		}
		f.listItem(in, it, sign)
	}
	f.gap(paragraph)
}

// mirrored returns the column of a list item in right-to-left text, and a function that
// draws its sign at the right.
func (f flow) mirrored(sign func(c *canvas, x, base float64)) (flow, func(c *canvas, x, base float64)) {
	in := f.inner(0, listStep)
	in.lists++
	return in, func(c *canvas, x, base float64) { sign(c, x+in.w+listStep, base) }
}

// listItem lays out a list item with its sign beside the first line.
func (f flow) listItem(in flow, it *markup.Node, sign func(c *canvas, x, base float64)) {
	depth := in.depth
	for i, b := range it.Nodes {
		if i == 0 && b.Type == "paragraph" {
			in.text(in.inlines(b.Nodes, in.plain()), paraStyle{lead: sign, align: b.Str(markup.FieldAlign)})
			in.emit(item{kind: gap, h: 3})
			continue
		}
		if i == 0 {
			in.text(nil, paraStyle{lead: sign, keep: true})
		}
		in.depth = depth
		in.blocks([]*markup.Node{b})
	}
	if len(it.Nodes) == 0 {
		in.text(nil, paraStyle{lead: sign})
	}
	in.emit(item{kind: gap, h: 3})
}

func (f flow) bullet() func(c *canvas, x, base float64) {
	filled := f.lists%2 == 0
	return func(c *canvas, x, base float64) {
		at := circle(x-9, base-f.size*0.3, f.size*0.17)
		if filled {
			c.front(fill(hexColor(0x4a5666)), at, "f")
		} else {
			c.front(stroke(hexColor(0x4a5666)), "0.7 w", at, "S")
		}
	}
}

func (f flow) numbering(n int) func(c *canvas, x, base float64) {
	return func(c *canvas, x, base float64) {
		st := f.plain()
		st.color = hexColor(0x4a5666)
		f.d.drawLine(c, strconv.Itoa(n)+".", st, x-40, base, 35, 1)
	}
}

// checkbox draws the checkbox of a task.
func checkbox(size float64, done bool, offset float64) func(c *canvas, x, base float64) {
	return func(c *canvas, x, base float64) {
		s := size * 0.82
		x -= offset
		y := base - s*0.92
		if !done {
			c.front(stroke(hexColor(0x7d8896)), "0.8 w", rounded(x, y, s, s, 1.5), "S")
			return
		}
		c.front(fill(linkColor), rounded(x, y, s, s, 1.5), "f",
			stroke(white), "1.1 w 1 J 1 j", path(x+s*0.22, y+s*0.52, x+s*0.43, y+s*0.73, x+s*0.79, y+s*0.27), "S")
	}
}

// barred draws a vertical bar beside blocks.
func (f flow) barred(bar color, inset float64, body func(flow)) {
	x := f.x
	f.emit(item{kind: open, fr: &frame{paint: func(c *canvas, layer int, left, top, bottom float64, _, _ bool) {
		c.back(layer, "q", fill(bar), rectangle(left+x, top, 2.5, bottom-top), "f Q")
	}}})
	body(f.inner(inset, 0))
	f.emit(item{kind: shut})
	f.gap(paragraph)
}

// framed draws a coloured box around blocks.
func (f flow) framed(back, edge color, body func(flow)) {
	f.boxed(back, edge, body)
	f.gap(paragraph + 2)
}

func (f flow) boxed(back, edge color, body func(flow)) {
	x, w := f.x, f.w
	f.emit(item{kind: open, fr: &frame{again: &item{kind: pad, h: 8}, paint: func(c *canvas, layer int, left, top, bottom float64, _, last bool) {
		if !last {
			bottom += 5
		}
		ops := []string{"q", fill(back), rounded(left+x, top, w, bottom-top, 4), "f"}
		if edge != none {
			ops = append(ops, stroke(edge), "0.6 w", rounded(left+x, top, w, bottom-top, 4), "S")
		}
		c.back(layer, append(ops, "Q")...)
	}}})
	f.emit(item{kind: pad, h: 8, keep: true})
	body(f.inner(11, 11))
	f.emit(item{kind: pad, h: 8})
	f.emit(item{kind: shut})
}

func (f flow) hint(n *markup.Node) {
	look, ok := hints[n.Str(markup.FieldStyle)]
	if !ok {
		look = hints["info"]
	}
	icon := icons.Find(cmp.Or(iconOf(n), look.icon), icons.Filled)
	x, w := f.x, f.w
	f.emit(item{kind: open, fr: &frame{again: &item{kind: pad, h: 8}, paint: func(c *canvas, layer int, left, top, bottom float64, first, last bool) {
		if !last {
			bottom += 5
		}
		at := rounded(left+x, top, w, bottom-top, 5)
		c.back(layer, "q", fill(look.back), stroke(look.edge), "0.7 w", at, "B Q")
		if first {
			c.icon(icon, left+x+11, top+10.5, 12.5, look.tone)
		}
	}}})
	f.emit(item{kind: pad, h: 9, keep: true})
	in := f.inner(33, 12)
	in.headSize, in.headColor = in.size*1.1, look.tone
	in.blocks(n.Nodes)
	f.emit(item{kind: pad, h: 9})
	f.emit(item{kind: shut})
	f.gap(paragraph + 2)
}

// reference shows a link to a file, a page or an embedded site as a box.
func (f flow) reference(n *markup.Node) {
	ref, ok := n.Ref(markup.FieldRef)
	icon, host := "arrow-right", ""
	switch n.Type {
	case "file":
		icon = "file-arrow-down"
	case "embed":
		ref, ok, icon = docs.Ref{Kind: docs.RefURL, URL: n.Str(markup.FieldURL)}, true, "globe"
		if u, err := url.Parse(ref.URL); err == nil {
			host = strings.TrimPrefix(u.Hostname(), "www.")
		}
	}
	if !ok {
		return
	}
	in := &inliner{d: f.d, width: f.w}
	st, pale := f.plain(), f.plain()
	st.face = bold
	pale.size, pale.color = st.size*0.88, paleColor
	in.linked(ref, st, func(st style) {
		in.out = append(in.out, iconSpan(icon, pale))
		in.add("  "+cmp.Or(host, f.d.nameOf(ref)), st)
	})
	switch {
	case host != "":
		in.add("\n"+ref.URL, pale)
	case n.Type == "file" && f.d.Size != nil:
		if size, ok := f.d.Size(ref); ok {
			in.add("   "+markup.BytesText(size), pale)
		}
	}
	f.boxed(white, ruleColor, func(f flow) { f.text(in.out, paraStyle{}) })
	f.caption(n, "start")
	f.gap(paragraph + 2)
}

// iconOf returns the name of a node's icon, or "".
func iconOf(n *markup.Node) string { return iconName(n.Str(markup.FieldIcon)) }

// iconName returns name if it has the syntax of an icon's name, or "".
func iconName(name string) string {
	for _, r := range name {
		if r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') {
			return ""
		}
	}
	return name
}

// withIcon returns a text with an icon before it.
func withIcon(icon string, st style, text ...span) []span {
	if icon = iconName(icon); icon == "" {
		return text
	}
	return append([]span{iconSpan(icon, st), {text: "  ", st: st}}, text...)
}

func (f flow) update(n *markup.Node, form string) {
	st := f.plain()
	st.face, st.size = bold, st.size*1.15
	spans := []span{{text: markup.FormatDate(n.Str(markup.FieldDate), form), st: st}}
	for _, ref := range n.Refs(markup.FieldTags) {
		tag := f.plain()
		tag.size, tag.back, tag.color = tag.size*0.85, headBack, paleColor
		spans = append(spans, span{text: "   ", st: f.plain()}, span{text: f.d.nameOf(ref), st: tag})
	}
	f.gap(14)
	f.text(spans, paraStyle{keep: true})
	f.emit(item{kind: gap, h: 5, keep: true})
	f.barred(ruleColor, 12, func(in flow) { in.blocks(n.Nodes) })
}

func (f flow) integration(n *markup.Node) {
	if raw, ok := n.RawSource(); ok {
		for l := range strings.Lines(markup.VisibleText(raw)) {
			if l = strings.TrimSpace(l); l != "" {
				f.text([]span{{text: l, st: f.plain()}}, paraStyle{})
				f.gap(4)
			}
		}
		f.gap(paragraph)
		return
	}
	if n.Str(markup.FieldIntegration) == "mermaid" {
		f.listing(codeBlock{title: "Diagram (Mermaid)", source: n.Prop("content") + "\n"})
		return
	}
	st := f.plain()
	st.color, st.face = paleColor, italic
	spans := []span{{text: "[" + n.Str(markup.FieldIntegration) + ": " + n.Str(markup.FieldBlock) + "]", st: st}}
	if url := n.Str(markup.FieldURL); url != "" {
		in := &inliner{d: f.d, width: f.w}
		in.linked(docs.Ref{Kind: docs.RefURL, URL: url}, f.plain(), nil)
		spans = append(append(spans, span{text: " ", st: st}), in.out...)
	}
	f.text(spans, paraStyle{})
	f.gap(paragraph)
}

// openAPI shows the name of an operation, a webhook or schemas of an OpenAPI
// specification.
func (f flow) openAPI(n *markup.Node) {
	st := f.plain()
	code := marked(st, markup.Mark{Type: "code"})
	code.back = none
	method := code
	method.face |= bold
	method.color = linkColor
	var spans []span
	title := n.Str(markup.FieldTitle)
	if title != "" {
		b := st
		b.face = bold
		spans = append(spans, span{text: title + "\n", st: b})
	}
	spans = append(spans, span{text: strings.ToUpper(n.Str(markup.FieldMethod)) + "  ", st: method}, span{text: n.Str(markup.FieldPath) + n.Str(markup.FieldName), st: code})
	for i, s := range n.Strings(markup.FieldSchemas) {
		if i > 0 {
			s = ", " + s
		}
		spans = append(spans, span{text: s, st: code})
	}
	f.framed(codeBack, ruleColor, func(in flow) { in.text(spans, paraStyle{}) })
}
