package engine

import (
	"path/filepath"
	"testing"
)

// Two processes that count commits at the same time never write a number that was there
// before, and each sees the numbers of the other.
func TestGenerationsAreUnique(t *testing.T) {
	path := filepath.Join(t.TempDir(), "generation")
	var both [2]*generation
	for i := range both {
		g, err := openGeneration(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = g.close() })
		both[i] = g
	}
	seen := map[uint64]bool{}
	for i := range 1000 {
		both[i%2].bump()
		one, ok := both[0].now()
		other, also := both[1].now()
		if !ok || !also || one != other || seen[one] {
			t.Fatalf("commit %d: %d %v, %d %v, there before: %v", i, one, ok, other, also, seen[one])
		}
		seen[one] = true
	}
}

// A number that cannot be written is not known, until the next one is.
func TestAGenerationThatCannotBeWritten(t *testing.T) {
	g, err := openGeneration(filepath.Join(t.TempDir(), "generation"))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := g.now(); !ok {
		t.Error("a new file has no number")
	}
	if err := g.close(); err != nil {
		t.Fatal(err)
	}
	g.bump()
	if _, ok := g.now(); ok {
		t.Error("the commit was not written, and nobody knows")
	}
}
