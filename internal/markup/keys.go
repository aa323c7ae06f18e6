package markup

import "strings"

// Keys returns the keys of a document's top level in their order. With the
// source, they are all that has to be stored: the keys inside of a block
// follow from its own.
func Keys(doc *Document) []string {
	keys := make([]string, len(doc.Nodes))
	for i, n := range doc.Nodes {
		keys[i] = n.Key
	}
	return keys
}

// innerKeys returns the keys inside of blocks that do not follow from the key
// around them, by the number of their node. They are those of nodes that were
// edited, which keep their keys. hashes are those of all nodes.
func innerKeys(doc *Document, hashes []uint64) map[int]string {
	var in numberedKeys
	newTopKeys(doc, hashes).each(doc.Nodes, func(n *Node, key string) { in.add(n, key) })
	return in.keys
}

// numberedKeys collects the keys that innerKeys returns, from all nodes inside
// of others in their order.
type numberedKeys struct {
	keys map[int]string
	next int
}

// add adds the key of a node unless it is the one that follows from the key
// around it.
func (in *numberedKeys) add(n *Node, follows string) {
	if n.Key != follows {
		if in.keys == nil {
			in.keys = map[int]string{}
		}
		in.keys[in.next] = n.Key
	}
	in.next++
}

// SetKeys returns the blocks of the top level stored keys, none for those that
// they have, and what is inside of them keys that follow from these, or inner
// ones. It changes nothing and returns false when the keys do not fit: another
// number of them, one twice, or one that is not a key.
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

// newTopKeys returns a maker of keys for what is inside of a document's blocks.
func newTopKeys(doc *Document, hashes []uint64) *keyMaker {
	used := make(map[string]*Node, len(hashes))
	for _, n := range doc.Nodes {
		used[n.Key] = n
	}
	return newKeys(hashes, used)
}

// withKeys counts the nodes that have keys.
func withKeys(nodes []*Node) int {
	n := len(nodes)
	for _, k := range nodes {
		n += withKeys(k.Nodes) + withKeys(k.Fragments)
	}
	return n
}

// each calls f for every node inside of others, with the key that follows from
// the key around it. f may give the node another one.
func (k *keyMaker) each(nodes []*Node, f func(n *Node, key string)) {
	for _, n := range nodes {
		k.eachIn(n, f)
	}
}

func (k *keyMaker) eachIn(n *Node, f func(n *Node, key string)) {
	k.hashes = k.hashes[1:]
	around := hashString(hashSeed, n.Key)
	for _, list := range [...][]*Node{n.Nodes, n.Fragments} {
		for _, c := range list {
			f(c, k.fresh(mix(around, k.hashes[0]), c))
			k.eachIn(c, f)
		}
	}
}

// deriveKeys returns keys that follow from the content alone: the same source
// has the same keys wherever it is read.
func deriveKeys(nodes []*Node) {
	k := newKeys(hashAll(nodes), nil)
	for _, n := range nodes {
		k.name(n, 0)
	}
}

// keyMaker names nodes in the order in which it hashed them.
type keyMaker struct {
	used   map[string]*Node    // who has a key; nil: nobody has one
	own    map[uint64]struct{} // without used, those that were made
	times  map[uint64]int      // how often a hash was there before
	hashes []uint64            // of those to be named, from hashAll
	text   strings.Builder     // of all keys that were made, which are parts of it
}

func newKeys(hashes []uint64, used map[string]*Node) *keyMaker {
	k := &keyMaker{used: used, hashes: hashes}
	if used == nil {
		k.own = make(map[uint64]struct{}, len(hashes))
	}
	k.text.Grow(keyLength * len(hashes))
	return k
}

// hashAll returns the hashes of nodes and of all inside of them, each before
// those inside of it.
func hashAll(nodes []*Node) []uint64 {
	out := make([]uint64, 0, withKeys(nodes))
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

// name returns a node a key that follows from its content and from the key of
// the node around it, so that a change leaves the keys of its neighbours
// alone.
func (k *keyMaker) name(n *Node, around uint64) {
	n.Key = k.fresh(mix(around, k.hashes[0]), n)
	k.inside(n)
}

// inside names what is inside of a node, which has its key.
func (k *keyMaker) inside(n *Node) {
	k.hashes = k.hashes[1:]
	around := hashString(hashSeed, n.Key)
	for _, c := range n.Nodes {
		k.name(c, around)
	}
	for _, c := range n.Fragments {
		k.name(c, around)
	}
}

// fresh makes a key of a hash for a node. The n-th node with the same hash gets
// the n-th key.
func (k *keyMaker) fresh(hash uint64, n *Node) string {
	v := hash
	for k.has(v) {
		if k.times == nil {
			k.times = map[uint64]int{}
		}
		k.times[hash]++
		v = mix(hash, uint64(k.times[hash]))
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

// has reports whether a node has the key of a hash.
func (k *keyMaker) has(v uint64) bool {
	if k.used == nil {
		_, ok := k.own[v%keyCount]
		return ok
	}
	b := keyText(v)
	return k.used[string(b[:])] != nil
}

// keyText writes a hash as a key.
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
	keyCount  = 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 // how many there are
)
