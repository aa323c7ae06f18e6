package markup

import (
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Update is an entry of an updates block.
type Update struct {
	Date     time.Time // zero if there is no valid date
	Tags     []docs.Ref
	Document *Document // its content
}

// Updates returns the updates of a document in order. ok is false if the
// document has no updates block.
func Updates(doc *Document) (out []Update, ok bool) {
	eachInReadingOrder(doc.Nodes, func(n *Node) {
		switch n.Type {
		case "updates":
			ok = true
		case "update":
			date, _ := parseDate(n.Str(FieldDate))
			out = append(out, Update{date, n.Refs(FieldTags), &Document{Nodes: n.Nodes}})
		}
	})
	return out, ok
}
