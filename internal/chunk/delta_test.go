package chunk_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/chunk"
)

// edited returns bytes with some stretches replaced, removed, moved or added.
func edited(t *rapid.T, base []byte) []byte {
	out := bytes.Clone(base)
	for range rapid.IntRange(0, 4).Draw(t, "edits") {
		at := rapid.IntRange(0, len(out)).Draw(t, "at")
		end := min(len(out), at+rapid.IntRange(0, 40).Draw(t, "length"))
		part := bytes.Clone(out[at:end])
		out = append(out[:at:at], out[end:]...)
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0: // removed
		case 1:
			part = rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "new")
			fallthrough
		default:
			to := rapid.IntRange(0, len(out)).Draw(t, "to")
			out = append(out[:to:to], append(part, out[to:]...)...)
		}
	}
	return out
}

func TestPatchUndoesDelta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SliceOfN(rapid.ByteRange('a', 'd'), 0, 400).Draw(t, "base")
		target := edited(t, base)
		if rapid.IntRange(0, 5).Draw(t, "unrelated") == 0 {
			target = rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "target")
		}
		delta := chunk.Delta(base, target)
		got, err := chunk.Patch(base, delta)
		if err != nil || !bytes.Equal(got, target) {
			t.Fatalf("from %q to %q: %q, %v", base, target, got, err)
		}
	})
}

func TestDeltaIsAsSmallAsTheChange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	base := make([]byte, 10_000)
	for i := range base {
		base[i] = byte(r.Uint32())
	}
	target := bytes.Clone(base)
	for _, at := range []int{100, 3000, 3050, 9000} {
		copy(target[at:], "another twenty bytes")
	}
	if n := len(chunk.Delta(base, target)); n > 4*20+4*6+10 {
		t.Errorf("four changes of 20 bytes make a delta of %d bytes", n)
	}
	moved := append(bytes.Clone(base[5000:]), base[:5000]...)
	if n := len(chunk.Delta(base, moved)); n > 20 {
		t.Errorf("moving a half makes a delta of %d bytes", n)
	}
	if n := len(chunk.Delta(base, base)); n > 8 {
		t.Errorf("no change makes a delta of %d bytes", n)
	}
}

func FuzzPatch(f *testing.F) {
	base := []byte(strings.Repeat("some text that is copied ", 20))
	f.Add(base, chunk.Delta(base, append([]byte("new "), base[100:]...)))
	f.Add([]byte{}, []byte{1, 1, 'a'})
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		got, err := chunk.Patch(base, delta)
		if err != nil {
			return
		}
		again, err := chunk.Patch(base, chunk.Delta(base, got))
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q: %v", got, err)
		}
	})
}

func BenchmarkDelta(b *testing.B) {
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "p%025d{\"t\":\"document\",\"n\":\"Page %d\",\"b\":\"%032d\",\"bs\":\"%032d\",\"ca\":\"2026-11-15T22:53:16.122Z\"}", i, i, i*7919, i*104729)
	}
	base := []byte(text.String())
	target := bytes.Clone(base)
	for _, at := range []int{700, 2100, 4000} {
		copy(target[at:], "thirty-two bytes that are new...")
	}
	delta := chunk.Delta(base, target)
	b.Run("make", func(b *testing.B) {
		b.SetBytes(int64(len(target)))
		b.ReportMetric(float64(len(delta)), "delta-bytes")
		for b.Loop() {
			chunk.Delta(base, target)
		}
	})
	b.Run("patch", func(b *testing.B) {
		b.SetBytes(int64(len(target)))
		for b.Loop() {
			if _, err := chunk.Patch(base, delta); err != nil {
				b.Fatal(err)
			}
		}
	})
}
