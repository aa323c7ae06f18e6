package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

func packs(t *testing.T, p *Repo) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(p.objects(), "objects", "pack", "*.pack"))
	if err != nil || strings.ContainsAny(p.objects(), "[*?") {
		t.Fatal(err)
	}
	return names
}

func TestEntriesAreLocked(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	o.Commit(map[string]string{"README.md": "x"})
	remote := Remote{URL: o.HTTP("", "").URL, Scope: "a"}
	r := runner(t, nil)
	p := open(t, r, remote)
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := (&Runner{Dir: r.Dir, Outbound: r.Outbound}).Open(short, remote); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second one at the same time: %v", err)
	}
	opened := make(chan error)
	go func() {
		q, err := r.Open(context.Background(), remote)
		if err == nil {
			err = q.Close()
		}
		opened <- err
	}()
	// Other scopes, IDs and addresses have other entries.
	dirs := map[string]bool{p.dir: true}
	for _, m := range []Remote{{URL: remote.URL, Scope: "b"}, {URL: remote.URL, Scope: "a", CacheID: "x"}, {URL: remote.URL + "x", Scope: "a"}} {
		q := open(t, r, m)
		dirs[q.dir] = true
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(dirs) != 4 {
		t.Errorf("%d entries", len(dirs))
	}
	select {
	case err := <-opened:
		t.Errorf("the lock is not held: %v", err)
	default:
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// Close reports that the size of the entry was not stored.
func TestCloseReportsThatTheSizeIsNotStored(t *testing.T) {
	t.Parallel()
	p := open(t, runner(t, nil), Remote{URL: testgit.New(t).HTTP("", "").URL})
	readOnly, err := os.Open(p.dir + lockSuffix)
	if err == nil {
		err = p.lock.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.lock = readOnly
	if err := p.Close(); err == nil || !strings.Contains(err.Error(), "truncate") {
		t.Errorf("a lock file that cannot be written: %v", err)
	}
}

func TestTheLeastRecentlyUsedEntriesAreEvicted(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	o.Commit(map[string]string{"README.md": "x"})
	remote := o.HTTP("", "")
	r := runner(t, nil)
	use := func(scope string) *Repo {
		p := open(t, r, Remote{URL: remote.URL, Scope: scope})
		fetch(t, p, "")
		return p
	}
	there := func(p *Repo) bool { _, err := os.Stat(p.dir); return err == nil }
	held := use("held")
	a := use("a")
	size := sizeOf(a.dir)
	a.Close()
	time.Sleep(20 * time.Millisecond)
	b := use("b")
	b.Close()
	time.Sleep(20 * time.Millisecond)
	use("a").Close() // a is newer than b now
	time.Sleep(20 * time.Millisecond)
	r.Limits.Cache = 3*size + size/2
	c := use("c")
	c.Close()
	if there(b) || !there(a) || !there(c) || !there(held) {
		t.Errorf("b %v, a %v, c %v, held %v", there(b), there(a), there(c), there(held))
	}
	if _, err := os.Stat(b.dir + lockSuffix); err == nil {
		t.Error("the lock of what is gone is left")
	}
	r.Limits.Cache = 1
	if err := use("d").Close(); err != nil {
		t.Error(err)
	}
	if there(a) || there(c) || !there(held) {
		t.Error("what is in use went, or the rest stayed")
	}
	if got := fetch(t, held, ""); got == "" {
		t.Error("what is in use does not work")
	}
	use("a") // fetched again
}

// Open repairs an entry that a killed process left in any state.
func TestDamagedEntriesAreRepaired(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	first := o.Commit(map[string]string{"README.md": "x"})
	remote := Remote{URL: o.HTTP("", "").URL, Ref: "main"}
	r := runner(t, nil)
	for name, damage := range map[string]func(*Repo){
		"locks": func(p *Repo) {
			for _, f := range []string{"shallow.lock", "config.lock", localRef("refs/heads/main") + ".lock", "objects/pack/tmp_pack_x"} {
				if err := os.WriteFile(filepath.Join(p.objects(), f), []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		},
		"a cut pack": func(p *Repo) {
			for _, f := range packs(t, p) {
				if err := os.Chmod(f, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Truncate(f, 20); err != nil {
					t.Fatal(err)
				}
			}
		},
		"no index": func(p *Repo) {
			for _, f := range packs(t, p) {
				if err := os.Remove(strings.TrimSuffix(f, ".pack") + ".idx"); err != nil {
					t.Fatal(err)
				}
			}
		},
		"no head":      func(p *Repo) { os.Remove(filepath.Join(p.objects(), "HEAD")) },
		"a bad head":   func(p *Repo) { os.WriteFile(filepath.Join(p.objects(), "HEAD"), []byte("\x00"), 0o600) },
		"a bad config": func(p *Repo) { os.WriteFile(filepath.Join(p.objects(), "config"), []byte("[core\n"), 0o600) },
		"a bad ref": func(p *Repo) {
			os.WriteFile(filepath.Join(p.objects(), localRef("refs/heads/main")), []byte(strings.Repeat("1", 40)+"\n"), 0o600)
		},
		"no objects": func(p *Repo) { os.RemoveAll(filepath.Join(p.objects(), "objects")) },
	} {
		p := open(t, r, remote)
		fetch(t, p, "")
		damage(p)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		next := o.Commit(map[string]string{"README.md": name})
		p = open(t, r, remote)
		got, err := p.Fetch(t.Context(), Want{Have: first}, nil)
		if err != nil || got != next {
			t.Errorf("%s: %q, %v", name, got, err)
		} else if text := read(t, p, got, "")["README.md"]; text != name {
			t.Errorf("%s: %q", name, text)
		}
		p.Close()
	}
}

// A commit does not contain the time of writing, so a second attempt creates the same
// pack. Files that the first attempt left next to the pack do not prevent that.
func TestWriteAgainAfterAKill(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	remote := Remote{URL: o.HTTP("", "").URL, Ref: "main"}
	r := runner(t, nil)
	write := func() (string, error) {
		p := open(t, r, remote)
		defer p.Close()
		return p.Write(t.Context(), "", []Change{{Path: "a.md", Data: []byte("a")}}, Commit{Author: Person{"A", "a@example.com"}, When: when, Message: "a"})
	}
	first, err := write()
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, r, remote)
	made := packs(t, p)
	if len(made) != 1 {
		t.Fatalf("%v", made)
	}
	at := strings.TrimSuffix(made[0], packSuffix)
	if err := os.WriteFile(at+".keep", []byte("fast-import"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{packSuffix, ".idx"} {
		if err := os.Remove(at + f); err != nil {
			t.Fatal(err)
		}
	}
	p.Close()
	if again, err := write(); err != nil || again != first {
		t.Errorf("%q instead of %q: %v", again, first, err)
	}
}

func TestPacksAreJoined(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	first := o.Commit(map[string]string{"README.md": "x", "a/b.md": "b"})
	p := open(t, runner(t, func(r *Runner) { r.Limits.Packs = 3 }), Remote{URL: o.HTTP("", "").URL, Ref: "main"})
	last := fetch(t, p, "")
	read(t, p, last, "")
	for i := range 6 {
		o.Commit(map[string]string{"README.md": fmt.Sprint(i)})
		last = fetch(t, p, last)
		read(t, p, last, "")
	}
	if n := len(packs(t, p)); n > 5 {
		t.Errorf("%d packs", n)
	}
	if ok, err := p.IsAncestor(t.Context(), first, last); !ok || err != nil {
		t.Errorf("history is lost: %v, %v", ok, err)
	}
	if got := read(t, p, first, ""); got["README.md"] != "x" {
		t.Errorf("%q", got)
	}
}

// Fetching a ref that did not move only lists the refs of the remote and transfers no
// objects.
func TestAnUnchangedRefFetchesNoObjects(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	first := o.Commit(map[string]string{"README.md": "x"})
	remote := o.HTTP("", "")
	p := open(t, runner(t, nil), Remote{URL: remote.URL, Ref: "main"})
	stages := map[string]bool{}
	if _, err := p.Fetch(t.Context(), Want{}, func(stage string, done, total int) {
		stages[stage] = true
		if done > total {
			t.Errorf("%s: %d of %d", stage, done, total)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if !stages["receiving"] && !stages["counting"] {
		t.Errorf("progress: %v", stages)
	}
	before, had := remote.Requests.Load(), len(packs(t, p))
	fetch(t, p, first)
	if n := remote.Requests.Load() - before; n > 2 || len(packs(t, p)) != had {
		t.Errorf("%d requests", n)
	}
	read(t, p, first, "")
	before = remote.Requests.Load()
	read(t, p, first, "")
	if n := remote.Requests.Load() - before; n > 0 {
		t.Errorf("%d requests for files that are there", n)
	}
}
