package git

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

func TestHostileTrees(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	good, evil := o.Blob("good\n"), o.Blob("/etc/passwd")
	dir := o.Tree([3]string{"100644", "hooks", evil})
	long := strings.Repeat("n", 4096)
	root := o.Tree(
		[3]string{"100644", "..", evil},
		[3]string{"40000", ".GIT", dir},
		[3]string{"40000", ".git", dir},
		[3]string{"100644", ".gitmodules", evil},
		[3]string{"40000", ".g\u200cit", dir},
		[3]string{"100644", "/etc/passwd", evil},
		[3]string{"120000", "README.md", evil},
		[3]string{"100644", "a/../../b", evil},
		[3]string{"100644", "back\\slash", evil},
		[3]string{"100644", "con.md", evil},
		[3]string{"100644", "ctrl\n\x1b[31m", evil},
		[3]string{"40000", "docs", o.Tree([3]string{"100644", "Page.md", good}, [3]string{"100644", "page.MD", good}, [3]string{"100755", "run.sh", good})},
		[3]string{"100644", "git~1", evil},
		[3]string{"160000", "module", strings.Repeat("1", 40)},
		[3]string{"100644", long, evil},
		[3]string{"100644", "\xff.md", evil},
	)
	nothing := o.Plant(o.Tree())
	p := open(t, runner(t, nil), Remote{URL: o.HTTP("", "").URL, Ref: "main"})
	fetch(t, p, "")
	commit := o.Plant(root)
	if got := fetch(t, p, nothing); got != commit {
		t.Fatalf("%s instead of %s", got, commit)
	}
	entries, problems, err := p.Tree(t.Context(), commit, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := []Entry{{".gitmodules", evil, false}, {"docs/Page.md", good, false}, {"docs/page.MD", good, false}, {"docs/run.sh", good, true}}; !slices.Equal(entries, want) {
		t.Errorf("entries: %v", entries)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.Code+" "+p.Path)
		if p.Message == "" || len(p.Path) > 300 || strings.ContainsFunc(p.Path, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q", p)
		}
	}
	want := []string{
		"bad-path ..", "bad-path .GIT/hooks", "bad-path .git/hooks", "bad-path .g\u200cit/hooks", "bad-path /etc/passwd", "symlink README.md",
		"bad-path a/../../b", "bad-path back\\slash", "bad-path con.md", "bad-path ctrl?[31m", "case-twin docs/page.MD", "bad-path git~1",
		"submodule module", "bad-path " + long[:255] + "…", "bad-path ?.md",
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems:\n%s\ninstead of\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Diff reports the same problems, in both directions.
	deltas, found, err := p.Diff(t.Context(), nothing, commit, "")
	if want := []Delta{{".gitmodules", "", evil, false}, {"docs/Page.md", "", good, false}, {"docs/page.MD", "", good, false}, {"docs/run.sh", "", good, true}}; err != nil || !slices.Equal(deltas, want) || !slices.Equal(found, problems) {
		t.Errorf("%v, %v, %v", deltas, found, err)
	}
	deltas, found, err = p.Diff(t.Context(), commit, nothing, "docs")
	if want := []Delta{{"Page.md", good, "", false}, {"page.MD", good, "", false}, {"run.sh", good, "", false}}; err != nil || !slices.Equal(deltas, want) || len(found) > 0 {
		t.Errorf("%v, %v, %v", deltas, found, err)
	}
	for _, dir := range []string{"..", ".git", "a//b"} {
		if _, _, err := p.Diff(t.Context(), nothing, commit, dir); !errs.Is(err, errs.Invalid) {
			t.Errorf("diff of %q: %v", dir, err)
		}
	}
	for _, dir := range []string{"..", "/etc", ".git", "a/../b", "docs/", "-x", "nope", "docs/Page.md", "README.md", "module", ":(top)"} {
		if _, _, err := p.Tree(t.Context(), commit, dir); !errs.Is(err, errs.Invalid) && !errs.Is(err, errs.NotFound) {
			t.Errorf("folder %q: %v", dir, err)
		}
	}
	for _, commit := range []string{"", "main", "--help", "HEAD", strings.Repeat("0", 39), strings.Repeat("2", 40)} {
		if _, _, err := p.Tree(t.Context(), commit, ""); err == nil {
			t.Errorf("commit %q is read", commit)
		}
	}
	// Write refuses paths through or over entries that the changes do not name.
	for path, kind := range map[string]errs.Kind{
		"README.md": errs.Conflict, "README.md/x": errs.Conflict, "module/x": errs.Conflict, "module": errs.Conflict, "docs": errs.Conflict,
		"docs/run.sh/x": errs.Conflict, ".git/config": errs.Invalid, "../x": errs.Invalid, "a\nM 100644 inline x": errs.Invalid, "": errs.Invalid,
	} {
		for _, remove := range []bool{false, true} {
			_, err := p.Write(t.Context(), commit, []Change{{Path: path, Delete: remove, Data: []byte("x")}}, Commit{When: when})
			if !errs.Is(err, kind) && !(remove && strings.HasSuffix(path, "/x") && err == nil) {
				t.Errorf("write %q (%v): %v", path, remove, err)
			}
		}
	}
}

func TestTreesThatUnpackToTooMuchAreRefused(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	remote := o.HTTP("", "")
	r := runner(t, func(r *Runner) { r.Limits.Entries, r.Limits.Local = 20_000, time.Minute })
	bomb := func(name string, leaf func() string, width, depth int) {
		t.Run(name, func(t *testing.T) {
			tree := leaf()
			for range depth {
				var entries [][3]string
				for i := range width {
					entries = append(entries, [3]string{"40000", fmt.Sprintf("d%d", i), tree})
				}
				tree = o.Tree(entries...)
			}
			commit := o.Plant(tree)
			p := open(t, r, Remote{URL: remote.URL, Ref: "main"})
			defer p.Close()
			if got, err := p.Fetch(t.Context(), Want{}, nil); err == nil && got != commit {
				t.Fatalf("%s instead of %s", got, commit)
			} else if err == nil {
				_, _, err = p.Tree(t.Context(), commit, "")
				if ReasonOf(err) != TooLarge {
					t.Errorf("%v", err)
				}
			} else if r := ReasonOf(err); r != Damaged && r != TooLarge {
				t.Errorf("%v", err)
			}
		})
	}
	file := func() string { return o.Tree([3]string{"100644", "f", o.Blob("x")}) }
	bomb("wide", file, 10, 10)
	bomb("wide without files", func() string { return o.Tree() }, 10, 10)
	t.Run("long names", func(t *testing.T) {
		blob, name := o.Blob("x"), strings.Repeat("n", 240)
		var leaves [][3]string
		for i := range 2000 {
			leaves = append(leaves, [3]string{"100644", fmt.Sprintf("%06d%s", i, name), blob})
		}
		tree := o.Tree(leaves...)
		for _, width := range []int{1, 1, 70} {
			var entries [][3]string
			for i := range width {
				entries = append(entries, [3]string{"40000", fmt.Sprintf("%02d%s", i, name), tree})
			}
			tree = o.Tree(entries...)
		}
		o.Plant(tree)
		p := open(t, runner(t, nil), Remote{URL: remote.URL, Ref: "main"})
		defer p.Close()
		if _, _, err := p.Tree(t.Context(), fetch(t, p, ""), ""); ReasonOf(err) != TooLarge {
			t.Errorf("%v", err)
		}
	})
	deep := func(name string, depth int, want Reason) {
		t.Run(name, func(t *testing.T) {
			dirs := strings.Repeat(strings.Repeat("d", 199)+"/", depth)
			script := "commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 0\nM 100644 inline " + dirs + "f\ndata 1\nx\n"
			testgit.GitIn(t, o.Bare, script, "fast-import", "--quiet", "--force")
			p := open(t, r, Remote{URL: remote.URL, Ref: "main", Scope: name})
			defer p.Close()
			entries, problems, err := p.Tree(t.Context(), fetch(t, p, ""), "")
			if ReasonOf(err) != want || want == "" && (len(entries) != 0 || len(problems) != 1) {
				t.Errorf("%v, %v, %v", entries, problems, err)
			}
		})
	}
	deep("deep", 50, "")
	deep("deeper", 100, TooLarge)
}

func TestMissingObjectsAreReported(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	good, gone := o.Blob("good\n"), strings.Repeat("12", 20)
	commit := o.Plant(o.Tree([3]string{"100644", "a", good}, [3]string{"100644", "b", gone}))
	p := open(t, runner(t, nil), Remote{URL: o.HTTP("", "").URL, Ref: "main"})
	if got := fetch(t, p, ""); got != commit {
		t.Fatal(got)
	}
	called := 0
	err := p.Blobs(t.Context(), []string{good, gone}, nil, func(Blob) error { called++; return nil })
	if ReasonOf(err) != Damaged || called > 0 {
		t.Errorf("a file that the remote lacks: %d, %v", called, err)
	}
	if err := p.Blobs(t.Context(), []string{commit}, nil, func(Blob) error { return nil }); ReasonOf(err) != Damaged {
		t.Errorf("a commit as a file: %v", err)
	}
	if err := p.Blobs(t.Context(), []string{"--help"}, nil, func(Blob) error { return nil }); ReasonOf(err) != Damaged {
		t.Errorf("an option as a file: %v", err)
	}
	if err := p.Blobs(t.Context(), []string{good, good}, nil, func(Blob) error { called++; return errors.New("stop") }); err == nil || err.Error() != "stop" || called != 1 {
		t.Errorf("the caller's error: %d, %v", called, err)
	}
	// The remote cannot send a folder that it lacks.
	o.Plant(o.Tree([3]string{"40000", "a", gone}))
	if _, err := p.Fetch(t.Context(), Want{}, nil); ReasonOf(err) != Damaged && ReasonOf(err) != Unreachable {
		t.Errorf("a folder that the remote lacks: %v", err)
	}
}

func TestSizesAreBounded(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	random := make([]byte, 6<<20)
	x := uint64(88172645463325252)
	for i := range random {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		random[i] = byte(x)
	}
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("ab", 32) + "\nsize 12345\n"
	zeros := o.Blob(string(make([]byte, 12<<20))) // 12 kB when transferred
	noise := o.Blob(string(random))
	lfs, small := o.Blob(pointer), o.Blob("small")
	o.Plant(o.Tree([3]string{"100644", "lfs", lfs}, [3]string{"100644", "noise", noise}, [3]string{"100644", "small", small}, [3]string{"100644", "zeros", zeros}))
	r := runner(t, func(r *Runner) { r.Limits.Repository, r.Limits.Blob = 2<<20, 1<<20 })
	remote := Remote{URL: o.HTTP("", "").URL, Ref: "main"}
	p := open(t, r, remote)
	fetch(t, p, "")
	var got []Blob
	err := p.Blobs(t.Context(), []string{zeros, lfs, small}, nil, func(b Blob) error { got = append(got, b); return nil })
	if err != nil || len(got) != 3 {
		t.Fatalf("%v, %v", got, err)
	}
	if got[0].Data != nil || got[0].Size != 12<<20 || got[1].LFS == nil || got[1].LFS.Size != 12345 || got[2].LFS != nil || got[2].Size != 5 {
		t.Errorf("%+v", got)
	}
	if err := p.Blobs(t.Context(), []string{noise}, nil, func(Blob) error { return nil }); ReasonOf(err) != TooLarge {
		t.Errorf("a pack beyond the limit: %v", err)
	}
	p.Close()
	// The first fetch may include small files.
	with := o.HTTP("", "")
	p = open(t, r, Remote{URL: with.URL, Ref: "main"})
	if _, err := p.Fetch(t.Context(), Want{Files: int64(len(pointer))}, nil); err != nil {
		t.Fatal(err)
	}
	before := with.Requests.Load()
	err = p.Blobs(t.Context(), []string{small, lfs}, nil, func(Blob) error { return nil })
	if n := with.Requests.Load() - before; err != nil || n > 0 || sizeOf(p.dir) > 1<<20 {
		t.Errorf("%d requests, %v", n, err)
	}
	p.Close()
	// A server without filters sends everything.
	testgit.Git(t, o.Bare, "config", "uploadpack.allowFilter", "false")
	remote.Scope = "other"
	p = open(t, r, remote)
	if _, err := p.Fetch(t.Context(), Want{}, nil); ReasonOf(err) != TooLarge || !errs.Is(err, errs.Invalid) {
		t.Errorf("a repository beyond the limit: %v", err)
	}
	if n := sizeOf(p.dir); n > 2<<20 {
		t.Errorf("%d bytes are left", n)
	}
}

func TestHostileServers(t *testing.T) {
	t.Parallel()
	testgit.Need(t, "git")
	var reached atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inside.Close()
	advert := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/redirect/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inside.URL+r.URL.Path, http.StatusFound)
	})
	mux.HandleFunc("/file/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusMovedPermanently)
	})
	mux.HandleFunc("/html/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!doctype html>") })
	mux.HandleFunc("/dumb/info/refs", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "%s\trefs/heads/main\n", strings.Repeat("12", 20))
	})
	mux.HandleFunc("/dumb/objects/info/http-alternates", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, inside.URL+"/x/objects\n") })
	mux.HandleFunc("/error/", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "x", http.StatusBadGateway) })
	mux.HandleFunc("/silent/", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/drip/", func(w http.ResponseWriter, r *http.Request) {
		advert(w)
		io.WriteString(w, "001e# service=git-upload-pack\n0000")
		for r.Context().Err() == nil {
			io.WriteString(w, "003f"+strings.Repeat("12", 20)+" refs/heads/mainxxx\n")
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	mux.HandleFunc("/endless/", func(w http.ResponseWriter, r *http.Request) {
		advert(w)
		many := strings.Repeat("\x00", 1<<20)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, many); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/sideband/", func(w http.ResponseWriter, _ *http.Request) {
		advert(w)
		text := "ERR \x1b]0;owned\x07\x1b[31mred\n"
		fmt.Fprintf(w, "001e# service=git-upload-pack\n0000%04x%s", len(text)+4, text)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	for path, want := range map[string]Reason{
		"redirect": Refused, "file": Refused, "html": NotRepository, "dumb": NotRepository, "error": Unreachable,
		"silent": TimedOut, "drip": TimedOut, "endless": TooLarge, "sideband": "",
	} {
		r := runner(t, func(r *Runner) {
			if want == TimedOut {
				r.Limits.Remote = 2 * time.Second
			}
		})
		p := open(t, r, Remote{URL: s.URL + "/" + path + "/x.git", Ref: "main"})
		_, err := p.Fetch(t.Context(), Want{}, nil)
		if want != "" && ReasonOf(err) != want || err == nil || strings.ContainsAny(err.Error(), "\x1b\x07") {
			t.Errorf("%s: %v", path, err)
		}
		p.Close()
	}
	if reached.Load() > 0 {
		t.Error("a redirect was followed")
	}
}

// git keeps every ref that a remote lists in memory, and no ref is large by itself.
func TestEndlessRefsAreRefused(t *testing.T) {
	t.Parallel()
	testgit.Need(t, "git")
	if runtime.GOOS != "linux" {
		t.Skip("the system does not enforce limits of memory")
	}
	line := func(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			io.WriteString(w, line("# service=git-upload-pack\n")+"0000"+line("version 2\n")+line("ls-refs\n")+line("fetch=shallow filter\n")+line("object-format=sha1\n")+"0000")
			return
		}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		for i := 0; r.Context().Err() == nil; i++ {
			if _, err := io.WriteString(w, line(fmt.Sprintf("%s refs/heads/x%d\n", strings.Repeat("12", 20), i))); err != nil {
				return
			}
		}
	}))
	defer s.Close()
	r := runner(t, func(r *Runner) { r.Limits.Memory, r.Limits.Local = 100<<20, 30*time.Second })
	p := open(t, r, Remote{URL: s.URL + "/x.git", Ref: "main"})
	if _, err := p.Fetch(t.Context(), Want{}, nil); ReasonOf(err) != TooLarge {
		t.Errorf("%v", err)
	}
}

// Canceling the context ends git and everything that it started.
func TestCancel(t *testing.T) {
	t.Parallel()
	testgit.Need(t, "git")
	arrived := make(chan bool, 10)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arrived <- true; <-r.Context().Done() }))
	defer s.Close()
	r := runner(t, nil)
	p := open(t, r, Remote{URL: s.URL + "/x.git"})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	start := time.Now()
	if _, err := p.Fetch(ctx, Want{}, nil); !errors.Is(err, context.Canceled) || time.Since(start) > time.Minute {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if runtime.GOOS != "linux" {
		return
	}
	left := func() (pids []string) {
		links, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, link := range links {
			if dir, err := os.Readlink(link); err == nil && strings.HasPrefix(dir, p.dir) {
				pids = append(pids, link)
			}
		}
		return pids
	}
	for i := 0; len(left()) > 0; i++ {
		if i == 100 {
			t.Fatalf("still running: %v", left())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestSecretsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	first := o.Commit(map[string]string{"README.md": "x"})
	c := Credentials{Username: "ada", Password: "hunter2-s3cret%/"}
	secrets := []string{c.Password, base64.StdEncoding.EncodeToString([]byte(c.Username + ":" + c.Password)), "hunter2"}
	next := o.Handler(c.Username, c.Password)
	var seen atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range files {
			line, _ := os.ReadFile(file)
			if bytes.Contains(line, []byte("remote-http")) {
				seen.Add(1)
			}
			for _, secret := range secrets {
				if bytes.Contains(line, []byte(secret)) {
					t.Errorf("a secret is in the arguments: %q", line)
				}
			}
		}
		next.ServeHTTP(w, r)
	}))
	defer s.Close()
	r := runner(t, nil)
	remote := Remote{URL: s.URL + "/repo.git", Ref: "main", Credentials: c}
	p := open(t, r, remote)
	fetch(t, p, "")
	commit, err := p.Write(t.Context(), first, []Change{{Path: "a", Data: []byte("a")}}, Commit{When: when})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Push(t.Context(), "main", commit, first, false); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && seen.Load() == 0 {
		t.Error("the arguments of git's helper were not seen")
	}
	// The server repeats the credentials in its message, or rejects them.
	texts := []string{fmt.Sprintf("%v %+v %#v %s", remote, remote, remote, c)}
	wrong := remote
	wrong.Credentials.Username = "eve"
	q := open(t, r, Remote{URL: s.URL + "/other.git", Credentials: wrong.Credentials})
	_, err = q.Fetch(t.Context(), Want{}, nil)
	if ReasonOf(err) != Authentication {
		t.Errorf("%v", err)
	}
	texts = append(texts, fmt.Sprintf("%v %+v", err, err))
	o.Refuse("protected, says " + c.Password)
	commit, err = p.Write(t.Context(), commit, []Change{{Path: "b", Data: []byte("b")}}, Commit{When: when})
	if err != nil {
		t.Fatal(err)
	}
	old := testgit.Git(t, o.Bare, "rev-parse", "main")
	err = p.Push(t.Context(), "main", commit, old, false)
	if ReasonOf(err) != Rejected || !strings.Contains(err.Error(), "protected, says ***") {
		t.Errorf("%v", err)
	}
	texts = append(texts, fmt.Sprintf("%v", err))
	for _, text := range texts {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("a secret is in %s", text)
			}
		}
	}
	noTrace(t, r.Dir, secrets...)
	testgit.Git(t, o.Bare, "config", "http.receivepack", "false")
	if err := p.Push(t.Context(), "main", commit, old, false); ReasonOf(err) != Authentication {
		t.Errorf("a server without pushing: %v", err)
	}
}

func TestKeysLeaveNoTrace(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	o.Commit(map[string]string{"README.md": "x"})
	s := o.SSH(true)
	r := runner(t, nil)
	p := open(t, r, Remote{URL: s.URL, Credentials: Credentials{PrivateKey: bytes.ReplaceAll(bytes.TrimSpace(s.Key), []byte("\n"), []byte("\r\n"))}})
	info, err := os.Stat(p.private(sshKey))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	fetch(t, p, "")
	p.Close()
	lines := strings.Split(string(s.Key), "\n")
	noTrace(t, r.Dir, lines[1], lines[2])
	// After kill -9, the next Open removes the credentials.
	p = open(t, r, Remote{URL: s.URL, Credentials: Credentials{PrivateKey: s.Key}})
	p.lock.Close()
	open(t, r, Remote{URL: s.URL})
	noTrace(t, r.Dir, lines[1], lines[2])
}

func noTrace(t *testing.T, dir string, secrets ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, secret := range secrets {
			if bytes.Contains(b, []byte(secret)) {
				t.Errorf("a secret is in %s", path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The configuration of users and of the machine does not affect git.
func TestMachineConfigurationIsIgnored(t *testing.T) {
	o := testgit.New(t)
	first := o.Commit(map[string]string{"README.md": "x"})
	home, trap := t.TempDir(), filepath.Join(t.TempDir(), "trap")
	config := "[url \"http://127.0.0.1:1/\"]\n\tinsteadOf = http://\n[core]\n\tsshCommand = touch " + trap + "\n\thooksPath = " + home + "\n[http]\n\tproxy = http://127.0.0.1:1\n"
	if err := os.WriteFile(home+"/.gitconfig", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"reference-transaction", "post-checkout", "pre-push"} {
		if err := os.WriteFile(home+"/"+hook, []byte("#!/bin/sh\ntouch "+trap+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "http_proxy": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1",
		"GIT_SSH_COMMAND": "touch " + trap, "GIT_PROXY_COMMAND": "touch " + trap, "GIT_ASKPASS": "touch " + trap, "GIT_TRACE": trap, "GIT_TRACE_CURL": trap,
		"GIT_CONFIG_GLOBAL": home + "/.gitconfig", "GIT_CONFIG_COUNT": "0", "GIT_OBJECT_DIRECTORY": home, "GIT_INDEX_FILE": home + "/index",
	} {
		t.Setenv(name, value)
	}
	remote := o.HTTP("", "")
	p := open(t, runner(t, nil), Remote{URL: remote.URL, Ref: "main"})
	if err := os.MkdirAll(filepath.Join(p.objects(), "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.objects(), "hooks", "reference-transaction"), []byte("#!/bin/sh\ntouch "+trap+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := fetch(t, p, ""); got != first {
		t.Error(got)
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("something of the machine's configuration ran")
	}
}

// git connects to the address that was checked, even if the name resolves to another one
// later. It still verifies the certificate for the name.
func TestAddressIsPinned(t *testing.T) {
	o := testgit.New(t)
	first := o.Commit(map[string]string{"README.md": "x"})
	s := httptest.NewTLSServer(o.Handler("", ""))
	defer s.Close()
	port := s.Listener.Addr().(interface{ AddrPort() netip.AddrPort }).AddrPort().Port()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := "-----BEGIN CERTIFICATE-----\n" + base64.StdEncoding.EncodeToString(s.Certificate().Raw) + "\n-----END CERTIFICATE-----\n"
	if err := os.WriteFile(ca, []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
	p := open(t, runner(t, nil), Remote{URL: fmt.Sprintf("https://127.0.0.1:%d/repo.git", port), Ref: "main"})
	if _, err := p.Fetch(t.Context(), Want{}, nil); ReasonOf(err) != Unreachable || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that nobody knows: %v", err)
	}
	t.Setenv("SSL_CERT_FILE", ca)
	for host, want := range map[string]Reason{"example.com": "", "wrong.invalid": Unreachable} {
		p.address.host, p.connect = host, netip.MustParseAddr("127.0.0.1")
		got, err := p.Fetch(t.Context(), Want{}, nil)
		if ReasonOf(err) != want || want == "" && got != first {
			t.Errorf("%s: %q, %v", host, got, err)
		}
	}
	shell := o.SSH(true)
	p = open(t, runner(t, nil), Remote{URL: shell.URL, Ref: "main", Credentials: Credentials{PrivateKey: shell.Key}})
	p.address.host = "pinned.invalid"
	if err := p.writeSSH(""); err != nil {
		t.Fatal(err)
	}
	if got := fetch(t, p, ""); got != first {
		t.Error(got)
	}
	if hosts, err := os.ReadFile(filepath.Join(p.root, trustedHosts)); err != nil || !strings.HasPrefix(string(hosts), "[pinned.invalid]:") {
		t.Errorf("%q, %v", hosts, err)
	}
}

// Some hosts accept a token as the user name, with a well-known password. Users see
// messages of the remote, which may contain the token.
func TestTokensAsNamesAreScrubbed(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	first := o.Commit(map[string]string{"README.md": "x"})
	c := Credentials{Username: "ghp_hunter2hunter2hunter2", Password: "x-oauth-basic"}
	p := open(t, runner(t, nil), Remote{URL: o.HTTP(c.Username, c.Password).URL, Ref: "main", Credentials: c})
	fetch(t, p, "")
	o.Refuse("denied for " + c.Username)
	next, err := p.Write(t.Context(), first, []Change{{Path: "README.md", Data: []byte("y")}}, Commit{When: when})
	if err != nil {
		t.Fatal(err)
	}
	if err = p.Push(t.Context(), "main", next, first, false); ReasonOf(err) != Rejected || strings.Contains(err.Error()+errs.Message(err), "hunter2") {
		t.Errorf("%v", err)
	}
}
