package markup

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

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
	if doc.Spans == nil {
		from = h.match(old.Nodes, doc.Nodes)
		sameKeys(old.Nodes, doc.Nodes, from)
	} else {
		from = h.align(old.Nodes, doc.Nodes)
	}
	edited(old.Nodes, doc.Nodes, from)
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

// hashes remembers the hash of nodes.
type hashes map[*Node]uint64

const (
	hashSeed  = 14695981039346656037
	hashPrime = 1099511628211
)

func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2)
	a *= hashPrime
	return a ^ a>>29
}

func hashString(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return mix(h, uint64(len(s)))
}

// of gives a hash of a node's content, which leaves out keys and meta.
func (h hashes) of(n *Node) uint64 {
	if v, ok := h[n]; ok {
		return v
	}
	v := hashString(hashString(hashString(hashSeed, n.Object), n.Type), n.Fragment)
	for _, l := range n.Leaves {
		v = hashString(v, l.Text)
		if l.Raw {
			v = mix(v, 7)
		}
		for _, m := range l.Marks {
			v = hashString(v, m.Type)
			for _, k := range []string{"text", "background"} {
				v = hashString(v, m.Data[k])
			}
		}
	}
	if len(n.Data) > 0 {
		v = hashValue(v, n.Data)
	}
	for _, k := range n.Nodes {
		v = mix(v, h.of(k))
	}
	v = mix(v, uint64(len(n.Nodes)))
	for _, k := range n.Fragments {
		v = mix(v, h.of(k))
	}
	h[n] = v
	return v
}

func hashValue(h uint64, v any) uint64 {
	switch v := v.(type) {
	case string:
		return hashString(mix(h, 2), v)
	case bool:
		if v {
			return mix(h, 3)
		}
		return mix(h, 4)
	case map[string]any:
		if ref, ok := dataRef(v); ok {
			return hashRef(h, ref)
		}
		keys := make([]string, 0, len(v))
		for k, e := range v {
			if e != nil {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		h = mix(h, 5)
		for _, k := range keys {
			h = hashValue(hashString(h, k), v[k])
		}
		return mix(h, uint64(len(keys)))
	case []any:
		h = mix(h, 6)
		for _, e := range v {
			h = hashValue(h, e)
		}
		return mix(h, uint64(len(v)))
	case Ref:
		return hashRef(h, v)
	}
	if f, ok := num(v); ok {
		return hashString(mix(h, 8), decimal(f))
	}
	return mix(h, 9)
}

func hashRef(h uint64, r Ref) uint64 {
	return hashString(mix(h, 10), strings.Join([]string{
		r.Kind, r.File, r.URL, r.Anchor, r.Page, r.User, r.Collection, r.ReusableContent, r.Spec, r.Tag, r.Space,
	}, "\x00"))
}

// match finds for each node of doc the node of old with the same content, or
// -1. Where content is there more than once, the key decides, and then the
// order.
func (h hashes) match(old, doc []*Node) []int {
	byHash := make(map[uint64][]int, len(old))
	for i, n := range old {
		byHash[h.of(n)] = append(byHash[h.of(n)], i)
	}
	byKey := make(map[string]int, len(old))
	for i, n := range old {
		byKey[n.Key] = i
	}
	from := make([]int, len(doc))
	taken := make([]bool, len(old))
	for i, n := range doc {
		from[i] = -1
		if j, ok := byKey[n.Key]; ok && n.Key != "" && !taken[j] && h.of(old[j]) == h.of(n) {
			from[i] = j
			taken[j] = true
		}
	}
	for i, n := range doc {
		if from[i] >= 0 {
			continue
		}
		list := byHash[h.of(n)]
		for len(list) > 0 && taken[list[0]] {
			list = list[1:]
		}
		if len(list) > 0 {
			from[i] = list[0]
			taken[list[0]] = true
			list = list[1:]
		}
		byHash[h.of(n)] = list
	}
	return from
}

// align finds the same, by order alone: what stands between blocks that did
// not change belongs together.
func (h hashes) align(old, doc []*Node) []int {
	a, b := make([]uint64, len(old)), make([]uint64, len(doc))
	for i, n := range old {
		a[i] = h.of(n)
	}
	for i, n := range doc {
		b[i] = h.of(n)
	}
	from := make([]int, len(doc))
	for i := range from {
		from[i] = -1
	}
	alignRange(a, b, 0, 0, from, 0)
	// Blocks that moved.
	left := map[uint64][]int{}
	taken := make([]bool, len(old))
	for _, j := range from {
		if j >= 0 {
			taken[j] = true
		}
	}
	for j, v := range a {
		if !taken[j] {
			left[v] = append(left[v], j)
		}
	}
	for i, v := range b {
		if list := left[v]; from[i] < 0 && len(list) > 0 {
			from[i], left[v] = list[0], list[1:]
		}
	}
	return from
}

// alignRange matches equal ends, and between them what is there once on both
// sides, in its longest common order; then what stands between those.
func alignRange(a, b []uint64, ai, bi int, from []int, depth int) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		from[bi] = ai
		a, b, ai, bi = a[1:], b[1:], ai+1, bi+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		from[bi+len(b)-1] = ai + len(a) - 1
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	const deepest = 32
	if len(a) == 0 || len(b) == 0 || depth > deepest {
		return
	}
	type place struct{ na, nb, ia, ib int }
	places := map[uint64]*place{}
	for i, v := range a {
		p := places[v]
		if p == nil {
			p = &place{}
			places[v] = p
		}
		p.na, p.ia = p.na+1, i
	}
	for i, v := range b {
		if p := places[v]; p != nil {
			p.nb, p.ib = p.nb+1, i
		}
	}
	var once []*place // in the order of b
	for i, v := range b {
		if p := places[v]; p != nil && p.na == 1 && p.nb == 1 && p.ib == i {
			once = append(once, p)
		}
	}
	la, lb := 0, 0
	for _, i := range longestRising(once, func(p *place) int { return p.ia }) {
		p := once[i]
		from[bi+p.ib] = ai + p.ia
		alignRange(a[la:p.ia], b[lb:p.ib], ai+la, bi+lb, from, depth+1)
		la, lb = p.ia+1, p.ib+1
	}
	if la > 0 || lb > 0 {
		alignRange(a[la:], b[lb:], ai+la, bi+lb, from, depth+1)
	}
}

// longestRising gives the positions of a longest sequence with rising values.
func longestRising[T any](list []T, value func(T) int) []int {
	var ends []int // position of the smallest end of each length
	before := make([]int, len(list))
	for i, e := range list {
		k, _ := slices.BinarySearchFunc(ends, value(e), func(end, v int) int { return cmp.Compare(value(list[end]), v) })
		before[i] = -1
		if k > 0 {
			before[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	out := make([]int, len(ends))
	for k, i := len(ends)-1, ends[len(ends)-1]; k >= 0; k-- {
		out[k] = i
		i = before[i]
	}
	return out
}

// sameKeys adds the blocks of doc that have the key of a block of old.
func sameKeys(old, doc []*Node, from []int) {
	taken := make([]bool, len(old))
	for _, j := range from {
		if j >= 0 {
			taken[j] = true
		}
	}
	byKey := make(map[string]int, len(old))
	for j, n := range old {
		if !taken[j] && n.Key != "" {
			byKey[n.Key] = j
		}
	}
	for i, n := range doc {
		if j, ok := byKey[n.Key]; ok && from[i] < 0 && !taken[j] {
			from[i] = j
			taken[j] = true
		}
	}
}

// edited adds the blocks of doc that are another form of a block of old: one
// of the same kind that stands between the same blocks.
func edited(old, doc []*Node, from []int) {
	taken := make(map[int]bool, len(old))
	for _, j := range from {
		if j >= 0 {
			taken[j] = true
		}
	}
	// limits[i] is the old block that the next known one behind i came from.
	limits := make([]int, len(doc)+1)
	limits[len(doc)] = len(old)
	for i := len(doc) - 1; i >= 0; i-- {
		limits[i] = limits[i+1]
		if from[i] >= 0 {
			limits[i] = from[i]
		}
	}
	next := 0 // the first of old that may be the next one
	for i, n := range doc {
		if from[i] >= 0 {
			next = from[i] + 1
			continue
		}
		const window = 32 // how many blocks may be gone in front of an edited one
		for j := next; j < min(limits[i], next+window); j++ {
			if !taken[j] && sameKind(old[j], n) {
				from[i] = j
				taken[j] = true
				next = j + 1
				break
			}
		}
	}
}

// sameKind tells whether one block may be an edited form of the other.
func sameKind(a, b *Node) bool {
	family := func(n *Node) string {
		for _, f := range []string{"heading-", "list-"} {
			if strings.HasPrefix(n.Type, f) && n.Type != "list-item" {
				return f
			}
		}
		return n.Type
	}
	return family(a) == family(b)
}

// Slug makes an anchor of a text: its letters and digits in lower case, with
// dashes for what is between words.
func Slug(text string) string {
	const longest = 100
	var b strings.Builder
	dash := false
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && b.Len() > 0:
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsSpace(r) || unicode.Is(unicode.Pd, r):
			dash = true
		}
		if b.Len() >= longest {
			break
		}
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}

// nameAnchors gives every block that can be linked to its anchor, each one
// once. The ones that a writer fixed come first.
func nameAnchors(nodes []*Node) {
	used := map[string]bool{}
	next := map[string]int{}
	var open []*Node
	eachBlock(nodes, func(n *Node) {
		id := ""
		switch {
		case strings.HasPrefix(n.Type, "heading-"):
			id = str(n.Data, "id")
		case n.Type == "tabs-item":
			id = str(n.Data, "slug")
		case n.Type == "expandable", n.Type == "swagger", strings.HasPrefix(n.Type, "openapi-"):
		default:
			return
		}
		if id != "" && !used[id] {
			used[id] = true
			n.Meta = map[string]any{"id": id}
			return
		}
		open = append(open, n)
	})
	for _, n := range open {
		base := Slug(anchorText(n))
		id := base
		for used[id] {
			next[base]++
			id = base + "-" + strconv.Itoa(next[base])
		}
		used[id] = true
		n.Meta = map[string]any{"id": id}
	}
}

func anchorText(n *Node) string {
	switch {
	case n.Type == "tabs-item":
		return str(n.Data, "title")
	case n.Type == "expandable":
		if len(n.Fragments) > 0 && len(n.Fragments[0].Nodes) > 0 {
			return plainOf(n.Fragments[0].Nodes[0].Nodes)
		}
		return ""
	case n.Type == "openapi-schemas":
		return strings.Join(texts(n.Data["schemas"]), " ")
	case n.Type == "swagger" || strings.HasPrefix(n.Type, "openapi-"):
		return str(n.Data, "method") + " " + strings.ReplaceAll(str(n.Data, "path")+str(n.Data, "name"), "/", " ")
	}
	return plainOf(n.Nodes)
}

// eachBlock visits blocks in the order of readers, with what is inside.
func eachBlock(nodes []*Node, f func(*Node)) {
	for _, n := range nodes {
		if n.Object == ObjectText {
			continue
		}
		if n.Object == ObjectBlock {
			f(n)
		}
		eachBlock(n.Nodes, f)
		eachBlock(n.Fragments, f)
	}
}
