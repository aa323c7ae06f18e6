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

// Limits of putting reusable contents into a document.
const (
	maxIncludes      = 8        // contents in contents
	maxExpandedNodes = maxNodes // of all contents that are put in
	maxExpandedText  = 2 << 20  // bytes of them: a page names a large content in few words, and often
)

// Evaluator evaluates the expressions of a document. If keep is true, the value is
// not known yet and the node is left as it is. A function that is nil keeps all nodes.
type Evaluator struct {
	Text      func(expr string) (text string, keep bool) // of an inline expression
	Condition func(expr string) (holds, keep bool)       // of an if block
}

// Evaluate returns the document with the expressions replaced by their texts and
// the conditional blocks by what they hold, or by nothing. The document itself
// stays as it is; nodes without expressions are shared.
func Evaluate(doc *Document, e Evaluator) *Document {
	var r rewriter
	r = func(n *Node) ([]*Node, bool) {
		switch {
		case n.Object == ObjectInline && n.Type == "expression" && e.Text != nil:
			text, keep := e.Text(n.Str("expression"))
			if keep {
				return nil, false
			}
			return []*Node{{Object: ObjectText, Key: n.Key, Leaves: []Leaf{{Text: text}}}}, true
		case n.Object == ObjectBlock && n.Type == "if" && e.Condition != nil:
			holds, keep := e.Condition(n.Str("expression"))
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

// rewriter replaces a node by others, or leaves it and goes on with its nodes.
type rewriter func(n *Node) (by []*Node, replaced bool)

// list returns the same list when nothing in it changes.
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

// Dereference returns the document with the reusable contents in place of the
// blocks that name them. A block stays where get has nothing, where a content
// would be in itself, and where a limit is reached. The nodes of a content
// get keys and anchors of their own; what they refer to in their own space
// stays the same thing. The document itself stays as it is.
func Dereference(doc *Document, get func(docs.Ref) (*Document, bool)) *Document {
	includes := false
	every(doc.Nodes, func(n *Node) { includes = includes || isInclude(n) })
	if !includes { // which most are
		return &Document{Nodes: doc.Nodes, Problems: doc.Problems}
	}
	d := &dereferencer{get: get, keys: map[string]bool{}, anchors: map[string]int{}, left: expansion{maxExpandedNodes, maxExpandedText}, sizes: map[*Document]expansion{}}
	every(doc.Nodes, func(n *Node) {
		d.keys[n.Key] = true
		if id := n.Anchor(); id != "" {
			d.anchors[id] = 1
		}
	})
	return &Document{Nodes: d.expand(doc.Nodes, nil), Problems: doc.Problems}
}

func isInclude(n *Node) bool { return n.Object == ObjectBlock && n.Type == "reusable-content" }

// expansion is how large contents are.
type expansion struct{ nodes, text int }

type dereferencer struct {
	get     func(docs.Ref) (*Document, bool)
	keys    map[string]bool // taken
	anchors map[string]int  // taken, with the next number to try
	left    expansion       // that may still come
	sizes   map[*Document]expansion
	count   int // contents that were put in
}

func (d *dereferencer) expand(nodes []*Node, inside []docs.Ref) []*Node {
	r := rewriter(func(n *Node) ([]*Node, bool) {
		if !isInclude(n) {
			return nil, false
		}
		ref, ok := n.Ref("ref")
		if !ok || len(inside) >= maxIncludes || slices.Contains(inside, ref) {
			return nil, false
		}
		content, ok := d.get(ref)
		if !ok || content == nil {
			return nil, false
		}
		size, known := d.sizes[content]
		if !known {
			every(content.Nodes, func(n *Node) {
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

// textSize returns about how many bytes a node has itself.
func textSize(n *Node) (size int) {
	for _, l := range n.Leaves {
		size += len(l.Text)
	}
	return size + dataSize(n.Data)
}

// dataSize is that for data: the rows of a table are in it.
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

// adopt copies the nodes of a content so that they can be part of a page.
func (d *dereferencer) adopt(nodes []*Node, prefix, space string) []*Node {
	if nodes == nil {
		return nil
	}
	out := make([]*Node, len(nodes))
	for i, n := range nodes {
		c := *n
		if c.extras != nil {
			c.setExtra(func(e *extras) { e.written = nil }) // it was written for another place
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

// inSpace returns a value with its relative references made absolute. What is
// on the same page stays so.
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

// every calls f for all nodes, also those that no reader sees.
func every(nodes []*Node, f func(*Node)) {
	for _, n := range nodes {
		f(n)
		every(n.Nodes, f)
		every(n.Fragments, f)
	}
}
