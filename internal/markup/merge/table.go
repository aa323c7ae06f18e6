package merge

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// table merges two versions of a table that have the same columns, row by row
// and cell by cell. It returns nil if they cannot be merged. Of rows that both
// sides added, the rows of into come first.
func (m *merger) table(base, into, from *markup.Node) *markup.Node {
	t := mergedTable{m: &merger{h: m.h}, sides: [3]markup.TableData{markup.ReadTableData(base), markup.ReadTableData(into), markup.ReadTableData(from)}}
	out := mergedNode(base, into, from)
	if !t.comparable() || !t.columns() || !t.rows() {
		return nil
	}
	rest := func(n *markup.Node) map[string]any { return without(n.Data, "definition", "records") }
	data, ok := mergeData(rest(base), rest(into), rest(from))
	if !ok {
		return nil
	}
	out.Data = data
	out.Data["definition"], out.Data["records"], out.Fragments = t.definition, t.records, t.fragments
	return out
}

// mergedTable is the result of merging two versions of a table.
type mergedTable struct {
	m     *merger
	sides [3]markup.TableData // base, into, from

	definition, records map[string]any
	fragments           []*markup.Node
}

// comparable reports whether all versions have the same columns. The ids of
// columns are derived from their order, so a title of the base at another
// position means that columns were moved.
func (t *mergedTable) comparable() bool {
	base := t.sides[0]
	for _, s := range t.sides {
		if len(s.InOrder()) != len(base.InOrder()) {
			return false
		}
		titles := map[string]string{}
		for _, c := range base.InOrder() {
			titles[c.Title] = c.ID
		}
		for i, c := range s.InOrder() {
			was := base.InOrder()[i]
			if c.ID != was.ID || c.Kind != was.Kind || c.Title != was.Title && titles[c.Title] != "" {
				return false
			}
		}
	}
	return true
}

// columns merges the settings and the titles of the columns.
func (t *mergedTable) columns() bool {
	t.definition = map[string]any{}
	var heads [3]*markup.Node
	for i, s := range t.sides {
		heads[i] = &markup.Node{Object: markup.ObjectBlock, Type: "table-head"}
		for _, c := range s.InOrder() {
			heads[i].Fragments = append(heads[i].Fragments, &markup.Node{Object: markup.ObjectFragment, Fragment: c.ID, Nodes: markup.Filled(s.TitleBlocks(c))})
		}
	}
	head := t.m.node(heads[0], heads[1], heads[2])
	for i, c := range t.sides[1].InOrder() {
		settings := func(s markup.TableData) map[string]any { return without(s.InOrder()[i].Def, "title") }
		def, ok := mergeData(settings(t.sides[0]), settings(t.sides[1]), settings(t.sides[2]))
		if !ok || len(head.Fragments[i].Nodes) != 1 {
			return false
		}
		inlines := head.Fragments[i].Nodes[0].Nodes
		def["title"] = markup.PlainText(inlines)
		t.definition[c.ID] = def
		if !markup.IsPlain(inlines) {
			t.fragments = append(t.fragments, named(&t.sides[1], markup.TitleFragment(c.ID), head.Fragments[i].Nodes))
		}
	}
	return len(t.m.conflicts) == 0
}

// rows merges the rows. Rows of into keep their names, by which a source edit
// finds them. New rows of from get other names.
func (t *mergedTable) rows() bool {
	var rows [3][]*markup.Node
	for i := range t.sides {
		rows[i] = rowNodes(&t.sides[i])
	}
	names := map[int]string{} // names in into, by index of the row in the base
	for i, j := range t.m.identify(rows[0], rows[1], false) {
		names[j] = rows[1][i].Key
	}
	for i, j := range t.m.identify(rows[0], rows[2], false) {
		rows[2][i].Key = ""
		if j >= 0 {
			rows[2][i].Key = names[j]
		}
	}
	merged := t.m.list(rows[0], rows[1], rows[2], false)
	t.records = map[string]any{}
	for _, r := range merged {
		if r.Key != "" {
			t.records[r.Key] = nil
		}
	}
	for i, r := range merged {
		if n := i + 1; r.Key == "" {
			for _, taken := t.records["r"+strconv.Itoa(n)]; taken; _, taken = t.records["r"+strconv.Itoa(n)] {
				n++
			}
			r.Key = "r" + strconv.Itoa(n)
		}
		values := maps.Clone(r.Data)
		if values == nil {
			values = map[string]any{}
		}
		for _, f := range r.Fragments {
			name := r.Key + f.Fragment
			values[f.Fragment] = name
			cell := *f
			cell.Fragment = name
			t.fragments = append(t.fragments, &cell)
		}
		t.records[r.Key] = map[string]any{"orderIndex": fmt.Sprintf("%06d", i+1), "values": values}
	}
	return len(t.m.conflicts) == 0 && len(merged)*len(t.definition) <= grammar.MaxTableCells
}

// rowNodes returns the rows as nodes. Text cells become fragments of the node,
// other cells stay in its data.
func rowNodes(t *markup.TableData) []*markup.Node {
	out := make([]*markup.Node, len(t.Rows))
	for i, r := range t.Rows {
		n := &markup.Node{Object: markup.ObjectBlock, Type: "table-row", Key: r.ID, Data: maps.Clone(r.Values)}
		for _, c := range t.InOrder() {
			if c.Kind != "text" {
				continue
			}
			delete(n.Data, c.ID)
			name, _ := r.Values[c.ID].(string)
			cell := named(t, name, markup.Filled(t.CellBlocks(r, c)))
			cell.Fragment = c.ID
			n.Fragments = append(n.Fragments, cell)
		}
		slices.SortFunc(n.Fragments, func(a, b *markup.Node) int { return markup.CompareIDs(a.Fragment, b.Fragment) })
		out[i] = n
	}
	return out
}

// named returns a fragment with the given name and nodes. It has the key and
// type of the existing fragment of that name, if there is one.
func named(t *markup.TableData, name string, nodes []*markup.Node) *markup.Node {
	out := &markup.Node{Object: markup.ObjectFragment, Fragment: name, Nodes: nodes}
	if f := t.Cells[name]; f != nil {
		out.Key, out.Type = f.Key, f.Type
	}
	return out
}

// without returns a copy of m without some keys.
func without(m map[string]any, names ...string) map[string]any {
	out := map[string]any{}
	maps.Copy(out, m)
	for _, name := range names {
		delete(out, name)
	}
	return out
}
