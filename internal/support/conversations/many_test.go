package conversations_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/conversations"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Measures many conversations; OCTAVO_TEST_CONVERSATIONS is their number. It only checks
// that all of them are analysed.
func TestManyConversations(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("OCTAVO_TEST_CONVERSATIONS"))
	if err != nil {
		t.Skip("OCTAVO_TEST_CONVERSATIONS is not set")
	}
	w := newWorld(t, testdb.SQLite(t))
	ctx := context.Background()
	begin := w.now.Add(-time.Duration(n) * time.Minute)
	var all []conversations.Input
	for i := range n {
		text := fmt.Sprintf("%s It happens in project %d with module%d.", questions[i*7%len(questions)], i%997, i%211)
		all = append(all, asked(fmt.Sprint(i), text, begin.Add(time.Duration(i)*time.Minute)))
	}
	start := time.Now()
	for some := range slices.Chunk(all, conversations.MaxBatch) {
		w.ingest("email", some...)
	}
	ingested := time.Since(start)
	start = time.Now()
	w.analyse()
	analysed := time.Since(start)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d conversations: ingested %.0f/s, analysed %.0f/s in %s; %d MB from the system", n, float64(n)/ingested.Seconds(), float64(n)/analysed.Seconds(), analysed.Round(time.Millisecond), m.Sys>>20)
	for name, read := range map[string]func(store.Page) error{
		"conversations": func(p store.Page) error { _, _, err := w.s.Conversations(w.org, "").Page(ctx, p); return err },
		"issues":        func(p store.Page) error { _, _, err := w.s.Issues(w.org, store.IssueFilter{}).Page(ctx, p); return err },
		"clusters": func(p store.Page) error {
			_, _, err := w.s.Clusters(w.org, store.ClusterFilter{}).Page(ctx, p)
			return err
		},
	} {
		start := time.Now()
		for range 20 {
			if err := read(store.Page{Limit: 50}); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("a page of 50 %s: %s", name, (time.Since(start) / 20).Round(10*time.Microsecond))
	}
	if got := len(w.clusters()); got != min(n, 10000) {
		t.Errorf("%d of %d conversations have an issue in a cluster", got, n)
	}
}
