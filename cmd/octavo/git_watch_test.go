package main

import (
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
)

// A command whose operation waits for another one says so, once.
func TestWatcherNamesWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	w := &watcher{s: streams{&out, &out}}
	o := docs.GitOperation{ID: "b", State: docs.GitQueued, Direction: docs.GitExport}
	first := docs.GitOperation{ID: "a", State: docs.GitRunning, Direction: docs.GitImport, Remote: docs.GitRemote{URL: "https://git.example.com/a.git"}}
	w.tell(o, first)
	w.tell(o, first)
	first.State, first.Error = docs.GitQueued, "the server cannot be reached; it is tried again"
	w.tell(o, first)
	w.tell(o, o)
	o.State, o.Stage = docs.GitRunning, "fetch"
	w.tell(o, o)
	const want = "waiting for the import of https://git.example.com/a.git …\n" +
		"waiting for the import of https://git.example.com/a.git: the server cannot be reached; it is tried again …\n" +
		"fetch …\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
