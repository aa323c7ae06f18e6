package git

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// line is a branch that both sides push to. Each step opens the cache entry again, as
// operations do.
type line struct {
	t      *testing.T
	o      *testgit.Origin
	r      *Runner
	remote Remote
	have   string // the last commit that this side has seen
	n      int
	log    strings.Builder
}

func newLine(t *testing.T, url func(*testing.T, *testgit.Origin) Remote) *line {
	l := &line{t: t, o: testgit.New(t)}
	l.r = runner(t, func(r *Runner) {
		r.Limits.Packs = 3
		r.Log = slog.New(slog.NewTextHandler(&l.log, nil))
	})
	l.have = l.o.Commit(map[string]string{"README.md": "x", "a/b.md": "b", "c/d/e.md": "e"})
	l.remote = url(t, l.o)
	l.remote.Ref = "main"
	return l
}

func overHTTP(_ *testing.T, o *testgit.Origin) Remote { return Remote{URL: o.HTTP("", "").URL} }

func (l *line) open() *Repo { return open(l.t, l.r, l.remote) }

// theirs pushes a commit on top of the branch.
func (l *line) theirs() {
	l.n++
	l.o.Pull()
	l.o.Commit(map[string]string{"README.md": fmt.Sprint(l.n), "c/d/e.md": fmt.Sprint(l.n)})
}

// ours writes a commit on top of base. Every second commit has the same files as an older
// one.
func (l *line) ours(p *Repo, base string) string {
	l.t.Helper()
	l.n++
	commit, err := p.Write(l.t.Context(), base, []Change{{Path: "a/ours.md", Data: []byte(fmt.Sprint(l.n % 2))}},
		Commit{When: when, Message: fmt.Sprint("ours ", l.n)})
	if err != nil {
		l.t.Fatal(err)
	}
	return commit
}

// export writes and pushes commits; importing fetches the commits that others pushed.
func (l *line) export(commits int) {
	l.t.Helper()
	p := l.open()
	defer p.Close()
	tip := l.fetch(p, true)
	last := tip
	for range commits {
		last = l.ours(p, last)
	}
	if err := p.Push(l.t.Context(), "main", last, tip, false); err != nil {
		l.t.Fatal(err)
	}
	l.have = last
}

func (l *line) importing(after bool) {
	l.t.Helper()
	p := l.open()
	defer p.Close()
	before := l.have
	tip := l.fetch(p, after)
	if after {
		if _, _, err := p.Diff(l.t.Context(), before, tip, ""); err != nil {
			l.t.Fatal(err)
		}
	}
	read(l.t, p, tip, "")
	if tip != l.o.Tip() {
		l.t.Fatalf("%s instead of %s", tip, l.o.Tip())
	}
}

func (l *line) fetch(p *Repo, after bool) string {
	l.t.Helper()
	tip := fetch(l.t, p, l.have)
	if ok, err := p.IsAncestor(l.t.Context(), l.have, tip); ok != after || err != nil {
		l.t.Fatalf("step %d: %s after %s: %v instead of %v, %v\n%s", l.n, tip, l.have, ok, after, err, l.log.String())
	}
	l.have = tip
	return tip
}

// replace replaces the branch with commits that do not descend from it.
func (l *line) replace(how int) {
	l.n++
	l.o.Pull()
	switch how {
	case 0: // another last commit
		l.o.Write(map[string]string{"README.md": fmt.Sprint("again ", l.n)})
		testgit.Git(l.t, l.o.Work, "commit", "-q", "-a", "--amend", "-m", fmt.Sprint("amended ", l.n))
	case 1: // the parent of the last commit
		testgit.Git(l.t, l.o.Work, "reset", "-q", "--hard", "HEAD^")
	default: // an unrelated history
		testgit.Git(l.t, l.o.Work, "checkout", "-q", "--orphan", fmt.Sprint("orphan", l.n))
		testgit.Git(l.t, l.o.Work, "commit", "-q", "-m", fmt.Sprint("orphan ", l.n))
	}
	l.o.Push("-f", "origin", "HEAD:main")
}

// lose damages or removes the entry in one of several ways.
func (l *line) lose(how int) {
	p := l.open()
	defer p.Close()
	switch how {
	case 0: // evicted
		p.Close()
		if err := os.RemoveAll(p.dir); err != nil {
			l.t.Fatal(err)
		}
	case 1: // more than half of its size limit
		half := filepath.Join(p.objects(), "objects", "ballast")
		if err := os.WriteFile(half, nil, 0o600); err != nil {
			l.t.Fatal(err)
		}
		if err := os.Truncate(half, DefaultLimits.Repository/2+1); err != nil {
			l.t.Fatal(err)
		}
	case 2: // damaged
		for _, pack := range packs(l.t, p) {
			if err := os.Remove(strings.TrimSuffix(pack, packSuffix) + ".idx"); err != nil && !os.IsNotExist(err) {
				l.t.Fatal(err)
			}
		}
	case 3: // fetched without Want.Have
		p.Close()
		if err := os.RemoveAll(p.dir); err != nil {
			l.t.Fatal(err)
		}
		p = l.open()
		fetch(l.t, p, "")
		p.Close()
	}
}

// A push on top of our commit is recognised as such, no matter how often packs are
// repacked.
func TestJoiningPacksKeepsOurCommits(t *testing.T) {
	t.Parallel()
	l := newLine(t, overHTTP)
	joined := 0
	for i := range 6 {
		l.export(1 + i%3)
		l.theirs()
		l.importing(true)
		p := l.open()
		if len(packs(t, p)) <= l.r.Limits.Packs {
			joined++
		}
		if out := testgit.Git(t, p.objects(), "-c", "remote.origin.promisor=true", "rev-list", "--objects", "--missing=print", "--filter=blob:none", l.have); strings.Contains(out, "\n?") {
			t.Fatalf("objects are missing: %s", out)
		}
		if loose := testgit.Git(t, p.objects(), "count-objects"); !strings.HasPrefix(loose, "0 objects") {
			t.Errorf("loose: %s", loose)
		}
		p.Close()
	}
	if joined == 0 {
		t.Error("nothing was joined")
	}
	if l.log.Len() > 0 {
		t.Errorf("thrown away: %s", l.log.String())
	}
	for how := range 3 {
		l.export(1)
		l.replace(how)
		l.importing(false)
	}
}

// The result depends only on the remote, never on the state of the cache.
func TestTheResultDoesNotDependOnTheCache(t *testing.T) {
	t.Parallel()
	story := func(steps int, url func(*testing.T, *testgit.Origin) Remote) func(*testing.T) {
		return func(t *testing.T) {
			l := newLine(t, url)
			r := rand.New(rand.NewPCG(1, 2))
			for range steps {
				switch n := r.IntN(10); {
				case n < 4:
					l.export(1 + r.IntN(2))
				case n < 9:
					for range 1 + r.IntN(2) {
						l.theirs()
					}
				default:
					l.importing(true)
					l.theirs()
					l.importing(true)
					l.replace(r.IntN(3))
					if r.IntN(2) == 0 {
						l.lose(r.IntN(4))
					}
					l.importing(false)
				}
				if r.IntN(3) == 0 {
					l.lose(r.IntN(4))
				}
				l.importing(true)
			}
			for how := range 4 { // each way once
				l.export(1)
				l.theirs()
				l.lose(how)
				l.importing(true)
				l.replace(how % 3)
				l.lose(how)
				l.importing(false)
			}
			if !strings.Contains(l.log.String(), "too large") {
				t.Error("what was thrown away is not in the log")
			}
		}
	}
	t.Run("http", story(4, overHTTP))
	t.Run("http without filter", story(0, func(t *testing.T, o *testgit.Origin) Remote {
		testgit.Git(t, o.Bare, "config", "uploadpack.allowFilter", "false")
		return overHTTP(t, o)
	}))
	t.Run("ssh of old", story(0, func(_ *testing.T, o *testgit.Origin) Remote {
		s := o.SSH(false)
		return Remote{URL: s.URL, Credentials: Credentials{PrivateKey: s.Key}}
	}))
}

// Two spaces share an entry. The first fetch of one branch must not truncate the history
// that the other one needs.
func TestBranchesShareAnEntry(t *testing.T) {
	t.Parallel()
	l := newLine(t, overHTTP)
	l.importing(true)
	known := l.have
	l.theirs()
	l.theirs()
	testgit.Git(t, l.o.Bare, "branch", "dev", "main")
	testgit.Git(t, l.o.Bare, "update-ref", "refs/heads/main", known)
	other := open(t, l.r, Remote{URL: l.remote.URL, Ref: "dev"})
	dev := fetch(t, other, "")
	other.Close()
	testgit.Git(t, l.o.Bare, "update-ref", "refs/heads/main", dev)
	l.importing(true)
	if l.have != dev || !strings.Contains(l.log.String(), "fetched anew") {
		t.Errorf("%s, %s", l.have, l.log.String())
	}
	// The commit that a push replaced is in the cache, so the entry is not emptied.
	l.log.Reset()
	l.theirs()
	l.importing(true)
	l.replace(0)
	l.importing(false)
	if l.log.Len() > 0 {
		t.Errorf("thrown away: %s", l.log.String())
	}
}

// After repacking, a commit that the remote rejected is marked as fetched. It can still
// be pushed.
func TestJoinedCommitsArePushed(t *testing.T) {
	t.Parallel()
	l := newLine(t, overHTTP)
	p := l.open()
	base := l.fetch(p, true)
	mine := l.ours(p, l.ours(p, base))
	l.theirs()
	if err := p.Push(t.Context(), "main", mine, base, false); ReasonOf(err) != NotFastForward {
		t.Fatal(err)
	}
	for range 4 {
		l.theirs()
		l.fetch(p, true)
	}
	if n := len(packs(t, p)); n > 4 {
		t.Fatalf("%d packs", n)
	}
	if err := p.Push(t.Context(), "main", mine, l.have, true); err != nil {
		t.Fatal(err)
	}
	testgit.Git(t, l.o.Bare, "fsck", "--full", "--strict")
	if l.o.Tip() != mine || l.o.Files("main")["a/ours.md"] == "" {
		t.Errorf("%s, %v", l.o.Tip(), l.o.Files("main"))
	}
}

// If the branch is replaced with a history that exceeds the limit, the entry is emptied
// and logged as too large, and the newest commit is fetched.
func TestABranchReplacedByTooMuchIsTooLarge(t *testing.T) {
	t.Parallel()
	l := newLine(t, overHTTP)
	l.importing(true)
	testgit.Git(t, l.o.Work, "checkout", "-q", "--orphan", "huge")
	random := rand.New(rand.NewPCG(3, 4))
	for range 4 { // commit messages, which cannot be filtered like files
		var text strings.Builder
		for range 30_000 {
			fmt.Fprintf(&text, "%016x\n", random.Uint64())
		}
		testgit.GitIn(t, l.o.Work, text.String(), "commit", "-q", "--allow-empty", "-F", "-")
	}
	l.o.Write(map[string]string{"README.md": "new"})
	testgit.Git(t, l.o.Work, "commit", "-q", "-a", "-m", "small")
	l.o.Push("-f", "origin", "HEAD:main")
	l.r.Limits.Repository = 600_000
	l.importing(false)
	if !strings.Contains(l.log.String(), "too large") {
		t.Error(l.log.String())
	}
}
