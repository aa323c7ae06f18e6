package markup

import (
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

func (p *plain) table(n *Node) {
	t := ReadTableData(n)
	if !t.hideHeader {
		for _, c := range t.columns {
			p.line(c.Title)
		}
	}
	for _, r := range t.Rows {
		for _, c := range t.filled(r) {
			if t.place[c.ID] >= len(t.columns) {
				break // hidden
			}
			p.end()
			v := r.Values[c.ID]
			switch c.Kind {
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

// TableData is the data of a table in the order in which readers see it.
type TableData struct {
	node       *Node
	cards      bool
	hideHeader bool
	view       map[string]any
	columns    []ColumnData
	hidden     []ColumnData // such as the target of a card
	Rows       []RowData
	place      map[string]int   // indexes of columns, the hidden ones last
	Cells      map[string]*Node // fragments by name
}

// ColumnData is a column with its definition.
type ColumnData struct {
	ID, Title, Kind string
	options         map[string]map[string]any
	Def             map[string]any
}

// RowData is a row with the values of its cells, by the ids of the columns.
type RowData struct {
	ID     string
	Values map[string]any
	order  string
}

// ReadTableData reads the data of a table. ReadTable returns what output formats show of it.
func ReadTableData(n *Node) TableData {
	view := n.Map(FieldView)
	definition := n.Map(FieldDefinition)
	records := n.Map(FieldRecords)
	t := TableData{node: n, view: view, cards: str(view, "type") == "cards", place: map[string]int{}, Cells: map[string]*Node{}}
	t.hideHeader = truth(view, "hideHeader") || t.cards && truth(view, "hideColumnTitle")
	for _, f := range n.Fragments {
		t.Cells[f.Fragment] = f
	}
	add := func(to *[]ColumnData, id string) {
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
	t.Rows = make([]RowData, 0, len(records))
	for id, v := range records {
		record, _ := v.(map[string]any)
		values, _ := record["values"].(map[string]any)
		t.Rows = append(t.Rows, RowData{id, values, str(record, "orderIndex")})
	}
	slices.SortFunc(t.Rows, func(a, b RowData) int {
		if c := strings.Compare(a.order, b.order); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return t
}

func readColumn(id string, def map[string]any) ColumnData {
	c := ColumnData{ID: id, Title: str(def, "title"), Kind: str(def, "type"), Def: def}
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
func (t *TableData) filled(r RowData) []ColumnData {
	var few [16]int
	places := few[:0]
	for id := range r.Values {
		if i, ok := t.place[id]; ok {
			places = append(places, i)
		}
	}
	slices.Sort(places)
	out := make([]ColumnData, len(places))
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
func (t *TableData) cell(v any) []*Node {
	name, _ := v.(string)
	if f := t.Cells[name]; f != nil && name != "" {
		return f.Nodes
	}
	return nil
}

// name returns the name of a row for readers, which is its first text.
func (t *TableData) name(r RowData) string {
	for _, c := range t.filled(r) {
		if c.Kind == "text" {
			if s := singleLine(Text(t.cell(r.Values[c.ID]))); s != "" {
				return s
			}
		}
	}
	return ""
}

// label returns the visible text of an option of a select column.
func (c *ColumnData) label(value string) string {
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
