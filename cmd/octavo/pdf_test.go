package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A space is exported as a complete PDF. If the export fails, no file is left.
func TestExportPDF(t *testing.T) {
	t.Parallel()
	l := openLibrary(t, sqlitePlace(t))
	l.importFrom(t, handbook(t))
	dir := t.TempDir()
	to := filepath.Join(dir, "book.pdf")
	out := mustOctavo(t, l.at, "export", "--space="+l.space, "--pdf="+to)
	if !strings.Contains(out, "wrote revision "+l.head(t)) {
		t.Errorf("it says %q", out)
	}
	b, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(b); !strings.HasPrefix(text, "%PDF-1.7") || !strings.HasSuffix(text, "%%EOF\n") || strings.Count(text, "/Type/Page/") < pagesOfHandbook/2 {
		t.Errorf("it is no PDF: %d bytes, %.20q", len(b), b)
	}
	usual := filepath.Join(t.TempDir(), "usual")
	if err := os.WriteFile(usual, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if want, got := modeOf(t, usual), modeOf(t, to); got != want {
		t.Errorf("the mode of the file is %v, that of others %v", got, want)
	}
	if _, stderr, err := octavo(l.at, "export", "--space="+l.space, "--pdf="+filepath.Join(dir, "no", "book.pdf")); err == nil {
		t.Errorf("a folder that is not there: %s", stderr)
	}
	if _, stderr, err := octavo(l.at, "export", "--space="+l.space, "--pdf="+to, "--pdf-font="+to); err == nil || !strings.Contains(stderr, "--pdf-font: font") {
		t.Errorf("a font that is none: %s", stderr)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

func modeOf(t *testing.T, file string) os.FileMode {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}
