package octavo_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVulncheckSaysWhatItDidNotCheck runs scripts/vulncheck with a tool that ends as the real one does where it finds
// something, and where its database cannot be reached: first for the list of modules, then for the packages.
func TestVulncheckSaysWhatItDidNotCheck(t *testing.T) {
	for _, c := range []struct {
		name, modules, packages, release string
		exit                             int
		output                           string
	}{
		{"nothing", "0", "1", "1", 0, "no known vulnerability\n"},
		{"not called", "3", "0", "1", 0, "no known vulnerability is called"},
		{"called", "3", "3", "", 3, ""},
		{"no database", "1", "0", "", 0, "NOT CHECKED, the database of vulnerabilities"},
		{"no database in a release", "1", "0", "1", 1, "a release is not made without this check"},
		{"no database for packages in a release", "3", "1", "1", 1, "NOT CHECKED"},
		{"no tool", "", "", "", 0, "NOT CHECKED, govulncheck"},
		{"no tool in a release", "", "", "1", 1, "a release is not made"},
	} {
		dir := t.TempDir()
		tool := "#!/bin/sh\n[ \"$1\" = -scan ] && exit " + c.modules + "\nexit " + c.packages + "\n"
		install := "#!/bin/sh\ncat >\"$GOBIN/govulncheck\" <<'E'\n" + tool + "E\nchmod +x \"$GOBIN/govulncheck\"\n"
		if c.modules == "" {
			install = "#!/bin/sh\necho no network >&2\nexit 1\n"
		}
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte(install), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("scripts/vulncheck")
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TMPDIR="+dir, "RELEASE="+c.release)
		out, err := cmd.CombinedOutput()
		exit := 0
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			exit = failed.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if exit != c.exit || !strings.Contains(string(out), c.output) {
			t.Errorf("%s: exit %d, want %d:\n%s", c.name, exit, c.exit, out)
		}
	}
}
