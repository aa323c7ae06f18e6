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

// Fingerprint names everything that the operation shows: what is written at its
// place, and what that refers to, however far. It changes if any of it does, so
// what was made of an operation can be kept for as long as it has the same one.
func (o *Operation) Fingerprint() string {
	h := sha256.New()
	p := o.d.prints()
	part(h, "operation", o.Method, o.Path)
	p.write(h, o.p)
	for _, key := range []string{"parameters", "servers"} {
		if n := o.item.n.get(key); n != nil {
			part(h, key)
			p.write(h, place{o.item.f, n})
		}
	}
	h.Write(p.common)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Fingerprint is that of a schema, see Operation.Fingerprint.
func (s Schema) Fingerprint() string {
	if s.IsZero() {
		return ""
	}
	h := sha256.New()
	part(h, "schema", s.name)
	s.d.prints().write(h, s.p)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func part(h hash.Hash, texts ...string) {
	var n [8]byte
	for _, s := range texts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
}

// prints are hashes of what references lead to. Values that refer to each other in
// a circle have one hash together, so that each value is looked at once.
type prints struct {
	s      *source
	done   map[*node][]byte // by what references lead to
	common []byte           // of what all operations show
}

// printed makes the prints of a description when they are asked for.
type printed struct {
	once   sync.Once
	prints *prints
}

func (d *Description) prints() *prints {
	d.printed.once.Do(func() {
		root := place{d.src.files[d.src.root], d.src.files[d.src.root].root}
		g := &printGraph{s: d.src, number: map[*node]int{}, low: map[*node]int{}, done: map[*node][]byte{}}
		for _, name := range sortedNames(d.src.files) {
			f := d.src.files[name]
			walkReferences(f.root, func(ref *node, _ func() string) bool {
				if to, ok := g.target(f, ref); ok && g.number[to.n] == 0 {
					g.visit(to)
				}
				return true
			})
		}
		p := &prints{s: d.src, done: g.done}
		h := sha256.New()
		for _, key := range []string{"servers", "security", "host", "basePath", "schemes", "consumes", "produces", "securityDefinitions"} {
			if n := root.n.get(key); n != nil {
				part(h, key)
				p.write(h, place{root.f, n})
			}
		}
		if n := root.get("components").get("securitySchemes"); n.n != nil {
			p.write(h, n)
		}
		p.common = h.Sum(nil)
		d.printed.prints = p
	})
	return d.printed.prints
}

// write writes a value, with the hashes of what it refers to.
func (p *prints) write(h hash.Hash, at place) {
	writeOwn(h, at.n, 0, func(ref *node) {
		if _, n, err := p.s.find(at.f, ref.text); err == nil {
			h.Write(p.done[n])
		}
	})
}

// writeOwn writes what a value has itself. refer is called for each text of a
// reference.
func writeOwn(h hash.Hash, n *node, depth int, refer func(ref *node)) {
	if depth > 2*maxDepth {
		return
	}
	h.Write([]byte{byte(n.kind)})
	part(h, n.text)
	for i, kid := range n.kids {
		if n.kind == object {
			part(h, n.keys[i])
			if n.keys[i] == "$ref" && kid.kind == text {
				part(h, kid.text[strings.LastIndexByte(kid.text, '/')+1:]) // the name that is shown
				refer(kid)
				continue
			}
		}
		writeOwn(h, kid, depth+1, refer)
	}
	h.Write([]byte{0xff})
}

// printGraph finds the circles of references, by the algorithm of Tarjan. It uses
// no recursion: a chain of references can be as long as the description.
type printGraph struct {
	s      *source
	count  int
	number map[*node]int // from 1, in the order in which they were found
	low    map[*node]int
	open   []place // that are not in a finished circle
	done   map[*node][]byte
}

// printVisit is a target whose references are being followed.
type printVisit struct {
	at   place
	refs []place
}

func (g *printGraph) target(f *file, ref *node) (place, bool) {
	to, n, err := g.s.find(f, ref.text)
	return place{to, n}, err == nil && n != nil
}

// references returns what a target refers to.
func (g *printGraph) references(at place) []place {
	var out []place
	walkReferences(at.n, func(ref *node, _ func() string) bool {
		if to, ok := g.target(at.f, ref); ok {
			out = append(out, to)
		}
		return true
	})
	return out
}

func (g *printGraph) enter(at place) *printVisit {
	g.count++
	g.number[at.n], g.low[at.n] = g.count, g.count
	g.open = append(g.open, at)
	return &printVisit{at, g.references(at)}
}

func (g *printGraph) visit(first place) {
	stack := []*printVisit{g.enter(first)}
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

// finish hashes a circle, which a single value is too. All of its members share
// the hash.
func (g *printGraph) finish(root place) {
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
				h.Write(g.done[to.n]) // of the circle itself there is none yet
			}
		})
		sums = append(sums, string(h.Sum(nil)))
	}
	slices.Sort(sums)
	h := sha256.New()
	part(h, sums...)
	sum := h.Sum(nil)
	for _, m := range members {
		g.done[m.n] = sum
	}
}
