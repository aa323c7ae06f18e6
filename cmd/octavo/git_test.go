package main_test

import (
	"errors"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// git runs octavo git with a password in the environment.
func (l *library) git(t testing.TB, password, command string, args ...string) (out string, code int) {
	t.Helper()
	stdout, stderr, err := octavoWith([]string{"OCTAVO_GIT_PASSWORD=" + password}, l.at, "git "+command, append([]string{"--space=" + l.space, "--outbound-allow=127.0.0.1"}, args...)...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return stdout + stderr, code
}

// The command has the same effect as the API, whether a server is running or not.
func TestGitCommands(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, at place) {
		l := openLibrary(t, at)
		origin := testgit.New(t)
		const password = "a-long-secret"
		url := "--url=" + origin.HTTP("ada", password).URL
		files := map[string]string{"README.md": "# Home\n\nHello.\n", "SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n* [Missing](absent.md)\n"}
		first := origin.Commit(files)
		run := func(want int, password, command string, args ...string) string {
			t.Helper()
			out, code := l.git(t, password, command, append([]string{url, "--username=ada"}, args...)...)
			if code != want {
				t.Fatalf("octavo git %s ended with %d instead of %d:\n%s", command, code, want, out)
			}
			if strings.Contains(out, "a-long-secret") {
				t.Errorf("the password is in %q", out)
			}
			return out
		}
		if out := run(0, password, "pull"); !strings.Contains(out, "imported commit "+first) || !strings.Contains(out, "absent.md") {
			t.Errorf("%s", out)
		}
		if out := run(0, password, "pull"); !strings.Contains(out, "nothing was imported: unchanged") {
			t.Errorf("%s", out)
		}
		if got := contents(t, l.take(t)); !maps.Equal(got, files) {
			t.Errorf("%q", got)
		}
		if out := run(1, "wrong-password", "pull"); !strings.Contains(out, "authentication") {
			t.Errorf("%s", out)
		}
		if out, code := l.git(t, "", "pull", "--url=https://ada:x@example.com/a.git"); code != 1 || !strings.Contains(out, "OCTAVO_GIT_PASSWORD") {
			t.Errorf("%d %s", code, out)
		}
		for flag, args := range map[string][]string{
			"octavo: --url ": {"--url=ftp://example.com/a.git"}, "octavo: --ref ": {"--ref=a..b"}, "octavo: --dir ": {"--dir=../x"},
		} {
			if out := run(1, password, "pull", args...); !strings.HasPrefix(out, flag) || strings.Contains(out, "body.") {
				t.Errorf("%v: %s", args, out)
			}
		}
		l.n.stop(t) // only the command uses the database from here on
		dir := t.TempDir()
		mustOctavo(t, l.at, "export", "--space="+l.space, filepath.Join(dir, "x"))
		edit(t, filepath.Join(dir, "x"), "README.md", replaced("Hello.", "Hello from here."))
		l.importFrom(t, filepath.Join(dir, "x"))
		if out := run(0, password, "push", "-m", "From {space_title}"); !strings.Contains(out, "exported commit "+origin.Tip()) {
			t.Errorf("%s", out)
		}
		if log := testgit.Git(t, origin.Bare, "log", "-1", "--format=%s", "--name-only", "main"); log != "From Handbook\n\nREADME.md" {
			t.Errorf("%q", log)
		}
		// A pending decision is neither success nor failure.
		edit(t, filepath.Join(dir, "x"), "README.md", replaced("from here", "from us"))
		l.importFrom(t, filepath.Join(dir, "x"))
		origin.Pull()
		origin.Commit(map[string]string{"README.md": "# Home\n\nHello from there.\n"})
		if out := run(3, password, "pull"); !strings.Contains(out, "change request 1") {
			t.Errorf("%s", out)
		}
		if out := run(3, password, "push"); !strings.Contains(out, "change request 1") {
			t.Errorf("%s", out)
		}
	})
}
