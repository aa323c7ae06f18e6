package merge_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testrapid"
)

// A model of lines of revisions that is too simple to be wrong: a page is a
// title, a parent and blocks that are known by their first word. What the
// merge does to real content is compared with what the model says.

type modelPage struct {
	parent, title string
	blocks        map[string]string // first word -> text
	order         []string
	fields        map[string]string // by the names in modelFields
}

func (p *modelPage) clone() *modelPage {
	return &modelPage{p.parent, p.title, maps.Clone(p.blocks), slices.Clone(p.order), maps.Clone(p.fields)}
}

func (p *modelPage) text() string {
	var b strings.Builder
	for _, w := range p.order {
		b.WriteString(p.blocks[w] + "\n\n")
	}
	return b.String()
}

func (p *modelPage) writing() *revision.Writing {
	return &revision.Writing{Path: "body", Markdown: []byte(p.text())}
}

// same reports whether two forms of a page have the same words in the same order.
func (p *modelPage) same(q *modelPage) bool {
	return p != nil && q != nil && p.title == q.title && maps.Equal(p.fields, q.fields) && maps.Equal(p.blocks, q.blocks) && slices.Equal(p.order, q.order)
}

type modelTree map[string]*modelPage // by page id

func (m modelTree) clone() modelTree {
	out := modelTree{}
	for id, p := range m {
		out[id] = p.clone()
	}
	return out
}

func (m modelTree) below(id string) []string {
	out := []string{id}
	for _, c := range slices.Sorted(maps.Keys(m)) {
		if m[c].parent == id {
			out = append(out, m.below(c)...)
		}
	}
	return out
}

// modelMerge merges as the model understands it. clean is false where both
// sides changed the same thing in different ways.
func modelMerge(base, into, from modelTree) (out modelTree, clean bool) {
	out, clean = into.clone(), true
	gone := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(union3(base, into, from))) {
		b, a, c := base[id], into[id], from[id]
		switch {
		case c == nil && a == nil:
		case b != nil && c == nil:
			if b.same(a) {
				gone[id] = true
			} else {
				clean = false
			}
		case b != nil && a == nil:
			clean = clean && b.same(c)
		case a == nil:
			out[id] = c.clone()
		case c == nil:
		default:
			if b == nil { // it was gone, and came back on both sides
				b = &modelPage{}
			}
			clean = out[id].merge(b, a, c) && clean
		}
	}
	for id := range gone {
		delete(out, id)
	}
	for id, p := range out {
		seen := map[string]bool{}
		for at := p.parent; at != "" && clean; at = out[at].parent {
			if out[at] == nil {
				break
			}
			if seen[at] || at == id {
				clean = false
			}
			seen[at] = true
		}
	}
	return out, clean
}

func union3(all ...modelTree) modelTree {
	out := modelTree{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

func union2(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

func (p *modelPage) merge(b, a, c *modelPage) bool {
	clean := true
	side := func(b, a, c string) (string, bool) {
		switch {
		case a == c || b == c:
			return a, true
		case a == b:
			return c, true
		}
		return a, false
	}
	pick := func(b, a, c string) string {
		s, ok := side(b, a, c)
		clean = clean && ok
		return s
	}
	p.title = pick(b.title, a.title, c.title)
	p.parent = pick(b.parent, a.parent, c.parent)
	for key := range union2(b.fields, a.fields, c.fields) {
		v, ok := side(b.fields[key], a.fields[key], c.fields[key])
		clean = clean && (ok || key == "head") // of front matter, that of the line merged into is kept
		if v == "" {
			delete(p.fields, key)
		} else {
			p.fields[key] = v
		}
	}
	for _, w := range slices.Sorted(maps.Keys(b.blocks)) {
		t, ok := mergeBlock(side, b.blocks[w], a.blocks[w], c.blocks[w])
		if clean = clean && ok; t == "" {
			delete(p.blocks, w)
		} else {
			p.blocks[w] = t
		}
	}
	for w, t := range c.blocks {
		if _, known := b.blocks[w]; known {
			continue
		}
		if _, both := a.blocks[w]; both {
			t = pick("", a.blocks[w], t)
		}
		p.blocks[w] = t
	}
	return clean && !b.replaced(a, c)
}

// replaced reports whether two forms of a page have different blocks in the place of
// one that is in neither, or in the place of an empty page.
func (p *modelPage) replaced(a, c *modelPage) bool {
	differ := func(x, y []string) bool {
		return slices.ContainsFunc(x, func(w string) bool { return a.blocks[w] == "" || c.blocks[w] == "" }) &&
			slices.ContainsFunc(y, func(w string) bool { return a.blocks[w] == "" || c.blocks[w] == "" })
	}
	if len(p.order) == 0 {
		return differ(a.order, c.order)
	}
	for _, w := range p.order {
		if a.blocks[w] == "" && c.blocks[w] == "" && differ(a.inPlaceOf(w, p), c.inPlaceOf(w, p)) {
			return true
		}
	}
	return false
}

// inPlaceOf returns the new blocks between the neighbours of a block of the base.
func (p *modelPage) inPlaceOf(w string, base *modelPage) []string {
	start, end := 0, len(p.order)
	at := slices.Index(base.order, w)
	for _, b := range base.order[:at] {
		if i := slices.Index(p.order, b); i >= 0 {
			start = i + 1
		}
	}
	for _, b := range slices.Backward(base.order[at:]) {
		if i := slices.Index(p.order, b); i >= 0 {
			end = i
		}
	}
	if start > end || slices.ContainsFunc(p.order[start:end], func(x string) bool { return base.blocks[x] != "" }) {
		return nil
	}
	return p.order[start:end]
}

// bench of the model: real trees in memory beside it.
type modelDesk struct {
	*rapid.T
	s    *index.Index
	next int
	// focus are the fields of pages that this sequence changes.
	focus []string
	// theme is what a sequence changes most of the time; empty: anything.
	theme string
}

// newIndex returns an index over trees in memory, with their source.
func newIndex() *index.Index {
	return index.NewIndex(index.Index{Source: revision.NewSource(&store.Store{}, "")})
}

type modelLine struct {
	rev  docs.Revision
	tree modelTree
}

func (d *modelDesk) fresh(prefix string) string {
	d.next++
	return fmt.Sprintf("%s%d", prefix, d.next)
}

func (d *modelDesk) view(rev docs.Revision) *revision.View {
	return d.s.Source.View(docs.Space{ID: "space"}, rev)
}

func (d *modelDesk) revision(root chunk.Hash) docs.Revision {
	return docs.Revision{ID: docs.RevisionID(d.fresh("rev")), Root: root}
}

func (d *modelDesk) draft(rev docs.Revision) *revision.Draft {
	return d.view(rev).Draft(1, func() string { return d.fresh("new") })
}

func (d *modelDesk) stored(dr *revision.Draft) docs.Revision {
	changes, err := dr.ChangeSet(context.Background())
	var tree *revision.NewTree
	if err == nil {
		tree, err = changes.Apply(context.Background(), dr.Base)
	}
	if err != nil {
		d.Fatalf("%v", err)
	}
	return d.revision(tree.Root)
}

// change makes a change of a page on a line, in the real tree, as package content does.
func (d *modelDesk) change(l *modelLine, id string, change func(ctx context.Context, dr *revision.Draft, p *docs.Page) error) {
	ctx, dr := context.Background(), d.draft(l.rev)
	p, err := dr.Page(ctx, docs.PageID(id))
	before := p
	if err == nil {
		dr.Touch(p.ID)
		err = change(ctx, dr, &p)
	}
	if err == nil && (p.Title != before.Title || p.Slug != before.Slug || p.Parent != before.Parent || p.Pinned != before.Pinned) {
		p, err = dr.WithSlug(ctx, "slug", p)
	}
	if err == nil && !reflect.DeepEqual(p, before) {
		err = dr.Put(ctx, p)
	}
	if err == nil {
		err = dr.ComposeBodies(ctx)
	}
	if err != nil {
		d.Fatalf("%s: %v", id, err)
	}
	l.rev = d.stored(dr)
}

// place moves a page in the real tree: to an index below another page, or at the top.
func (d *modelDesk) place(l *modelLine, id, to string, at int) {
	into := docs.PageID(to)
	d.change(l, id, func(ctx context.Context, dr *revision.Draft, p *docs.Page) (err error) {
		*p, err = dr.Move(ctx, "", *p, &into, &at)
		return err
	})
}

// drop deletes a page in the real tree, with those below it.
func (d *modelDesk) drop(l *modelLine, id string) {
	d.change(l, id, func(ctx context.Context, dr *revision.Draft, p *docs.Page) error { return dr.Drop(ctx, *p) })
}

func (d *modelDesk) insert(l *modelLine, id, parent string, blocks ...string) {
	p := newModelPage(id, blocks...)
	p.parent = parent
	l.tree[id] = p
	ctx, dr := context.Background(), d.draft(l.rev)
	page := docs.Page{ID: docs.PageID(id), Type: docs.PageDocument, Parent: docs.PageID(parent), Title: id, CreatedAt: dr.Now, UpdatedAt: dr.Now}
	if err := dr.Insert(ctx, "", page, nil); err != nil {
		d.Fatalf("%v", err)
	}
	dr.Write(page.ID, p.writing())
	if err := dr.ComposeBodies(ctx); err != nil {
		d.Fatalf("%v", err)
	}
	l.rev = d.stored(dr)
}

func (d *modelDesk) write(l *modelLine, id string) {
	d.change(l, id, func(_ context.Context, dr *revision.Draft, p *docs.Page) error {
		dr.Write(p.ID, l.tree[id].writing())
		return nil
	})
}

// edit makes one random change on a line.
func (d *modelDesk) edit(l *modelLine) {
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(l.tree)), func(id string) bool { return !isPage(id) })
	if len(ids) == 0 {
		d.insert(l, d.fresh("page"), "", d.fresh("w"))
		return
	}
	if d.theme != "" && rapid.IntRange(0, 3).Draw(d.T, "other theme") > 0 {
		d.editTheme(l)
		return
	}
	id := rapid.SampledFrom(ids).Draw(d.T, "page")
	p := l.tree[id]
	what := rapid.IntRange(0, 20).Draw(d.T, "what")
	switch {
	case what <= 1 && len(p.order) > 0: // edit a block; sometimes as somebody else would
		w := rapid.SampledFrom(p.order).Draw(d.T, "block")
		if rapid.IntRange(0, 3).Draw(d.T, "same") == 0 {
			p.blocks[w] = written(p.blocks[w], "equal")
		} else if _, is := readHint(p.blocks[w]); is && rapid.Bool().Draw(d.T, "attribute") {
			d.attribute(l, id, w)
			return
		} else {
			p.blocks[w] = written(p.blocks[w], d.fresh("e"))
		}
		d.write(l, id)
	case what == 2: // add a block
		w := d.fresh("w")
		p.order = slices.Insert(p.order, rapid.IntRange(0, len(p.order)).Draw(d.T, "at"), w)
		if p.blocks[w] = w; rapid.Bool().Draw(d.T, "hint") {
			p.blocks[w] = hint{style: "info", text: w}.String()
		}
		d.write(l, id)
	case what == 3 && len(p.order) > 0: // delete a block
		i := rapid.IntRange(0, len(p.order)-1).Draw(d.T, "at")
		delete(p.blocks, p.order[i])
		p.order = slices.Delete(p.order, i, i+1)
		d.write(l, id)
	case what == 13 && len(p.order) > 0: // replace blocks
		i := rapid.IntRange(0, len(p.order)-1).Draw(d.T, "at")
		delete(p.blocks, p.order[i])
		p.order = slices.Delete(p.order, i, i+1)
		d.write(l, id)
		w := d.fresh("w")
		p.order, p.blocks[w] = slices.Insert(p.order, i, w), w
		d.write(l, id)
	case what == 4 && len(p.order) > 1: // reorder blocks
		i := rapid.IntRange(0, len(p.order)-1).Draw(d.T, "from")
		w := p.order[i]
		p.order = slices.Delete(p.order, i, i+1)
		p.order = slices.Insert(p.order, rapid.IntRange(0, len(p.order)).Draw(d.T, "to"), w)
		d.write(l, id)
	case what == 5: // rename a page
		p.title = d.fresh("title")
		d.change(l, id, func(_ context.Context, _ *revision.Draft, page *docs.Page) error {
			page.Title = p.title
			return nil
		})
	case what == 6: // move a page
		to := rapid.SampledFrom(append([]string{""}, ids...)).Draw(d.T, "to")
		if slices.Contains(l.tree.below(id), to) {
			return
		}
		at := rapid.IntRange(0, 3).Draw(d.T, "at")
		p.parent = to
		d.place(l, id, to, at)
	case what == 7 && len(ids) > 2: // delete a page
		for _, b := range l.tree.below(id) {
			delete(l.tree, b)
		}
		d.drop(l, id)
	case what == 14: // an empty page, or all of it
		p.order, p.blocks = nil, map[string]string{}
		d.write(l, id)
	case what >= 17:
		d.editOther(l)
	case what >= 10:
		d.set(l, id)
	case what == 8: // a page below
		d.insert(l, d.fresh("page"), id, d.fresh("w"), d.fresh("w"))
	default:
		d.insert(l, d.fresh("page"), "", d.fresh("w"), d.fresh("w"), d.fresh("w"))
	}
}

// read returns the real tree of a line in the terms of the model, and checks
// that it is one.
func (d *modelDesk) read(rev docs.Revision) modelTree {
	ctx := context.Background()
	v := d.view(rev)
	c := &index.Verifier{S: d.s, V: v}
	if err := c.Tree(ctx); err != nil || len(c.Found) > 0 {
		d.Fatalf("the tree is not valid: %v %v", err, c.Found)
	}
	out := modelTree{}
	all, err := v.All(ctx)
	if err != nil {
		d.Fatalf("%v", err)
	}
	var walk func(pages []*revision.PageNode)
	walk = func(pages []*revision.PageNode) {
		for _, w := range pages {
			p := &modelPage{parent: string(w.Parent), title: w.Title, blocks: map[string]string{}, fields: d.fieldsOf(v, w.Page)}
			doc, err := v.Document(ctx, w.Page)
			if err != nil {
				d.Fatalf("%v", err)
			}
			if twice := p.read(doc); twice != "" {
				d.Fatalf("the block %s is there twice", twice)
			}
			out[string(w.ID)] = p
			walk(w.Children)
		}
	}
	walk(all)
	if n, err := v.CountPages(ctx); err != nil || n != len(out) {
		d.Fatalf("%d pages hang in the tree of %d, %v", len(out), n, err)
	}
	d.readOthers(v, out)
	return out
}

// compare returns how a real tree differs from what the model expects. Where a
// page hangs whose parent is gone is left to the real one.
func (d *modelDesk) compare(what string, got, want modelTree) {
	for _, id := range slices.Sorted(maps.Keys(union3(got, want))) {
		g, w := got[id], want[id]
		switch {
		case g == nil || w == nil:
			d.Fatalf("%s: page %s: got %v, want %v", what, id, g, w)
		case g.title != w.title || !maps.Equal(g.blocks, w.blocks):
			d.Fatalf("%s: page %s: got %q %v, want %q %v", what, id, g.title, g.blocks, w.title, w.blocks)
		case !maps.Equal(g.fields, w.fields):
			d.Fatalf("%s: page %s has %v, want %v", what, id, g.fields, w.fields)
		case g.parent != w.parent && (w.parent == "" || want[w.parent] != nil):
			d.Fatalf("%s: page %s hangs below %q, want %q", what, id, g.parent, w.parent)
		}
	}
}

// request is a change request of the model.
type request struct {
	modelLine
	base modelLine // what it was brought up to date with
}

// merge brings a line into another one, and compares with the model.
func (d *modelDesk) merge(dir merge.Direction, into, base, from modelLine) (modelLine, []merge.Conflict) {
	dr, conflicts, err := merge.Into(context.Background(), dir, d.view(into.rev), base.rev, from.rev, 1, func() string { return d.fresh("new") })
	if err != nil {
		d.Fatalf("%v", err)
	}
	want, clean := modelMerge(base.tree, into.tree, from.tree)
	if into.rev.Root == base.rev.Root {
		want, clean = from.tree.clone(), true
	}
	out := modelLine{rev: d.stored(dr)}
	out.tree = d.read(out.rev)
	published := into.rev
	if dir == merge.IntoRequest {
		published = from.rev
	}
	d.redirects(published, out.rev)
	if clean != (len(conflicts) == 0) {
		d.Fatalf("the model says clean %v, the merge has the conflicts %+v\nbase %s\ninto %s\nfrom %s", clean, conflicts, show(base.tree), show(into.tree), show(from.tree))
	}
	if clean {
		d.compare("merge", out.tree, want)
	}
	for i := range conflicts {
		conflicts[i].Base, conflicts[i].Main, conflicts[i].Mine = base.rev.ID, from.rev.ID, into.rev.ID
	}
	return out, conflicts
}

func show(m modelTree) string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "\n  %s below %q: %q %v %v", id, m[id].parent, m[id].title, m[id].blocks, m[id].fields)
	}
	return b.String()
}

// words returns every word of a line that somebody wrote.
func words(m modelTree) map[string]bool {
	out := map[string]bool{}
	for _, p := range m {
		for _, t := range p.blocks {
			if h, ok := readHint(t); ok {
				t = h.text
			}
			for _, w := range strings.Fields(t) {
				out[w] = true
			}
		}
	}
	return out
}

func (d *modelDesk) sequence() {
	ctx := context.Background()
	main := d.begin()
	var open []*request
	for range rapid.IntRange(3, 14).Draw(d.T, "steps") {
		switch step := rapid.IntRange(0, 9).Draw(d.T, "step"); {
		case step <= 2:
			d.edit(main)
		case step == 3 && len(open) < 4 || len(open) == 0:
			at := modelLine{main.rev, main.tree.clone()}
			open = append(open, &request{modelLine: modelLine{main.rev, main.tree.clone()}, base: at})
		case step <= 7:
			d.edit(&rapid.SampledFrom(open).Draw(d.T, "request").modelLine)
		case step == 8:
			cr := rapid.SampledFrom(open).Draw(d.T, "request")
			d.update(ctx, main, cr)
		default:
			i := rapid.IntRange(0, len(open)-1).Draw(d.T, "request")
			cr := open[i]
			dir := rapid.SampledFrom([]merge.Direction{merge.IntoSpace, merge.FromRepository, merge.FromTranslation}).Draw(d.T, "direction")
			merged, conflicts := d.merge(dir, *main, cr.base, cr.modelLine)
			if len(conflicts) > 0 { // nothing is published; it is brought up to date first
				d.update(ctx, main, cr)
				if merged, conflicts = d.merge(dir, *main, cr.base, cr.modelLine); len(conflicts) > 0 {
					d.Fatalf("conflicts are left after an update: %+v", conflicts)
				}
			}
			for w := range words(cr.tree) {
				if !words(cr.base.tree)[w] && w != "equal" && !words(merged.tree)[w] {
					d.Fatalf("%s of the change request is lost", w)
				}
			}
			*main = merged
			open = slices.Delete(open, i, i+1)
		}
	}
}

// update brings a change request up to date and ends all conflicts.
func (d *modelDesk) update(ctx context.Context, main *modelLine, cr *request) {
	before := cr.modelLine
	next, conflicts := d.merge(merge.IntoRequest, cr.modelLine, cr.base, *main)
	cr.modelLine = next
	for w := range words(before.tree) { // also where it is in conflict
		if !words(cr.base.tree)[w] && w != "equal" && !words(next.tree)[w] {
			d.Fatalf("%s is lost by an update", w)
		}
	}
	for _, c := range conflicts {
		if rapid.Bool().Draw(d.T, "take main") {
			dr := d.draft(cr.rev)
			if err := merge.ResolveWithMain(ctx, dr, c, main.rev); err != nil {
				d.Fatalf("%+v: %v", c, err)
			}
			cr.rev = d.stored(dr)
		}
	}
	cr.tree = d.read(cr.rev)
	cr.base = modelLine{main.rev, main.tree.clone()}
}

// Random edits, moves, renames, deletes, reorders, updates and merges on the
// space and on up to four change requests.
func TestMergeModel(t *testing.T) {
	s := newIndex()
	testrapid.Check(t, 40, func(t *rapid.T) { (&modelDesk{T: t, s: s}).sequence() })
}
