package gitsync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/testdb"
	"github.com/octavo-docs/octavo/internal/testgit"
)

// BenchmarkOneFile imports pushes of one file, and exports edits of one page.
func BenchmarkOneFile(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := newDesk(b, testdb.SQLite(b))
			files := map[string]string{"README.md": "# Home\n"}
			var summary strings.Builder
			summary.WriteString("* [Home](README.md)\n")
			name := func(i int) string { return fmt.Sprintf("s%d/p%d.md", i/100, i) }
			text := func(i, edit int) string {
				return fmt.Sprintf("# Page %d\n\nThis is edit %d.\n\n## Steps\n\n* one\n* two\n\n%s\n", i, edit, strings.Repeat("Some words to read. ", 40))
			}
			for i := range n {
				files[name(i)] = text(i, 0)
				fmt.Fprintf(&summary, "* [Page %d](%s)\n", i, name(i))
			}
			files["SUMMARY.md"] = summary.String()
			d.origin.Commit(files)
			d.pull("")
			i := 0
			b.Run("import", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					i++
					d.origin.Pull()
					d.origin.Commit(map[string]string{name(i % n): text(i%n, i)})
					// What is measured is our part: the objects are there.
					d.do(docs.GitImport, func(o *docs.GitOperation) { o.Request.Standalone = true })
					b.StartTimer()
					d.pull("")
				}
			})
			b.Run("export", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					i++
					d.edit(fmt.Sprintf("Page %d", i%n), "This is edit", "This is another edit")
					b.StartTimer()
					d.push("")
				}
			})
			if got := testgit.Git(b, d.origin.Bare, "rev-list", "--count", "main"); got == "1" {
				b.Fatal("nothing was exported")
			}
		})
	}
}
