package markup

import "strings"

func (p *printer) images(n *Node) string {
	var figures []string
	for _, i := range n.Nodes {
		figures = append(figures, p.figure(i))
	}
	if len(figures) == 0 {
		return ""
	}
	attrs := ""
	if v := n.Str(FieldAlign); v != "" {
		attrs += " align=" + quoteAttr(v)
	}
	if n.Flag(FieldFullWidth) {
		attrs += ` data-full-width="true"`
	}
	if n.Flag(FieldWithFrame) {
		attrs += ` data-with-frame="true"`
	}
	s := strings.Join(figures, " ")
	if attrs == "" && len(figures) == 1 {
		return s
	}
	return "<div" + attrs + ">" + s + "</div>"
}

func (p *printer) figure(n *Node) string {
	s := "<img src=" + quoteAttr(p.mustDest(n, UseImage)) + " alt=" + quoteAttr(n.Str(FieldAlt))
	for _, f := range []LengthField{FieldWidth, FieldHeight} {
		if l := lengthText(n.value(f)); l != "" {
			s += " " + f.name + "=" + quoteAttr(l)
		}
	}
	return "<figure>" + p.dark(n, s+">") + "<figcaption>" + p.caption(n) + "</figcaption></figure>"
}

func (p *printer) caption(n *Node) string {
	caption := captionOf(n)
	if len(caption) == 0 || isBlank(caption) {
		return ""
	}
	s := p.htmlBlocks(caption, true)
	if strings.Contains(s, "<div") || strings.Contains(s, "<figure") {
		return nested(s)
	}
	return s
}

// dark wraps an image in a picture element with the image for dark pages, if
// there is one.
func (p *printer) dark(n *Node, img string) string {
	dest, ok := p.dest(n, FieldRefDark, UseImage)
	if !ok {
		return img
	}
	return "<picture><source srcset=" + quoteAttr(dest) + ` media="(prefers-color-scheme: dark)">` + img + "</picture>"
}

func (p *printer) mustDest(n *Node, use Use) string {
	dest, _ := p.dest(n, FieldRef, use)
	return dest
}

func (p *printer) drawing(n *Node) string {
	s := "<img"
	if dest, ok := p.dest(n, FieldRef, UseImage); ok {
		s += " src=" + quoteAttr(dest)
	}
	s += " alt=" + quoteAttr(n.Str(FieldAlt)) + ` class="gitbook-drawing">`
	if caption := p.caption(n); caption != "" {
		return "<figure>" + s + "<figcaption>" + caption + "</figcaption></figure>"
	}
	return s
}
