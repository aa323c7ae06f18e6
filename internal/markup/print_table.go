package markup

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// table returns a table as a pipe table if that loses nothing, otherwise as
// HTML.
func (p *printer) table(n *Node) string {
	t := ReadTableData(n)
	if len(t.columns)+len(t.hidden) == 0 {
		return ""
	}
	if isPipeTable(&t) {
		return p.pipeTable(&t)
	}
	return p.htmlTable(n)
}

// isPipeTable reports whether a pipe table can express the table.
func isPipeTable(t *TableData) bool {
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
		if c.Kind != "text" || str(c.Def, "verticalAlignment") != "" {
			return false
		}
		if !fitsPipe(t.TitleBlocks(c)) {
			return false
		}
	}
	for _, r := range t.Rows {
		for _, c := range t.columns {
			if !fitsPipe(t.CellBlocks(r, c)) {
				return false
			}
		}
	}
	return true
}

// TitleBlocks returns the title of a column. The rich version is used only if
// its text equals the plain title.
func (t *TableData) TitleBlocks(c ColumnData) []*Node {
	if f := t.Cells[TitleFragment(c.ID)]; f != nil && len(f.Nodes) == 1 && PlainText(f.Nodes[0].Nodes) == c.Title {
		return f.Nodes
	}
	if c.Title == "" {
		return nil
	}
	return []*Node{paragraphNode([]*Node{textNode(Leaf{Text: c.Title})})}
}

// CellBlocks returns the content of a cell in a column of text.
func (t *TableData) CellBlocks(r RowData, c ColumnData) []*Node {
	name, _ := r.Values[c.ID].(string)
	if f := t.Cells[name]; f != nil && name != "" {
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

func (p *printer) pipeTable(t *TableData) string {
	rows := make([][]string, 0, len(t.Rows)+1)
	head := make([]string, len(t.columns))
	for i, c := range t.columns {
		head[i] = p.pipeCell(t.TitleBlocks(c))
	}
	rows = append(rows, head)
	for _, r := range t.Rows {
		cells := make([]string, len(t.columns))
		for i, c := range t.columns {
			cells[i] = p.pipeCell(t.CellBlocks(r, c))
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
				switch str(c.Def, "textAlignment") {
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
	t := ReadTableData(n)
	columns := t.InOrder()
	var b strings.Builder
	b.WriteString("<table" + tableAttrs(&t) + "><thead><tr>")
	for _, c := range columns {
		b.WriteString("<th" + t.columnAttrs(c) + ">" + p.htmlBlocks(t.TitleBlocks(c), false) + optionsElement(c) + "</th>")
	}
	b.WriteString("</tr></thead><tbody>")
	merges := t.merges(columns)
	for y := range t.Rows {
		b.WriteString(p.htmlRow(&t, columns, merges, y))
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

func (p *printer) htmlRow(t *TableData, columns []ColumnData, merges map[[2]int]cellSpan, y int) string {
	var b strings.Builder
	r := t.Rows[y]
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
		if m, ok := r.Values[c.ID].(map[string]any); ok && c.Kind == "image" && str(m, "objectFit") != "" {
			b.WriteString(" data-object-fit=" + quoteAttr(str(m, "objectFit")))
		}
		b.WriteString(">" + p.htmlCell(t, r, c) + "</td>")
	}
	return b.String() + "</tr>"
}

// InOrder returns all columns. The view defines the order of the visible
// columns. A hidden column follows the column that precedes it by id.
func (t *TableData) InOrder() []ColumnData {
	out := slices.Clone(t.columns)
	hidden := slices.Clone(t.hidden)
	slices.SortFunc(hidden, func(a, b ColumnData) int { return CompareIDs(a.ID, b.ID) })
	for _, h := range hidden {
		at, best := 0, ""
		for i, c := range out {
			if CompareIDs(c.ID, h.ID) < 0 && (best == "" || CompareIDs(c.ID, best) > 0) {
				at, best = i+1, c.ID
			}
		}
		out = slices.Insert(out, at, h)
	}
	return out
}

// CompareIDs compares ids by length first, so that c2 is before c10.
func CompareIDs(a, b string) int {
	if c := cmp.Compare(len(a), len(b)); c != 0 && len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		return c
	}
	return strings.Compare(a, b)
}

// merges returns the merged cells by row and column in the printed order.
func (t *TableData) merges(columns []ColumnData) map[[2]int]cellSpan {
	shown := *t
	shown.columns, shown.place = columns, make(map[string]int, len(columns))
	for i, c := range columns {
		shown.place[c.ID] = i
	}
	return readMerges(&shown)
}

func tableAttrs(t *TableData) string {
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

func (t *TableData) columnAttrs(c ColumnData) string {
	s := ""
	if widths, _ := t.view["columnWidths"].(map[string]any); !t.cards && widths != nil {
		if w, ok := num(widths[c.ID]); ok {
			unit := "%"
			if truth(t.view, "useNewSizing") {
				unit = ""
			}
			s += " width=" + quoteAttr(decimal(w)+unit)
		}
	}
	if c.Kind == "text" {
		if a := str(c.Def, "textAlignment"); a == "center" || a == "right" {
			s += " align=" + quoteAttr(a)
		}
		if a := str(c.Def, "verticalAlignment"); a != "" {
			s += " valign=" + quoteAttr(a)
		}
	} else if c.Kind != "select" {
		s += " data-type=" + quoteAttr(c.Kind)
	}
	if c.Kind == "rating" {
		if m, ok := num(c.Def["max"]); ok {
			s += " data-max=" + quoteAttr(decimal(m))
		}
	}
	if c.Kind == "users" && truth(c.Def, "multiple") {
		s += " data-multiple"
	}
	if slices.ContainsFunc(t.hidden, func(h ColumnData) bool { return h.ID == c.ID }) {
		s += " data-hidden"
	}
	if t.cards {
		for _, a := range [][2]string{{"targetDefinition", "target"}, {"coverDefinition", "cover"}, {"coverDefinitionDark", "cover-dark"}} {
			if str(t.view, a[0]) == c.ID {
				s += " data-card-" + a[1]
			}
		}
	}
	return s
}

func optionsElement(c ColumnData) string {
	if c.Kind != "select" {
		return ""
	}
	s := "<select"
	if truth(c.Def, "multiple") {
		s += " multiple"
	}
	s += ">"
	options, _ := c.Def["options"].([]any)
	for _, o := range options {
		if m, ok := o.(map[string]any); ok {
			s += "<option value=" + quoteAttr(str(m, "value")) + " label=" + quoteAttr(str(m, "label")) + " color=" + quoteAttr(str(m, "color")) + "></option>"
		}
	}
	return s + "</select>"
}

func (p *printer) htmlCell(t *TableData, r RowData, c ColumnData) string {
	v := r.Values[c.ID]
	switch c.Kind {
	case "text":
		return p.htmlBlocks(t.CellBlocks(r, c), false)
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
		return p.listCell(t, v, c.Kind)
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
	return "<a href=" + quoteAttr(dest) + ">" + codeEscaper.Replace(singleLine(syntax.Valid(targetName(dest)))) + "</a>"
}

func (p *printer) listCell(t *TableData, v any, kind string) string {
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

func (p *printer) imageCell(t *TableData, v any) string {
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
