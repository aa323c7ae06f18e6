package content_test

import (
	"context"
	"fmt"
	"strings"
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
