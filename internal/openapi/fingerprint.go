package openapi

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"
	"strings"
	"sync"
)

// Fingerprint returns a hash of everything that the operation shows: its own value and,
// transitively, all values that it refers to. Results computed from an operation can be
// cached by its fingerprint.
func (o *Operation) Fingerprint() string {
	h := sha256.New()
	p := o.d.fingerprints()
	hashStrings(h, "operation", o.Method, o.Path)
	p.write(h, o.p)
	for _, key := range []string{"parameters", "servers"} {
		if n := o.item.n.get(key); n != nil {
			hashStrings(h, key)
			p.write(h, fileNode{o.item.f, n})
		}
	}
	h.Write(p.common)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Fingerprint returns a hash of everything that the schema shows, like
// Operation.Fingerprint.
func (s Schema) Fingerprint() string {
	if s.IsZero() {
		return ""
	}
	h := sha256.New()
	hashStrings(h, "schema", s.name)
	s.d.fingerprints().write(h, s.p)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// hashStrings writes strings to a hash, each with its length before it.
func hashStrings(h hash.Hash, texts ...string) {
	var n [8]byte
	for _, s := range texts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
}

// fingerprints holds hashes of the targets of references. Targets that form a cycle share
// one hash, so that each value is hashed once.
type fingerprints struct {
	s      *source
	done   map[*node][]byte // by target of references
	common []byte           // hash of the values at the root that all operations show
}

// lazyFingerprints computes the fingerprints of a description on first use.
type lazyFingerprints struct {
	once         sync.Once
	fingerprints *fingerprints
}

func (d *Description) fingerprints() *fingerprints {
	d.lazyFingerprints.once.Do(func() {
		root := fileNode{d.src.files[d.src.root], d.src.files[d.src.root].root}
		g := &referenceGraph{s: d.src, number: map[*node]int{}, low: map[*node]int{}, done: map[*node][]byte{}}
		for _, name := range sortedNames(d.src.files) {
			f := d.src.files[name]
			walkReferences(f.root, func(ref *node, _ func() string) bool {
				if to, ok := g.target(f, ref); ok && g.number[to.n] == 0 {
					g.visit(to)
				}
				return true
			})
		}
		p := &fingerprints{s: d.src, done: g.done}
		h := sha256.New()
		for _, key := range []string{"servers", "security", "host", "basePath", "schemes", "consumes", "produces", "securityDefinitions"} {
			if n := root.n.get(key); n != nil {
				hashStrings(h, key)
				p.write(h, fileNode{root.f, n})
			}
		}
		if n := root.get("components").get("securitySchemes"); n.n != nil {
			p.write(h, n)
		}
		p.common = h.Sum(nil)
		d.lazyFingerprints.fingerprints = p
	})
	return d.lazyFingerprints.fingerprints
}

// write hashes a value, with the hashes of the targets that it refers to.
func (p *fingerprints) write(h hash.Hash, at fileNode) {
	writeOwn(h, at.n, 0, func(ref *node) {
		if _, n, err := p.s.find(at.f, ref.text); err == nil {
			h.Write(p.done[n])
		}
	})
}

// writeOwn hashes a value without the targets of its references. refer is called with the
// text of each reference.
func writeOwn(h hash.Hash, n *node, depth int, refer func(ref *node)) {
	if depth > 2*maxDepth {
		return
	}
	h.Write([]byte{byte(n.kind)})
	hashStrings(h, n.text)
	for i, kid := range n.kids {
		if n.kind == object {
			hashStrings(h, n.keys[i])
			if n.keys[i] == "$ref" && kid.kind == text {
				hashStrings(h, kid.text[strings.LastIndexByte(kid.text, '/')+1:]) // the displayed name
				refer(kid)
				continue
			}
		}
		writeOwn(h, kid, depth+1, refer)
	}
	h.Write([]byte{0xff})
}

// referenceGraph finds the cycles of references with Tarjan's algorithm for strongly
// connected components. It is not recursive, because a chain of references can be as long
// as the description.
type referenceGraph struct {
	s      *source
	count  int
	number map[*node]int // order of discovery, from 1
	low    map[*node]int
	open   []fileNode // the stack of targets whose component is not finished
	done   map[*node][]byte
}

// referenceVisit is a target whose references are being visited.
type referenceVisit struct {
	at   fileNode
	refs []fileNode
}

func (g *referenceGraph) target(f *file, ref *node) (fileNode, bool) {
	to, n, err := g.s.find(f, ref.text)
	return fileNode{to, n}, err == nil && n != nil
}

// references returns the targets of the references in a target.
func (g *referenceGraph) references(at fileNode) []fileNode {
	var out []fileNode
	walkReferences(at.n, func(ref *node, _ func() string) bool {
		if to, ok := g.target(at.f, ref); ok {
			out = append(out, to)
		}
		return true
	})
	return out
}

func (g *referenceGraph) enter(at fileNode) *referenceVisit {
	g.count++
	g.number[at.n], g.low[at.n] = g.count, g.count
	g.open = append(g.open, at)
	return &referenceVisit{at, g.references(at)}
}

func (g *referenceGraph) visit(first fileNode) {
	stack := []*referenceVisit{g.enter(first)}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		if len(v.refs) > 0 {
			to := v.refs[0]
			v.refs = v.refs[1:]
			switch {
			case g.number[to.n] == 0:
				stack = append(stack, g.enter(to))
			case g.done[to.n] == nil:
				g.low[v.at.n] = min(g.low[v.at.n], g.number[to.n])
			}
			continue
		}
		stack = stack[:len(stack)-1]
		if len(stack) > 0 {
			up := stack[len(stack)-1].at.n
			g.low[up] = min(g.low[up], g.low[v.at.n])
		}
		if g.low[v.at.n] == g.number[v.at.n] {
			g.finish(v.at)
		}
	}
}

// finish hashes a strongly connected component, which can be a single value. All members
// share the hash.
func (g *referenceGraph) finish(root fileNode) {
	from := len(g.open) - 1
	for g.open[from].n != root.n {
		from--
	}
	members := slices.Clone(g.open[from:])
	g.open = g.open[:from]
	var sums []string
	for _, m := range members {
		h := sha256.New()
		writeOwn(h, m.n, 0, func(ref *node) {
			if to, ok := g.target(m.f, ref); ok {
				h.Write(g.done[to.n]) // nothing for members of this component: they have no hash yet
			}
		})
		sums = append(sums, string(h.Sum(nil)))
	}
	slices.Sort(sums)
	h := sha256.New()
	hashStrings(h, sums...)
	sum := h.Sum(nil)
	for _, m := range members {
		g.done[m.n] = sum
	}
}
