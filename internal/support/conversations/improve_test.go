package conversations_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/topics"
)

// model is a Model whose answer depends on the number of clusters in the request.
type model struct {
	calls  int
	answer func(n int) (string, error)
}

func (m *model) Complete(_ context.Context, system, user string) (string, error) {
	m.calls++
	var in []struct{ Title, Summary string }
	if err := json.Unmarshal([]byte(user), &in); err != nil || !strings.Contains(system, "never followed") {
		return "", errors.New("not asked as expected")
	}
	return m.answer(len(in))
}

func items(n int, title string) (string, error) {
	list := make([]map[string]string, n)
	for i := range list {
		list[i] = map[string]string{"title": title, "summary": "Write to jane@example.com."}
	}
	b, err := json.Marshal(map[string]any{"items": list})
	return "```json\n" + string(b) + "\n```", err
}

// forget lets all clusters be improved again.
func (w *world) forget() {
	w.t.Helper()
	ctx := context.Background()
	all, err := w.s.Store.StoredClusters(ctx, w.org)
	if err == nil {
		err = w.s.Store.Do(ctx, func(tx *store.Tx) error {
			for _, k := range all {
				if err := tx.PutImprovedCluster(ctx, w.org, k.ID, docs.ImprovedCluster{}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// A model writes labels and summaries. It never affects which issues are in a cluster, and
// its texts are shortened and cleaned.
func TestModelsImproveLabelsOnly(t *testing.T) {
	each(t, func(w *world) {
		w.ingest("email", numbered()...)
		w.analyse()
		want := w.clusters()
		labels := func() string {
			list, _, err := w.s.Clusters(w.org, store.ClusterFilter{}).Page(context.Background(), store.Page{Limit: 100})
			if err != nil {
				w.t.Fatal(err)
			}
			var all []string
			for _, k := range list {
				label, summary := k.Cluster.Shown()
				if label == "" || utf8.RuneCountInString(label) > topics.MaxTitle || strings.ContainsAny(label+summary, "<>\n@") {
					w.t.Errorf("%q, %q", label, summary)
				}
				all = append(all, label)
			}
			return strings.Join(all, "|")
		}
		before := labels()
		for name, c := range map[string]struct {
			answer  func(n int) (string, error)
			changes bool
		}{
			"down":    {func(int) (string, error) { return "", errors.New("down") }, false},
			"garbage": {func(int) (string, error) { return "I cannot do that.", nil }, false},
			"too few": {func(n int) (string, error) { return items(n-1, "Title") }, false},
			"empty":   {func(n int) (string, error) { return items(n, " ") }, false},
			"good":    {func(n int) (string, error) { return items(n, "Exports") }, true},
			"markup":  {func(n int) (string, error) { return items(n, "<p>Exports</p><script>alert(1)</script>") }, true},
			"long":    {func(n int) (string, error) { return items(n, strings.Repeat("Exports and ", 100_000)) }, true},
		} {
			w.forget()
			m := &model{answer: c.answer}
			w.s.Model = m
			w.ingest("email", asked("again-"+name, "ok", w.now)) // no issue, but an analysis
			w.analyse()
			if got := labels(); (got != before) != c.changes || m.calls == 0 || c.changes && !strings.Contains(got, "Exports") {
				w.t.Errorf("%s, after %d calls: %s", name, m.calls, got)
			}
			if got := w.clusters(); !maps.Equal(got, want) {
				w.t.Errorf("%s: %v", name, got)
			}
			calls := m.calls
			w.ingest("email", asked("once-more-"+name, "ok", w.now))
			if w.analyse(); m.calls != calls && name != "down" {
				w.t.Errorf("%s: what was improved is sent again", name)
			}
		}
	})
}
