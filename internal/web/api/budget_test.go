package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// A batch that is refused fetches none of its files. (security d7)
func TestRefusedBatchFetchesNothing(t *testing.T) {
	var asked atomic.Int64
	from := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte("bytes"))
	}))
	defer from.Close()
	w := newWorld(t, testdb.SQLite(t), nil)
	allowed, err := outbound.Parse("127.0.0.1/32")
	if err != nil {
		t.Fatal(err)
	}
	w.srv.Content.Outbound = allowed
	w.liveSpace()
	files := `{"operation":"insert_files","files":[{"name":"a.txt","url":"` + from.URL + `/a"},{"name":"b.txt","url":"` + from.URL + `/b"}]}`
	for _, c := range []struct {
		changes string
		status  int
		asked   int64
	}{
		{files + `,{"operation":"delete_page","page":"absent"}`, http.StatusNotFound, 0},
		{files + `,{"operation":"insert_files","files":[{"name":"../x","url":"` + from.URL + `/c"},{"name":"d","url":"file:///x"}]}`, http.StatusBadRequest, 0},
		{files + `,{"operation":"update_page","page":"$page","title":"` + strings.Repeat("x", 300) + `"}`, http.StatusBadRequest, 0},
		{files, http.StatusOK, 2},
	} {
		asked.Store(0)
		a := w.call("admin", "POST", w.expand("/spaces/$space/content"), w.expand(`{"changes":[`+c.changes+`]}`))
		if a.status != c.status || asked.Load() != c.asked {
			t.Errorf("%.120s: %d after %d fetches, want %d after %d: %.300s", c.changes, a.status, asked.Load(), c.status, c.asked, a.body)
		}
	}
}

// Large bodies of one account are read one after another, and each is answered.
func TestLargeBodiesTakeTurns(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.liveSpace()
	body := `{"changes":[{"operation":"update_page","page":"` + strings.Repeat("x", 20<<20) + `"}]}`
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			a := answer{status: http.StatusServiceUnavailable}
			for a.status == http.StatusServiceUnavailable { // it waited for ten seconds, and tries again as it should
				a = w.ask("admin", "POST", w.expand("/spaces/$space/content"), strings.NewReader(w.expand(body)))
			}
			if a.status/100 != 4 {
				t.Errorf("%d %.200s", a.status, a.body)
			}
		})
	}
	wg.Wait()
}
