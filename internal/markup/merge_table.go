package markup

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// table merges two versions of a table that have the same columns, row by row
// and cell by cell. It returns nil if they cannot be merged. Of rows that both
// sides added, the rows of into come first.
func (m *merger) table(base, into, from *Node) *Node {
	t := mergedTable{m: &merger{h: m.h}, sides: [3]tableView{readTable(base), readTable(into), readTable(from)}}
	out := mergedNode(base, into, from)
	if !t.comparable() || !t.columns() || !t.rows() {
		return nil
	}
	rest := func(n *Node) map[string]any { return cloneBut(n.Data, "definition", "records") }
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
	sides [3]tableView // base, into, from

	definition, records map[string]any
	fragments           []*Node
}

// comparable reports whether all versions have the same columns. The ids of
// columns are derived from their order, so a title of the base at another
// position means that columns were moved.
func (t *mergedTable) comparable() bool {
	base := t.sides[0]
	for _, s := range t.sides {
		if len(s.place) != len(base.place) {
			return false
		}
		titles := map[string]string{}
		for _, c := range base.inOrder() {
			titles[c.title] = c.id
		}
		for i, c := range s.inOrder() {
			was := base.inOrder()[i]
			if c.id != was.id || c.kind != was.kind || c.title != was.title && titles[c.title] != "" {
				return false
			}
		}
	}
	return true
}

// columns merges the settings and the titles of the columns.
func (t *mergedTable) columns() bool {
	t.definition = map[string]any{}
	var heads [3]*Node
	for i, s := range t.sides {
		heads[i] = &Node{Object: ObjectBlock, Type: "table-head"}
		for _, c := range s.inOrder() {
			heads[i].Fragments = append(heads[i].Fragments, fragmentNode(c.id, "", filled(s.titleBlocks(c))))
		}
	}
	head := t.m.node(heads[0], heads[1], heads[2])
	for i, c := range t.sides[1].inOrder() {
		settings := func(s tableView) map[string]any { return cloneBut(s.inOrder()[i].def, "title") }
		def, ok := mergeData(settings(t.sides[0]), settings(t.sides[1]), settings(t.sides[2]))
		if !ok || len(head.Fragments[i].Nodes) != 1 {
			return false
		}
		inlines := head.Fragments[i].Nodes[0].Nodes
		def["title"] = plainOf(inlines)
		t.definition[c.id] = def
		if !isPlain(inlines) {
			t.fragments = append(t.fragments, t.sides[1].named(titleFragment(c.id), head.Fragments[i].Nodes))
		}
	}
	return len(t.m.conflicts) == 0
}

// rows merges the rows. Rows of into keep their names, by which a source edit
// finds them. New rows of from get other names.
func (t *mergedTable) rows() bool {
	var rows [3][]*Node
	for i := range t.sides {
		rows[i] = t.sides[i].rowNodes()
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
		values := maps.Clone(orEmpty(r.Data))
		for _, f := range r.Fragments {
			name := r.Key + f.Fragment
			values[f.Fragment] = name
			cell := *f
			cell.Fragment = name
			t.fragments = append(t.fragments, &cell)
		}
		t.records[r.Key] = map[string]any{"orderIndex": fmt.Sprintf("%06d", i+1), "values": values}
	}
	return len(t.m.conflicts) == 0 && len(merged)*len(t.definition) <= maxTableCells
}

// rowNodes returns the rows as nodes. Text cells become fragments of the node,
// other cells stay in its data.
func (t *tableView) rowNodes() []*Node {
	out := make([]*Node, len(t.rows))
	for i, r := range t.rows {
		n := &Node{Object: ObjectBlock, Type: "table-row", Key: r.id, Data: maps.Clone(r.values)}
		for _, c := range t.inOrder() {
			if c.kind != "text" {
				continue
			}
			delete(n.Data, c.id)
			name, _ := r.values[c.id].(string)
			cell := t.named(name, filled(t.cellBlocks(r, c)))
			cell.Fragment = c.id
			n.Fragments = append(n.Fragments, cell)
		}
		slices.SortFunc(n.Fragments, func(a, b *Node) int { return compareIDs(a.Fragment, b.Fragment) })
		out[i] = n
	}
	return out
}

// named returns a fragment with the given name and nodes. It has the key and
// type of the existing fragment of that name, if there is one.
func (t *tableView) named(name string, nodes []*Node) *Node {
	out := fragmentNode(name, "", nodes)
	if f := t.cells[name]; f != nil {
		out.Key, out.Type = f.Key, f.Type
	}
	return out
}
