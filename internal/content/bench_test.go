package content_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// filledDesk has a space of n pages in folders of a hundred, each with a few
// sections and links.
func filledDesk(b *testing.B, n int) (*testspace.Desk, []docs.PageID) {
	d := testspace.New(b, testdb.SQLite(b))
	in := fstest.MapFS{}
	var summary strings.Builder
	summary.WriteString("# Table of contents\n\n")
	for i := range n {
		name := fmt.Sprintf("part-%d/page-%d.md", i/100, i)
		if i%100 == 0 {
			fmt.Fprintf(&summary, "\n## Part %d\n\n", i/100)
		}
		fmt.Fprintf(&summary, "* [Page %d](%s)\n", i, name)
		in[name] = &fstest.MapFile{Data: fmt.Appendf(nil, "# Page %d\n\nAn introduction with the number %d.\n\n## Setup\n\n%s See [the next](page-%d.md).\n\n## Usage\n\n* one\n* two\n\n```sh\nrun %d\n```\n",
			i, i, strings.Repeat("Words about words that fill a paragraph. ", 12), min(i+1, n-1), i)}
	}
	in["SUMMARY.md"] = &fstest.MapFile{Data: []byte(summary.String())}
	in["README.md"] = &fstest.MapFile{Data: []byte("# Home\n\nHello.\n")}
	tree, err := folder.Read(in, folder.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	ctx, start := context.Background(), time.Now()
	defer func() { b.ReportMetric(float64(n)/time.Since(start).Seconds(), "imported/s") }()
	if _, err := d.Content.Import(ctx, authz.OperatorGrant(d.By.User), d.Grant(b, d.ID).Space, tree, func(string, int, int) {}); err != nil {
		b.Fatal(err)
	}
	var ids []docs.PageID
	all, err := d.Head(b, d.ID).All(ctx)
	if err != nil {
		b.Fatal(err)
	}
	for _, g := range all {
		for _, p := range g.Children {
			ids = append(ids, p.ID)
		}
	}
	return d, ids
}

func BenchmarkEdit(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d, ids := filledDesk(b, n)
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				d.T = b
				d.Must(testspace.Write(ids[(i*37)%len(ids)], fmt.Sprintf("# Page\n\nEdited %d times.\n\n## Setup\n\nSee [one](page-1.md).\n", i)))
			}
		})
	}
}

// BenchmarkEditsAtOnce is of many who edit pages of one space, each its own: of a
// text of about 1,900 bytes one paragraph differs. What counts is the processor
// time of an edit, which does not depend on the disk.
func BenchmarkEditsAtOnce(b *testing.B) {
	const editors, pages = 16, 1024
	d, ids := filledDesk(b, pages)
	texts := make([]string, pages)
	for i := range texts {
		texts[i] = editedText(i)
	}
	edit := func(from, to int) {
		var edits atomic.Int64
		var all sync.WaitGroup
		for k := range editors {
			all.Go(func() {
				for i := from + k; int(edits.Add(1)) <= to-from; i += editors {
					text := texts[i%pages] + fmt.Sprintf("Version %d of the paragraph.\n", i)
					if _, err := d.Apply(b, d.ID, testspace.Write(ids[i%pages], text)); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
	}
	edit(0, pages) // the first text of each page differs as a whole
	b.ReportAllocs()
	b.ResetTimer()
	began := processorTime(b)
	edit(pages, pages+b.N)
	b.ReportMetric(float64((processorTime(b)-began).Microseconds())/float64(b.N), "cpu-µs/op")
}

// editedText returns the text of a page, without its last paragraph: sections of
// words of which few are frequent, links, a hint, a list and code.
func editedText(i int) string {
	r := rand.New(rand.NewPCG(7, uint64(i)))
	words := func(n int) string {
		var b strings.Builder
		for range n {
			word := int64(math.Exp(r.Float64() * math.Log(20_000)))
			fmt.Fprintf(&b, "%s ", strconv.FormatInt(12_345+word*7_919, 36))
		}
		return strings.TrimSpace(b.String())
	}
	return fmt.Sprintf("# %s\n\n%s\n\nSee [one](page-%d.md) and [another](page-%d.md).\n\n## %s\n\n{%% hint style=\"info\" %%}\n%s\n{%% endhint %%}\n\n%s\n\n* %s\n* %s\n\n```sh\nrun %s\n```\n\n## %s\n\n%s\n\n",
		words(3), words(75), i/2, i/3, words(3), words(10), words(75), words(5), words(5), words(4), words(3), words(75))
}

// processorTime returns what this process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
