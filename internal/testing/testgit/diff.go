package testgit

import (
	"os"
	"path/filepath"
	"testing"
)

// Diff is what the real git says of two folders.
func Diff(t testing.TB, before, after map[string]string) string {
	t.Helper()
	Need(t, "git")
	dir, err := os.MkdirTemp("", "octavo-diff")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir) // there are many of them
	for side, files := range map[string]map[string]string{"a": before, "b": after} {
		for name, text := range files {
			if other, ok := before[name]; ok && other == after[name] {
				if _, both := after[name]; both {
					continue
				}
			}
			file := filepath.Join(dir, side, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(dir, side), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := Try(dir, "", "-c", "core.quotePath=false", "diff", "--no-index", "--no-renames", "-U0", "a", "b") // it ends with 1 if there is a difference
	return out
}
