package store_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// After a clean stop everything is in the one file that people copy.
func TestClosingFoldsTheLogIntoTheFile(t *testing.T) {
	for range 10 {
		o := testdb.BareSQLite(t)
		s, err := store.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Secret(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(o.Path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("the log is still there: %v", err)
		}
		if st, err := os.Stat(o.Path); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", st.Mode(), err)
		}
	}
}
