package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// text returns n bytes that do not repeat.
func text(r *rand.Rand, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

// storedBytes returns the size of all objects as they are stored.
func storedBytes(t testing.TB, s *store.Store) (n int) {
	t.Helper()
	n, err := store.ObjectBytes(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func putObjects(t *testing.T, s *store.Store, objects ...store.Object) {
	t.Helper()
	prepared, err := s.PrepareObjects(t.Context(), objects)
	if err != nil {
		t.Fatal(err)
	}
	change(t, s, func(tx *store.Tx) error { return tx.PutObjects(t.Context(), prepared) })
}

// TestObjectsAreReadAsTheyWereWritten follows histories that branch and return
// to earlier states, in transactions of which some fail.
func TestObjectsAreReadAsTheyWereWritten(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		r := rand.New(rand.NewPCG(3, 4))
		type version struct {
			hash chunk.Hash
			data []byte
		}
		first := text(r, 4000)
		all := []version{{chunk.Sum(first), first}}
		put := func(objects ...store.Object) {
			putObjects(t, s, objects...)
		}
		put(store.Object{Hash: all[0].hash, Data: first})
		for range 300 {
			from := all[len(all)-1]
			if r.IntN(4) == 0 {
				from = all[r.IntN(len(all))]
			}
			data := bytes.Clone(from.data)
			at := r.IntN(len(data) - 40)
			copy(data[at:], fmt.Sprintf("an edit with the number %d", r.IntN(50)))
			next := store.Object{Hash: chunk.Sum(data), Data: data, Base: from.hash}
			switch r.IntN(10) {
			case 0: // the transaction fails, and another one follows from it
				failed := errors.New("no")
				prepared, err := s.PrepareObjects(t.Context(), []store.Object{next})
				if err != nil {
					t.Fatal(err)
				}
				err = s.Do(t.Context(), func(tx *store.Tx) error {
					return errors.Join(tx.PutObjects(t.Context(), prepared), failed)
				})
				if !errors.Is(err, failed) {
					t.Fatal(err)
				}
				data = append(bytes.Clone(data), "more"...)
				next = store.Object{Hash: chunk.Sum(data), Data: data, Base: next.Hash}
				put(next)
			case 1: // an object that exists, with another base
				again := all[r.IntN(len(all))]
				put(store.Object{Hash: again.hash, Data: again.data, Base: from.hash}, next)
			default:
				put(next)
			}
			all = append(all, version{next.Hash, data})
		}
		for _, v := range all {
			got, err := s.Object(t.Context(), v.hash)
			if err != nil || !bytes.Equal(got, v.data) {
				t.Fatalf("object %s: %d bytes, %v", v.hash, len(got), err)
			}
		}
		if err := s.CheckObjects(t.Context()); err != nil {
			t.Error(err)
		}
		if got, plain := storedBytes(t, s), len(all)*len(first); got > plain/5 {
			t.Errorf("%d versions of %d bytes take %d bytes", len(all), len(first), got)
		}
	})
}

// A small change of a large object costs little, whatever the object is.
func TestASimilarObjectIsStoredAsADelta(t *testing.T) {
	s := testdb.Open(t, testdb.SQLite(t))
	r := rand.New(rand.NewPCG(5, 6))
	put := func(o store.Object) int {
		t.Helper()
		o.Hash = chunk.Sum(o.Data)
		before := storedBytes(t, s)
		putObjects(t, s, o)
		if got, err := s.Object(t.Context(), o.Hash); err != nil || !bytes.Equal(got, o.Data) {
			t.Fatalf("it is not read as it was written: %v", err)
		}
		return storedBytes(t, s) - before
	}
	base := text(r, 5000)
	put(store.Object{Data: base})
	similar := append(bytes.Clone(base), "a few more bytes"...)
	for _, c := range []struct {
		name  string
		data  []byte
		base  chunk.Hash
		bytes int
	}{
		{"similar", similar, chunk.Sum(base), 40},
		{"a delta from a delta is one from its base", append(bytes.Clone(similar), "and more"...), chunk.Sum(similar), 48},
		{"not similar", text(r, 5000), chunk.Sum(base), 5000},
		{"much larger", append(bytes.Clone(base), text(r, 5000)...), chunk.Sum(base), 10_000},
		{"a base that does not exist", text(r, 5000), "nothing", 5000},
		{"small", []byte("small"), chunk.Sum(base), 5},
		{"empty", []byte{}, chunk.Sum(base), 0},
		{"the same again", base, chunk.Sum(base), 0},
	} {
		if got := put(store.Object{Data: c.data, Base: c.base}); got > c.bytes {
			t.Errorf("%s: %d bytes are stored, want at most %d", c.name, got, c.bytes)
		}
	}
}

// The next edit of a text starts from the one that was just stored, which is not
// looked up again.
func TestStoredObjectsAreKnownBases(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		r := rand.New(rand.NewPCG(7, 8))
		object := func(data []byte, base chunk.Hash) store.Object {
			return store.Object{Hash: chunk.Sum(data), Data: data, Base: base}
		}
		base, other := object(text(r, 2000), ""), object(text(r, 2000), "")
		failed := errors.New("no")
		prepared, err := s.PrepareObjects(t.Context(), []store.Object{base})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Do(t.Context(), func(tx *store.Tx) error { return errors.Join(tx.PutObjects(t.Context(), prepared), failed) })
		if !errors.Is(err, failed) || store.IsKnownBase(s, base.Hash) {
			t.Fatalf("an object that was not committed is known: %v", err)
		}
		putObjects(t, s, base, other)
		if !store.IsKnownBase(s, base.Hash) || !store.IsKnownBase(s, other.Hash) {
			t.Error("objects that were stored are not known")
		}
		delta := object(append(bytes.Clone(base.Data), "more"...), base.Hash)
		putObjects(t, s, delta)
		again := object(delta.Data, other.Hash) // too different from it for a delta
		putObjects(t, s, again)
		if store.IsKnownBase(s, delta.Hash) {
			t.Error("an object that is stored as a delta is known as a base")
		}
		next := object(append(bytes.Clone(delta.Data), "and more"...), delta.Hash)
		putObjects(t, s, next)
		if got, err := s.Object(t.Context(), next.Hash); err != nil || !bytes.Equal(got, next.Data) {
			t.Errorf("it is not read as it was written: %v", err)
		}
		later := testdb.Open(t, o) // which knows nothing yet
		similar := object(append(bytes.Clone(other.Data), "more"...), other.Hash)
		if _, err := later.PrepareObjects(t.Context(), []store.Object{similar}); err != nil || !store.IsKnownBase(later, other.Hash) {
			t.Errorf("a base that was read is not known: %v", err)
		}
	})
}

func TestDamagedObjectsAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	base := text(r, 1000)
	next := append(bytes.Clone(base), "more"...)
	for _, c := range []struct{ name, statement string }{
		{"a base that is missing", `DELETE FROM objects WHERE base = ''`},
		{"a base with other bytes", `UPDATE objects SET data = zeroblob(1000) WHERE base = ''`},
		{"a delta with other bytes", `UPDATE objects SET data = x'00' WHERE base <> ''`},
		{"an object with other bytes", `UPDATE objects SET data = x'00' WHERE base = ''`},
		{"a delta from a delta", `UPDATE objects SET base = hash WHERE base <> ''`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "octavo.db")
			s := testdb.Open(t, store.Options{Path: path})
			putObjects(t, s, store.Object{Hash: chunk.Sum(base), Data: base})
			putObjects(t, s, store.Object{Hash: chunk.Sum(next), Data: next, Base: chunk.Sum(base)})
			if err := s.CheckObjects(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := store.Damage(t.Context(), s, c.statement); err != nil {
				t.Fatal(err)
			}
			if err := s.CheckObjects(t.Context()); err == nil || !strings.Contains(err.Error(), "object ") {
				t.Errorf("the damage is not found: %v", err)
			}
			if strings.HasPrefix(c.name, "an object") {
				return
			}
			if got, err := s.Object(t.Context(), chunk.Sum(next)); err == nil {
				t.Errorf("the object is read as %d bytes", len(got))
			}
		})
	}
}
