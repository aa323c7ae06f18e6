package server_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/server"
)

func folder(t *testing.T) server.Files {
	t.Helper()
	return server.Files{Folder: filepath.Join(t.TempDir(), "files")}
}

func marks(t *testing.T, f server.Files) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(f.Folder, "marks", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// openers opens the places at the same time, each with a store of its own, as nodes do.
func openers(t *testing.T, o store.Options, places ...server.Files) (out []error) {
	t.Helper()
	out = make([]error, len(places))
	var wg sync.WaitGroup
	for i, f := range places {
		st := testdb.Open(t, o)
		wg.Go(func() { _, out[i] = f.OpenFor(context.Background(), st) })
	}
	wg.Wait()
	return out
}

// Of nodes that start at once on a new database, all that have the same folder start, and
// of different folders one is that of the database.
func TestNodesThatBeginAtOnceAgreeOnTheFiles(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		same := folder(t)
		if err := errors.Join(openers(t, o, same, same, same, same)...); err != nil {
			t.Errorf("one folder: %v", err)
		}
		if n := len(marks(t, same)); n != 1 {
			t.Errorf("the folder has %d marks", n)
		}
	})
	testdb.Each(t, func(t *testing.T, o store.Options) {
		places := []server.Files{folder(t), folder(t), folder(t)}
		refused := 0
		for i, err := range openers(t, o, places...) {
			if err == nil {
				if n := len(marks(t, places[i])); n != 1 {
					t.Errorf("the folder of the database has %d marks", n)
				}
				continue
			}
			refused++
			if !strings.Contains(err.Error(), places[i].Folder+" does not have the files of this database") || len(marks(t, places[i])) > 0 {
				t.Errorf("%v; marks %v", err, marks(t, places[i]))
			}
		}
		if refused != 2 {
			t.Errorf("%d of 3 folders are refused", refused)
		}
	})
}

// A node that is killed after it wrote the mark, and before the database knows it, leaves
// nothing that keeps anybody from starting.
func TestAMarkOfNoDatabaseDoesNoHarm(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		st, f, ctx := testdb.Open(t, o), folder(t), context.Background()
		files, err := f.Open(ctx)
		if err == nil {
			err = files.SetMark(ctx, "LEFTOVER")
		}
		if err == nil {
			_, err = f.OpenFor(ctx, st)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := len(marks(t, f)); n != 2 {
			t.Errorf("%d marks", n)
		}
		if known, err := server.KnownPlace(ctx, st); err != nil || known.Mark == "LEFTOVER" || !strings.Contains(known.Place, f.Folder) {
			t.Errorf("the database knows %+v, %v", known, err)
		}
	})
}

// Reading changes neither the database nor the store.
func TestReadingMarksNothing(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		st, f, ctx := testdb.Open(t, o), folder(t), context.Background()
		if _, err := f.OpenToRead(ctx, st); err != nil {
			t.Fatal(err)
		}
		if known, err := server.KnownPlace(ctx, st); err != nil || known.Mark != "" || len(marks(t, f)) > 0 {
			t.Errorf("%+v, %v, %v", known, err, marks(t, f))
		}
		if _, err := f.OpenFor(ctx, st); err != nil {
			t.Fatal(err)
		}
		if _, err := f.OpenToRead(ctx, st); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(filepath.Join(f.Folder, "marks")); err != nil {
			t.Fatal(err)
		}
		if _, err := f.OpenToRead(ctx, st); err == nil || !strings.Contains(err.Error(), "octavo files adopt") {
			t.Errorf("without the mark: %v", err)
		}
	})
}
