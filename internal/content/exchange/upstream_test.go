package exchange_test

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/exchange"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// oid names bytes as git does.
func oid(text string) string {
	sum := sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(text), text)))
	return hex.EncodeToString(sum[:])
}

// repository returns files as an upstream, and what it was asked for.
func repository(files map[string]string, read *[]string) exchange.Upstream {
	by := map[string]string{}
	for _, text := range files {
		by[oid(text)] = text
	}
	return exchange.Upstream{
		Paired: true,
		List: func(context.Context) ([]exchange.UpstreamFile, error) {
			var out []exchange.UpstreamFile
			for _, name := range slices.Sorted(maps.Keys(files)) {
				out = append(out, exchange.UpstreamFile{Path: name, OID: oid(files[name])})
			}
			return out, nil
		},
		Read: func(_ context.Context, oids []string, each func(string, int64, io.Reader) error) error {
			for _, o := range oids {
				*read = append(*read, o)
				if err := each(o, int64(len(by[o])), strings.NewReader(by[o])); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// changed returns what differs between two folders.
func changedFiles(before, after map[string]string) []exchange.UpstreamChange {
	var out []exchange.UpstreamChange
	both := maps.Clone(before)
	maps.Copy(both, after)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		old, had := before[name]
		now, has := after[name]
		c := exchange.UpstreamChange{Path: name}
		if had {
			c.Old = oid(old)
		}
		if has {
			c.New = oid(now)
		}
		if c.Old != c.New {
			out = append(out, c)
		}
	}
	return out
}

// The short way of a change that leaves the structure alone has the result of the
// long way, and reads nothing but the files that changed.
func TestTheShortWayIsTheLongWay(t *testing.T) {
	for name, files := range repositories(t) {
		t.Run(name, func(t *testing.T) {
			d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
			d.Import(t, files)
			files = carried(t, files)
			short := 0
			rapid.Check(t, func(rt *rapid.T) {
				names := slices.Sorted(maps.Keys(files))
				next := maps.Clone(files)
				for range rapid.IntRange(1, 3).Draw(rt, "files") {
					name := names[rapid.IntRange(0, len(names)-1).Draw(rt, "file")]
					text := next[name]
					switch rapid.IntRange(0, 3).Draw(rt, "edit") {
					case 0:
						text += "\nMore words.\n"
					case 1:
						lines := strings.SplitAfter(text, "\n")
						i := rapid.IntRange(0, len(lines)-1).Draw(rt, "line")
						text = strings.Join(slices.Insert(lines, i, "Words between.\n\n"), "")
					case 2:
						lines := strings.SplitAfter(text, "\n")
						i := rapid.IntRange(0, len(lines)-1).Draw(rt, "line")
						text = strings.Join(slices.Delete(lines, i, i+1), "")
					default:
						text = strings.ReplaceAll(text, "the", "a")
					}
					next[name] = text
				}
				var read []string
				up := repository(next, &read)
				up.Changed = changedFiles(files, next)
				base := d.Head(t, d.ID)
				fast, ok, err := d.imported(ctx, base, up, exchange.ChangedFiles)
				if err != nil {
					rt.Fatalf("%v", err)
				}
				if !ok {
					return
				}
				short++
				for _, o := range read {
					if !slices.ContainsFunc(up.Changed, func(c exchange.UpstreamChange) bool { return c.New == o }) {
						rt.Fatalf("a file was read that has not changed")
					}
				}
				slow, _, err := d.imported(ctx, base, up, exchange.WholeFolder)
				if err != nil {
					rt.Fatalf("%v", err)
				}
				compareKeys(rt, keys(rt, fast), keys(rt, slow))
			})
			if short == 0 && name != "odd" {
				t.Error("the short way was never gone")
			}
		})
	}
}

// imported imports in a mode, or in a larger one if that is not enough, at a
// time and with ids that are always the same. ok reports whether the mode was
// enough.
func (d *desk) imported(ctx context.Context, base *revision.View, up exchange.Upstream, mode exchange.Mode) (_ *exchange.Imported, ok bool, err error) {
	x := *d.Content.Exchange
	x.NewDraft = func(v *revision.View) *revision.Draft {
		n := 0
		return v.Draft(docs.TimeOf(time.Unix(2_000_000_000, 0)), func() string {
			n++
			return fmt.Sprintf("new-%06d", n)
		})
	}
	if up.AtLeast = mode; mode == exchange.ChangedFiles {
		up.AtLeast = ""
	}
	p, err := x.Plan(ctx, base, up, func(string, int, int) {})
	if err != nil || p.Mode != mode {
		return nil, false, err
	}
	out, err := p.Run(ctx)
	return out, err == nil, err
}

func keys(f testspace.Fatal, t *exchange.Imported) map[string][2]string {
	ctx := context.Background()
	changes, err := t.Draft.ChangeSet(ctx)
	var tree *revision.NewTree
	if err == nil {
		tree, err = changes.Apply(ctx, t.Draft.Base)
	}
	if err != nil {
		f.Fatalf("%v", err)
	}
	out := map[string][2]string{}
	err = t.Draft.Diff(ctx, t.Draft.Base.Root, tree.Root, func(key string, before, after []byte) error {
		out[key] = [2]string{string(before), string(after)}
		return nil
	})
	if err != nil {
		f.Fatalf("%v", err)
	}
	return out
}

// changedAt is when a page was changed, which the two ways need not agree on.
var changedAt = regexp.MustCompile(`,"ua":"[^"]*"`)

func compareKeys(f testspace.Fatal, a, b map[string][2]string) {
	for _, all := range []map[string][2]string{a, b} {
		for key, v := range all {
			all[key] = [2]string{v[0], changedAt.ReplaceAllString(v[1], "")}
		}
	}
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, key := range slices.Sorted(maps.Keys(both)) {
		if a[key] != b[key] {
			f.Fatalf("%q:\n  was   %s\n  short %s\n  long  %s", key, both[key][0], a[key][1], b[key][1])
		}
	}
}

// written returns the files that a revision is written to.
func (d *desk) written(f testspace.Fatal, v *revision.View) map[string]string {
	written, err := d.Content.Exchange.AllFiles(context.Background(), v)
	if err != nil {
		f.Fatalf("%v", err)
	}
	now := map[string]string{}
	for _, o := range written {
		if now[o.Path] = string(o.Data); o.Open != nil {
			r, _, err := o.Open()
			if err != nil {
				f.Fatalf("%v", err)
			}
			var b bytes.Buffer
			_, err = b.ReadFrom(r)
			now[o.Path] = b.String()
			if err != nil || r.Close() != nil {
				f.Fatalf("%v", err)
			}
		}
	}
	return now
}

// What was made here, exported, and not touched there is what it was: the
// same pages at the same places with the same everything.
func TestWhatIsExportedIsKnownAgain(t *testing.T) {
	all := repositories(t)
	all["redirects"] = map[string]string{
		".gitbook.yaml": "redirects:\n  start: README.md\n  a: a.md#top\n  b: b/README.md\n  c: b/c.md\n  none: none.md\n",
		"README.md":     "# Home\n", "a.md": "# A\n", "b/README.md": "# B\n", "b/c.md": "# C\n",
		"SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n* [A](a.md)\n* [B](b/README.md)\n  * [C](b/c.md)\n",
	}
	d := newDesk(t, testdb.SQLite(t))
	rapid.Check(t, func(rt *rapid.T) {
		names := slices.Sorted(maps.Keys(all))
		files := all[names[rapid.IntRange(0, len(names)-1).Draw(rt, "repository")]]
		d.Import(rt, files)
		for range rapid.IntRange(0, 4).Draw(rt, "batches") {
			d.Random(rt, d.ID)
			d.randomSlug(rt)
		}
		if found := d.changedByExport(rt); found != "" {
			rt.Fatalf("something changed although nobody changed anything:\n%s", found)
		}
	})
}

// randomSlug gives one page another slug, or does nothing.
func (d *desk) randomSlug(rt *rapid.T) {
	order := testspace.Order(rt, d.Head(rt, d.ID))
	slug := rapid.SampledFrom([]string{"", "here", "there"}).Draw(rt, "slug")
	if len(order) == 0 || slug == "" {
		return
	}
	page := rapid.SampledFrom(order).Draw(rt, "page of the slug")
	_, _ = d.Apply(rt, d.ID, content.Change{ // a page beside it may have the slug
		Operation: content.UpdatePage, Page: string(page), Meta: content.PageMeta{Slug: opt.Of(slug)},
	})
}

// changedByExport exports the newest revision, imports that again and describes
// the keys that differ and should not.
func (d *desk) changedByExport(rt *rapid.T) (found string) {
	base := d.Head(rt, d.ID)
	now := d.written(rt, base)
	var read []string
	taken, _, err := d.imported(context.Background(), base, repository(now, &read), exchange.WholeFolder)
	if err != nil {
		rt.Fatalf("%v", err)
	}
	all := keys(rt, taken)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		was, is := all[key][0], all[key][1]
		switch {
		// The sources of these are what was exported.
		case key == "gsummary" || key == "glayout" || key == "gconfig":
		// A redirect whose page has another file now names that file.
		case strings.HasPrefix(key, "gredirect/") && was != "" && is != "":
		// A redirect to a deleted page leads to the page that got its file.
		case strings.HasPrefix(key, "gleads/") && is != "" && !d.exists(rt, base, was):
		default:
			found += fmt.Sprintf("%q\n  was %s\n  is  %s\n", key, was, is)
		}
	}
	if found != "" {
		found += now[".gitbook.yaml"] + "\n" + now["SUMMARY.md"]
	}
	return found
}

func (d *desk) exists(rt *rapid.T, v *revision.View, page string) bool {
	order := testspace.Order(rt, v)
	return slices.Contains(order, docs.PageID(page))
}

// A redirect follows its page to another file, and leads to the same page when
// the export is imported again, also after the page was deleted.
func TestARedirectFollowsItsPage(t *testing.T) {
	d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
	d.Import(t, map[string]string{
		".gitbook.yaml": "redirects:\n  start: README.md\n", "README.md": "# Home\n\nWords.\n", "a.md": "# A\n\nMore.\n",
		"SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n* [A](a.md)\n",
	})
	home, a := d.PageOf("README.md"), d.PageOf("a.md")
	d.Must(content.Change{Operation: content.UpdatePage, Page: string(home.ID), Into: opt.Of(string(a.ID))})
	d.Must(content.Change{Operation: content.UpdatePage, Page: string(home.ID), Meta: content.PageMeta{Slug: opt.Of("begin")}})
	for _, page := range []string{"exists", "was deleted"} {
		if page == "was deleted" {
			d.Must(content.Change{Operation: content.DeletePage, Page: string(home.ID)})
		}
		base := d.Head(t, d.ID)
		now := d.written(t, base)
		if want := "redirects:\n  start: a/begin.md\n"; now[".gitbook.yaml"] != want {
			t.Errorf("the page %s: the configuration is %q, want %q", page, now[".gitbook.yaml"], want)
		}
		var read []string
		taken, _, err := d.imported(ctx, base, repository(now, &read), exchange.WholeFolder)
		if err != nil {
			t.Fatal(err)
		}
		changed := keys(t, taken)
		if got := changed["gredirect/start"]; got != [2]string{"README.md", "a/begin.md"} {
			t.Errorf("the page %s: the redirect became %q", page, got)
		}
		if got, is := changed["gleads/start"]; is {
			t.Errorf("the page %s: the redirect leads to %q", page, got)
		}
	}
}
