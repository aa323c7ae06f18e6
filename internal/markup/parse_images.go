package markup

import (
	"github.com/yuin/goldmark/ast"

	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// imageBlock returns the block of an image that is alone in its paragraph.
func (c *converter) imageBlock(n *ast.Image) *Node {
	image := blockNode("image", map[string]any{})
	dest := syntax.Valid(decode(string(n.Destination)))
	image.setRef(FieldRef, c.resolve(dest, UseImage), dest, UseImage)
	if alt := c.altText(n); alt != "" {
		image.set(FieldAlt, alt)
	}
	if title := syntax.Valid(decode(string(n.Title))); title != "" {
		leaf := Leaf{Text: title}
		c.traceTitle(&leaf, n)
		captioned(image, []*Node{paragraphNode([]*Node{textNode(leaf)})})
	}
	return blockNode("images", map[string]any{}, image)
}

// figure returns the image of a `<figure>`, or nil if its content is not an
// image.
func (h *htmlReader) figure(e *syntax.Element) *Node {
	kids, ok := e.Elements()
	if !ok || len(kids) == 0 || len(kids) > 2 || len(kids) == 2 && kids[1].Name != "figcaption" {
		return nil
	}
	var image *Node
	if isDrawing(kids[0]) {
		image = h.drawing(kids[0])
	} else {
		image = h.image(kids[0])
	}
	if image == nil {
		return nil
	}
	if len(kids) == 2 {
		if caption := h.blocks(kids[1].Kids); len(caption) > 0 && !isBlank(caption) {
			captioned(image, caption)
		}
	}
	return image
}

func isBlank(nodes []*Node) bool {
	return len(nodes) == 1 && isEmptyParagraph(nodes[0])
}

// isEmptyParagraph reports whether a node is a paragraph without content, which
// Markdown cannot express.
func isEmptyParagraph(n *Node) bool {
	if n.Type != "paragraph" {
		return false
	}
	for _, k := range n.Nodes {
		if k.Object != ObjectText {
			return false
		}
		for _, l := range k.Leaves {
			if l.Text != "" {
				return false
			}
		}
	}
	return true
}

// image returns the image block of an `<img>` or `<picture>`, or nil.
func (h *htmlReader) image(e *syntax.Element) *Node {
	dark := ""
	if e.Name == "picture" {
		img, d, ok := pictureParts(e)
		if !ok {
			return nil
		}
		e, dark = img, d
	}
	if e.Name != "img" || !e.Has("src") || e.Has("class") {
		return nil
	}
	n := blockNode("image", map[string]any{})
	src := syntax.Valid(e.Attr("src"))
	n.setRef(FieldRef, h.c.resolve(src, UseImage), src, UseImage)
	if dark != "" {
		n.setRef(FieldRefDark, h.c.resolve(dark, UseImage), dark, UseImage)
	}
	if alt := syntax.Valid(e.Attr("alt")); alt != "" {
		n.set(FieldAlt, alt)
	}
	for _, key := range []string{"width", "height"} {
		if l, ok := readLength(e.Attr(key)); ok {
			n.Data[key] = l
		}
	}
	return n
}

// lone returns the block of an image that is alone in its HTML.
func (h *htmlReader) lone(e *syntax.Element) *Node {
	image := h.image(e)
	if image == nil {
		h.failed = true
		return nil
	}
	return blockNode("images", map[string]any{}, image)
}

func (h *htmlReader) drawing(e *syntax.Element) *Node {
	n := blockNode("drawing", map[string]any{})
	if e.Has("src") {
		src := syntax.Valid(e.Attr("src"))
		n.setRef(FieldRef, h.c.resolve(src, UseImage), src, UseImage)
	}
	if alt := syntax.Valid(e.Attr("alt")); alt != "" {
		n.set(FieldAlt, alt)
	}
	return n
}
