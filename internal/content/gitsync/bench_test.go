package gitsync

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// BenchmarkOneFile imports pushes of one file, and exports edits of one page.
func BenchmarkOneFile(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := newFixture(b, testdb.SQLite(b))
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
					// Fetching is not measured: the objects are already in the cache.
					d.do(docs.GitImport, func(o *docs.GitOperation) { o.Request.Standalone = true })
					b.StartTimer()
					d.pull("")
				}
			})
			b.Run("export", func(b *testing.B) {
				var used time.Duration
				for b.Loop() {
					b.StopTimer()
					i++
					d.edit(fmt.Sprintf("Page %d", i%n), "This is edit", "This is another edit")
					before := cpuTime(b)
					b.StartTimer()
					d.push("")
					used += cpuTime(b) - before
				}
				b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
			if got := testgit.Git(b, d.origin.Bare, "rev-list", "--count", "main"); got == "1" {
				b.Fatal("nothing was exported")
			}
		})
	}
}

// BenchmarkStructure imports pushes that change the structure: each adds, renames,
// retitles or deletes one page.
func BenchmarkStructure(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := newFixture(b, testdb.SQLite(b))
			type page struct{ file, title string }
			var list []page
			text := func(i int, title string) string {
				return fmt.Sprintf("# %s\n\nSee [the one before](p%d.md). This is page %d.\n\n## Steps\n\n* one\n* two\n\n%s\n",
					title, max(i-1, i/100*100), i, strings.Repeat("Some words to read. ", 40))
			}
			files := map[string]string{"README.md": "# Home\n"}
			for i := range n {
				p := page{fmt.Sprintf("s%d/p%d.md", i/100, i), fmt.Sprintf("Page %d", i)}
				files[p.file] = text(i, p.title)
				list = append(list, p)
			}
			summary := func() string {
				var out strings.Builder
				out.WriteString("* [Home](README.md)\n")
				section := ""
				for _, p := range list {
					if dir, _, _ := strings.Cut(p.file, "/"); dir != section {
						section = dir
						fmt.Fprintf(&out, "\n## Section %s\n\n", dir)
					}
					fmt.Fprintf(&out, "* [%s](%s)\n", p.title, p.file)
				}
				return out.String()
			}
			files["SUMMARY.md"] = summary()
			d.origin.Commit(files)
			d.pull("")
			i := 0
			bench := func(name string, change func(files map[string]string)) {
				b.Run(name, func(b *testing.B) {
					var used time.Duration
					for b.Loop() {
						b.StopTimer()
						i++
						files := map[string]string{}
						change(files)
						files["SUMMARY.md"] = summary()
						d.origin.Commit(files)
						d.do(docs.GitImport, func(o *docs.GitOperation) { o.Request.Standalone = true })
						before := cpuTime(b)
						b.StartTimer()
						d.pull("")
						used += cpuTime(b) - before
					}
					b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "cpu-ms/op")
				})
			}
			bench("add", func(files map[string]string) {
				p := page{fmt.Sprintf("s0/new%d.md", i), fmt.Sprintf("New %d", i)}
				files[p.file] = text(i%n, p.title)
				list = slices.Insert(list, i%n, p)
			})
			bench("title", func(files map[string]string) {
				p := &list[i*7%n]
				p.title = fmt.Sprintf("Title %d", i)
				files[p.file] = text(i%n, p.title)
			})
			bench("rename", func(files map[string]string) {
				p := &list[i*7%n]
				data, err := os.ReadFile(filepath.Join(d.origin.Work, p.file))
				if err != nil {
					b.Fatal(err)
				}
				dir, _, _ := strings.Cut(p.file, "/")
				files[p.file] = testgit.Deleted
				p.file = fmt.Sprintf("%s/renamed%d.md", dir, i)
				files[p.file] = string(data)
			})
			bench("delete", func(files map[string]string) {
				k := i * 7 % len(list)
				files[list[k].file] = testgit.Deleted
				list = slices.Delete(list, k, k+1)
			})
		})
	}
}

// cpuTime returns the processor time that the process has used so far.
func cpuTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
