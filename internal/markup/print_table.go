package markup

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
)

// table returns a table as a pipe table if that loses nothing, otherwise as
// HTML.
func (p *printer) table(n *Node) string {
	t := readTable(n)
	if len(t.columns)+len(t.hidden) == 0 {
		return ""
	}
	if isPipeTable(&t) {
		return p.pipeTable(&t)
	}
	return p.htmlTable(n)
}

// isPipeTable reports whether a pipe table can express the table.
func isPipeTable(t *tableView) bool {
	n := t.node
	if t.cards || t.hideHeader || len(t.hidden) > 0 || n.Flag(FieldFullWidth) || n.Has(FieldSearch) {
		return false
	}
	if m, _ := n.value(FieldCellMerges).([]any); len(m) > 0 {
		return false
	}
	if w, _ := t.view["columnWidths"].(map[string]any); len(w) > 0 || truth(t.view, "stickyHeader") || truth(t.view, "stickyFirstColumn") || truth(t.view, "useNewSizing") {
		return false
	}
	for _, c := range t.columns {
		if c.kind != "text" || str(c.def, "verticalAlignment") != "" {
			return false
		}
		if !fitsPipe(t.titleBlocks(c)) {
			return false
		}
	}
	for _, r := range t.rows {
		for _, c := range t.columns {
			if !fitsPipe(t.cellBlocks(r, c)) {
				return false
			}
		}
	}
	return true
}

// titleBlocks returns the title of a column. The rich version is used only if
// its text equals the plain title.
func (t *tableView) titleBlocks(c tableColumn) []*Node {
	if f := t.cells[titleFragment(c.id)]; f != nil && len(f.Nodes) == 1 && plainOf(f.Nodes[0].Nodes) == c.title {
		return f.Nodes
	}
	if c.title == "" {
		return nil
	}
	return []*Node{paragraphNode([]*Node{textNode(Leaf{Text: c.title})})}
}

func (t *tableView) cellBlocks(r tableRow, c tableColumn) []*Node {
	name, _ := r.values[c.id].(string)
	if f := t.cells[name]; f != nil && name != "" {
		return f.Nodes
	}
	return nil
}

// fitsPipe reports whether blocks are one line of text.
func fitsPipe(blocks []*Node) bool {
	if len(blocks) == 0 {
		return true
	}
	if len(blocks) > 1 || blocks[0].Type != "paragraph" || blocks[0].Str(FieldAlign) != "" {
		return false
	}
	for _, k := range blocks[0].Nodes {
		for _, l := range k.Leaves {
			if l.Raw && strings.ContainsAny(l.Text, "|`") {
				return false
			}
		}
	}
	return true
}

// widestPad is the maximum width to which cells are padded in the source.
const widestPad = 60

func (p *printer) pipeTable(t *tableView) string {
	rows := make([][]string, 0, len(t.rows)+1)
	head := make([]string, len(t.columns))
	for i, c := range t.columns {
		head[i] = p.pipeCell(t.titleBlocks(c))
	}
	rows = append(rows, head)
	for _, r := range t.rows {
		cells := make([]string, len(t.columns))
		for i, c := range t.columns {
			cells[i] = p.pipeCell(t.cellBlocks(r, c))
		}
		rows = append(rows, cells)
	}
	widths := make([]int, len(t.columns))
	for _, cells := range rows {
		for i, s := range cells {
			widths[i] = max(widths[i], 3, min(utf8.RuneCountInString(s), widestPad))
		}
	}
	var b strings.Builder
	for y, cells := range rows {
		for i, s := range cells {
			b.WriteString("| " + s + strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(s))+1))
		}
		b.WriteString("|")
		if y == 0 {
			b.WriteString("\n|")
			for i, c := range t.columns {
				dashes := strings.Repeat("-", widths[i]-2)
				switch str(c.def, "textAlignment") {
				case "center":
					b.WriteString(" :" + dashes + ": |")
				case "right":
					b.WriteString(" " + dashes + "-: |")
				default:
					b.WriteString(" " + dashes + "-- |")
				}
			}
		}
		if y < len(rows)-1 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func (p *printer) pipeCell(blocks []*Node) string {
	if len(blocks) == 0 {
		return ""
	}
	w := &inlineWriter{p: p, mode: tableText | singleLineText}
	w.runs(runsOf(blocks[0].Nodes), nil)
	return w.done()
}

func (p *printer) htmlTable(n *Node) string {
	t := readTable(n)
	columns := t.inOrder()
	var b strings.Builder
	b.WriteString("<table" + tableAttrs(&t) + "><thead><tr>")
	for _, c := range columns {
		b.WriteString("<th" + t.columnAttrs(c) + ">" + p.htmlBlocks(t.titleBlocks(c), false) + optionsElement(c) + "</th>")
	}
	b.WriteString("</tr></thead><tbody>")
	merges := t.merges(columns)
	for y := range t.rows {
		b.WriteString(p.htmlRow(&t, columns, merges, y))
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

func (p *printer) htmlRow(t *tableView, columns []tableColumn, merges map[[2]int]cellSpan, y int) string {
	var b strings.Builder
	r := t.rows[y]
	b.WriteString("<tr>")
	for x, c := range columns {
		m, merged := merges[[2]int{y, x}]
		if m.covered {
			continue
		}
		b.WriteString("<td")
		if merged && m.rows > 1 {
			b.WriteString(" rowspan=" + quoteAttr(decimal(float64(m.rows))))
		}
		if merged && m.columns > 1 {
			b.WriteString(" colspan=" + quoteAttr(decimal(float64(m.columns))))
		}
		if m, ok := r.values[c.id].(map[string]any); ok && c.kind == "image" && str(m, "objectFit") != "" {
			b.WriteString(" data-object-fit=" + quoteAttr(str(m, "objectFit")))
		}
		b.WriteString(">" + p.htmlCell(t, r, c) + "</td>")
	}
	return b.String() + "</tr>"
}

// inOrder returns all columns. The view defines the order of the visible
// columns. A hidden column follows the column that precedes it by id.
func (t *tableView) inOrder() []tableColumn {
	out := slices.Clone(t.columns)
	hidden := slices.Clone(t.hidden)
	slices.SortFunc(hidden, func(a, b tableColumn) int { return compareIDs(a.id, b.id) })
	for _, h := range hidden {
		at, best := 0, ""
		for i, c := range out {
			if compareIDs(c.id, h.id) < 0 && (best == "" || compareIDs(c.id, best) > 0) {
				at, best = i+1, c.id
			}
		}
		out = slices.Insert(out, at, h)
	}
	return out
}

// compareIDs compares ids by length first, so that c2 is before c10.
func compareIDs(a, b string) int {
	if c := cmp.Compare(len(a), len(b)); c != 0 && len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		return c
	}
	return strings.Compare(a, b)
}

// merges returns the merged cells by row and column in the printed order.
func (t *tableView) merges(columns []tableColumn) map[[2]int]cellSpan {
	shown := *t
	shown.columns, shown.place = columns, make(map[string]int, len(columns))
	for i, c := range columns {
		shown.place[c.id] = i
	}
	return readMerges(&shown)
}

func tableAttrs(t *tableView) string {
	s := ""
	view := t.view
	if t.cards {
		s += ` data-view="cards"`
		if str(view, "cardSize") == "large" {
			s += ` data-card-size="large"`
		}
		if v, ok := view["wrap"].(bool); ok {
			s += " data-card-wrap=" + quoteAttr(flagText(v))
		}
		if v, ok := view["hideColumnTitle"].(bool); ok {
			s += " data-hide-column-title=" + quoteAttr(flagText(v))
		}
	} else {
		if t.hideHeader {
			s += " data-header-hidden"
		}
		if truth(view, "stickyHeader") {
			s += " data-sticky-header"
		}
		if truth(view, "stickyFirstColumn") {
			s += " data-sticky-first-column"
		}
	}
	if t.node.Flag(FieldFullWidth) {
		s += ` data-full-width="true"`
	}
	if v, ok := t.node.FlagSet(FieldSearch); ok {
		s += " data-search=" + quoteAttr(flagText(v))
	}
	return s
}

func (t *tableView) columnAttrs(c tableColumn) string {
	s := ""
	if widths, _ := t.view["columnWidths"].(map[string]any); !t.cards && widths != nil {
		if w, ok := num(widths[c.id]); ok {
			unit := "%"
			if truth(t.view, "useNewSizing") {
				unit = ""
			}
			s += " width=" + quoteAttr(decimal(w)+unit)
		}
	}
	if c.kind == "text" {
		if a := str(c.def, "textAlignment"); a == "center" || a == "right" {
			s += " align=" + quoteAttr(a)
		}
		if a := str(c.def, "verticalAlignment"); a != "" {
			s += " valign=" + quoteAttr(a)
		}
	} else if c.kind != "select" {
		s += " data-type=" + quoteAttr(c.kind)
	}
	if c.kind == "rating" {
		if m, ok := num(c.def["max"]); ok {
			s += " data-max=" + quoteAttr(decimal(m))
		}
	}
	if c.kind == "users" && truth(c.def, "multiple") {
		s += " data-multiple"
	}
	if slices.ContainsFunc(t.hidden, func(h tableColumn) bool { return h.id == c.id }) {
		s += " data-hidden"
	}
	if t.cards {
		for _, a := range [][2]string{{"targetDefinition", "target"}, {"coverDefinition", "cover"}, {"coverDefinitionDark", "cover-dark"}} {
			if str(t.view, a[0]) == c.id {
				s += " data-card-" + a[1]
			}
		}
	}
	return s
}

func optionsElement(c tableColumn) string {
	if c.kind != "select" {
		return ""
	}
	s := "<select"
	if truth(c.def, "multiple") {
		s += " multiple"
	}
	s += ">"
	options, _ := c.def["options"].([]any)
	for _, o := range options {
		if m, ok := o.(map[string]any); ok {
			s += "<option value=" + quoteAttr(str(m, "value")) + " label=" + quoteAttr(str(m, "label")) + " color=" + quoteAttr(str(m, "color")) + "></option>"
		}
	}
	return s + "</select>"
}

func (p *printer) htmlCell(t *tableView, r tableRow, c tableColumn) string {
	v := r.values[c.id]
	switch c.kind {
	case "text":
		return p.htmlBlocks(t.cellBlocks(r, c), false)
	case "number", "rating":
		if f, ok := num(v); ok {
			return decimal(f)
		}
	case "checkbox":
		if b, ok := v.(bool); ok {
			return flagText(b)
		}
	case "select":
		s := ""
		for i, o := range texts(v) {
			label := singleLine(str(c.options[o], "label"))
			if i < len(texts(v))-1 {
				label += ", "
			}
			s += "<span data-option=" + quoteAttr(o) + ">" + codeEscaper.Replace(label) + "</span>"
		}
		return s
	case "files", "users":
		return p.listCell(t, v, c.kind)
	case "content-ref":
		if ref, ok := dataRef(v); ok {
			return anchorElement(p.destOf(t.node, ref, UseLink))
		}
	case "image":
		return p.imageCell(t, v)
	}
	return ""
}

func anchorElement(dest string) string {
	return "<a href=" + quoteAttr(dest) + ">" + codeEscaper.Replace(singleLine(valid(targetName(dest)))) + "</a>"
}

func (p *printer) listCell(t *tableView, v any, kind string) string {
	s := ""
	for _, id := range texts(v) {
		dest := id
		// Ids have none of these characters; destinations that could not be
		// resolved do.
		if !strings.ContainsAny(id, "/.:#") {
			if kind == "files" {
				dest = p.destOf(t.node, docs.Ref{Kind: docs.RefFile, File: id}, UseFile)
			} else {
				dest = p.destOf(t.node, docs.Ref{Kind: docs.RefUser, User: id}, UseLink)
			}
		}
		s += anchorElement(dest)
	}
	return s
}

func (p *printer) imageCell(t *tableView, v any) string {
	if ref, ok := dataRef(v); ok {
		return anchorElement(p.destOf(t.node, ref, UseImage))
	}
	m, _ := v.(map[string]any)
	ref, ok := dataRef(m["ref"])
	if !ok {
		return ""
	}
	dest := p.destOf(t.node, ref, UseImage)
	if alt := str(m, "alt"); alt != "" {
		return "<img src=" + quoteAttr(dest) + " alt=" + quoteAttr(alt) + ">"
	}
	return anchorElement(dest)
}
