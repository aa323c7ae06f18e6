package store

import (
	"context"
	"path/filepath"
	"testing"
)

// A commit is visible before it is counted, for as long as SQLite takes to
// fold its log. Whoever has seen it must not be shown what was before.
func TestNothingIsRememberedWhileACommitIsUnderWay(t *testing.T) {
	ctx := t.Context()
	s, err := Open(ctx, Options{Path: filepath.Join(t.TempDir(), "octavo.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.memo == nil {
		t.Skip("nothing is remembered here")
	}
	asked := 0
	look := func() int {
		n, err := memoized(ctx, s.Reader, "test", "x", func(context.Context) (int, error) {
			asked++
			return asked, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if first, second := look(), look(); first != 1 || second != 1 {
		t.Error("it is not remembered")
	}
	s.memo.committing.Store(true)
	if look() != 2 {
		t.Error("it is what was before the commit")
	}
	s.memo.gen.bump()
	s.memo.committing.Store(false)
	if first, second := look(), look(); first != 3 || second != 3 {
		t.Error("it is what was before the commit was counted, or not remembered again")
	}
}
