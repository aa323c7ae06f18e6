package markup

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/defect"
)

func TestADefectOfTheParserIsCountedAndLogged(t *testing.T) {
	var log bytes.Buffer
	logger := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(logger)
	before := defect.Count()
	doc := Parse([]byte("[a](b.md)\n"), Refs{Resolve: func(string, Use) (docs.Ref, bool) { panic("a defect") }})
	if !doc.isKeptWhole() {
		t.Errorf("the page is not kept as it is: %+v", doc.Nodes)
	}
	if n := defect.Count() - before; n != 1 {
		t.Errorf("%d defects were counted, not 1", n)
	}
	if s := log.String(); !strings.Contains(s, "a defect") || !strings.Contains(s, "defects_test.go") {
		t.Errorf("the log lacks the panic or its place: %s", s)
	}
}
