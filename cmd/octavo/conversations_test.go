package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConversationsAreImported(t *testing.T) {
	at := startServer(t, false)
	file := filepath.Join(t.TempDir(), "tickets.csv")
	text := "id,body,subject\n"
	for n := range 250 {
		text += fmt.Sprintf("%d,How do I export page %d?,Export\n", n, n)
	}
	if err := os.WriteFile(file, []byte(text+"empty,,\nbig,"+strings.Repeat("x", 1<<20+1)+",\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	args := []string{"conversations", "import", "--url=" + at.URL, "--token=" + at.Token, "--format=csv", file}
	for range 2 { // the second import changes nothing
		out.Reset()
		if code := run(args, streams{&out, &out}); code != 0 || !strings.Contains(out.String(), "250 conversations were sent, 2 were left out") || !strings.Contains(out.String(), `"big": it has more than 1 MB`) {
			t.Errorf("%d: %s", code, out.String())
		}
	}
	out.Reset()
	if code := run(append(args, "--source=nowhere"), streams{&out, &out}); code == 0 || !strings.Contains(out.String(), "400") {
		t.Errorf("%d: %s", code, out.String())
	}
	out.Reset()
	args[4] = "--format=intercom"
	if code := run(args, streams{&out, &out}); code == 0 || !strings.Contains(out.String(), file+" cannot be read as --format intercom") {
		t.Errorf("%d: %s", code, out.String())
	}
}
