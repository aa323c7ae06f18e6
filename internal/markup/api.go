package markup

import (
	"github.com/octavo-docs/octavo/internal/docs"
)

// APIBlock is a block that shows a part of an API description.
type APIBlock struct {
	Type    string   // openapi-operation, openapi-webhook, openapi-schemas or swagger
	Ref     docs.Ref // the description: a specification, a file or an address
	Method  string
	Path    string   // of an operation
	Name    string   // of a webhook
	Schemas []string // names; empty means all schemas
	Grouped bool     // the schemas are shown as one list
	Title   string
	// Untitled is true if the heading or the page title above the block is its
	// title.
	Untitled bool
	// Inline is the operation if the page describes it; nil if Ref describes it.
	Inline *InlineAPI
	// Level is the level of a heading at the position of the block, from 2 to 6.
	Level int
}

// isAPI reports whether a node is a block that shows a part of an API
// description.
func isAPI(n *Node) bool {
	switch n.Type {
	case "swagger", "openapi-operation", "openapi-schemas", "openapi-webhook":
		return n.Object == ObjectBlock
	}
	return false
}

// NewAPIBlock returns the settings of a block that shows a part of an API
// description.
func NewAPIBlock(n *Node) APIBlock {
	ref, _ := n.Ref(FieldRef)
	grouped, set := n.FlagSet(FieldGrouped)
	return APIBlock{Type: n.Type, Ref: ref, Method: n.Str(FieldMethod), Path: n.Str(FieldPath), Name: n.Str(FieldName),
		Schemas: n.Strings(FieldSchemas), Grouped: grouped || !set, Title: n.Str(FieldTitle), Untitled: n.Str(fieldUntitled) == "true", Level: 2}
}

// APIBlocks returns the blocks of a document that show parts of API descriptions,
// in document order.
func APIBlocks(doc *Document) []APIBlock {
	var out []APIBlock
	eachNode(doc.Nodes, func(n *Node) {
		if isAPI(n) {
			out = append(out, NewAPIBlock(n))
		}
	})
	return out
}

// ReplaceAPI returns a document in which the blocks that show parts of API
// descriptions are replaced by the blocks that get returns, for output formats
// other than HTML. A block is kept if get returns false.
func ReplaceAPI(doc *Document, get func(APIBlock) (*Document, bool)) *Document {
	found := false
	eachNode(doc.Nodes, func(n *Node) { found = found || isAPI(n) })
	if !found {
		return doc
	}
	level := 1
	r := rewriter(func(n *Node) ([]*Node, bool) {
		if of := n.HeadingLevel(); of > 0 {
			level = of
		}
		if !isAPI(n) {
			return nil, false
		}
		b := NewAPIBlock(n)
		b.Level = min(level+1, 6)
		content, ok := get(b)
		if !ok {
			return nil, false
		}
		return content.Nodes, true
	})
	nodes, _ := r.list(doc.Nodes)
	return &Document{Nodes: nodes, Problems: doc.Problems}
}
