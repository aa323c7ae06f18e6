package server

import (
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup/defect"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Operators learn of pages that are shown as their source.
func TestMetricsCountDefectsOfMarkup(t *testing.T) {
	logger := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	defer slog.SetDefault(logger)
	before := defect.Count()
	defect.Note("markup: for this test", "a defect")
	m := newMetrics(testdb.Open(t, testdb.SQLite(t)))
	w := httptest.NewRecorder()
	m.handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if want := fmt.Sprintf("\noctavo_markup_defects_total %d\n", before+1); !strings.Contains(w.Body.String(), want) {
		t.Errorf("no line %q in\n%s", want, w.Body)
	}
}
