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

// SetKeys returns the blocks of the top level stored keys, and what is inside
// of them keys that follow from these. It changes nothing and returns false
// when the keys do not fit: another number of them, one twice, or one that
// is not a key.
func SetKeys(doc *Document, keys []string) bool {
	if len(keys) != len(doc.Nodes) {
		return false
	}
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		if !keyForm.MatchString(k) || seen[k] {
			return false
		}
		seen[k] = true
	}
	for i, n := range doc.Nodes {
		n.Key = keys[i]
	}
	k := newKeys(doc.Nodes, seen)
	for _, n := range doc.Nodes {
		k.inside(n)
	}
	return true
}

// Rekey returns keys to doc: blocks that are the same as, or an edited form of,
// a block of old take its key; others keep their own where it is theirs
// alone, or get a fresh one. The keys of a document that came from a client
// say which block is which; those of a parsed one follow from its content and
// say nothing.
func Rekey(old, doc *Document) {
	if len(old.Nodes) == 0 && doc.Spans != nil {
		return
	}
	h := hashes{}
	var from []int
	named := func(*Node) bool { return false }
	if doc.Spans == nil {
		from = h.match(old.Nodes, doc.Nodes)
		sameKeys(old.Nodes, doc.Nodes, from)
		named = func(n *Node) bool { return keyForm.MatchString(n.Key) }
	} else {
		from = h.align(old.Nodes, doc.Nodes)
	}
	edited(old.Nodes, doc.Nodes, from, named)
	used := map[string]bool{}
	for i, n := range doc.Nodes {
		if from[i] >= 0 {
			if k := old.Nodes[from[i]].Key; keyForm.MatchString(k) && !used[k] {
				n.Key = k
				used[k] = true
				continue
			}
		}
		from[i] = -1
	}
	k := newKeys(doc.Nodes, used)
	for i, n := range doc.Nodes {
		if from[i] >= 0 {
			continue
		}
		if !keyForm.MatchString(n.Key) || used[n.Key] {
			n.Key = k.fresh(h.of(n))
		}
		used[n.Key] = true
	}
	for _, n := range doc.Nodes {
		k.inside(n)
	}
}

// deriveKeys returns keys that follow from the content alone: the same source
// has the same keys wherever it is read.
func deriveKeys(nodes []*Node) {
	k := newKeys(nodes, nil)
	for _, n := range nodes {
		k.name(n, 0)
	}
}

// keyMaker names nodes in the order in which it hashed them.
type keyMaker struct {
	used   map[string]bool     // keys that others have; nil: none has
	own    map[uint64]struct{} // without used, those that were made
	times  map[uint64]int      // how often a hash was there before
	hashes []uint64            // of all nodes, each before those inside of it
	text   strings.Builder     // of all keys that were made, which are parts of it
}

func newKeys(nodes []*Node, used map[string]bool) *keyMaker {
	k := &keyMaker{used: used, hashes: make([]uint64, 0, 8*len(nodes))}
	for _, n := range nodes {
		k.hash(n)
	}
	if used == nil {
		k.own = make(map[uint64]struct{}, len(k.hashes))
		k.text.Grow(keyLength * len(k.hashes))
	}
	return k
}

// hash remembers the hashes of a node and of those inside.
func (k *keyMaker) hash(n *Node) uint64 {
	at := len(k.hashes)
	k.hashes = append(k.hashes, 0)
	v := hashNode(n, k.hash)
	k.hashes[at] = v
	return v
}

// name returns a node a key that follows from its content and from the key of
// the node around it, so that a change leaves the keys of its neighbours
// alone.
func (k *keyMaker) name(n *Node, around uint64) {
	n.Key = k.fresh(mix(around, k.hashes[0]))
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

// fresh makes a key of a hash. The n-th node with the same hash gets the n-th
// key.
func (k *keyMaker) fresh(hash uint64) string {
	v := hash
	for !k.take(v) {
		if k.times == nil {
			k.times = map[uint64]int{}
		}
		k.times[hash]++
		v = mix(hash, uint64(k.times[hash]))
	}
	b := keyText(v)
	k.text.Write(b[:])
	all := k.text.String()
	return all[len(all)-keyLength:]
}

// take makes the key of a hash used, unless it is.
func (k *keyMaker) take(v uint64) bool {
	if k.used == nil {
		before := len(k.own)
		k.own[v%keyCount] = struct{}{}
		return len(k.own) > before
	}
	b := keyText(v)
	if k.used[string(b[:])] {
		return false
	}
	k.used[string(b[:])] = true
	return true
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
