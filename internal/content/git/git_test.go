package git

import (
	"errors"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

var when = time.Date(2026, 11, 15, 12, 0, 0, 0, time.FixedZone("", 3600))

func TestCheck(t *testing.T) {
	testgit.Need(t, "git")
	if v, err := (&Runner{}).Check(t.Context()); err != nil || !strings.HasPrefix(v, "2.") {
		t.Errorf("%q, %v", v, err)
	}
	old := t.TempDir()
	if err := os.WriteFile(old+"/git", []byte("#!/bin/sh\necho git version 2.36.9.windows.1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", old)
	if _, err := (&Runner{}).Check(t.Context()); ReasonOf(err) != NoProgram || !strings.Contains(err.Error(), "too old: 2.36") {
		t.Errorf("old: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	_, err := (&Runner{}).Check(t.Context())
	_, openErr := runner(t, nil).Open(t.Context(), Remote{URL: "https://example.com/x"})
	for _, err := range []error{err, openErr} {
		if !errs.Is(err, errs.Precondition) || ReasonOf(err) != NoProgram || !strings.Contains(err.Error(), "install git") {
			t.Errorf("missing: %v", err)
		}
	}
}

// The same steps over every transport: a read, a push by others, a push by us, a rejected
// push and a forced push.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	story := func(m func(t *testing.T, o *testgit.Origin) Remote) func(*testing.T) {
		return func(t *testing.T) {
			o := testgit.New(t)
			first := o.Commit(map[string]string{"README.md": "one\n", "docs/a.md": "a\n", "docs/ü \"q\".md": "b\n"})
			remote := m(t, o)
			remote.Ref, remote.Scope = "main", "org1"
			r := runner(t, nil)
			p := open(t, r, remote)
			commit := fetch(t, p, "")
			if commit != first {
				t.Fatalf("%s instead of %s", commit, first)
			}
			if got := read(t, p, commit, "docs"); !maps.Equal(got, map[string]string{"a.md": "a\n", "ü \"q\".md": "b\n"}) {
				t.Errorf("%q", got)
			}
			// A push by others.
			second := o.Commit(map[string]string{"docs/a.md": "A\n"})
			if got := fetch(t, p, first); got != second {
				t.Fatalf("%s instead of %s", got, second)
			}
			if ok, err := p.IsAncestor(t.Context(), first, second); !ok || err != nil {
				t.Errorf("moved on: %v, %v", ok, err)
			}
			// A push by us.
			third, err := p.Write(t.Context(), second, []Change{
				{Path: "docs/a.md", Data: []byte("A\nB\n")}, {Path: "new/deep/x.md", Data: []byte("x")}, {Path: "docs/ü \"q\".md", Delete: true},
			}, Commit{Author: Person{"Grace", "grace@example.com"}, When: when, Message: "Write more"})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Push(t.Context(), "main", third, second, false); err != nil {
				t.Fatal(err)
			}
			if got := testgit.Git(t, o.Bare, "log", "-1", "--format=%H %an <%ae> %aI %s", "main"); got != third+" Grace <grace@example.com> 2026-11-15T12:00:00+01:00 Write more" {
				t.Error(got)
			}
			if got := testgit.Git(t, o.Bare, "diff-tree", "-r", "--name-status", second, third); got != "M\tdocs/a.md\nD\t\"docs/\\303\\274 \\\"q\\\".md\"\nA\tnew/deep/x.md" {
				t.Error(got)
			}
			// The same push again: the remote already has the commit.
			if err := p.Push(t.Context(), "main", third, second, false); err != nil && ReasonOf(err) != NotFastForward {
				t.Errorf("again: %v", err)
			}
			if got := fetch(t, p, second); got != third {
				t.Errorf("%s instead of %s", got, third)
			}
			// Both sides push: the branch of the remote is replaced.
			fourth := o.Commit(map[string]string{"README.md": "two\n"})
			if err := p.Push(t.Context(), "refs/heads/main", third, third, false); ReasonOf(err) != NotFastForward || !errs.Is(err, errs.Conflict) {
				t.Errorf("moved: %v", err)
			}
			if err := p.Push(t.Context(), "main", third, second, true); ReasonOf(err) != NotFastForward {
				t.Errorf("forced on the wrong commit: %v", err)
			}
			if got := fetch(t, p, third); got != fourth {
				t.Fatalf("%s instead of %s", got, fourth)
			}
			if ok, err := p.IsAncestor(t.Context(), third, fourth); ok || err != nil {
				t.Errorf("replaced: %v, %v", ok, err)
			}
			if err := p.Push(t.Context(), "main", third, fourth, false); ReasonOf(err) != NotFastForward {
				t.Errorf("not after: %v", err)
			}
			if err := p.Push(t.Context(), "main", third, fourth, true); err != nil {
				t.Errorf("forced: %v", err)
			}
			if got := testgit.Git(t, o.Bare, "rev-parse", "main"); got != third {
				t.Errorf("%s instead of %s", got, third)
			}
			if err := p.Push(t.Context(), "new-branch", third, "", false); err != nil {
				t.Errorf("new branch: %v", err)
			}
			if err := p.Push(t.Context(), "new-branch", fourth, "", true); ReasonOf(err) != NotFastForward {
				t.Errorf("new branch that is there: %v", err)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			// A new entry can report whether the ref was advanced.
			fifth := testgit.Git(t, o.Bare, "commit-tree", "-p", third, "-m", "x", third+"^{tree}")
			testgit.Git(t, o.Bare, "update-ref", "refs/heads/main", fifth)
			remote.Scope = "org2"
			p = open(t, r, remote)
			if got := fetch(t, p, second); got != fifth {
				t.Fatalf("%s instead of %s", got, fifth)
			}
			for a, want := range map[string]bool{second: true, third: true, fifth: true, fourth: false, strings.Repeat("1", 40): false} {
				if ok, err := p.IsAncestor(t.Context(), a, fifth); ok != want || err != nil {
					t.Errorf("%s: %v, %v", a, ok, err)
				}
			}
		}
	}
	t.Run("http", story(func(_ *testing.T, o *testgit.Origin) Remote { return Remote{URL: o.HTTP("", "").URL} }))
	t.Run("http with password", story(func(_ *testing.T, o *testgit.Origin) Remote {
		return Remote{URL: o.HTTP("ada", "s3cret").URL, Credentials: Credentials{Username: "ada", Password: "s3cret"}}
	}))
	t.Run("http without filter", story(func(t *testing.T, o *testgit.Origin) Remote {
		testgit.Git(t, o.Bare, "config", "uploadpack.allowFilter", "false")
		return Remote{URL: o.HTTP("", "").URL}
	}))
	t.Run("ssh", story(func(_ *testing.T, o *testgit.Origin) Remote {
		s := o.SSH(true)
		return Remote{URL: s.URL, Credentials: Credentials{PrivateKey: s.Key}}
	}))
	t.Run("ssh of old", story(func(_ *testing.T, o *testgit.Origin) Remote {
		s := o.SSH(false)
		return Remote{URL: s.URL, Credentials: Credentials{PrivateKey: s.Key}}
	}))
}

func TestReasons(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	plain, guarded := o.HTTP("", ""), o.HTTP("ada", "s3cret")
	ssh := o.SSH(true)
	try := func(m Remote) error {
		t.Helper()
		p, err := runner(t, nil).Open(t.Context(), m)
		if err != nil {
			return err
		}
		defer p.Close()
		_, err = p.Fetch(t.Context(), Want{}, nil)
		return err
	}
	expect := func(name string, m Remote, want Reason) {
		t.Helper()
		err := try(m)
		var e *errs.Error
		if ReasonOf(err) != want || !errors.As(err, &e) || e.Message == "" {
			t.Errorf("%s: %q, %v", name, ReasonOf(err), err)
		}
	}
	expect("empty", Remote{URL: plain.URL, Ref: "main"}, Empty)
	expect("empty, default branch", Remote{URL: plain.URL}, Empty)
	expect("empty by ssh", Remote{URL: ssh.URL, Credentials: Credentials{PrivateKey: ssh.Key}}, Empty)
	o.Commit(map[string]string{"README.md": "x"})
	expect("no ref", Remote{URL: plain.URL, Ref: "nope"}, RefNotFound)
	expect("no ref in full", Remote{URL: plain.URL, Ref: "refs/heads/nope"}, RefNotFound)
	expect("part of a name", Remote{URL: plain.URL, Ref: "heads/main"}, RefNotFound)
	expect("no password", Remote{URL: guarded.URL}, Authentication)
	expect("wrong password", Remote{URL: guarded.URL, Credentials: Credentials{Username: "ada", Password: "wrong"}}, Authentication)
	expect("no key", Remote{URL: ssh.URL}, Authentication)
	expect("wrong key", Remote{URL: ssh.URL, Credentials: Credentials{PrivateKey: o.SSH(true).Key}}, Authentication)
	expect("no key at all", Remote{URL: ssh.URL, Credentials: Credentials{PrivateKey: []byte("nonsense")}}, Authentication)
	expect("no repository", Remote{URL: strings.TrimSuffix(plain.URL, ".git") + "-not.git"}, NotRepository)
	expect("no repository by ssh", Remote{URL: ssh.URL + "-not", Credentials: Credentials{PrivateKey: ssh.Key}}, NotRepository)
	expect("nobody there", Remote{URL: "http://127.0.0.1:1111/x.git"}, Unreachable)
	expect("nobody there by ssh", Remote{URL: "ssh://git@127.0.0.1:1111/x.git"}, Unreachable)
	expect("private", Remote{URL: "https://10.0.0.1/x.git"}, Refused)
	expect("private by ssh", Remote{URL: "git@192.168.1.1:x.git"}, Refused)
	expect("metadata", Remote{URL: "https://169.254.169.254/x.git"}, Refused)
	expect("IPv6", Remote{URL: "https://[::1]/x.git"}, Refused)
	expect("not https", Remote{URL: "http://8.8.8.8/x.git"}, BadAddress)
	expect("credentials in the address", Remote{URL: "https://a:b@example.com/x.git"}, BadAddress)
	if err := try(Remote{URL: plain.URL}); err != nil {
		t.Errorf("default branch: %v", err)
	}
	testgit.Git(t, o.Bare, "tag", "-a", "-m", "x", "v1", "main")
	if err := try(Remote{URL: plain.URL, Ref: "v1"}); err != nil {
		t.Errorf("tag: %v", err)
	}
	testgit.Git(t, o.Bare, "tag", "tree", "main^{tree}")
	expect("tag of a tree", Remote{URL: plain.URL, Ref: "tree"}, RefNotFound)
}

func TestHostKeys(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	o.Commit(map[string]string{"README.md": "x"})
	s := o.SSH(true)
	r := runner(t, nil)
	try := func(r *Runner, c Credentials) Reason {
		c.PrivateKey = s.Key
		p := open(t, r, Remote{URL: s.URL, Credentials: c})
		defer p.Close()
		_, err := p.Fetch(t.Context(), Want{}, nil)
		if err == nil {
			return ""
		}
		return ReasonOf(err)
	}
	line := s.KnownHosts()
	file := t.TempDir() + "/hosts"
	if err := os.WriteFile(file, line, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := try(r, Credentials{}); got != "" {
		t.Errorf("first contact: %s", got)
	}
	if got := try(r, Credentials{KnownHosts: line}); got != "" {
		t.Errorf("given: %s", got)
	}
	operator := runner(t, func(r *Runner) { r.KnownHosts = file })
	if got := try(operator, Credentials{}); got != "" {
		t.Errorf("of the operator: %s", got)
	}
	s.ChangeHostKey()
	if got := try(r, Credentials{}); got != HostKey {
		t.Errorf("changed: %q", got)
	}
	if got := try(runner(t, nil), Credentials{KnownHosts: line}); got != HostKey {
		t.Errorf("changed, given: %q", got)
	}
	if got := try(operator, Credentials{}); got != HostKey {
		t.Errorf("changed, of the operator: %q", got)
	}
	if got := try(runner(t, nil), Credentials{KnownHosts: []byte("other.example ssh-ed25519 AAAA\n")}); got != HostKey {
		t.Errorf("unknown: %q", got)
	}
}
