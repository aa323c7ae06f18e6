package markup

import (
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Update is an entry of a block of updates.
type Update struct {
	Date     time.Time // zero: there is none that can be read
	Tags     []docs.Ref
	Document *Document // what it says
}

// Updates returns the updates of a document in their order. ok is false for one
// without a block of updates.
func Updates(doc *Document) (out []Update, ok bool) {
	visit(doc.Nodes, func(n *Node) {
		switch n.Type {
		case "updates":
			ok = true
		case "update":
			date, _ := parseDate(n.Str("date"))
			out = append(out, Update{date, n.Refs("tags"), &Document{Nodes: n.Nodes}})
		}
	})
	return out, ok
}
