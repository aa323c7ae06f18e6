package content_test

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

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/testdb"
)

// oid names bytes as git does.
func oid(text string) string {
	sum := sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(text), text)))
	return hex.EncodeToString(sum[:])
}

// repository gives files as an upstream, and what it was asked for.
func repository(files map[string]string, read *[]string) content.Upstream {
	by := map[string]string{}
	for _, text := range files {
		by[oid(text)] = text
	}
	return content.Upstream{
		Paired: true,
		List: func(context.Context) ([]content.UpstreamFile, error) {
			var out []content.UpstreamFile
			for _, name := range slices.Sorted(maps.Keys(files)) {
				out = append(out, content.UpstreamFile{Path: name, OID: oid(files[name])})
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

// changed gives what differs between two folders.
func changedFiles(before, after map[string]string) []content.UpstreamChange {
	var out []content.UpstreamChange
	both := maps.Clone(before)
	maps.Copy(both, after)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		old, had := before[name]
		now, has := after[name]
		c := content.UpstreamChange{Path: name}
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

// The short way of a change that leaves the structure alone gives what the
// long way gives, and reads nothing but the files that changed.
func TestTheShortWayIsTheLongWay(t *testing.T) {
	for name, files := range repositories(t) {
		t.Run(name, func(t *testing.T) {
			d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
			d.bring(t, files)
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
				base := d.head(t, d.id)
				fast, ok, err := d.c.TakeFiles(ctx, base, up)
				if err != nil {
					rt.Fatalf("%v", err)
				}
				if !ok {
					return
				}
				short++
				for _, o := range read {
					if !slices.ContainsFunc(up.Changed, func(c content.UpstreamChange) bool { return c.New == o }) {
						rt.Fatalf("a file was read that has not changed")
					}
				}
				slow, err := d.c.TakeWhole(ctx, base, up)
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

func keys(f fatal, t *content.Taken) map[string][2]string {
	out, err := t.Keys(context.Background())
	if err != nil {
		f.Fatalf("%v", err)
	}
	return out
}

// changedAt is when a page was changed, which the two ways need not agree on.
var changedAt = regexp.MustCompile(`,"ua":"[^"]*"`)

func compareKeys(f fatal, a, b map[string][2]string) {
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

// written gives the files that a revision is written to.
func (d *desk) written(f fatal, v *content.View) map[string]string {
	written, err := d.c.Outputs(context.Background(), v)
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
	d := newDesk(t, testdb.SQLite(t))
	rapid.Check(t, func(rt *rapid.T) {
		names := slices.Sorted(maps.Keys(all))
		files := all[names[rapid.IntRange(0, len(names)-1).Draw(rt, "repository")]]
		d.bring(rt, files)
		for range rapid.IntRange(0, 4).Draw(rt, "batches") {
			d.random(rt, d.id)
		}
		ctx := context.Background()
		base := d.head(rt, d.id)
		now := d.written(rt, base)
		var read []string
		up := repository(now, &read)
		taken, err := d.c.TakeWhole(ctx, base, up)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		found := ""
		all := keys(rt, taken)
		for _, key := range slices.Sorted(maps.Keys(all)) {
			// What is told of the folder is what was exported, and where a
			// redirect led to that is gone nobody knows. Known defect: one to
			// the first page may be written as where that page moved.
			if !slices.ContainsFunc([]string{"gsummary", "glayout", "gconfig", "gleads/", "gredirect/"}, func(p string) bool { return strings.HasPrefix(key, p) }) {
				found += fmt.Sprintf("%q\n  was %s\n  is  %s\n", key, all[key][0], all[key][1])
			}
		}
		if found != "" {
			rt.Fatalf("something changed although nobody changed anything:\n%s\n%s", found, now["SUMMARY.md"])
		}
	})
}
