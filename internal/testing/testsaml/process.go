package testsaml

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Start runs the identity provider of the folder idp as a separate process until the test ends, and
// returns its address.
func Start(t testing.TB) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "idp")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/octavo-docs/octavo/internal/testing/testsaml/idp").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}
