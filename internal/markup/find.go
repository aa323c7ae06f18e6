package markup

// Find returns the node with the given key anywhere in a document, or nil.
func Find(doc *Document, key string) *Node {
	if key == "" {
		return nil
	}
	return find(doc.Nodes, key)
}

func find(nodes []*Node, key string) *Node {
	for _, n := range nodes {
		if n.Key == key {
			return n
		}
		if in := find(n.Nodes, key); in != nil {
			return in
		}
		if in := find(n.Fragments, key); in != nil {
			return in
		}
	}
	return nil
}

// CellText returns the text that a reader sees in a cell of a table, which may be
// empty. ok is false if n is not a table or has no such row or column.
func CellText(n *Node, record, definition string) (text string, ok bool) {
	if n.Object != ObjectBlock || n.Type != "table" {
		return "", false
	}
	records := n.Map(FieldRecords)
	definitions := n.Map(FieldDefinition)
	row, hasRow := records[record].(map[string]any)
	column, hasColumn := definitions[definition].(map[string]any)
	if !hasRow || !hasColumn {
		return "", false
	}
	// A copy of the table with only this cell.
	cell := &Node{Object: ObjectBlock, Type: "table", Fragments: n.Fragments, Data: map[string]any{
		"view":       map[string]any{"hideHeader": true, "columns": []any{definition}},
		"definition": map[string]any{definition: column},
		"records":    map[string]any{record: row},
	}}
	return Text([]*Node{cell}), true
}
