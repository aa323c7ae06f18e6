package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// testLimit is the size limit of the stores in these tests.
const testLimit = 3 << 20

// TestStores runs the same tests for every store.
func TestStores(t *testing.T) {
	t.Run("folder", func(t *testing.T) { testStore(t, newFolder(t)) })
	t.Run("bucket in this process", func(t *testing.T) { testStore(t, newFake(t).open(t, S3{})) })
	t.Run("bucket of a server", func(t *testing.T) { testStore(t, newRealBucket(t)) })
}

func newFolder(t testing.TB) *Folder {
	t.Helper()
	s, err := OpenFolder(t.TempDir(), testLimit)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// randomBytes returns pseudo-random bytes that depend only on the seed.
func randomBytes(seed uint64, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)}).Read(b)
	return b
}

func put(t testing.TB, s Store, data []byte) Hash {
	t.Helper()
	info, err := s.Put(t.Context(), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if want := sha256.Sum256(data); info.Hash != want || info.Size != int64(len(data)) || time.Since(info.LastPut).Abs() > time.Minute {
		t.Fatalf("put %d bytes: %+v", len(data), info)
	}
	return info.Hash
}

func get(t testing.TB, s Store, h Hash) []byte {
	t.Helper()
	o, err := s.Open(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	b, err := io.ReadAll(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func all(t testing.TB, s Store) map[Hash]Info {
	t.Helper()
	out := map[Hash]Info{}
	err := s.Walk(t.Context(), func(i Info) error {
		out[i.Hash] = i
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func testStore(t *testing.T, s Store) {
	ctx := t.Context()
	kept := map[Hash][]byte{}
	for i, n := range []int{0, 1, 1000, firstPiece, firstPiece + 1, 2 << 20, testLimit} {
		data := randomBytes(uint64(i+1), n)
		kept[put(t, s, data)] = data
	}
	absent := Hash(sha256.Sum256([]byte("absent")))

	t.Run("what was put is there", func(t *testing.T) {
		for h, data := range kept {
			if !bytes.Equal(get(t, s, h), data) {
				t.Errorf("%d bytes are not those that were put", len(data))
			}
			if ok, err := s.Has(ctx, h); !ok || err != nil {
				t.Errorf("Has: %v, %v", ok, err)
			}
			if err := intact(ctx, s, h); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("marks are no contents", func(t *testing.T) {
		before := len(all(t, s))
		mine, other := NewMark(), NewMark()
		for range 2 { // a second time changes nothing
			if err := s.SetMark(ctx, mine); err != nil {
				t.Fatal(err)
			}
		}
		if has, err := s.HasMark(ctx, mine); !has || err != nil {
			t.Errorf("the mark: %v, %v", has, err)
		}
		if has, err := s.HasMark(ctx, other); has || err != nil {
			t.Errorf("another mark: %v, %v", has, err)
		}
		if n := len(all(t, s)); n != before {
			t.Errorf("Walk returns %d contents, %d before the mark", n, before)
		}
		for range 2 {
			if err := s.RemoveMark(ctx, mine); err != nil {
				t.Fatal(err)
			}
		}
		if has, err := s.HasMark(ctx, mine); has || err != nil {
			t.Errorf("after it was removed: %v, %v", has, err)
		}
		if empty, err := Empty(ctx, s); empty || err != nil {
			t.Errorf("Empty: %v, %v", empty, err)
		}
	})
	t.Run("what is absent", func(t *testing.T) {
		if _, err := s.Open(ctx, absent); !errs.Is(err, errs.NotFound) {
			t.Errorf("Open: %v", err)
		}
		if ok, err := s.Has(ctx, absent); ok || err != nil {
			t.Errorf("Has: %v, %v", ok, err)
		}
		if ok, err := s.Delete(ctx, absent, time.Now().Add(time.Hour)); ok || err != nil {
			t.Errorf("Delete: %v, %v", ok, err)
		}
		if err := intact(ctx, s, absent); !errs.Is(err, errs.NotFound) {
			t.Errorf("Check: %v", err)
		}
	})
	t.Run("any part can be read", func(t *testing.T) {
		for h, data := range kept {
			o, err := s.Open(ctx, h)
			if err != nil {
				t.Fatal(err)
			}
			if o.Info().Size != int64(len(data)) || o.Info().Hash != h {
				t.Errorf("info %+v", o.Info())
			}
			// Small reads and seeks, as made by browsers and decoders.
			small := data[:min(len(data), 64)] // each read is a request
			if err := iotest.TestReader(io.NewSectionReader(o, 0, int64(len(small))), small); err != nil {
				t.Errorf("%d bytes: %v", len(data), err)
			}
			r := rand.New(rand.NewPCG(1, uint64(len(data))))
			for range 20 {
				off := r.IntN(len(data) + 2)
				buf := make([]byte, r.IntN(100_000))
				want := data[min(off, len(data)):]
				want = want[:min(len(buf), len(want))]
				n, err := o.ReadAt(buf, int64(off))
				if !bytes.Equal(buf[:n], want) || (err != nil) != (n < len(buf)) || err != nil && err != io.EOF {
					t.Errorf("ReadAt %d of %d: %d bytes, %v", off, len(data), n, err)
				}
				if at, err := o.Seek(int64(off), io.SeekStart); at != int64(off) || err != nil {
					t.Errorf("Seek: %d, %v", at, err)
				}
				n, err = io.ReadFull(o, buf)
				if !bytes.Equal(buf[:n], want) || n == len(buf) && err != nil {
					t.Errorf("Read at %d of %d: %d bytes, %v", off, len(data), n, err)
				}
			}
			if at, err := o.Seek(0, io.SeekEnd); at != int64(len(data)) || err != nil {
				t.Errorf("the end is at %d, %v", at, err)
			}
			if _, err := o.Seek(-1, io.SeekStart); err == nil {
				t.Error("sought before the beginning")
			}
			o.Close()
		}
	})
	t.Run("too large", func(t *testing.T) {
		for _, r := range []io.Reader{bytes.NewReader(make([]byte, testLimit+1)), io.LimitReader(zeros{}, testLimit*2), zeros{}} {
			if _, err := s.Put(ctx, r); !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), "3 MB") {
				t.Errorf("Put: %v", err)
			}
		}
		same(t, s, kept)
	})
	t.Run("a reader that fails", func(t *testing.T) {
		broken := errs.E(errs.Invalid, "the upload broke off")
		if _, err := s.Put(ctx, io.MultiReader(strings.NewReader("begin"), iotest.ErrReader(broken))); !errors.Is(err, broken) || !errs.Is(err, errs.Invalid) {
			t.Errorf("Put: %v", err)
		}
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		if _, err := s.Put(short, slow{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Put: %v", err)
		}
		same(t, s, kept)
	})
	t.Run("the same bytes at the same time", func(t *testing.T) {
		data := randomBytes(99, 200_000)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if _, err := s.Put(ctx, bytes.NewReader(data)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		kept[sha256.Sum256(data)] = data
		same(t, s, kept)
	})
	t.Run("delete only what is old", func(t *testing.T) {
		for h := range kept {
			if ok, err := s.Delete(ctx, h, time.Now().Add(-time.Hour)); ok || err != nil {
				t.Errorf("Delete: %v, %v", ok, err)
			}
		}
		same(t, s, kept)
		for h := range kept {
			if ok, err := s.Delete(ctx, h, time.Now().Add(time.Hour)); !ok || err != nil {
				t.Errorf("Delete: %v, %v", ok, err)
			}
			if _, err := s.Open(ctx, h); !errs.Is(err, errs.NotFound) {
				t.Errorf("Open after Delete: %v", err)
			}
		}
		same(t, s, nil)
	})
	t.Run("an error ends the walk", func(t *testing.T) {
		put(t, s, []byte("a"))
		put(t, s, []byte("b"))
		n := 0
		if err := s.Walk(ctx, func(Info) error { n++; return os.ErrNotExist }); !errors.Is(err, os.ErrNotExist) || n != 1 {
			t.Errorf("%d calls, %v", n, err)
		}
		over, cancel := context.WithCancel(ctx)
		cancel()
		if err := s.Walk(over, func(Info) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// same fails unless the store holds exactly the given contents.
func same(t *testing.T, s Store, want map[Hash][]byte) {
	t.Helper()
	got := all(t, s)
	for h, data := range want {
		if i, ok := got[h]; !ok || i.Size != int64(len(data)) || time.Since(i.LastPut).Abs() > time.Hour {
			t.Errorf("%s: %+v, %v", h, i, ok)
		}
	}
	if len(got) != len(want) {
		t.Errorf("the store holds %d objects instead of %d", len(got), len(want))
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

type slow struct{}

func (slow) Read(p []byte) (int, error) {
	time.Sleep(5 * time.Millisecond)
	return copy(p, "."), nil
}

func TestParseHash(t *testing.T) {
	h := Hash(sha256.Sum256([]byte("x")))
	if got, err := ParseHash(h.String()); got != h || err != nil {
		t.Error(got, err)
	}
	for _, s := range []string{"", "x", "../../etc/passwd", strings.ToUpper(h.String()), h.String()[1:], h.String() + "0", strings.Repeat("g", 64), strings.Repeat("é", 32)} {
		if _, err := ParseHash(s); !errs.Is(err, errs.Invalid) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// intact reads a whole object and returns an error if its content does not match its
// hash.
func intact(ctx context.Context, s Store, h Hash) error {
	o, err := s.Open(ctx, h)
	if err != nil {
		return err
	}
	defer o.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, withContext(ctx, o)); err != nil {
		return fmt.Errorf("read %s: %w", h, err)
	}
	if got := Hash(sum.Sum(nil)); got != h {
		return fmt.Errorf("the bytes of %s are damaged: their hash is %s", h, got)
	}
	return nil
}
