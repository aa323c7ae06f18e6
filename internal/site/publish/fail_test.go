package publish

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// The owner of a server learns from the log that a page takes more than the budget of a request, once
// in a minute: strangers may ask for the page as often as they like.
func TestPagesOverTheirBudgetAreLoggedOnce(t *testing.T) {
	o, later := testdb.SQLite(t), atomic.Int64{}
	o.Clock = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	st := testdb.Open(t, o)
	var log bytes.Buffer
	published := sites.New(st, sites.Config{})
	h, err := New(Config{Audience: audience.New(published), Sites: published, Content: content.New(content.Config{Store: st}), Guard: authz.NewGuard(st, nil, nil), Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 1, 1, 2} {
		if i == 3 {
			later.Store(int64(2 * time.Minute))
		}
		w := httptest.NewRecorder()
		h.fail(w, httptest.NewRequest(http.MethodGet, "/s/site/", nil), errs.E(errs.Invalid, "the expressions of the page take too many steps"))
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "too many steps") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if n := strings.Count(log.String(), "could not be shown"); n != want {
			t.Errorf("after %d requests it is logged %d times, not %d:\n%s", i+1, n, want, log.String())
		}
	}
}
