package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// A file that may not grow any more is as good as a full disk: SQLite reports both in
// the same way.
func TestAFullDiskIsReported(t *testing.T) {
	ctx := context.Background()
	now := time.Now()
	s, err := Open(ctx, Options{Path: t.TempDir() + "/octavo.db", Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fill := func(n int) error {
		return do(ctx, s, func(tx *Tx) error {
			return Put(ctx, tx, `UPDATE instance SET secret = $1 WHERE id = 1`, strings.Repeat("x", n))
		})
	}
	limit := func(text string) {
		t.Helper()
		err := do(ctx, s, func(tx *Tx) error { _, err := tx.read.run.exec(ctx, text); return err })
		if err != nil {
			t.Fatal(err)
		}
	}
	limit(`PRAGMA max_page_count = 1`) // SQLite raises it to what there is
	err = fill(1 << 20)
	if !errs.Is(err, errs.NoSpace) || !s.DiskFull() {
		t.Fatalf("a write without room: %v", err)
	}
	var e *errs.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "disk") {
		t.Errorf("the message is %v", err)
	}
	limit(`PRAGMA max_page_count = 1000000`)
	now = now.Add(time.Minute)
	if err := fill(1 << 20); err != nil || s.DiskFull() {
		t.Errorf("with room again: %v, full %t", err, s.DiskFull())
	}
}
