package markup

import (
	"crypto/sha256"
	"encoding/base32"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Limits of including reusable contents in a document.
const (
	maxIncludes      = 8        // nesting depth of contents
	maxExpandedNodes = maxNodes // of all included contents
	maxExpandedText  = 2 << 20  // bytes of all included contents: a page can include a large content many times
)

// Evaluator evaluates the expressions of a document. If keep is true, the value
// is not known yet and the node is not replaced. If a function is nil, all its
// nodes are kept.
type Evaluator struct {
	Text      func(expr string) (text string, keep bool) // of an inline expression
	Condition func(expr string) (holds, keep bool)       // of an if block
}

// Evaluate returns the document with expressions replaced by their texts, and
// conditional blocks by their nodes or by nothing. doc is not modified; nodes
// without expressions are shared with it.
func Evaluate(doc *Document, e Evaluator) *Document {
	var r rewriter
	r = func(n *Node) ([]*Node, bool) {
		switch {
		case n.Object == ObjectInline && n.Type == "expression" && e.Text != nil:
			text, keep := e.Text(n.Str(FieldExpression))
			if keep {
				return nil, false
			}
			return []*Node{{Object: ObjectText, Key: n.Key, Leaves: []Leaf{{Text: text}}}}, true
		case n.Object == ObjectBlock && n.Type == "if" && e.Condition != nil:
			holds, keep := e.Condition(n.Str(FieldExpression))
			switch {
			case keep:
				return nil, false
			case !holds:
				return nil, true
			}
			nodes, _ := r.list(n.Nodes)
			return nodes, true
		}
		return nil, false
	}
	nodes, _ := r.list(doc.Nodes)
	return &Document{Nodes: nodes, Problems: doc.Problems}
}

// rewriter returns the nodes that replace a node, or false to keep the node and
// continue with its children.
type rewriter func(n *Node) (by []*Node, replaced bool)

// list returns the rewritten nodes, or the same list if nothing in it changes.
func (r rewriter) list(nodes []*Node) (out []*Node, changed bool) {
	for i, n := range nodes {
		by, replaced := r(n)
		if !replaced {
			inner, a := r.list(n.Nodes)
			fragments, b := r.list(n.Fragments)
			if a || b {
				c := *n
				c.Nodes, c.Fragments = inner, fragments
				by, replaced = []*Node{&c}, true
			}
		}
		switch {
		case !replaced && changed:
			out = append(out, n)
		case replaced && !changed:
			out = append(make([]*Node, 0, len(nodes)), nodes[:i]...)
			changed = true
			fallthrough
		case replaced:
			out = append(out, by...)
		}
	}
	if !changed {
		return nodes, false
	}
	return out, true
}

// Dereference returns the document with reusable contents in place of the blocks
// that include them. A block is kept if get returns false, if a content would
// include itself, or if a limit is reached. The nodes of a content get keys and
// anchors that are unique in the document. References to the content's own space
// still have the same targets. doc is not modified.
func Dereference(doc *Document, get func(docs.Ref) (*Document, bool)) *Document {
	includes := false
	eachNode(doc.Nodes, func(n *Node) { includes = includes || isInclude(n) })
	if !includes { // true of most documents
		return &Document{Nodes: doc.Nodes, Problems: doc.Problems}
	}
	d := &dereferencer{get: get, keys: map[string]bool{}, anchors: map[string]int{}, left: expansion{maxExpandedNodes, maxExpandedText}, sizes: map[*Document]expansion{}}
	eachNode(doc.Nodes, func(n *Node) {
		d.keys[n.Key] = true
		if id := n.Anchor(); id != "" {
			d.anchors[id] = 1
		}
	})
	return &Document{Nodes: d.expand(doc.Nodes, nil), Problems: doc.Problems}
}

func isInclude(n *Node) bool { return n.Object == ObjectBlock && n.Type == "reusable-content" }

// expansion is the size of contents: the number of nodes and the bytes of text.
type expansion struct{ nodes, text int }

type dereferencer struct {
	get     func(docs.Ref) (*Document, bool)
	keys    map[string]bool // keys in use
	anchors map[string]int  // anchors in use, with the next number to try
	left    expansion       // that can still be included
	sizes   map[*Document]expansion
	count   int // number of contents included so far
}

func (d *dereferencer) expand(nodes []*Node, inside []docs.Ref) []*Node {
	r := rewriter(func(n *Node) ([]*Node, bool) {
		if !isInclude(n) {
			return nil, false
		}
		ref, ok := n.Ref(FieldRef)
		if !ok || len(inside) >= maxIncludes || slices.Contains(inside, ref) {
			return nil, false
		}
		content, ok := d.get(ref)
		if !ok || content == nil {
			return nil, false
		}
		size, known := d.sizes[content]
		if !known {
			eachNode(content.Nodes, func(n *Node) {
				size.nodes++
				size.text += textSize(n)
			})
			d.sizes[content] = size
		}
		if size.nodes > d.left.nodes || size.text > d.left.text {
			return nil, false
		}
		d.left.nodes -= size.nodes
		d.left.text -= size.text
		d.count++
		prefix := n.Key
		if prefix == "" {
			prefix = "include" + strconv.Itoa(d.count)
		}
		return d.expand(d.adopt(content.Nodes, prefix, ref.Space), append(slices.Clone(inside), ref)), true
	})
	out, _ := r.list(nodes)
	return out
}

// textSize returns the approximate number of bytes of a node without its
// children.
func textSize(n *Node) (size int) {
	for _, l := range n.Leaves {
		size += len(l.Text)
	}
	return size + dataSize(n.Data)
}

// dataSize returns the approximate number of bytes of data, which has the rows of
// a table.
func dataSize(v any) (size int) {
	switch v := v.(type) {
	case string:
		return len(v)
	case map[string]any:
		for k, e := range v {
			size += len(k) + dataSize(e)
		}
	case []any:
		for _, e := range v {
			size += 1 + dataSize(e)
		}
	}
	return size
}

// adopt copies the nodes of a content so that they can be part of a page. space
// is the space of the content, or empty if it is that of the page.
func (d *dereferencer) adopt(nodes []*Node, prefix, space string) []*Node {
	if nodes == nil {
		return nil
	}
	out := make([]*Node, len(nodes))
	for i, n := range nodes {
		c := *n
		if c.extras != nil {
			c.setExtra(func(e *extras) { e.written = nil }) // destinations were written for another source
		}
		if n.Key != "" {
			c.Key = d.newKey(prefix, n.Key)
		}
		if id := n.Anchor(); id != "" {
			if free := d.newAnchor(id); free != id {
				c.Meta = maps.Clone(n.Meta)
				if c.Meta == nil {
					c.Meta = map[string]any{}
				}
				c.Meta["id"] = free
			}
		}
		if space != "" {
			c.Data, _ = inSpace(n.Data, space).(map[string]any)
		}
		c.Nodes = d.adopt(n.Nodes, prefix, space)
		c.Fragments = d.adopt(n.Fragments, prefix, space)
		out[i] = &c
	}
	return out
}

func (d *dereferencer) newKey(prefix, key string) string {
	k := prefix + "-" + key
	for i := 0; len(k) > maxKey || d.keys[k]; i++ {
		sum := sha256.Sum256([]byte(prefix + "/" + key + "/" + strconv.Itoa(i)))
		k = strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15]))
	}
	d.keys[k] = true
	return k
}

func (d *dereferencer) newAnchor(id string) string {
	free := id
	for d.anchors[free] > 0 {
		free = id + "-" + strconv.Itoa(d.anchors[id])
		d.anchors[id]++
	}
	d.anchors[free] = 1
	return free
}

// inSpace returns a value in which references without a space refer to the given
// one. A reference to an anchor of the same page is not changed.
func inSpace(v any, space string) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = inSpace(e, space)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = inSpace(e, space)
		}
		return out
	case docs.Ref:
		switch v.Kind {
		case docs.RefFile, docs.RefPage, docs.RefReusable, docs.RefTag:
		case docs.RefAnchor:
			if v.Page == "" {
				return v
			}
		default:
			return v
		}
		if v.Space == "" {
			v.Space = space
		}
		return v
	}
	return v
}
