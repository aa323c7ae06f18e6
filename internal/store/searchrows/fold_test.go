package searchrows_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// putEach puts pages one by one.
func putEach(t *testing.T, s *store.Store, layer string, n int) {
	t.Helper()
	for i := range n {
		putPages(t, s, layer, page(fmt.Sprint("p", i), "Title", fmt.Sprint("word", i)))
	}
}

// waiting returns how many pages wait, and checks the index.
func waiting(t *testing.T, s *store.Store, layer string) int64 {
	t.Helper()
	n, rows, err := searchrows.Waiting(t.Context(), s.Index, layer)
	if err != nil {
		t.Fatal(err)
	}
	if n != rows {
		t.Errorf("%d pages are counted, %d wait", n, rows)
	}
	if err := checkSearch(t, s, layer); err != nil {
		t.Error(err)
	}
	return n
}

// checkSearch is CheckSearch beside the background.
func checkSearch(t *testing.T, s *store.Store, layer string) error {
	return s.Snapshot(t.Context(), func(r store.Reader) error { return r.CheckSearch(t.Context(), layer) })
}

// Pages that wait become segments in the background, and without it before there
// are too many of them.
func TestPagesAreFolded(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		putEach(t, s, "l", 5*searchrows.FoldAt)
		searchrows.WaitForFolds(s.Index)
		if n := waiting(t, s, "l"); n >= searchrows.FoldAt {
			t.Errorf("%d pages wait", n)
		}
		searchrows.StopFolds(s.Index)
		putEach(t, s, "m", searchrows.MaxPending-1)
		if n := waiting(t, s, "m"); n != searchrows.MaxPending-1 {
			t.Errorf("%d pages wait, although nothing folds them", n)
		}
		putPages(t, s, "m", page("last", "Title", "word"))
		if n := waiting(t, s, "m"); n != 0 {
			t.Errorf("%d pages wait", n)
		}
		if got := find(t, s, fmt.Sprintf("word%d ", searchrows.FoldAt), "l", "m"); got != fmt.Sprint("p", searchrows.FoldAt) {
			t.Errorf("found %q", got)
		}
	})
}

// Pages wait for more of them, but not until there are many.
func TestFoldsWaitForMore(t *testing.T) {
	defer searchrows.DelayFolds(time.Hour)()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		putEach(t, s, "l", searchrows.FoldAt)
		if n := waiting(t, s, "l"); n != searchrows.FoldAt {
			t.Errorf("%d pages wait", n)
		}
		putEach(t, s, "l", searchrows.MaxPending/2)
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if _, rows, err := searchrows.Waiting(t.Context(), s.Index, "l"); err != nil || time.Now().After(deadline) {
				t.Fatalf("%d pages wait, %v", rows, err)
			} else if rows < searchrows.MaxPending/2 {
				break
			}
		}
	})
}

// A fold that was worked out before the layer changed is written if its segments
// are the same, and has no effect otherwise.
func TestFoldsCompare(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		searchrows.StopFolds(s.Index)
		putEach(t, s, "l", searchrows.FoldAt+8)
		write, err := searchrows.ComputeFold(t.Context(), s.Index, "l")
		if err != nil {
			t.Fatal(err)
		}
		putPages(t, s, "l", page("p3", "Title", "other"), page("new", "Title", "new"))
		change(t, s, func(tx *store.Tx) error { return tx.DropSearchPage(t.Context(), "l", "p4", false) })
		if err := write(); err != nil {
			t.Fatal(err)
		}
		if n := waiting(t, s, "l"); n != 2 {
			t.Errorf("%d pages wait, want those that came later", n)
		}
		if got := find(t, s, "word3 ", "l") + "|" + find(t, s, "word4 ", "l") + "|" + find(t, s, "other", "l") + "|" + find(t, s, "word5 ", "l"); got != "||p3|p5" {
			t.Errorf("found %q", got)
		}

		putEach(t, s, "l", searchrows.FoldAt+8)
		before := waiting(t, s, "l")
		if write, err = searchrows.ComputeFold(t.Context(), s.Index, "l"); err != nil {
			t.Fatal(err)
		}
		var many []searchrows.Page
		for i := range 2 * searchrows.FoldAt {
			many = append(many, page(fmt.Sprint("q", i), "Title", "many"))
		}
		putPages(t, s, "l", many...) // a segment
		if err := write(); !errors.Is(err, searchrows.ErrFoldMoved) {
			t.Errorf("err = %v", err)
		}
		if n := waiting(t, s, "l"); n != before {
			t.Errorf("%d pages wait, want %d", n, before)
		}
	})
}

// Pages that are too large to be folded together are folded one after the other,
// and their segments are merged piece by piece.
func TestFoldsAreBounded(t *testing.T) {
	defer searchrows.LimitFolds(16 << 10)()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		searchrows.StopFolds(s.Index)
		const pages = 3 * searchrows.FoldAt
		for i := range pages {
			var text strings.Builder
			for k := range 500 {
				fmt.Fprintf(&text, "w%dx%d ", i, k)
			}
			putPages(t, s, "l", page(fmt.Sprint("p", i), "Title", text.String()))
		}
		folds := 0
		for before := int64(pages); before >= searchrows.FoldAt; folds++ {
			write, err := searchrows.ComputeFold(t.Context(), s.Index, "l")
			if err != nil {
				t.Fatal(err)
			}
			if err := write(); err != nil {
				t.Fatal(err)
			}
			now := waiting(t, s, "l")
			if now == 0 || now >= before {
				t.Fatalf("%d of %d pages wait", now, before)
			}
			before = now
		}
		if folds < 4 {
			t.Errorf("%d folds of 16 KB", folds)
		}
		if got := find(t, s, "w3x499 ", "l"); got != "p3" {
			t.Errorf("found %q", got)
		}
	})
}

// Entries of a page that changed while they waited do not become part of a segment.
func TestFoldsLeaveOutOldEntries(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		searchrows.StopFolds(s.Index)
		fold := func() {
			t.Helper()
			write, err := searchrows.ComputeFold(t.Context(), s.Index, "l")
			if err == nil {
				err = write()
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := waiting(t, s, "l"); n != 0 {
				t.Errorf("%d pages wait", n)
			}
		}
		for i := range searchrows.FoldAt {
			putPages(t, s, "l", page("p", "Title", fmt.Sprint("word", i)))
		}
		fold()
		if got := find(t, s, "word3 ", "l") + "|" + find(t, s, fmt.Sprintf("word%d ", searchrows.FoldAt-1), "l"); got != "|p" {
			t.Errorf("found %q", got)
		}
		rows := rowsOf(t, s, o, "search_index")
		for i := range searchrows.FoldAt {
			putPages(t, s, "l", page("q", "Title", fmt.Sprint("word", i)))
		}
		change(t, s, func(tx *store.Tx) error { return tx.DropSearchPage(t.Context(), "l", "q", false) })
		fold()
		if now := rowsOf(t, s, o, "search_index"); now != rows {
			t.Errorf("%d rows instead of %d, for a page that was deleted", now, rows)
		}
	})
}

// A fold that fails in the background is logged, but not each of many.
func TestFailedFoldsAreLogged(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		var log bytes.Buffer
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		s := testdb.Open(t, o)
		for range 3 {
			searchrows.FailFold(s.Index, "l", errors.New("no space is left"), time.Unix(1000, 0))
		}
		searchrows.FailFold(s.Index, "m", errors.New("no space is left"), time.Unix(1060, 0))
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(lines) != 2 || !strings.Contains(lines[0], "layer=l") || !strings.Contains(lines[0], `error="no space is left"`) ||
			!strings.Contains(lines[1], "layer=m") || !strings.Contains(lines[1], "failures=3") {
			t.Errorf("logged:\n%s", log.String())
		}
		log.Reset()
		if err := searchrows.Exec(t.Context(), s.Index, `ALTER TABLE search_segments RENAME TO gone`); err != nil {
			t.Fatal(err)
		}
		putEach(t, s, "l", searchrows.FoldAt)
		searchrows.WaitForFolds(s.Index)
		if !strings.Contains(log.String(), "layer=l") {
			t.Errorf("a fold without its table is not logged: %q", log.String())
		}
	})
}
