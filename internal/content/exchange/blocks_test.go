package exchange_test

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

var (
	hunkFile = regexp.MustCompile(`^diff --git a/(.*) b/(.*)$`)
	hunkLine = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+`)
)

// span is lines from 1, both ends inside.
type span struct{ first, last int }

// hunks returns the lines of the old files that a diff replaces. Where lines
// only came, they are the two around the place.
func hunks(t testing.TB, diff string) map[string][]span {
	t.Helper()
	out, file := map[string][]span{}, ""
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if m := hunkFile.FindStringSubmatch(line); m != nil {
			file = strings.TrimPrefix(m[1], "a/")
			continue
		}
		m := hunkLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		first, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		s := span{first, first}
		switch m[2] {
		case "":
		case "0":
			s.last++
		default:
			n, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			s.last = first + n - 1
		}
		out[file] = append(out[file], s)
	}
	return out
}

// leaf finds the first text of a block.
func leaf(n *markup.Node) *markup.Leaf {
	if n.Object == markup.ObjectText && len(n.Leaves) > 0 && !n.Leaves[0].Raw {
		return &n.Leaves[0]
	}
	for _, list := range [][]*markup.Node{n.Nodes, n.Fragments} {
		for _, c := range list {
			if l := leaf(c); l != nil {
				return l
			}
		}
	}
	return nil
}

// edited returns a document as a client sends it, with one block changed: its
// first text, or all of it where it has none.
func edited(t testing.TB, doc *markup.Document, block int) *markup.Document {
	t.Helper()
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	out, err := markup.Decode("body.document", raw)
	if err != nil {
		t.Fatal(err)
	}
	if l := leaf(out.Nodes[block]); l != nil {
		l.Text = "edited " + l.Text
		return out
	}
	out.Nodes[block] = &markup.Node{
		Object: markup.ObjectBlock, Type: "paragraph", Key: out.Nodes[block].Key,
		Nodes: []*markup.Node{{Object: markup.ObjectText, Leaves: []markup.Leaf{{Text: "edited"}}}},
	}
	return out
}

// An edit of one block changes the lines of that block in one file and
// nothing else: no other block, no head, no other page, no SUMMARY.md.
func TestAnEditChangesTheLinesOfItsBlock(t *testing.T) {
	all := repositories(t)
	for _, name := range []string{"every", "syntax", "wheel", "inferred", docsVariable} {
		if all[name] == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, testdb.SQLite(t))
			d.Import(t, all[name])
			editEach(t, d, all[name])
		})
	}
}

func editEach(t *testing.T, d *desk, files map[string]string) {
	ctx := context.Background()
	before := d.Exported()
	v := d.Head(t, d.ID)
	pages := map[string]docs.Page{}
	order := testspace.Order(t, v)
	for _, id := range order {
		if p, err := v.Page(ctx, id); err != nil {
			t.Fatal(err)
		} else if p.Body != "" {
			pages[p.File] = p
		}
	}
	if len(pages) == 0 {
		t.Fatal("there are no pages")
	}
	for block := 0; ; block++ {
		var edits, back []content.Change
		where := map[string]span{}
		for _, file := range slices.Sorted(maps.Keys(pages)) {
			p := pages[file]
			doc, err := v.Document(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			if block >= len(doc.Nodes) {
				continue
			}
			md, err := v.Markdown(ctx, p, false)
			if err != nil {
				t.Fatal(err)
			}
			head := len(before[file]) - len(md)
			at := func(offset int) int { return 1 + strings.Count(before[file][:head+offset], "\n") }
			s := doc.Spans[block]
			where[file] = span{at(s.Start), at(s.End)}
			if one := where[file]; doc.Nodes[block].Type == "hint" && one.first == one.last {
				where[file] = span{one.first, one.last + 1} // the first text of an empty box is in a line below its mark
			}
			edits = append(edits, content.Change{Operation: content.UpdatePage, Page: string(p.ID), Body: &revision.Body{Document: edited(t, doc, block)}})
			back = append(back, testspace.Write(p.ID, before[file]))
		}
		if len(edits) == 0 {
			return
		}
		for part := range slices.Chunk(edits, content.MaxChanges) {
			d.Must(part...)
		}
		diff := testgit.Diff(t, before, d.Exported())
		found := hunks(t, diff)
		for file, spans := range found {
			for _, s := range spans {
				if w, ok := where[file]; !ok || s.first < w.first || s.last > w.last {
					t.Errorf("%s: lines %d to %d changed, the block has %d to %d:\n%s", file, s.first, s.last, w.first, w.last, part(diff, file))
					break
				}
			}
		}
		for file := range where {
			if len(found[file]) == 0 {
				t.Errorf("%s: the edit of block %d is not there", file, block)
			}
		}
		for part := range slices.Chunk(back, content.MaxChanges) {
			d.Must(part...)
		}
		if diff := testgit.Diff(t, before, d.Exported()); diff != "" {
			t.Fatalf("what was written back differs:\n%s", diff)
		}
	}
}

// part returns what a diff says of one file.
func part(diff, file string) string {
	_, rest, _ := strings.Cut(diff, "diff --git a/a/"+file+" ")
	rest, _, _ = strings.Cut(rest, "\ndiff --git ")
	return rest
}
