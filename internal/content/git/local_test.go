package git

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

func putFile(t *testing.T, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// localRepo creates a checkout with two commits on main and a tag on the first.
func localRepo(t *testing.T) string {
	t.Helper()
	testgit.Need(t, "git")
	dir := t.TempDir()
	testgit.Git(t, dir, "init", "-q", "-b", "main")
	putFile(t, dir, "README.md", "# One\n")
	putFile(t, dir, "docs/page.md", "# Page\n")
	testgit.Git(t, dir, "add", ".")
	testgit.Git(t, dir, "commit", "-q", "-m", "one")
	testgit.Git(t, dir, "tag", "v1")
	putFile(t, dir, "README.md", "# Two\n")
	testgit.Git(t, dir, "commit", "-q", "-a", "-m", "two")
	return dir
}

func localFiles(t *testing.T, l *Local, ref string) map[string]string {
	t.Helper()
	commit, err := l.Commit(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	entries, _, err := l.Tree(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	var oids []string
	names := map[string]string{}
	for _, e := range entries {
		oids = append(oids, e.OID)
		names[e.OID] = e.Path
	}
	sizes, err := l.Sizes(t.Context(), oids)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	err = l.Blobs(t.Context(), oids, func(b Blob) error {
		text, err := io.ReadAll(b.Data)
		if sizes[b.OID] != int64(len(text)) {
			t.Errorf("%s: size %d, %d bytes", names[b.OID], sizes[b.OID], len(text))
		}
		out[names[b.OID]] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLocalReadsRefs(t *testing.T) {
	t.Parallel()
	dir := localRepo(t)
	putFile(t, dir, "README.md", "# Not committed\n")
	bare := filepath.Join(t.TempDir(), "bare.git")
	testgit.Git(t, dir, "clone", "-q", "--bare", dir, bare)
	tree := filepath.Join(t.TempDir(), "tree")
	testgit.Git(t, dir, "worktree", "add", "-q", "--detach", tree, "v1")
	first := testgit.Git(t, dir, "rev-parse", "v1")
	for _, c := range []struct {
		name, dir, ref, file, want string
	}{
		{"branch", dir, "main", "README.md", "# Two\n"},
		{"full name", dir, "refs/heads/main", "README.md", "# Two\n"},
		{"tag", dir, "v1", "README.md", "# One\n"},
		{"commit", dir, first, "README.md", "# One\n"},
		{"part of a commit's name", dir, first[:10], "README.md", "# One\n"},
		{"HEAD", dir, "HEAD", "README.md", "# Two\n"},
		{"folder of a checkout", filepath.Join(dir, "docs"), "main", "page.md", "# Page\n"},
		{"bare", bare, "main", "README.md", "# Two\n"},
		{"worktree", tree, "HEAD", "README.md", "# One\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := OpenLocal(t.Context(), c.dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := localFiles(t, l, c.ref)[c.file]; got != c.want {
				t.Errorf("%s is %q, want %q", c.file, got, c.want)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(l.repo.dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the private folder is still there: %v", err)
			}
		})
	}
}

func TestLocalRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	dir := localRepo(t)
	l, err := OpenLocal(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for ref, reason := range map[string]Reason{
		"absent": RefNotFound, "--all": BadAddress, "-q": BadAddress, "main:README.md": BadAddress, "main~1": BadAddress,
		"main^{tree}": BadAddress, ":/two": BadAddress, "": BadAddress, "@{-1}": BadAddress, strings.Repeat("0", 40): RefNotFound,
		testgit.Git(t, dir, "rev-parse", "main:README.md"): RefNotFound, // the object name of a file
	} {
		if _, err := l.Commit(t.Context(), ref); ReasonOf(err) != reason {
			t.Errorf("%q: %v, want %s", ref, err, reason)
		}
	}
	if _, _, err := l.Tree(t.Context(), "main"); err == nil {
		t.Error("a name that is no commit was listed")
	}
	if _, err := l.Sizes(t.Context(), []string{"--batch"}); err == nil {
		t.Error("a name that is no file was looked up")
	}
	outside := t.TempDir()
	if _, err := OpenLocal(t.Context(), outside); ReasonOf(err) != NotRepository {
		t.Errorf("a folder outside of a repository: %v", err)
	}
}

// A repository may come from an untrusted archive: its configuration must not
// run programs or cause connections.
func TestLocalConfigurationRunsNothing(t *testing.T) {
	t.Parallel()
	dir := localRepo(t)
	marker := filepath.Join(t.TempDir(), "ran")
	run := "touch " + marker
	blob := testgit.Git(t, dir, "rev-parse", "main:README.md")
	putFile(t, dir, ".gitattributes", "* filter=x diff=x\n")
	testgit.Git(t, dir, "add", ".")
	testgit.Git(t, dir, "commit", "-q", "-m", "attributes")
	for _, kv := range [][2]string{
		{"core.fsmonitor", run}, {"core.pager", run}, {"pager.ls-tree", "true"}, {"core.sshCommand", run}, {"core.editor", run},
		{"core.askPass", run}, {"credential.helper", "!" + run}, {"filter.x.smudge", run}, {"filter.x.process", run},
		{"diff.x.textconv", run}, {"diff.external", run}, {"alias.ls-tree", "!" + run}, {"alias.rev-parse", "!" + run},
		{"core.hooksPath", dir}, {"core.worktree", "/absent"}, {"core.alternateRefsCommand", run},
		{"core.repositoryFormatVersion", "1"}, {"extensions.partialClone", "evil"},
		{"remote.evil.url", "ext::" + run}, {"remote.evil.promisor", "true"}, {"remote.evil.uploadpack", run},
	} {
		testgit.Git(t, dir, "config", kv[0], kv[1])
	}
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction"} {
		putFile(t, dir, hook, "#!/bin/sh\n"+run+"\n")
		if err := os.Chmod(filepath.Join(dir, hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, filepath.Join(dir, ".git"))
	l, err := OpenLocal(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got := localFiles(t, l, "main")["README.md"]; got != "# Two\n" {
		t.Errorf("README.md is %q", got)
	}
	// A file that is missing in a partial clone is reported, not fetched.
	if err := os.Remove(filepath.Join(dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	delete(before, filepath.Join("objects", blob[:2], blob[2:]))
	err = l.Blobs(t.Context(), []string{blob}, func(Blob) error { return nil })
	if err == nil || errs.Is(err, errs.Internal) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a command of the repository's configuration ran")
	}
	if after := snapshot(t, filepath.Join(dir, ".git")); !maps.EqualFunc(before, after, bytes.Equal) {
		t.Error("reading has changed the repository")
	}
}

func snapshot(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err == nil {
			out[name], err = os.ReadFile(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
