package api_test

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-docs/octavo/internal/budget/costly"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// shortWork is what may be done inside of a transaction all the same, by the
// function that does it, with the reason.
var shortWork = map[string]string{
	"revision.(*View).mentioned": "the mentions of a comment, whose text is bounded by revision.MaxNote",
	"comments.Place.source":      "the text of a comment, which is bounded by revision.MaxNote",
	"merge.Conflict.Name":        "the hash of an id",
}

// watchTransactions fails the test if costly work is done inside of a transaction
// of SQLite, for which all other writers wait.
func watchTransactions(t *testing.T) {
	var mu sync.Mutex
	found := map[string]bool{}
	end := costly.Observe(func(kind string) {
		if by, inside := transactionStack(); inside {
			mu.Lock()
			defer mu.Unlock()
			found[kind+" by "+by] = true
		}
	})
	t.Cleanup(func() {
		end()
		for _, what := range slices.Sorted(maps.Keys(found)) {
			t.Errorf("inside of a transaction: %s", what)
		}
	})
}

// transactionStack reports whether the caller runs inside of a transaction, and
// returns the functions of the project that lead to it.
func transactionStack() (string, bool) {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc)])
	var by []string
	for {
		f, more := frames.Next()
		name, own := strings.CutPrefix(f.Function, "github.com/octavo-docs/octavo/internal/")
		name = name[strings.LastIndex(name, "/")+1:]
		if strings.HasSuffix(name, ".(*liteConn).attempt") {
			return strings.Join(by, " < "), true
		}
		if shortWork[name] != "" {
			return "", false
		}
		if own {
			by = append(by, name)
		}
		if !more {
			return "", false
		}
	}
}

// A transaction is recognized by a function of the store, whose name may change.
func TestTransactionsAreRecognized(t *testing.T) {
	s := testdb.Open(t, testdb.SQLite(t))
	inside := false
	t.Cleanup(costly.Observe(func(string) { _, inside = transactionStack() }))
	err := s.Do(t.Context(), func(*store.Tx) error {
		costly.Note("test")
		return nil
	})
	if err != nil || !inside {
		t.Errorf("the stack of a transaction is not recognized (%v)", err)
	}
}
