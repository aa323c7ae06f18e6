package markup

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// tableBuilder builds a table column by column and row by row. Ids are derived
// from positions: c1, c2, … and r1, r2, …
type tableBuilder struct {
	*arena
	node       *Node
	view       map[string]any
	definition map[string]any
	records    map[string]any
	columns    []string
	asText     map[string]bool // columns whose cells do not have the declared type
	traced     bool
}

func newTable(s *arena) *tableBuilder {
	t := &tableBuilder{arena: s, view: map[string]any{"type": "grid", "hideHeader": false}, definition: map[string]any{}, records: map[string]any{}}
	t.node = blockNode("table", map[string]any{"view": t.view, "definition": t.definition, "records": t.records})
	return t
}

func (t *tableBuilder) column(typ string) (id string, def map[string]any) {
	id = "c" + strconv.Itoa(len(t.columns)+1)
	def = map[string]any{"id": id, "title": "", "type": typ}
	if typ == "text" {
		def["textAlignment"] = "left"
	}
	t.columns = append(t.columns, id)
	t.definition[id] = def
	return id, def
}

// title sets the title of a column. A title that is more than plain text is
// also kept as a fragment.
func (t *tableBuilder) title(id string, inlines []*Node) {
	title := PlainText(inlines)
	if t.traced {
		t.trace().titles[id] = paragraphNode(inlines)
	}
	t.definition[id].(map[string]any)["title"] = title
	if !IsPlain(inlines) {
		t.node.Fragments = append(t.node.Fragments, fragmentNode(TitleFragment(id), "", []*Node{paragraphNode(inlines)}))
	}
}

// trace returns the positions of the parts of the table in the source.
func (t *tableBuilder) trace() *tableTrace {
	if t.node.extra().table == nil {
		t.node.setExtra(func(e *extras) { e.table = &tableTrace{titles: map[string]*Node{}} })
	}
	return t.node.extra().table
}

// TitleFragment returns the name of the fragment with the title of a column, if that is
// more than plain text.
func TitleFragment(column string) string { return "title-" + column }

// IsPlain reports whether inlines are one line of text without marks.
func IsPlain(inlines []*Node) bool {
	for _, n := range inlines {
		if n.Object != ObjectText {
			return false
		}
		for _, l := range n.Leaves {
			if l.Raw || len(l.Marks) > 0 || strings.Contains(l.Text, "\n") {
				return false
			}
		}
	}
	return true
}

func (t *tableBuilder) row() (id string, values map[string]any) {
	n := len(t.records) + 1
	id = "r" + strconv.Itoa(n)
	values = map[string]any{}
	t.records[id] = map[string]any{"orderIndex": fmt.Sprintf("%06d", n), "values": values}
	return id, values
}

// cell sets the blocks of a cell in a text column.
func (t *tableBuilder) cell(row string, values map[string]any, column string, blocks []*Node) {
	name := row + column
	values[column] = name
	t.node.Fragments = append(t.node.Fragments, t.fragment(name, "", Filled(blocks)))
}

func (t *tableBuilder) done() *Node {
	columns := []any{}
	for _, c := range t.columns {
		columns = append(columns, c)
	}
	if _, set := t.view["columns"]; !set {
		t.view["columns"] = columns
	}
	return t.node
}

// pipeTable returns the table of `| a | b |` lines.
func (c *converter) pipeTable(n *extast.Table) *Node {
	t := newTable(c.arena)
	t.traced = c.traced()
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		if head, ok := row.(*extast.TableHeader); ok {
			i := 0
			for cell := head.FirstChild(); cell != nil; cell = cell.NextSibling() {
				id, def := t.column("text")
				if i < len(n.Alignments) {
					switch n.Alignments[i] {
					case extast.AlignCenter:
						def["textAlignment"] = "center"
					case extast.AlignRight:
						def["textAlignment"] = "right"
					}
				}
				t.title(id, c.inlines(cell))
				i++
			}
			continue
		}
		id, values := t.row()
		if t.traced && !c.inner {
			t.trace().rows = append(t.trace().rows, c.rowSpan(row))
		}
		i := 0
		for cell := row.FirstChild(); cell != nil && i < len(t.columns); cell = cell.NextSibling() {
			t.cell(id, values, t.columns[i], t.list(t.paragraph(c.inlines(cell))))
			i++
		}
		for ; i < len(t.columns); i++ {
			t.cell(id, values, t.columns[i], nil)
		}
	}
	readLists(t.node)
	return t.done()
}

// table returns the table of a `<table>`, or nil if its form is not supported.
func (h *htmlReader) table(e *syntax.Element) *Node {
	head, rows, ok := tableRows(e)
	if !ok {
		return nil
	}
	strict := h.strict
	h.strict = false // a cell may contain unsupported inline HTML
	defer func() { h.strict = strict }()
	// A column whose cells do not all have its type becomes a text column,
	// because the written content is more important than the type.
	asText := map[string]bool{}
	n := h.tableNode(e, head, rows, asText)
	if len(asText) > 0 {
		n = h.tableNode(e, head, rows, asText)
	}
	return n
}

func (h *htmlReader) tableNode(e *syntax.Element, head, rows []*syntax.Element, asText map[string]bool) *Node {
	t := newTable(h.c.arena)
	t.asText, t.traced = asText, h.where != nil
	visible := []any{}
	widths := map[string]any{}
	width := 0
	for _, r := range rows {
		width = max(width, rowWidth(r))
	}
	for _, th := range head {
		h.tableColumn(t, th, &visible, widths)
	}
	if len(head) == 0 {
		t.view["hideHeader"] = true
	}
	for len(t.columns) < width {
		if len(t.columns) >= maxTableColumns {
			return nil
		}
		id, _ := t.column("text")
		visible = append(visible, id)
	}
	if len(t.columns) == 0 || len(t.columns)*len(rows) > grammar.MaxTableCells {
		return nil
	}
	tableSettings(t, e, head, visible, widths)
	if !h.tableBody(t, rows) {
		return nil
	}
	return t.done()
}

// maxTableColumns limits the columns that a cell with a large colspan can
// create.
const maxTableColumns = 200

// tableRows returns the cells of the header and the rows below it.
func tableRows(e *syntax.Element) (head []*syntax.Element, rows []*syntax.Element, ok bool) {
	kids, clean := e.Elements()
	if !clean {
		return nil, nil, false
	}
	seen := false
	for _, k := range kids {
		switch k.Name {
		case "thead":
			trs, clean := k.Elements()
			if !clean || len(trs) > 1 || seen || len(rows) > 0 {
				return nil, nil, false
			}
			seen = true
			for _, tr := range trs {
				if head, clean = tr.Elements(); !clean || tr.Name != "tr" {
					return nil, nil, false
				}
			}
		case "tbody", "tfoot":
			trs, clean := k.Elements()
			if !clean {
				return nil, nil, false
			}
			rows = append(rows, trs...)
		case "tr":
			rows = append(rows, k)
		case "colgroup":
		default:
			return nil, nil, false
		}
	}
	for _, r := range rows {
		cells, clean := r.Elements()
		if r.Name != "tr" || !clean || slices.ContainsFunc(cells, func(c *syntax.Element) bool { return c.Name != "td" && c.Name != "th" }) {
			return nil, nil, false
		}
	}
	if !seen && len(rows) > 0 {
		if cells, _ := rows[0].Elements(); len(cells) > 0 && !slices.ContainsFunc(cells, func(c *syntax.Element) bool { return c.Name != "th" }) {
			head, rows = cells, rows[1:]
		}
	}
	for _, th := range head {
		if th.Name != "th" && th.Name != "td" || th.Has("colspan") || th.Has("rowspan") {
			return nil, nil, false
		}
	}
	return head, rows, true
}

func rowWidth(tr *syntax.Element) int {
	cells, _ := tr.Elements()
	n := 0
	for _, c := range cells {
		n += cellReach(c, "colspan")
	}
	return n
}

func cellReach(e *syntax.Element, attr string) int {
	n, err := strconv.Atoi(e.Attr(attr))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, maxSpan)
}

func (h *htmlReader) tableColumn(t *tableBuilder, th *syntax.Element, visible *[]any, widths map[string]any) {
	typ := th.Attr("data-type")
	var options *syntax.Element
	kids := slices.DeleteFunc(slices.Clone(th.Kids), func(k *syntax.Element) bool {
		if k.Name == "select" {
			options = k
			return true
		}
		return false
	})
	if options != nil {
		typ = "select"
	}
	if !slices.Contains(ColumnTypes, typ) || t.asText["c"+strconv.Itoa(len(t.columns)+1)] {
		typ = "text"
	}
	id, def := t.column(typ)
	t.title(id, h.inlines(kids))
	if !th.Has("data-hidden") {
		*visible = append(*visible, id)
	}
	if w, ok := readLength(th.Attr("width")); ok {
		if f, pixels := w.(float64); pixels {
			widths[id] = f
			t.view["useNewSizing"] = true
		} else if m := w.(map[string]any); m["unit"] == "%" {
			widths[id] = m["value"]
		}
	}
	switch typ {
	case "text":
		if a := th.Attr("align"); slices.Contains(ColumnAlignments, a) {
			def["textAlignment"] = a
		}
		if a := th.Attr("valign"); slices.Contains(VerticalAlignments, a) {
			def["verticalAlignment"] = a
		}
	case "users":
		def["multiple"] = th.Has("data-multiple")
	case "rating":
		def["max"] = 5.0
		if v, ok := readLength(th.Attr("data-max")); ok {
			if f, isNumber := v.(float64); isNumber {
				def["max"] = f
			}
		}
	case "select":
		def["multiple"] = options != nil && options.Has("multiple")
		list := []any{}
		if options != nil {
			for _, o := range options.Kids {
				if o.Name == "option" {
					list = append(list, map[string]any{"value": syntax.Valid(o.Attr("value")), "label": syntax.Valid(o.Attr("label")), "color": syntax.Valid(o.Attr("color"))})
				}
			}
		}
		def["options"] = list
	}
}

// tableSettings reads the attributes of the table element.
func tableSettings(t *tableBuilder, e *syntax.Element, head []*syntax.Element, visible []any, widths map[string]any) {
	data := t.node.Data
	if e.Attr("data-full-width") == "true" {
		data["fullWidth"] = true
	}
	if e.Has("data-search") {
		data["search"] = e.Attr("data-search") != "false"
	}
	view := t.view
	view["columns"] = visible
	if e.Attr("data-view") != "cards" {
		if e.Has("data-header-hidden") {
			view["hideHeader"] = true
		}
		if len(widths) > 0 {
			view["columnWidths"] = widths
		}
		if e.Has("data-sticky-header") {
			view["stickyHeader"] = true
		}
		if e.Has("data-sticky-first-column") {
			view["stickyFirstColumn"] = true
		}
		return
	}
	clear(view)
	view["type"], view["columns"], view["cardSize"] = "cards", visible, "medium"
	if e.Attr("data-card-size") == "large" {
		view["cardSize"] = "large"
	}
	if e.Has("data-card-wrap") {
		view["wrap"] = e.Attr("data-card-wrap") != "false"
	}
	if e.Has("data-hide-column-title") {
		view["hideColumnTitle"] = e.Attr("data-hide-column-title") != "false"
	}
	if len(head) == 0 {
		view["hideColumnTitle"] = true
	}
	for i, th := range head {
		switch {
		case th.Has("data-card-target"):
			view["targetDefinition"] = t.columns[i]
		case th.Has("data-card-cover"):
			view["coverDefinition"] = t.columns[i]
		case th.Has("data-card-cover-dark"):
			view["coverDefinitionDark"] = t.columns[i]
		}
	}
}

// tableBody reads the rows. A cell that spans other cells is recorded as a
// merge; the covered cells stay empty.
func (h *htmlReader) tableBody(t *tableBuilder, rows []*syntax.Element) bool {
	covered := map[[2]int]bool{}
	var merges []any
	for y, tr := range rows {
		row, values := t.row()
		if t.traced {
			t.trace().rows = append(t.trace().rows, Span{h.where.at(tr.Start), h.where.at(tr.End-1) + 1})
		}
		cells, _ := tr.Elements()
		x, first := 0, len(t.node.Fragments)
		for _, td := range cells {
			for covered[[2]int{y, x}] {
				x++
			}
			if x >= len(t.columns) {
				return false
			}
			height, width := min(cellReach(td, "rowspan"), len(rows)-y), min(cellReach(td, "colspan"), len(t.columns)-x)
			if height > 1 || width > 1 {
				for dy := range height {
					for dx := range width {
						covered[[2]int{y + dy, x + dx}] = true
					}
				}
				merges = append(merges, map[string]any{
					"anchor":  map[string]any{"record": row, "column": t.columns[x]},
					"rowSpan": float64(height), "colSpan": float64(width),
				})
			}
			h.tableCell(t, row, values, t.columns[x], td)
			x += width
		}
		for _, c := range t.columns {
			if _, set := values[c]; !set && t.definition[c].(map[string]any)["type"] == "text" {
				t.cell(row, values, c, nil)
			}
		}
		slices.SortFunc(t.node.Fragments[first:], func(a, b *Node) int { return CompareIDs(a.Fragment, b.Fragment) })
	}
	if merges != nil {
		t.node.set(FieldCellMerges, merges)
	}
	return true
}
