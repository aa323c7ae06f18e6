package git

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// large creates a repository with n files, 100 in each folder.
func large(b *testing.B, n int) *testgit.Origin {
	b.Helper()
	o := testgit.New(b)
	var script strings.Builder
	script.WriteString("commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 0\n")
	for i := range n {
		text := fmt.Sprintf("# Page %d\n\n%s\n", i, strings.Repeat(fmt.Sprintf("Some text of page %d. ", i*i), 40))
		fmt.Fprintf(&script, "M 100644 inline docs/%03d/page-%d.md\ndata %d\n%s\n", i/100, i, len(text), text)
	}
	testgit.GitIn(b, o.Bare, script.String(), "fast-import", "--quiet")
	return o
}

// all reads every file of a commit.
func all(b *testing.B, p *Repo, commit string) {
	b.Helper()
	entries, _, err := p.Tree(b.Context(), commit, "docs")
	if err != nil {
		b.Fatal(err)
	}
	var wanted []string
	for _, e := range entries {
		wanted = append(wanted, e.OID)
	}
	n := 0
	err = p.Blobs(b.Context(), wanted, nil, func(blob Blob) error {
		n++
		_, err := io.Copy(io.Discard, blob.Data)
		return err
	})
	if err != nil || n != len(wanted) {
		b.Fatalf("%d of %d: %v", n, len(wanted), err)
	}
}

// BenchmarkFirst reads a whole repository that is not in the cache. For comparison, it
// also measures git clone.
func BenchmarkFirst(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			o := large(b, n)
			url := o.HTTP("", "").URL
			r := runner(b, nil)
			var clone time.Duration
			i := 0
			for b.Loop() {
				p := open(b, r, Remote{URL: url, Ref: "main", Scope: fmt.Sprint(i)})
				commit, err := p.Fetch(b.Context(), Want{Files: 1 << 20}, nil)
				if err != nil {
					b.Fatal(err)
				}
				all(b, p, commit)
				p.Close()
				b.StopTimer()
				start := time.Now()
				testgit.Git(b, o.Work, "clone", "-q", "--bare", "--depth=1", url, fmt.Sprintf("%s/clone-%d", b.TempDir(), i))
				clone += time.Since(start)
				i++
				b.StartTimer()
			}
			b.ReportMetric(float64(clone.Milliseconds())/float64(b.N), "clone-ms/op")
		})
	}
}

// BenchmarkOneChange reads a push that changes one file of a repository in the cache.
func BenchmarkOneChange(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			o := large(b, n)
			p := open(b, runner(b, nil), Remote{URL: o.HTTP("", "").URL, Ref: "main"})
			head := fetch(b, p, "")
			var fetched, listed, read time.Duration
			i := 0
			for b.Loop() {
				b.StopTimer()
				i++
				script := fmt.Sprintf("commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 0\nfrom refs/heads/main^0\nM 100644 inline docs/000/page-1.md\ndata 20\n%020d\n", i)
				testgit.GitIn(b, o.Bare, script, "fast-import", "--quiet")
				b.StartTimer()
				start := time.Now()
				before := head
				head = fetch(b, p, before)
				fetched += time.Since(start)
				start = time.Now()
				deltas, _, err := p.Diff(b.Context(), before, head, "docs")
				if err != nil || len(deltas) != 1 {
					b.Fatalf("%v, %v", deltas, err)
				}
				listed += time.Since(start)
				start = time.Now()
				err = p.Blobs(b.Context(), []string{deltas[0].New}, nil, func(Blob) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
				read += time.Since(start)
			}
			for name, d := range map[string]time.Duration{"fetch": fetched, "diff": listed, "read": read} {
				b.ReportMetric(float64(d.Microseconds())/1000/float64(b.N), name+"-ms/op")
			}
		})
	}
}
