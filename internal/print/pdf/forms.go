package pdf

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
)

// The form on paper of each type of block and inline: the column of markup's table of
// types that is about paper. A type without a form shows what it holds. The tables are
// filled by init, because the forms look up the forms of what they hold.
var (
	blockForms  map[string]func(f flow, n *markup.Node, i int)
	inlineForms map[string]func(in *inliner, n *markup.Node, st style)
)

func init() {
	// Most blocks look the same wherever they stand.
	anywhere := func(lay func(flow, *markup.Node)) func(flow, *markup.Node, int) {
		return func(f flow, n *markup.Node, _ int) { lay(f, n) }
	}
	heading := func(f flow, n *markup.Node, i int) { f.heading(n, i == 0 && f.depth > 1) }
	blockForms = map[string]func(f flow, n *markup.Node, i int){
		"paragraph": anywhere(flow.paragraph), "divider": anywhere(flow.divider), "blockquote": anywhere(flow.quote),
		"heading-1": heading, "heading-2": heading, "heading-3": heading,
		"list-ordered": anywhere(flow.list), "list-unordered": anywhere(flow.list), "list-tasks": anywhere(flow.list),
		"hint": anywhere(flow.hint), "prompt": anywhere(flow.prompt),
		"code": anywhere(flow.code), "math": anywhere(flow.mathBlock),
		"images": anywhere(flow.images), "image": anywhere(flow.imageBlock), "drawing": anywhere(flow.imageBlock),
		"file": anywhere(flow.reference), "embed": anywhere(flow.reference), "content-ref": anywhere(flow.reference),
		"expandable": anywhere(flow.expandable), "tabs": anywhere(flow.tabs), "stepper": anywhere(flow.stepper), "columns": anywhere(flow.columns),
		"table": anywhere(flow.table), "reusable-content": anywhere(flow.unavailable), "integration": anywhere(flow.integration),
		"swagger": anywhere(flow.openAPI), "openapi-operation": anywhere(flow.openAPI),
		"openapi-schemas": anywhere(flow.openAPI), "openapi-webhook": anywhere(flow.openAPI),
		"updates": anywhere(flow.updates), "update": anywhere(flow.loneUpdate),
		"if": anywhere(flow.omit),
	}
	inlineForms = map[string]func(in *inliner, n *markup.Node, st style){
		"link": (*inliner).linkNode, "mention": (*inliner).mention, "emoji": (*inliner).emoji, "icon": (*inliner).icon,
		"expression": (*inliner).omit, "inline-math": (*inliner).formula, "inline-image": (*inliner).image,
		"annotation": (*inliner).annotation, "button": (*inliner).button,
	}
}

// omit lays out nothing: a condition or an expression that was not evaluated is not
// shown.
func (flow) omit(*markup.Node)            {}
func (*inliner) omit(*markup.Node, style) {}

func (f flow) paragraph(n *markup.Node) {
	f.text(f.inlines(n.Nodes, f.plain()), paraStyle{align: n.Str(markup.FieldAlign), leads: strings.HasSuffix(strings.TrimSpace(markup.Text(n.Nodes)), ":")})
	f.gap(paragraph)
}

func (f flow) divider(*markup.Node) {
	f.gap(paragraph)
	f.emit(item{kind: box, h: 8, draw: func(c *canvas, x, y float64) {
		c.front(stroke(ruleColor), "0.7 w", path(x+f.x, y+4, x+f.x+f.w, y+4), "S")
	}})
	f.gap(paragraph)
}

func (f flow) quote(n *markup.Node) {
	f.barred(ruleColor, 12, func(in flow) {
		in.color = hexColor(0x4a5666)
		in.blocks(n.Nodes)
	})
}

func (f flow) imageBlock(n *markup.Node) { f.figure(n, "") }

func (f flow) unavailable(*markup.Node) {
	st := f.plain()
	st.color, st.face = paleColor, italic
	f.text([]span{{text: "[Content that is not available]", st: st}}, paraStyle{})
	f.gap(paragraph)
}

func (f flow) updates(n *markup.Node) {
	for _, u := range n.Nodes {
		f.update(u, n.Str(markup.FieldFormat))
	}
}

func (f flow) loneUpdate(n *markup.Node) { f.update(n, "") }

func (f flow) prompt(n *markup.Node) {
	f.framed(codeBack, ruleColor, func(in flow) {
		st := in.plain()
		st.face = bold
		in.text(withIcon(n.Str(markup.FieldIcon), st, span{text: n.Str(markup.FieldDescription), st: st}), paraStyle{keep: true})
		in.emit(item{kind: gap, h: 4, keep: true})
		in.blocks(n.Nodes)
	})
}

func (in *inliner) linkNode(n *markup.Node, st style) {
	in.linkedRef(n, st, func(st style) { in.nodes(n.Nodes, st) })
}

func (in *inliner) mention(n *markup.Node, st style) { in.linkedRef(n, st, nil) }

func (in *inliner) emoji(n *markup.Node, st style) {
	in.add(markup.EmojiText(n.Str(markup.FieldCode)), st)
}

func (in *inliner) icon(n *markup.Node, st style) {
	name := iconOf(n)
	if name == "" {
		return
	}
	if rgb, ok := textColors[n.Str(markup.FieldColor)]; ok {
		st.color = hexColor(rgb)
	}
	s := iconSpan(name, st)
	s.link = in.link
	in.out = append(in.out, s)
}

func (in *inliner) formula(n *markup.Node, st style) {
	for _, s := range in.d.math(n.Str(markup.FieldFormula), false, st, in.width) {
		s.link = in.link
		in.out = append(in.out, s)
	}
}
