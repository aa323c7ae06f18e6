package visualdiff

import (
	dom "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// table merges two versions of a table. The added and removed columns are determined
// once, from the first row, so that every row has the same columns.
func (d *differ) table(a, b *dom.Node) *dom.Node {
	columns := d.columns(a, b)
	out := shallow(b)
	old, now := groups(a), groups(b)
	if len(columns) > 0 { // the widths are those of the former columns
		delete(old, atom.Colgroup)
		delete(now, atom.Colgroup)
	}
	for _, name := range []atom.Atom{atom.Colgroup, atom.Thead, atom.Tbody, atom.Tfoot} {
		x, y := old[name], now[name]
		switch {
		case y == nil && x == nil:
		case name == atom.Colgroup:
			if y != nil {
				adopt(out, copyOf(y))
			}
		case y == nil:
			adopt(out, d.rows(shallow(x), rowsOf(x), nil, columns))
		case x == nil:
			adopt(out, d.rows(shallow(y), nil, rowsOf(y), columns))
		default:
			adopt(out, d.rows(shallow(y), rowsOf(x), rowsOf(y), columns))
		}
	}
	if d.attributes(a) != d.attributes(b) {
		d.note(out, edited)
	}
	return out
}

// groups returns the parts of a table by element name.
func groups(table *dom.Node) map[atom.Atom]*dom.Node {
	out := map[atom.Atom]*dom.Node{}
	for c := range table.ChildNodes() {
		if c.Type == dom.ElementNode && out[c.DataAtom] == nil {
			out[c.DataAtom] = c
		}
	}
	return out
}

func rowsOf(n *dom.Node) []*dom.Node { return blocks(children(n)) }

// columns matches the columns of two versions of a table. It returns nil if their
// number is the same, or if cells span several columns or rows.
func (d *differ) columns(a, b *dom.Node) []pair {
	x, y := firstRow(a), firstRow(b)
	if len(x) == 0 || len(y) == 0 || spans(a) || spans(b) {
		return nil
	}
	pairs := d.align(x, y)
	changed := false
	for _, p := range pairs {
		changed = changed || p.before == nil || p.after == nil
	}
	if !changed || len(x) == len(y) {
		return nil
	}
	return pairs
}

func firstRow(table *dom.Node) []*dom.Node {
	g := groups(table)
	for _, name := range []atom.Atom{atom.Thead, atom.Tbody} {
		if g[name] != nil {
			if rows := rowsOf(g[name]); len(rows) > 0 {
				return rowsOf(rows[0])
			}
		}
	}
	return nil
}

func spans(n *dom.Node) bool {
	if attr(n, "colspan") != "" || attr(n, "rowspan") != "" {
		return true
	}
	for c := range n.ChildNodes() {
		if spans(c) {
			return true
		}
	}
	return false
}

// rows merges the rows of a part of a table and appends them to out.
func (d *differ) rows(out *dom.Node, old, now []*dom.Node, columns []pair) *dom.Node {
	for _, p := range d.align(old, now) {
		switch {
		case p.after == nil:
			adopt(out, d.mark(removed, padded(p.before, columns, func(c pair) bool { return c.before != nil })))
		case p.before == nil:
			adopt(out, d.mark(added, padded(p.after, columns, func(c pair) bool { return c.after != nil })))
		case len(columns) == 0 && d.key(p.before) == d.key(p.after):
			adopt(out, copyOf(p.after))
		default:
			adopt(out, d.row(p.before, p.after, columns))
		}
	}
	return out
}

// row merges two versions of a row cell by cell.
func (d *differ) row(a, b *dom.Node, columns []pair) *dom.Node {
	out := shallow(b)
	x, y := rowsOf(a), rowsOf(b)
	if len(columns) == 0 {
		if len(x) != len(y) {
			adopt(out, d.list(x, y)...)
			return out
		}
		for i := range x {
			adopt(out, d.merge(x[i], y[i])...)
		}
		return out
	}
	i, j := 0, 0
	for _, c := range columns {
		switch {
		case c.after == nil && i < len(x):
			adopt(out, d.mark(removed, x[i]))
			i++
		case c.before == nil && j < len(y):
			adopt(out, d.mark(added, y[j]))
			j++
		case c.before != nil && c.after != nil && i < len(x) && j < len(y):
			adopt(out, d.merge(x[i], y[j])...)
			i, j = i+1, j+1
		}
	}
	return out
}

// padded returns a row with an empty cell for each column that it does not have.
func padded(row *dom.Node, columns []pair, has func(pair) bool) *dom.Node {
	if len(columns) == 0 {
		return row
	}
	out, cells := shallow(row), rowsOf(row)
	for _, c := range columns {
		switch {
		case !has(c):
			adopt(out, element(atom.Td, ""))
		case len(cells) > 0:
			adopt(out, copyOf(cells[0]))
			cells = cells[1:]
		}
	}
	return out
}
