package markup

// Keys gives the keys of a document's top level in their order. With the
// source, they are all that has to be stored: the keys inside of a block
// follow from its own.
func Keys(doc *Document) []string {
	keys := make([]string, len(doc.Nodes))
	for i, n := range doc.Nodes {
		keys[i] = n.Key
	}
	return keys
}

// SetKeys gives the blocks of the top level stored keys, and what is inside
// of them keys that follow from these. It changes nothing and gives false
// when the keys do not fit: another number of them, one twice, or one that
// is no key.
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
	newKeys(seen).inside(doc.Nodes, hashes{})
	return true
}

// Rekey gives keys to doc: blocks that are the same as, or an edited form of,
// a block of old take its key; others keep their own where it is theirs
// alone, or get a fresh one. The keys of a document that came from a client
// say which block is which; those of a parsed one follow from its content and
// say nothing.
func Rekey(old, doc *Document) {
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
	keys := newKeys(used)
	for i, n := range doc.Nodes {
		if from[i] >= 0 {
			continue
		}
		if !keyForm.MatchString(n.Key) || used[n.Key] {
			n.Key = keys.fresh(h.of(n))
		}
		used[n.Key] = true
	}
	keys.inside(doc.Nodes, h)
}

// deriveKeys gives keys that follow from the content alone: the same source
// has the same keys wherever it is read.
func deriveKeys(nodes []*Node) {
	h := hashes{}
	keys := newKeys(make(map[string]bool, len(nodes)))
	for _, n := range nodes {
		n.Key = keys.fresh(h.of(n))
	}
	keys.inside(nodes, h)
}

// keyMaker makes keys that are not used yet.
type keyMaker struct {
	used  map[string]bool
	times map[uint64]int // how often a hash was asked for
}

func newKeys(used map[string]bool) *keyMaker { return &keyMaker{used, map[uint64]int{}} }

// inside names what is inside of blocks by their key and by its own content,
// so that a change leaves the keys of its neighbours alone.
func (k *keyMaker) inside(nodes []*Node, h hashes) {
	for _, n := range nodes {
		for _, list := range [2][]*Node{n.Nodes, n.Fragments} {
			if len(list) == 0 {
				continue
			}
			base := hashString(hashSeed, n.Key)
			for _, c := range list {
				c.Key = k.fresh(mix(base, h.of(c)))
			}
			k.inside(list, h)
		}
	}
}

// fresh makes a key of a hash. The n-th block with the same content gets the
// n-th key.
func (k *keyMaker) fresh(hash uint64) string {
	for {
		n := k.times[hash]
		k.times[hash]++
		v := hash
		if n > 0 {
			v = mix(hash, uint64(n))
		}
		if key := keyText(v); !k.used[key] {
			k.used[key] = true
			return key
		}
	}
}

// keyText writes a hash as a key.
func keyText(v uint64) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	var b [keyLength]byte
	for i := range b {
		b[i] = digits[v%36]
		v /= 36
	}
	return string(b[:])
}

const keyLength = 10
