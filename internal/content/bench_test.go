package content_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/testdb"
)

// filledDesk has a space of n pages in folders of a hundred, each with a few
// sections and links.
func filledDesk(b *testing.B, n int) (*desk, []docs.PageID) {
	d := newDesk(b, testdb.SQLite(b))
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
	if _, err := d.c.Import(ctx, authz.Operator(d.by.User), d.grant(b, d.id).Space, tree, func(string, int, int) {}); err != nil {
		b.Fatal(err)
	}
	var ids []docs.PageID
	all, err := d.head(b, d.id).All(ctx)
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
				d.t = b
				d.must(write(ids[(i*37)%len(ids)], fmt.Sprintf("# Page\n\nEdited %d times.\n\n## Setup\n\nSee [one](page-1.md).\n", i)))
			}
		})
	}
}

// BenchmarkEditsAtOnce is of many who edit pages of one space. What counts is the
// processor time of an edit, which does not depend on the disk.
func BenchmarkEditsAtOnce(b *testing.B) {
	const editors, pages = 16, 1024
	d, ids := filledDesk(b, pages)
	var edits atomic.Int64
	b.ResetTimer()
	began := processorTime(b)
	var all sync.WaitGroup
	for k := range editors {
		all.Go(func() {
			for i := k; int(edits.Add(1)) <= b.N; i += editors {
				text := fmt.Sprintf("Edited %d times.\n\n## Setup\n\n%s See [one](page-1.md).\n\n## Usage\n\n* one\n* two\n", i, strings.Repeat("Words about words that fill a paragraph. ", 24))
				if _, err := d.apply(b, d.id, write(ids[i%len(ids)], text)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64((processorTime(b)-began).Microseconds())/float64(b.N), "cpu-µs/op")
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
