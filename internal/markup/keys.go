package markup

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/align"
)

// Keys returns the keys of the top-level blocks of a document in their order.
// Only these have to be stored with the source: the keys of other nodes are
// derived from the key of their parent.
func Keys(doc *Document) []string {
	keys := make([]string, len(doc.Nodes))
	for i, n := range doc.Nodes {
		keys[i] = n.Key
	}
	return keys
}

// innerKeys returns the keys of nodes below the top level that cannot be derived
// from the key of their parent, by the number of the node. These are keys of
// edited nodes, which keep their keys. hashes are the hashes of all nodes.
func innerKeys(doc *Document, hashes []uint64) map[int]string {
	var in numberedKeys
	newTopKeys(doc, hashes).each(doc.Nodes, func(n *Node, key string) { in.add(n, key) })
	return in.keys
}

// numberedKeys collects the result of innerKeys. add must be called for all nodes
// below the top level in document order.
type numberedKeys struct {
	keys map[int]string
	next int
}

// add adds the key of a node unless it equals the key that is derived from its
// parent.
func (in *numberedKeys) add(n *Node, follows string) {
	if n.Key != follows {
		if in.keys == nil {
			in.keys = map[int]string{}
		}
		in.keys[in.next] = n.Key
	}
	in.next++
}

// SetKeys sets the keys of all nodes of a document. The top-level blocks get the
// given keys, or keep their own if keys is nil. The nodes below them get keys
// that are derived from these, or the inner keys of their numbers. SetKeys
// changes nothing and returns false if the keys are not valid: their number
// differs, a key occurs twice, or a text is not a key.
func SetKeys(doc *Document, keys []string, inner map[int]string) bool {
	if keys == nil {
		keys = Keys(doc)
	}
	if len(keys) != len(doc.Nodes) {
		return false
	}
	seen := make(map[string]bool, len(keys)+len(inner))
	for _, k := range keys {
		if !isKey(k) || seen[k] {
			return false
		}
		seen[k] = true
	}
	for _, k := range inner {
		if !isKey(k) || seen[k] {
			return false
		}
		seen[k] = true
	}
	for i, n := range doc.Nodes {
		n.Key = keys[i]
	}
	number := 0
	newTopKeys(doc, hashAll(doc.Nodes)).each(doc.Nodes, func(n *Node, key string) {
		if k, ok := inner[number]; ok {
			key = k
		}
		n.Key = key
		number++
	})
	return true
}

// newTopKeys returns a keyMaker for the nodes below the top level of a document.
func newTopKeys(doc *Document, hashes []uint64) *keyMaker {
	used := make(map[string]*Node, len(hashes))
	for _, n := range doc.Nodes {
		used[n.Key] = n
	}
	return newKeys(hashes, used)
}

// countNodes returns the number of nodes and their descendants, which all have
// keys.
func countNodes(nodes []*Node) int {
	n := len(nodes)
	for _, k := range nodes {
		n += countNodes(k.Nodes) + countNodes(k.Fragments)
	}
	return n
}

// each calls f for every descendant of nodes, with the key that is derived from
// the key of its parent. f may set another key.
func (k *keyMaker) each(nodes []*Node, f func(n *Node, key string)) {
	for _, n := range nodes {
		k.eachIn(n, f)
	}
}

func (k *keyMaker) eachIn(n *Node, f func(n *Node, key string)) {
	k.hashes = k.hashes[1:]
	parent := align.HashString(align.HashSeed, n.Key)
	for _, list := range [...][]*Node{n.Nodes, n.Fragments} {
		for _, c := range list {
			f(c, k.newKey(align.Mix(parent, k.hashes[0]), c))
			k.eachIn(c, f)
		}
	}
}

// DeriveKeys sets keys that depend on the content only: the same source always
// has the same keys.
func DeriveKeys(nodes []*Node) {
	k := newKeys(hashAll(nodes), nil)
	for _, n := range nodes {
		k.setKeys(n, 0)
	}
}

// keyMaker makes keys for nodes in the order in which hashAll hashed them.
type keyMaker struct {
	used   map[string]*Node    // the node of each key in use; nil if no node has a key yet
	own    map[uint64]struct{} // if used is nil, the keys that were made
	times  map[uint64]int      // how many times a hash occurred before
	hashes []uint64            // hashes of the remaining nodes, from hashAll
	text   strings.Builder     // all keys that were made; each key is a substring
}

func newKeys(hashes []uint64, used map[string]*Node) *keyMaker {
	k := &keyMaker{used: used, hashes: hashes}
	if used == nil {
		k.own = make(map[uint64]struct{}, len(hashes))
	}
	k.text.Grow(keyLength * len(hashes))
	return k
}

// hashAll returns the hashes of nodes and their descendants, parents first.
func hashAll(nodes []*Node) []uint64 {
	out := make([]uint64, 0, countNodes(nodes))
	var hash func(n *Node) uint64
	hash = func(n *Node) uint64 {
		at := len(out)
		out = append(out, 0)
		v := hashNode(n, hash)
		out[at] = v
		return v
	}
	for _, n := range nodes {
		hash(n)
	}
	return out
}

// setKeys sets the key of a node and of its descendants. A key is derived from the
// content of the node and the key of its parent, so that a change does not affect
// the keys of siblings.
func (k *keyMaker) setKeys(n *Node, parent uint64) {
	n.Key = k.newKey(align.Mix(parent, k.hashes[0]), n)
	k.setChildKeys(n)
}

// setChildKeys sets the keys of the descendants of a node that has its key
// already.
func (k *keyMaker) setChildKeys(n *Node) {
	k.hashes = k.hashes[1:]
	parent := align.HashString(align.HashSeed, n.Key)
	for _, c := range n.Nodes {
		k.setKeys(c, parent)
	}
	for _, c := range n.Fragments {
		k.setKeys(c, parent)
	}
}

// newKey returns an unused key for a hash and records that the node has it. The
// n-th node with the same hash gets the n-th key.
func (k *keyMaker) newKey(hash uint64, n *Node) string {
	v := hash
	for k.has(v) {
		if k.times == nil {
			k.times = map[uint64]int{}
		}
		k.times[hash]++
		v = align.Mix(hash, uint64(k.times[hash]))
	}
	b := keyText(v)
	k.text.Write(b[:])
	all := k.text.String()
	key := all[len(all)-keyLength:]
	if k.used == nil {
		k.own[v%keyCount] = struct{}{}
	} else {
		k.used[key] = n
	}
	return key
}

// has reports whether the key of a hash is in use.
func (k *keyMaker) has(v uint64) bool {
	if k.used == nil {
		_, ok := k.own[v%keyCount]
		return ok
	}
	b := keyText(v)
	return k.used[string(b[:])] != nil
}

// keyText returns the key of a hash.
func keyText(v uint64) (b [keyLength]byte) {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	for i := range b {
		b[i] = digits[v%36]
		v /= 36
	}
	return b
}

const (
	keyLength = 10
	keyCount  = 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 // number of possible keys
)
