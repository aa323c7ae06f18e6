package chunk

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sync"
)

// A delta describes a target by another sequence of bytes, its base: it copies parts
// of the base and inserts bytes that the base does not have. Its format is the size
// of the target, and then any number of
//
//	number of bytes to insert, these bytes,
//	number of bytes to copy, offset in the base
//
// Numbers are varints. The offset is relative to the end of the previous copy plus
// the number of bytes inserted since. So it is 0 where bytes were replaced by the
// same number of bytes.

// deltaBlock is the size of the blocks of the base that are searched in the target:
// a machine word. Common parts of at least twice the size contain a whole block, so
// they are found.
const deltaBlock = 8

// MaxDelta is the maximum size of the target of a delta, in bytes.
const MaxDelta = 1 << 30

var errDelta = errors.New("a delta is damaged")

// Delta returns a delta from base to target. Its time is proportional to the size of
// both.
func Delta(base, target []byte) []byte {
	d := deltaWriter{base: base, target: target, out: binary.AppendUvarint(nil, uint64(len(target)))}
	// Most edits change one place, so the common prefix and suffix are most of the
	// text.
	start := commonPrefix(base, target)
	end := commonSuffix(base[start:], target[start:])
	d.copy(0, 0, start)
	if middle := target[start : len(target)-end]; len(middle) > deltaBlock {
		d.match(start, len(base)-end, start, len(target)-end)
	}
	d.copy(len(base)-end, len(target)-end, end)
	d.finish()
	return d.out
}

// deltaWriter writes a delta from left to right.
type deltaWriter struct {
	base, target []byte
	out          []byte
	done         int // number of bytes of the target that were written
	next         int // end of the last copy in the base
}

// copy writes a copy of n bytes, after the insertion of the bytes before it.
func (d *deltaWriter) copy(from, to, n int) {
	if n == 0 {
		return
	}
	d.insert(to)
	d.out = binary.AppendUvarint(d.out, uint64(n))
	d.out = binary.AppendVarint(d.out, int64(from-d.next))
	d.done, d.next = to+n, from+n
}

// insert writes the insertion of the bytes of the target up to an offset.
func (d *deltaWriter) insert(to int) {
	d.out = binary.AppendUvarint(d.out, uint64(to-d.done))
	d.out = append(d.out, d.target[d.done:to]...)
	d.next += to - d.done
}

func (d *deltaWriter) finish() {
	if d.done < len(d.target) {
		d.insert(len(d.target))
	}
}

// match writes copies of parts of base[from:fromEnd] for target[to:toEnd].
func (d *deltaWriter) match(from, fromEnd, to, toEnd int) {
	blocks := (fromEnd - from) / deltaBlock
	if blocks == 0 {
		return
	}
	// The table maps the hash of a block to the offset of the last such block, plus 1.
	shift := 64 - bits.Len(uint(2*blocks))
	kept := tables.Get().(*[]int32)
	defer tables.Put(kept)
	*kept = slices.Grow((*kept)[:0], 1<<(64-shift))
	table := (*kept)[:1<<(64-shift)]
	clear(table)
	hash := func(word uint64) uint64 { return word * 0x9e3779b97f4a7c15 >> shift }
	for i := range blocks {
		at := from + i*deltaBlock
		table[hash(word(d.base, at))] = int32(at) + 1
	}
	for to+deltaBlock <= toEnd {
		w := word(d.target, to)
		// If bytes were replaced by the same number of bytes, the offset is known.
		at := d.next + to - d.done
		if at < from || at+deltaBlock > fromEnd || word(d.base, at) != w {
			at = int(table[hash(w)]) - 1
			if at < 0 || word(d.base, at) != w {
				to++
				continue
			}
		}
		n := deltaBlock + commonPrefix(d.base[at+deltaBlock:fromEnd], d.target[to+deltaBlock:toEnd])
		back := commonSuffix(d.base[from:at], d.target[d.done:to])
		d.copy(at-back, to-back, n+back)
		to += n
	}
}

// tables are reused, because a table is larger than most deltas.
var tables = sync.Pool{New: func() any { return new([]int32) }}

// word returns the block at an offset.
func word(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if diff := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); diff != 0 {
			return i + bits.TrailingZeros64(diff)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	i := n
	for ; i >= 8; i -= 8 {
		if diff := binary.LittleEndian.Uint64(a[i-8:]) ^ binary.LittleEndian.Uint64(b[i-8:]); diff != 0 {
			return n - i + bits.LeadingZeros64(diff)/8
		}
	}
	for i > 0 && a[i-1] == b[i-1] {
		i--
	}
	return n - i
}

// Patch returns the target of a delta.
func Patch(base, delta []byte) ([]byte, error) {
	size, n := binary.Uvarint(delta)
	if n <= 0 || size > MaxDelta {
		return nil, errDelta
	}
	delta = delta[n:]
	// A wrong size must not allocate memory before the damage is noticed.
	out := make([]byte, 0, min(int(size), len(base)+len(delta)))
	next := 0
	for len(delta) > 0 {
		insert, n := binary.Uvarint(delta)
		if n <= 0 || insert > uint64(len(delta)-n) {
			return nil, errDelta
		}
		out = append(out, delta[n:n+int(insert)]...)
		delta = delta[n+int(insert):]
		next += int(insert)
		if len(delta) == 0 {
			break
		}
		length, n := binary.Uvarint(delta)
		if n <= 0 || length > uint64(len(base)) {
			return nil, errDelta
		}
		delta = delta[n:]
		move, n := binary.Varint(delta)
		if n <= 0 {
			return nil, errDelta
		}
		delta = delta[n:]
		from := int64(next) + move
		if from < 0 || from > int64(len(base))-int64(length) || uint64(len(out))+length > size {
			return nil, errDelta
		}
		out = append(out, base[from:from+int64(length)]...)
		next = int(from) + int(length)
	}
	if uint64(len(out)) != size {
		return nil, errDelta
	}
	return out, nil
}
