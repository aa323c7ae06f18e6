package exchange_test

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/content/exchange"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// A change of the structure that is imported without reading unchanged files has the
// result of reading everything, whatever was edited here before.
func TestPartsAreTheWhole(t *testing.T) {
	all := repositories(t)
	d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
	tried, parts := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		names := slices.Sorted(maps.Keys(all))
		files := maps.Clone(all[names[rapid.IntRange(0, len(names)-1).Draw(rt, "repository")]])
		if rapid.IntRange(0, 4).Draw(rt, "bare") == 0 {
			delete(files, "SUMMARY.md")
		}
		for range rapid.IntRange(0, 3).Draw(rt, "before") {
			restructure(rt, files)
		}
		d.Import(rt, files)
		files = carried(t, files)
		if batches := rapid.IntRange(0, 2).Draw(rt, "batches"); batches > 0 {
			for range batches {
				d.Random(rt, d.ID)
			}
			files = d.written(rt, d.Head(rt, d.ID))
		} else if !maps.Equal(files, d.written(rt, d.Head(rt, d.ID))) {
			return // references name what the space had before: the two are no pair
		}
		if claims, err := d.claims(d.Head(rt, d.ID)); err != nil || claims {
			return // the next import reads everything
		}
		next := maps.Clone(files)
		for range rapid.IntRange(1, 4).Draw(rt, "edits") {
			restructure(rt, next)
		}
		both := maps.Clone(next) // what was there before can be read, too
		for name, text := range files {
			both["before/"+name] = text
		}
		var read []string
		up := repository(next, &read)
		up.Changed, up.Read = changedFiles(files, next), repository(both, &read).Read
		base := d.Head(rt, d.ID)
		fast, ok, err := d.imported(ctx, base, up, exchange.Incremental)
		slow, _, slowErr := d.imported(ctx, base, up, exchange.WholeFolder)
		if (err == nil) != (slowErr == nil) && (ok || err != nil) {
			rt.Fatalf("parts: %v, whole: %v", err, slowErr)
		}
		tried++
		if !ok || err != nil {
			return
		}
		parts++
		if fast.Empty != slow.Empty {
			rt.Fatalf("parts: empty is %t, whole: %t", fast.Empty, slow.Empty)
		}
		compareKeys(rt, keys(rt, fast), keys(rt, slow))
	})
	t.Logf("%d of %d", parts, tried)
	if parts*2 < tried {
		t.Errorf("only %d of %d changes were taken in parts", parts, tried)
	}
}

// claims reports whether a page names a file that is no content.
func (d *desk) claims(v *revision.View) (bool, error) {
	files, err := d.Content.Exchange.AllFiles(context.Background(), v)
	if err != nil {
		return false, err
	}
	return exchange.AddsContent(context.Background(), v, files)
}

// restructure changes something of a folder that can change its structure.
func restructure(rt *rapid.T, files map[string]string) {
	pick := func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, what) }
	one := func(what string, is func(name string) bool) string {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if is(name) {
				list = append(list, name)
			}
		}
		if len(list) == 0 {
			return ""
		}
		return list[pick(what, len(list))]
	}
	page := func(name string) bool {
		return strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, "SUMMARY.md")
	}
	summary := one("summary", func(name string) bool { return strings.HasSuffix(name, "SUMMARY.md") })
	lines := func(change func(lines []string) []string) {
		if summary != "" {
			files[summary] = strings.Join(change(strings.SplitAfter(files[summary], "\n")), "")
		}
	}
	link := func(title, name string) string {
		rel, ok := strings.CutPrefix(name, strings.TrimPrefix(path.Dir(summary)+"/", "./"))
		if !ok {
			rel = name
		}
		return fmt.Sprintf("%s* [%s](%s)\n", strings.Repeat(" ", 2*pick("indent", 3)), title, rel)
	}
	replace := func(old, new string) {
		lines(func(l []string) []string {
			return strings.SplitAfter(strings.ReplaceAll(strings.Join(l, ""), old, new), "\n")
		})
	}
	fresh := func() string {
		dir := path.Dir(one("beside", page))
		switch landing := pick("landing", 10); {
		case landing < 3:
			return path.Join(dir, [...]string{"README.md", "index.md", "Index.md"}[landing])
		case landing == 3 && dir != ".":
			return dir + ".md"
		}
		return path.Join(dir, fmt.Sprintf("n%d.md", pick("number", 5)))
	}
	was := one("page", page)
	if was == "" {
		files["README.md"] = "# Again\n"
		return
	}
	switch pick("edit", 15) {
	case 0, 1: // a new page, listed or not
		name := fresh()
		files[name] = fmt.Sprintf("# New %d\n\nSee [it](%s) and ![](%s).\n", pick("title", 3), path.Base(was), path.Base(one("any", func(string) bool { return true })))
		if pick("listed", 3) > 0 {
			lines(func(l []string) []string { return slices.Insert(l, pick("line", len(l)), link("New", name)) })
		}
	case 2: // gone, with its line or without
		delete(files, was)
		if pick("line", 2) == 0 {
			lines(func(l []string) []string {
				return slices.DeleteFunc(l, func(s string) bool { return strings.Contains(s, path.Base(was)) })
			})
		}
	case 3, 4: // renamed or moved, and edited perhaps
		name := fresh()
		files[name] = files[was]
		if pick("edited", 2) == 0 {
			files[name] += "\nMore.\n"
		}
		if name != was {
			delete(files, was)
		}
		if pick("line", 3) > 0 {
			replace(path.Base(was), path.Base(name))
		}
	case 5: // two lines change places
		lines(func(l []string) []string {
			i, j := pick("line", len(l)), pick("line", len(l))
			l[i], l[j] = l[j], l[i]
			return l
		})
	case 6: // a line goes, comes twice, or moves in or out
		lines(func(l []string) []string {
			i := pick("line", len(l))
			switch pick("how", 4) {
			case 0:
				return slices.Delete(l, i, i+1)
			case 1:
				return slices.Insert(l, pick("line", len(l)), l[i])
			case 2:
				l[i] = "  " + l[i]
			default:
				l[i] = strings.TrimPrefix(l[i], "  ")
			}
			return l
		})
	case 7: // another title in SUMMARY.md
		lines(func(l []string) []string {
			i := pick("line", len(l))
			l[i] = strings.Replace(l[i], "[", fmt.Sprintf("[Title %d ", pick("title", 3)), 1)
			return l
		})
	case 8: // another title in the file, or none
		_, rest, _ := strings.Cut(files[was], "\n")
		cover := "---\ncover: " + strings.Repeat("../", strings.Count(was, "/")) + one("cover", func(name string) bool { return !page(name) }) + "\n---\n"
		files[was] = []string{"# Another\n\n", "# Another :tada:\n", "", "---\ndescription: x\n---\n", cover + "# Covered\n"}[pick("head", 5)] + rest
	case 9: // a group
		lines(func(l []string) []string {
			return slices.Insert(l, pick("line", len(l)), fmt.Sprintf("\n## Group %d\n\n", pick("group", 3)))
		})
	case 10: // a file that is no page, used or not
		name := path.Join(path.Dir(was), fmt.Sprintf("file%d.txt", pick("file", 3)))
		files[name] = "text"
		if pick("used", 3) > 0 {
			files[was] += fmt.Sprintf("\n[file](%s)\n", path.Base(name))
		}
	case 11: // one of those goes or gets another name
		if name := one("file", func(name string) bool { return !strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, ".yaml") }); name != "" {
			if pick("renamed", 2) == 0 {
				files[path.Join(path.Dir(name), "other-"+path.Base(name))] = files[name]
			}
			delete(files, name)
		}
	case 12: // a folder with the name of a page
		name := strings.TrimSuffix(was, ".md") + "/README.md"
		files[name] = "# Folder\n\n[up](../" + path.Base(was) + ")\n"
		if pick("instead", 2) == 0 {
			delete(files, was)
		}
	case 13: // a line without its extension
		lines(func(l []string) []string {
			i := pick("line", len(l))
			l[i] = strings.Replace(l[i], ".md)", ")", 1)
			return l
		})
	default:
		files[was] += "\nMore words, and [a link](" + path.Base(one("to", page)) + ").\n"
	}
	for name := range files { // no file is below another
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			delete(files, dir)
		}
	}
}
