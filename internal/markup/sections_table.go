package markup

import (
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

func (p *plain) table(n *Node) {
	t := readTable(n)
	if !t.hideHeader {
		for _, c := range t.columns {
			p.line(c.title)
		}
	}
	for _, r := range t.rows {
		for _, c := range t.filled(r) {
			if t.place[c.id] >= len(t.columns) {
				break // hidden
			}
			p.end()
			v := r.values[c.id]
			switch c.kind {
			case "text":
				p.nodes(t.cell(v))
			case "number", "rating":
				if f, ok := num(v); ok {
					p.line(decimal(f))
				}
			case "select":
				for _, option := range texts(v) {
					p.line(c.label(option))
				}
			case "image":
				_, alt, _ := imageOf(v)
				p.line(alt)
			}
		}
	}
}

// tableView is a table in the order in which readers see it.
type tableView struct {
	node       *Node
	cards      bool
	hideHeader bool
	view       map[string]any
	columns    []tableColumn
	hidden     []tableColumn // such as the target of a card
	rows       []tableRow
	place      map[string]int   // indexes of columns, the hidden ones last
	cells      map[string]*Node // fragments by name
}

type tableColumn struct {
	id, title, kind string
	options         map[string]map[string]any
	def             map[string]any
}

type tableRow struct {
	id     string
	values map[string]any
	order  string
}

func readTable(n *Node) tableView {
	view := n.Map(FieldView)
	definition := n.Map(FieldDefinition)
	records := n.Map(FieldRecords)
	t := tableView{node: n, view: view, cards: str(view, "type") == "cards", place: map[string]int{}, cells: map[string]*Node{}}
	t.hideHeader = truth(view, "hideHeader") || t.cards && truth(view, "hideColumnTitle")
	for _, f := range n.Fragments {
		t.cells[f.Fragment] = f
	}
	add := func(to *[]tableColumn, id string) {
		def, ok := definition[id].(map[string]any)
		if _, twice := t.place[id]; ok && !twice {
			t.place[id] = len(t.place)
			*to = append(*to, readColumn(id, def))
		}
	}
	for _, id := range texts(view["columns"]) {
		add(&t.columns, id)
	}
	if len(t.place) < len(definition) {
		for id := range sortedPairs(definition) {
			add(&t.hidden, id)
		}
	}
	t.rows = make([]tableRow, 0, len(records))
	for id, v := range records {
		record, _ := v.(map[string]any)
		values, _ := record["values"].(map[string]any)
		t.rows = append(t.rows, tableRow{id, values, str(record, "orderIndex")})
	}
	slices.SortFunc(t.rows, func(a, b tableRow) int {
		if c := strings.Compare(a.order, b.order); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
	return t
}

func readColumn(id string, def map[string]any) tableColumn {
	c := tableColumn{id: id, title: str(def, "title"), kind: str(def, "type"), def: def}
	options, _ := def["options"].([]any)
	for _, o := range options {
		if m, ok := o.(map[string]any); ok {
			if c.options == nil {
				c.options = make(map[string]map[string]any, len(options))
			}
			c.options[str(m, "value")] = m
		}
	}
	return c
}

// filled returns the columns in which a row has a value. Its cost depends on
// the number of values in the row, not on the number of columns.
func (t *tableView) filled(r tableRow) []tableColumn {
	var few [16]int
	places := few[:0]
	for id := range r.values {
		if i, ok := t.place[id]; ok {
			places = append(places, i)
		}
	}
	slices.Sort(places)
	out := make([]tableColumn, len(places))
	for i, p := range places {
		if p < len(t.columns) {
			out[i] = t.columns[p]
		} else {
			out[i] = t.hidden[p-len(t.columns)]
		}
	}
	return out
}

// cell returns the nodes of a text cell.
func (t *tableView) cell(v any) []*Node {
	name, _ := v.(string)
	if f := t.cells[name]; f != nil && name != "" {
		return f.Nodes
	}
	return nil
}

// name returns the name of a row for readers, which is its first text.
func (t *tableView) name(r tableRow) string {
	for _, c := range t.filled(r) {
		if c.kind == "text" {
			if s := singleLine(Text(t.cell(r.values[c.id]))); s != "" {
				return s
			}
		}
	}
	return ""
}

// label returns the visible text of an option of a select column.
func (c *tableColumn) label(value string) string {
	if label := str(c.options[value], "label"); label != "" {
		return label
	}
	return value
}

// imageOf reads the value of an image cell.
func imageOf(v any) (ref docs.Ref, alt string, ok bool) {
	if m, isMap := v.(map[string]any); isMap {
		ref, ok = refOf(m["ref"])
		return ref, str(m, "alt"), ok
	}
	ref, ok = refOf(v)
	return ref, "", ok
}

// coverOf returns the cover image in a cell of an image column or a files column.
func coverOf(v any) (docs.Ref, string, bool) {
	if files := texts(v); len(files) > 0 {
		return docs.Ref{Kind: docs.RefFile, File: files[0]}, "", true
	}
	return imageOf(v)
}
