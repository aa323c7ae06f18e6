package chunk

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sync"
)

// A delta says how to make some bytes from others, its base: by copying
// stretches of the base and inserting what the base does not have. Its form is
// the size of the result, and then any number of
//
//	number of bytes to insert, these bytes,
//	number of bytes to copy, where to copy from
//
// Numbers are varints. The place is relative to where the copy before ended
// plus the bytes inserted since, so that it is 0 where bytes were replaced by
// as many others.

// deltaBlock is the length of the stretches of the base that are looked for, a
// word of memory. Of shared stretches that are twice as long, one is found.
const deltaBlock = 8

// MaxDelta bounds the size of what a delta makes.
const MaxDelta = 1 << 30

var errDelta = errors.New("a delta is damaged")

// Delta returns a delta from base to target. It takes time in proportion to
// the bytes that differ and to the size of both.
func Delta(base, target []byte) []byte {
	d := deltaWriter{base: base, target: target, out: binary.AppendUvarint(nil, uint64(len(target)))}
	// Most edits change one place, so most of the work is done here.
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
	done         int // bytes of the target that are written
	next         int // the place of the base where the last copy ended
}

// copy writes a copy of n bytes, and the insertion of what is missing before.
func (d *deltaWriter) copy(from, to, n int) {
	if n == 0 {
		return
	}
	d.insert(to)
	d.out = binary.AppendUvarint(d.out, uint64(n))
	d.out = binary.AppendVarint(d.out, int64(from-d.next))
	d.done, d.next = to+n, from+n
}

// insert writes the bytes of the target up to a place.
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

// match writes copies of stretches of base[from:fromEnd] for target[to:toEnd].
func (d *deltaWriter) match(from, fromEnd, to, toEnd int) {
	blocks := (fromEnd - from) / deltaBlock
	if blocks == 0 {
		return
	}
	// The table has the place of the last block with a hash, plus 1.
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
		// Where bytes were replaced by as many others, the place is known.
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

// tables are used again: one is larger than most deltas.
var tables = sync.Pool{New: func() any { return new([]int32) }}

// word returns the block at a place.
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

// Patch returns what a delta makes from its base.
func Patch(base, delta []byte) ([]byte, error) {
	size, n := binary.Uvarint(delta)
	if n <= 0 || size > MaxDelta {
		return nil, errDelta
	}
	delta = delta[n:]
	// A damaged size must not cost memory before something is wrong.
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
