package markup

import (
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/markup/align"
)

// table finds the edits of a table: in titles, in cells, and of whole rows.
func (ed *sourceEditor) table(old, now *Node) bool {
	a, b := ReadTableData(old), ReadTableData(now)
	trace := old.extra().table
	if trace == nil || !sameShape(&a, &b) {
		return false
	}
	for i, c := range a.InOrder() {
		if !ed.title(old, &a, &b, c, b.InOrder()[i]) {
			return false
		}
	}
	from, byID := make([]int, len(b.Rows)), map[string]int{}
	for j, r := range a.Rows {
		byID[r.ID] = j
	}
	s := siblings{old: trace.rows, from: from, separator: "\n"}
	for i, r := range b.Rows {
		from[i] = -1
		if j, ok := byID[r.ID]; ok {
			from[i] = j
			if !ed.row(old, &a, &b, j, i) {
				return false
			}
		}
	}
	if len(s.old) != len(a.Rows) || old.Has(FieldCellMerges) && len(a.Rows) != len(b.Rows) {
		return false
	}
	html := len(s.old) > 0 && strings.HasPrefix(ed.body[max(s.old[0].Start, 0):], "<")
	if html {
		s.separator = ""
	}
	s.print = func(i int, like Span, _ int) string { return ed.printRow(&b, i, like, html) }
	return ed.arrange(s)
}

// sameShape reports whether two tables differ only in titles and rows.
func sameShape(a, b *TableData) bool {
	if len(a.columns) != len(b.columns) || len(a.hidden) != len(b.hidden) {
		return false
	}
	defs := func(t *TableData) uint64 {
		v := HashValue(align.HashSeed, cloneBut(t.node.Data, "definition", "records"))
		for _, c := range t.InOrder() {
			v = HashValue(align.HashString(v, c.ID), cloneBut(c.Def, "title"))
		}
		return v
	}
	return defs(a) == defs(b)
}

// title finds the edit of a column title.
func (ed *sourceEditor) title(table *Node, a, b *TableData, was, now ColumnData) bool {
	before, after := paragraphNode(nil), paragraphNode(nil)
	if list := a.TitleBlocks(was); len(list) > 0 {
		before = list[0]
	}
	if list := b.TitleBlocks(now); len(list) > 0 {
		after = list[0]
	}
	if ed.h.Of(before) == ed.h.Of(after) {
		return true
	}
	traced := table.extra().table.titles[was.ID]
	return traced != nil && ed.h.Of(traced) == ed.h.Of(before) && ed.inlines(traced, after)
}

// row finds the edits of the cells in a row. If a cell cannot be edited in
// place, the whole row is printed.
func (ed *sourceEditor) row(table *Node, a, b *TableData, j, i int) bool {
	mark, columns, rows := len(ed.edits), b.InOrder(), table.extra().table.rows
	for k, c := range a.InOrder() {
		if ed.cell(a, b, a.Rows[j], b.Rows[i], c, columns[k]) {
			continue
		}
		ed.edits = ed.edits[:mark]
		if j >= len(rows) || table.Has(FieldCellMerges) {
			return false
		}
		at := rows[j]
		if at.Start < 0 || at.End <= at.Start {
			return false
		}
		ed.edits = append(ed.edits, alternatives{{{at, ed.printRow(b, i, at, strings.HasPrefix(ed.body[at.Start:], "<"))}}})
		return true
	}
	return true
}

// cell finds the edits of one cell.
func (ed *sourceEditor) cell(a, b *TableData, was, now RowData, c, d ColumnData) bool {
	if c.Kind != "text" {
		return HashValue(align.HashSeed, was.Values[c.ID]) == HashValue(align.HashSeed, now.Values[d.ID])
	}
	before, after := a.CellBlocks(was, c), b.CellBlocks(now, d)
	if hashNodes(before) == hashNodes(after) {
		return true
	}
	if len(before) == 1 && len(after) == 1 {
		return ed.node(before[0], after[0])
	}
	return len(before) > 1 && ed.blocks(&Node{}, before, after)
}

// printRow prints a row in the style of another row.
func (ed *sourceEditor) printRow(b *TableData, i int, like Span, html bool) string {
	if html {
		return ed.p.htmlRow(b, b.InOrder(), nil, i)
	}
	source := ed.body[like.Start:like.End]
	var widths []int
	for _, cell := range pipeCells(source) {
		widths = append(widths, utf8.RuneCountInString(cell))
	}
	bare := !strings.Contains(source, "| ") && !strings.Contains(source, " |")
	var cells []string
	for k, c := range b.columns {
		s := ed.p.pipeCell(b.CellBlocks(b.Rows[i], c))
		if !bare {
			s = " " + s + " "
			if k < len(widths) {
				s += strings.Repeat(" ", max(0, widths[k]-utf8.RuneCountInString(s)))
			}
		}
		cells = append(cells, s)
	}
	row := strings.Join(cells, "|")
	if strings.HasPrefix(source, "|") {
		row = "|" + row
	} else {
		row = strings.TrimLeft(row, " ")
	}
	if strings.HasSuffix(source, "|") && !strings.HasSuffix(source, `\|`) {
		row += "|"
	}
	return strings.TrimRight(row, " ")
}

// pipeCells splits a row at its vertical bars.
func pipeCells(row string) []string {
	row = strings.TrimPrefix(row, "|")
	var cells []string
	from := 0
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, row[from:i])
			from = i + 1
		}
	}
	if from < len(row) {
		cells = append(cells, row[from:])
	}
	return cells
}
