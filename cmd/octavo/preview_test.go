package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The guide is served from its folder, and no files are created in the working directory.
func TestServePreview(t *testing.T) {
	t.Parallel()
	guide, err := filepath.Abs(guideFolder)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "serve", "--preview", guide, "--listen=127.0.0.1:0")
	cmd.Dir = t.TempDir()
	n, err := launch(cmd)
	if n != nil {
		t.Cleanup(n.kill)
	}
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/": 200, "/writing/pages": 200, "/v1/spaces": 404, "/.octavo/script.js": 200} {
		a, err := n.call("", "GET", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a.status != want {
			t.Errorf("%s: %d, want %d\n%s", path, a.status, want, a.body)
		}
	}
	if err := n.terminate(); err != nil {
		t.Errorf("it does not end well: %v\n%s", err, n.logged())
	}
	if made, err := os.ReadDir(cmd.Dir); err != nil || len(made) > 0 {
		t.Errorf("it has made %v (%v)", made, err)
	}
	if log := n.logged(); strings.Contains(log, "WARN") || strings.Contains(log, "ERROR") {
		t.Error(log)
	}
}
