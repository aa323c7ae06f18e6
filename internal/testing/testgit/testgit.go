// Package testgit returns tests the other side of a synchronization: bare
// repositories behind git's own HTTP backend and behind an ssh server, with
// work trees in which the real git makes the commits. It is for tests only.
//
//	o := testgit.New(t)
//	first := o.Commit(map[string]string{"README.md": "# Hello\n"})
//	remote := o.HTTP("ada", "s3cret")
//	// import from remote.URL, export to it
//	o.Pull()
//	files := o.Files("main")
package testgit

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Deleted, as the text of a file, removes it.
const Deleted = "\x00deleted"

// Need skips a test where a program is missing, but not in CI.
func Need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is missing, and CI skips nothing", program)
		}
		t.Skipf("%s is not installed", program)
	}
}

// Git runs the real git in a folder, as the people on the other side do, and
// returns what it prints. Every commit has the same author and time, so that
// the same story returns the same names of commits.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return GitIn(t, dir, "", args...)
}

// GitIn is Git with something to read.
func GitIn(t testing.TB, dir, in string, args ...string) string {
	t.Helper()
	out, err := Try(dir, in, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// Try is GitIn for what may fail, and returns all that git prints.
func Try(dir, in string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(in)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}

// Origin is a bare repository that a server offers, with a work tree in
// which the other side edits. Its branch is main.
type Origin struct {
	t    testing.TB
	root string // what a server offers
	name string // of Bare, below root
	Bare string
	Work string
}

// New returns an empty repository on a host of its own.
func New(t testing.TB) *Origin {
	t.Helper()
	Need(t, "git")
	return newOrigin(t, t.TempDir(), "repo.git")
}

// Beside returns another repository on the same host: the servers of either
// offer both. The name may have folders, like "team/docs.git".
func (o *Origin) Beside(name string) *Origin {
	o.t.Helper()
	return newOrigin(o.t, o.root, name)
}

// The settings of both repositories. They have one store of objects, so that a
// commit is pushed by naming it; neither cleans up after each command.
const (
	bareConfig = "[gc]\n\tauto = 0\n[receive]\n\tautogc = false\n[uploadpack]\n\tallowFilter = true\n[http]\n\treceivepack = true\n"
	workConfig = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[remote \"origin\"]\n\turl = %s\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
)

func newOrigin(t testing.TB, root, name string) *Origin {
	t.Helper()
	o := &Origin{t: t, root: root, name: name, Bare: filepath.Join(root, filepath.FromSlash(name)), Work: filepath.Join(t.TempDir(), "work")}
	Git(t, root, "init", "-q", "--template=", "--bare", "-b", "main", o.Bare)
	Git(t, root, "init", "-q", "--template=", "-b", "main", o.Work)
	o.configure(o.Bare, bareConfig)
	own := filepath.Join(o.Work, ".git")
	o.configure(own, fmt.Sprintf(workConfig, strconv.Quote(filepath.ToSlash(o.Bare))))
	objects := filepath.Join(own, "objects")
	if err := os.RemoveAll(objects); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(o.Bare, "objects"), objects); err != nil {
		t.Fatal(err)
	}
	return o
}

// configure adds settings to a repository.
func (o *Origin) configure(dir, settings string) {
	o.t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		o.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(settings); err != nil {
		o.t.Fatal(err)
	}
}

// Write writes files into the work tree.
func (o *Origin) Write(files map[string]string) {
	o.t.Helper()
	for name, text := range files {
		file := filepath.Join(o.Work, filepath.FromSlash(name))
		if text == Deleted {
			if err := os.Remove(file); err != nil {
				o.t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			o.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			o.t.Fatal(err)
		}
	}
}

// Commit writes files, commits everything in the work tree and makes it the
// branch, over whatever the branch has and whoever refuses pushes. It returns
// the commit.
func (o *Origin) Commit(files map[string]string) string {
	o.t.Helper()
	o.Write(files)
	Git(o.t, o.Work, "add", "-A", "-f")
	Git(o.t, o.Work, "commit", "-q", "--allow-empty", "-m", "change")
	commit := Git(o.t, o.Work, "rev-parse", "HEAD")
	Git(o.t, o.Bare, "update-ref", "refs/heads/main", commit)
	return commit
}

// Push runs git push in the work tree.
func (o *Origin) Push(args ...string) {
	o.t.Helper()
	Git(o.t, o.Work, append([]string{"push", "-q"}, args...)...)
}

// Pull makes the work tree what the branch is.
func (o *Origin) Pull() {
	o.t.Helper()
	Git(o.t, o.Work, "fetch", "-q", "origin")
	Git(o.t, o.Work, "reset", "-q", "--hard", "origin/main")
}

// Tip returns the commit of the branch, "" if it has none.
func (o *Origin) Tip() string {
	o.t.Helper()
	return Git(o.t, o.Bare, "for-each-ref", "--format=%(objectname)", "refs/heads/main")
}

// Blob stores a file's text without a commit and returns its name.
func (o *Origin) Blob(text string) string {
	o.t.Helper()
	return GitIn(o.t, o.Bare, text, "hash-object", "-w", "--stdin")
}

// Tree stores a tree of any entries {mode, name, object}, also of those that
// git's own commands refuse to make. They must come in git's order.
func (o *Origin) Tree(entries ...[3]string) string {
	o.t.Helper()
	var raw bytes.Buffer
	for _, e := range entries {
		oid, err := hex.DecodeString(e[2])
		if err != nil {
			o.t.Fatal(err)
		}
		fmt.Fprintf(&raw, "%s %s\x00%s", e[0], e[1], oid)
	}
	return GitIn(o.t, o.Bare, raw.String(), "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
}

// Plant makes the branch name a commit with a tree and no past.
func (o *Origin) Plant(tree string) string {
	o.t.Helper()
	commit := Git(o.t, o.Bare, "commit-tree", "-m", "planted", tree)
	Git(o.t, o.Bare, "update-ref", "refs/heads/main", commit)
	return commit
}

// Files returns the files of a commit, a branch or a tree with their text.
// What is not a file (a link, a submodule) fails the test.
func (o *Origin) Files(ref string) map[string]string {
	o.t.Helper()
	list, err := Try(o.Bare, "", "ls-tree", "-r", "-z", ref)
	if err != nil {
		o.t.Fatal(err)
	}
	var names []string
	var oids strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		head, name, _ := strings.Cut(line, "\t")
		fields := strings.Fields(head)
		if line == "" {
			continue
		}
		if len(fields) != 3 || fields[0] != "100644" {
			o.t.Fatalf("%s is no plain file: %s", name, head)
		}
		names = append(names, name)
		oids.WriteString(fields[2] + "\n")
	}
	text, err := Try(o.Bare, oids.String(), "cat-file", "--batch")
	if err != nil {
		o.t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range names {
		head, rest, _ := strings.Cut(text, "\n")
		fields := strings.Fields(head)
		size, err := strconv.Atoi(fields[len(fields)-1])
		if err != nil || size >= len(rest) {
			o.t.Fatalf("%s: %q, %v", name, head, err)
		}
		files[name], text = rest[:size], rest[size+1:]
	}
	return files
}

// Refuse makes every push fail with a message.
func (o *Origin) Refuse(message string) {
	o.t.Helper()
	o.hook("pre-receive", "cat >/dev/null\ncat >&2 <<'END'\n"+message+"\nEND\nexit 1\n")
}

// Protect makes pushes to a ref, like "refs/heads/main", fail as those to a
// protected branch do. Others go on.
func (o *Origin) Protect(ref string) {
	o.t.Helper()
	o.hook("update", `if [ "$1" = "`+ref+`" ]; then echo "protected branch: changes must be made through a pull request" >&2; exit 1; fi`+"\n")
}

// Allow ends Refuse and Protect.
func (o *Origin) Allow() {
	o.t.Helper()
	for _, name := range []string{"pre-receive", "update"} {
		if err := os.Remove(filepath.Join(o.Bare, "hooks", name)); err != nil && !os.IsNotExist(err) {
			o.t.Fatal(err)
		}
	}
}

func (o *Origin) hook(name, script string) {
	o.t.Helper()
	if err := os.MkdirAll(filepath.Join(o.Bare, "hooks"), 0o755); err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Bare, "hooks", name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		o.t.Fatal(err)
	}
}
