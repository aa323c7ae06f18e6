package testgit

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The kit as another process sees it: the real git is the client.
func TestServers(t *testing.T) {
	o := New(t)
	files := map[string]string{"README.md": "# Hi\n", "a b/ü.md": "x", "empty.md": ""}
	first := o.Commit(files)
	other := o.Beside("team/other.git")
	second := other.Commit(map[string]string{"o.md": "other\n"})
	if o.Tip() != first || other.Tip() != second {
		t.Error("the branches name other commits")
	}
	if got := o.Files("main"); !maps.Equal(got, files) {
		t.Errorf("files: %q", got)
	}
	if o.Commit(map[string]string{"empty.md": Deleted}); len(o.Files("main")) != 2 {
		t.Errorf("removed: %q", o.Files("main"))
	}

	h := o.HTTP("ada", "pa ss")
	with := func(address string) string { return strings.Replace(address, "http://", "http://ada:pa%20ss@", 1) }
	if _, err := Try(t.TempDir(), "", "-c", "credential.helper=", "-c", "core.askPass=true", "clone", "-q", h.URL, "x"); err == nil {
		t.Error("no credentials were needed")
	}
	clone := filepath.Join(t.TempDir(), "x")
	Git(t, t.TempDir(), "clone", "-q", with(h.URL), clone)
	Git(t, t.TempDir(), "clone", "-q", with(h.Of(other)), clone+"2")
	if h.Fetches.Load() == 0 || h.Requests.Load() < 4 || h.Pushes.Load() != 0 {
		t.Errorf("%d requests, %d fetches, %d pushes", h.Requests.Load(), h.Fetches.Load(), h.Pushes.Load())
	}
	push := func(to string) error {
		Git(t, clone, "commit", "-q", "--allow-empty", "-m", "x")
		_, err := Try(clone, "", "push", "-q", "origin", "HEAD:"+to)
		return err
	}
	if err := push("main"); err != nil || h.Pushes.Load() == 0 {
		t.Errorf("%d pushes, %v", h.Pushes.Load(), err)
	}
	o.Pull()
	if Git(t, o.Work, "rev-parse", "HEAD") != o.Tip() {
		t.Error("the work tree did not follow")
	}
	o.Refuse("not 'today'")
	if err := push("main"); err == nil || !strings.Contains(err.Error(), "not 'today'") {
		t.Errorf("refused: %v", err)
	}
	o.Allow()
	o.Protect("refs/heads/main")
	if err := push("main"); err == nil || !strings.Contains(err.Error(), "protected branch") {
		t.Errorf("protected: %v", err)
	}
	if err := push("free"); err != nil {
		t.Errorf("beside a protected branch: %v", err)
	}
	o.Allow()

	s := o.SSH(true)
	dir := t.TempDir()
	for name, text := range map[string][]byte{"key": s.Key, "known": s.KnownHosts()} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := "core.sshCommand=ssh -F none -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=yes -i " + filepath.Join(dir, "key") + " -o UserKnownHostsFile=" + filepath.Join(dir, "known")
	if got := Git(t, dir, "-c", command, "ls-remote", s.Of(other), "main"); got != second+"\trefs/heads/main" || s.Sessions.Load() != 1 {
		t.Errorf("%q, %d sessions", got, s.Sessions.Load())
	}
	s.ChangeHostKey()
	if _, err := Try(dir, "", "-c", command, "ls-remote", s.URL); err == nil {
		t.Error("another key was believed")
	}
}

func TestRepositories(t *testing.T) {
	for _, name := range []string{"every", "inferred", "monorepo", "odd"} {
		if files := Repository(t, name); len(files) < 10 {
			t.Errorf("%s has %d files", name, len(files))
		}
	}
	every := Repository(t, "every")
	if s := every["writing/windows.md"]; strings.Count(s, "\n") != strings.Count(s, "\r\n") {
		t.Error("Windows")
	}
	if s := every["writing/no-end.md"]; !strings.HasSuffix(s, "here") {
		t.Errorf("%q", s)
	}
	if s, ok := every["writing/empty.md"]; s != "" || !ok {
		t.Errorf("%q", s)
	}
	if s := every[".gitbook/assets/unused.bin"]; s != "\x00\x01\x02\xff" {
		t.Errorf("%q", s)
	}
	if got := Below(Repository(t, "monorepo"), "products/wheel"); len(got) != 4 || got["speed.md"] == "" {
		t.Errorf("%v", got)
	}
}
