// Package chunk keeps sorted maps in immutable, content-addressed chunks.
//
// A map is a tree of nodes, each addressed by the hash of its bytes. The hash of a
// key decides whether a node ends after it; the size of the node does not. So the
// same entries make the same tree in whatever order they were added, a changed value
// rewrites one node of each level, and two maps that share most entries share most
// nodes. The cost of an edit does not depend on the size of the map, a copy costs
// nothing, and a comparison skips equal subtrees.
package chunk

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/octavo-docs/octavo/internal/budget/costly"
)

// Hash names an object by its content. The empty hash is the empty map.
type Hash string

// Sum returns the hash of data: the first 192 bits of SHA-256.
func Sum(data []byte) Hash {
	costly.Note(costly.Hash)
	sum := sha256.Sum256(data)
	return Hash(base64.RawURLEncoding.EncodeToString(sum[:hashBytes]))
}

const hashBytes = 24

// Source returns nodes by their hash. Nodes are shared and must not be changed.
type Source interface {
	Node(ctx context.Context, h Hash) (*Node, error)
}

// Node is one chunk. At level 0 it holds entries of the map, above other nodes.
type Node struct {
	Level    int
	Keys     []string // at level 0 the keys, above the last key of each child
	Values   [][]byte // level 0
	Children []Hash   // above
	Counts   []int    // above: the number of entries in each child
}

// The mean number of entries of a node is 2^leafBits at level 0, where entries are
// large, and 2^innerBits above. The nodes that an edit rewrites have about twice as
// many, because an entry is more likely to be in a large node.
const (
	leafBits  = 4
	innerBits = 5
	maxLevel  = 12
)

// levelOf returns the number of levels whose nodes end after a key.
func levelOf(key string) int {
	h := uint64(14695981039346656037) // FNV-1a, then mixed, because its low bits are poor
	for i := 0; i < len(key); i++ {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	zeros := bits.TrailingZeros64(h)
	if zeros < leafBits {
		return 0
	}
	return min(1+(zeros-leafBits)/innerBits, maxLevel)
}

// Encode returns the encoded node, whose Sum is its hash.
func (n *Node) Encode() []byte {
	size := 1
	for i, k := range n.Keys {
		size += len(k) + 8
		if n.Level == 0 {
			size += len(n.Values[i])
		} else {
			size += hashBytes
		}
	}
	b := append(make([]byte, 0, size), byte(n.Level))
	for i, k := range n.Keys {
		b = binary.AppendUvarint(b, uint64(len(k)))
		b = append(b, k...)
		if n.Level == 0 {
			b = binary.AppendUvarint(b, uint64(len(n.Values[i])))
			b = append(b, n.Values[i]...)
			continue
		}
		b = binary.AppendUvarint(b, uint64(n.Counts[i]))
		b, _ = base64.RawURLEncoding.AppendDecode(b, []byte(n.Children[i])) // Sum made it, so it is valid
	}
	return b
}

var errNode = errors.New("an object of the content is damaged")

// Decode is the inverse of Node.Encode.
func Decode(b []byte) (*Node, error) {
	if len(b) == 0 || b[0] > maxLevel {
		return nil, errNode
	}
	n := &Node{Level: int(b[0])}
	text := string(b[1:]) // one allocation that all keys share
	rest := b[1:]
	number := func() (int, bool) {
		v, size := binary.Uvarint(rest)
		if size <= 0 || v > 1<<40 {
			return 0, false
		}
		rest = rest[size:]
		return int(v), true
	}
	take := func(size int) (from int, ok bool) {
		from = len(text) - len(rest)
		if size > len(rest) {
			return 0, false
		}
		rest = rest[size:]
		return from, true
	}
	for len(rest) > 0 {
		size, ok := number()
		from, fits := take(size)
		if !ok || !fits {
			return nil, errNode
		}
		n.Keys = append(n.Keys, text[from:from+size])
		v, ok := number()
		if !ok {
			return nil, errNode
		}
		if n.Level == 0 {
			from, fits := take(v)
			if !fits {
				return nil, errNode
			}
			n.Values = append(n.Values, b[1+from:1+from+v:1+from+v])
			continue
		}
		from, fits = take(hashBytes)
		if !fits {
			return nil, errNode
		}
		n.Counts = append(n.Counts, v)
		n.Children = append(n.Children, Hash(base64.RawURLEncoding.EncodeToString(b[1+from:1+from+hashBytes])))
	}
	return n, nil
}

// Size returns the approximate size of a node in memory, in bytes.
func (n *Node) Size() int {
	size := 96 + 64*len(n.Keys)
	for i, k := range n.Keys {
		size += len(k)
		if n.Level == 0 {
			size += len(n.Values[i])
		}
	}
	return size
}

func (n *Node) count() int {
	if n.Level == 0 {
		return len(n.Keys)
	}
	total := 0
	for _, c := range n.Counts {
		total += c
	}
	return total
}

// find returns the index of the first key that is not less than key.
func (n *Node) find(key string) int {
	at, _ := slices.BinarySearch(n.Keys, key)
	return at
}

// Get returns the value of a key.
func Get(ctx context.Context, src Source, root Hash, key string) (value []byte, ok bool, err error) {
	for h := root; h != ""; {
		n, err := src.Node(ctx, h)
		if err != nil {
			return nil, false, err
		}
		at := n.find(key)
		switch {
		case at == len(n.Keys):
			return nil, false, nil
		case n.Level > 0:
			h = n.Children[at]
		case n.Keys[at] != key:
			return nil, false, nil
		default:
			return n.Values[at], true, nil
		}
	}
	return nil, false, nil
}

// Scan calls fn for the entries whose keys are not less than from, in order, until fn
// returns false.
func Scan(ctx context.Context, src Source, root Hash, from string, fn func(key string, value []byte) (bool, error)) error {
	if root == "" {
		return nil
	}
	_, err := scan(ctx, src, root, from, fn)
	return err
}

func scan(ctx context.Context, src Source, h Hash, from string, fn func(string, []byte) (bool, error)) (bool, error) {
	n, err := src.Node(ctx, h)
	if err != nil {
		return false, err
	}
	for i := n.find(from); i < len(n.Keys); i++ {
		var more bool
		if n.Level == 0 {
			more, err = fn(n.Keys[i], n.Values[i])
		} else {
			more, err = scan(ctx, src, n.Children[i], from, fn)
		}
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// CountBelow returns the number of entries whose keys are less than key.
func CountBelow(ctx context.Context, src Source, root Hash, key string) (int, error) {
	total := 0
	for h := root; h != ""; {
		n, err := src.Node(ctx, h)
		if err != nil {
			return 0, err
		}
		at := n.find(key)
		if n.Level == 0 {
			return total + at, nil
		}
		for _, c := range n.Counts[:at] {
			total += c
		}
		if at == len(n.Keys) {
			return total, nil
		}
		h = n.Children[at]
	}
	return total, nil
}

// CountPrefix returns the number of entries whose keys start with prefix.
func CountPrefix(ctx context.Context, src Source, root Hash, prefix string) (int, error) {
	lo, err := CountBelow(ctx, src, root, prefix)
	if err != nil {
		return 0, err
	}
	hi, err := CountBelow(ctx, src, root, prefix+"\xff")
	return hi - lo, err
}

func (h Hash) String() string { return string(h) }

// Last returns the entry with the greatest key that is less than below.
func Last(ctx context.Context, src Source, root Hash, below string) (key string, value []byte, ok bool, err error) {
	if root == "" {
		return "", nil, false, nil
	}
	return last(ctx, src, root, below)
}

func last(ctx context.Context, src Source, h Hash, below string) (string, []byte, bool, error) {
	n, err := src.Node(ctx, h)
	if err != nil {
		return "", nil, false, err
	}
	at := n.find(below)
	if n.Level == 0 {
		if at == 0 {
			return "", nil, false, nil
		}
		return n.Keys[at-1], n.Values[at-1], true, nil
	}
	if at < len(n.Keys) { // the child whose last key is not less than below may have smaller keys
		if key, value, ok, err := last(ctx, src, n.Children[at], below); ok || err != nil {
			return key, value, ok, err
		}
	}
	if at == 0 {
		return "", nil, false, nil
	}
	return last(ctx, src, n.Children[at-1], below)
}
