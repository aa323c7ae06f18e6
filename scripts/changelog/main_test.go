package main

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// The entries of this repository can be assembled.
func TestEntriesOfTheProject(t *testing.T) {
	t.Chdir("../..")
	if err := run(nil, io.Discard, time.Now()); err != nil {
		t.Error(err)
	}
}

func TestARelease(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write(file, "# Changelog\n\nText.\n\n## 0.1.0 (2026-01-01)\n\nThe first.\n")
	write(folder+"/a.md", "Fixed: one\nof two lines.\n\nAdded: two.\n")
	write(folder+"/b.md", "Added: three.\n")
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	var next strings.Builder
	if err := run(nil, &next, at); err != nil {
		t.Fatal(err)
	}
	sections := "### Added\n\n- two.\n- three.\n\n### Fixed\n\n- one\n  of two lines.\n\n"
	if next.String() != "## Unreleased\n\n"+sections {
		t.Errorf("%s", next.String())
	}
	if err := run([]string{"0.2"}, io.Discard, at); err == nil {
		t.Error("0.2 is taken for a version")
	}
	if err := run([]string{"0.2.0"}, io.Discard, at); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if want := "# Changelog\n\nText.\n\n## 0.2.0 (2026-02-03)\n\n" + sections + "## 0.1.0 (2026-01-01)\n\nThe first.\n"; err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if err := run([]string{"0.3.0"}, io.Discard, at); err == nil {
		t.Error("the entries are still there")
	}
	for _, wrong := range []string{"Nothing", "Better: all.", "Added:"} {
		write(folder+"/c.md", wrong+"\n")
		if err := run(nil, io.Discard, at); err == nil {
			t.Errorf("%q is taken for an entry", wrong)
		}
	}
}
