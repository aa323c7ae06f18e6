package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// Random commits have the same files as a model in memory, and git fsck finds no errors.
func TestWriteMatchesAModel(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	p := open(t, runner(t, nil), Remote{URL: o.HTTP("", "").URL, Ref: "main"})
	random := rand.New(rand.NewSource(1))
	paths := []string{"a", "b.md", "dir/a", "dir/sub/x.md", "dir/sub/\"q\" 'x'.md", "ü/é.md", "-x", ":(top)y", "#c", "data 3", "x y/z", "deep/1/2/3/4/5"}
	model, before := map[string]string{}, map[string]string{}
	head := ""
	for step := range 25 {
		var changes []Change
		next := maps.Clone(model)
		for _, path := range paths {
			switch random.Intn(6) {
			case 0:
				changes = append(changes, Change{Path: path, Delete: true})
				delete(next, path)
			case 1:
				text := fmt.Sprintf("%d %s\nM 100644 inline evil\ndone\n\x00\xff", step, path)
				changes = append(changes, Change{Path: path, Data: []byte(text)})
				next[path] = text
			case 2:
				changes = append(changes, Change{Path: path, Open: func() (io.ReadCloser, int64, error) {
					return io.NopCloser(strings.NewReader("opened")), 6, nil
				}})
				next[path] = "opened"
			}
		}
		commit, err := p.Write(t.Context(), head, changes, Commit{Author: Person{"A", "a@example.com"}, When: when, Message: fmt.Sprint(step)})
		if err != nil {
			t.Fatal(err)
		}
		if (commit == head) != (maps.Equal(model, next) && head != "") {
			t.Errorf("step %d: %s on %s", step, commit, head)
		}
		model = next
		if got := read(t, p, commit, ""); !maps.Equal(got, model) {
			t.Fatalf("step %d: %q instead of %q", step, got, model)
		}
		if head != "" {
			sameDiff(t, p, head, commit, before, model)
		}
		before = model
		if commit != head && random.Intn(3) == 0 {
			expected := ""
			if refs := testgit.Git(t, o.Bare, "for-each-ref", "--format=%(objectname)", "refs/heads/main"); refs != "" {
				expected = refs
			}
			if err := p.Push(t.Context(), "main", commit, expected, false); err != nil {
				t.Fatal(err)
			}
		}
		head = commit
	}
	testgit.Git(t, o.Bare, "fsck", "--strict")
}

// sameDiff compares Diff with the difference of two maps, also below folders.
func sameDiff(t *testing.T, p *Repo, from, to string, before, after map[string]string) {
	t.Helper()
	for _, dir := range []string{"", "dir", "dir/sub", "ü", "nope", "a"} {
		want := map[string]Delta{}
		for _, side := range []map[string]string{before, after} {
			for path := range side {
				rel, ok := strings.CutPrefix(path, dir+"/")
				if dir == "" {
					rel, ok = path, true
				}
				d := Delta{Path: rel}
				if text, ok := before[path]; ok {
					d.Old = BlobOID([]byte(text))
				}
				if text, ok := after[path]; ok {
					d.New = BlobOID([]byte(text))
				}
				if ok && d.Old != d.New {
					want[rel] = d
				}
			}
		}
		deltas, problems, err := p.Diff(t.Context(), from, to, dir)
		got := map[string]Delta{}
		for _, d := range deltas {
			got[d.Path] = d
		}
		if err != nil || len(problems) > 0 || !maps.Equal(got, want) || len(got) != len(deltas) {
			t.Fatalf("%q: %v instead of %v, %v, %v", dir, deltas, want, problems, err)
		}
	}
}

func TestWriteKeepsOtherFiles(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	base := o.Plant(o.Tree(
		[3]string{"120000", "link", o.Blob("target")}, [3]string{"160000", "module", strings.Repeat("1", 40)}, [3]string{"100755", "run.sh", o.Blob("run")},
		[3]string{"100644", "untouched.md", strings.Repeat("12", 20)}, // missing on the remote too
	))
	p := open(t, runner(t, nil), Remote{URL: o.HTTP("", "").URL, Ref: "main"})
	fetch(t, p, "")
	commit, err := p.Write(t.Context(), base, []Change{{Path: "run.sh", Data: []byte("ran")}, {Path: "z", Data: nil}}, Commit{When: when})
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.git(t.Context(), call{args: []string{"diff-tree", "-r", "--raw", "--no-abbrev", base, commit}})
	want := fmt.Sprintf(":100755 100755 %s %s M\trun.sh\n:000000 100644 %040d %s A\tz\n", BlobOID([]byte("run")), BlobOID([]byte("ran")), 0, BlobOID(nil))
	if string(out) != want || err != nil {
		t.Errorf("%s, %v", out, err)
	}
	if same, err := p.Write(t.Context(), base, []Change{{Path: "run.sh", Data: []byte("run")}, {Path: "nope", Delete: true}}, Commit{When: when}); same != base || err != nil {
		t.Errorf("nothing changed: %s, %v", same, err)
	}
	if _, err := p.Write(t.Context(), base, []Change{{Path: "a"}, {Path: "a", Delete: true}}, Commit{When: when}); !errs.Is(err, errs.Invalid) {
		t.Errorf("twice: %v", err)
	}
	if _, err := p.Write(t.Context(), base, []Change{{Path: "a"}, {Path: "a/b"}}, Commit{When: when}); !errs.Is(err, errs.Invalid) {
		t.Errorf("file and folder: %v", err)
	}
	broken := errors.New("broken")
	if _, err := p.Write(t.Context(), base, []Change{{Path: "a", Open: func() (io.ReadCloser, int64, error) { return nil, 0, broken }}}, Commit{When: when}); !errors.Is(err, broken) {
		t.Errorf("cannot be opened: %v", err)
	}
	if _, err := p.Write(t.Context(), base, []Change{{Path: "a", Open: func() (io.ReadCloser, int64, error) { return io.NopCloser(strings.NewReader("xy")), 3, nil }}}, Commit{When: when}); err == nil || !strings.Contains(err.Error(), "2 bytes instead of 3") {
		t.Errorf("too short: %v", err)
	}
	if _, err := p.Write(t.Context(), strings.Repeat("3", 40), nil, Commit{When: when}); err == nil {
		t.Error("an unknown base is accepted")
	}
	// A file can become a folder only if a change deletes the file.
	commit, err = p.Write(t.Context(), base, []Change{{Path: "run.sh", Delete: true}, {Path: "run.sh/x", Data: []byte("x")}}, Commit{When: when})
	if err != nil {
		t.Fatal(err)
	}
	if entries, _, err := p.Tree(t.Context(), commit, "run.sh"); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestPresentNamesPathsThatNoRepositoryHas(t *testing.T) {
	t.Parallel()
	p := open(t, runner(t, nil), Remote{URL: testgit.New(t).HTTP("", "").URL})
	_, err := p.Present(t.Context(), strings.Repeat("a", 40), []string{"README.md", "a\\b.md"})
	if want := "cannot be in a repository: its name has a backslash"; !errs.Is(err, errs.Invalid) || !strings.Contains(errs.Message(err), want) {
		t.Errorf("%v", err)
	}
}

func TestNamesAndMessagesAreCleaned(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	p := open(t, runner(t, nil), Remote{URL: o.HTTP("", "").URL, Ref: "main"})
	commit, err := p.Write(t.Context(), "", []Change{{Path: "a"}}, Commit{
		Author:    Person{"Eve\nparent x\n<eve@x> 0 +0000", "eve@example.com>\ncommitter root <"},
		Committer: Person{" \x00.,", ""},
		When:      when,
		Message:   "Subject: " + OneLine("x\r\n\r\nCo-authored-by: root\u2028<root@x>\x00") + "\r\n\r\nBody\x1b[31m\x00\n\ttext",
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := p.git(t.Context(), call{args: []string{"cat-file", "commit", commit}})
	_, after, _ := strings.Cut(string(raw), "\n")
	want := "author Eve parent x eve@x 0 +0000 <eve@example.comcommitterroot> 1794740400 +0100\ncommitter Octavo <> 1794740400 +0100\n\n" +
		"Subject: x Co-authored-by: root <root@x>\n\nBody[31m\n\ttext\n"
	if err != nil || after != want {
		t.Errorf("%q instead of %q, %v", after, want, err)
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		got := OneLine(s)
		if strings.ContainsAny(got, "\r\n\x00\u2028\u0085") || OneLine(got) != got {
			t.Fatalf("%q becomes %q", s, got)
		}
		for _, line := range []string{person(Person{s, s}), message(s)} {
			if strings.Contains(strings.TrimSuffix(line, "\n"), "\x00") {
				t.Fatalf("%q becomes %q", s, line)
			}
		}
		if who := person(Person{s, s}); strings.Count(who, "<") != 1 || strings.Count(who, ">") != 1 || strings.Contains(who, "\n") {
			t.Fatalf("%q becomes %q", s, who)
		}
	})
}

func TestBlobOIDIsGits(t *testing.T) {
	t.Parallel()
	o := testgit.New(t)
	for _, text := range []string{"", "x", "a\nb\r\n\x00", strings.Repeat("y", 100_000)} {
		if got, want := BlobOID([]byte(text)), o.Blob(text); got != want {
			t.Errorf("%.10q: %s instead of %s", text, got, want)
		}
	}
}

func TestParseLFS(t *testing.T) {
	t.Parallel()
	head := "version https://git-lfs.github.com/spec/v1\n"
	sum := "oid sha256:" + strings.Repeat("0f", 32) + "\n"
	for text, ok := range map[string]bool{
		head + sum + "size 1\n": true,
		head + "ext-0-foo sha256:" + strings.Repeat("0f", 32) + "\n" + sum + "size 1\n": true,
		"version https://hawser.github.com/spec/v1\n" + sum + "size 0\n":                true,
		head + sum:               false,
		head + "size 1\n":        false,
		"":                       false,
		head:                     false,
		head + sum + "size -1\n": false,
		head + sum + "size 99999999999999999999\n":                  false,
		"# version\n" + head + sum + "size 1\n":                     false,
		head + sum + "size 1\nText that goes on.":                   false,
		"version https://evil.example/spec/v1\n" + sum + "size 1\n": false,
		head + sum + "size 1\n" + strings.Repeat("a b\n", 400):      false,
	} {
		if _, got := ParseLFS([]byte(text)); got != ok {
			t.Errorf("%.80q: %v", text, got)
		}
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte("remote: Counting objects:  50% (1/2)\rReceiving objects: 100% (2/2), done.\nfatal: x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := &messages{progress: func(stage string, _, _ int) {
			if stage == "" || strings.ContainsAny(stage, " :\n") {
				t.Fatalf("stage %q", stage)
			}
		}}
		for chunk := range slices.Chunk(b, 7) {
			if n, err := m.Write(chunk); n != len(chunk) || err != nil {
				t.Fatal(n, err)
			}
		}
		if s := m.String(); len(s) > maxMessages || classify(s) == nil {
			t.Fatalf("%d bytes", len(s))
		}
		clean := scrubberFor(Credentials{Username: "u", Password: "secret"}).clean(string(b))
		if strings.Contains(clean, "secret") || bytes.ContainsAny([]byte(clean), "\x1b\x00") {
			t.Fatalf("%q", clean)
		}
	})
}
