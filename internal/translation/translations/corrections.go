package translations

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/translation/translate"
)

// holdBack returns the revision to merge into the result: the revision of this run, but
// with the text of the previous run wherever a person has corrected that text. Merging
// this revision keeps the corrections. holdBack also returns the corrections whose
// source changed.
func (r *run) holdBack(ctx context.Context, dst docs.Space, made docs.Revision) (docs.Revision, []docs.TranslationBlock, error) {
	head, err := r.s.Content.Source.Head(ctx, dst)
	if err != nil {
		return made, nil, err
	}
	view, err := r.s.Content.Source.At(ctx, r.s.Store.Reader, dst, made.ID)
	if err != nil {
		return made, nil, err
	}
	d := view.DraftAt(r.s.Store.Clock())
	var stale []docs.TranslationBlock
	err = d.Diff(ctx, r.machine.Root, head.Root, func(key string, before, after []byte) error {
		if before == nil || after == nil || !translated(key) {
			return nil
		}
		found, err := r.holdOne(ctx, d, head.Tree, key, before, after)
		stale = append(stale, found...)
		return err
	})
	if err != nil || d.Empty() {
		return made, stale, err
	}
	p, err := r.beside(ctx, d)
	if err != nil {
		return made, nil, err
	}
	held, err := r.keep(ctx, dst, p)
	return held, stale, err
}

// texted is a page or a reusable content together with its parsed body.
type texted struct {
	owner
	text revision.Text
	doc  *markup.Document
}

// open reads the page or reusable content with the given key and value from a tree.
func open(ctx context.Context, t *revision.Tree, key string, value []byte) (x texted, err error) {
	if x.owner, err = ownerOf(key, value); err != nil {
		return x, err
	}
	if x.page == nil {
		x.text = revision.ReusableText(*x.reusable)
	} else if x.text, err = t.PageText(ctx, *x.page); err != nil {
		return x, err
	}
	x.doc, err = t.DocumentOf(ctx, x.text)
	return x, err
}

// holdOne is holdBack for one page or reusable content that was edited in the result.
func (r *run) holdOne(ctx context.Context, d *revision.Draft, head *revision.Tree, key string, before, after []byte) ([]docs.TranslationBlock, error) {
	value, exists, err := d.Get(ctx, key)
	if err != nil || !exists {
		return nil, err
	}
	var was, now, next texted // of the previous run, the result space and this run
	for _, x := range []struct {
		to    *texted
		tree  *revision.Tree
		value []byte
	}{{&was, r.machine.Tree, before}, {&now, head, after}, {&next, d.Tree, value}} {
		if *x.to, err = open(ctx, x.tree, key, x.value); err != nil {
			return nil, err
		}
	}
	if now.text.Body == was.text.Body || next.text.Body == was.text.Body {
		return nil, nil // only one side changed the text
	}
	doc, stale := held(was.doc, now.doc, next.doc)
	if len(stale) == 0 {
		return nil, nil
	}
	o := next.owner
	body, side, _, err := d.Compose(ctx, next.text, &revision.Writing{Path: "document", Doc: doc})
	if err != nil {
		return nil, err
	}
	if o.page != nil {
		o.page.Body, o.page.Sidecar = body, side
		if value, err = docs.EncodePage(*o.page); err != nil {
			return nil, err
		}
		d.Replace(key, value)
	} else {
		o.reusable.Body, o.reusable.Sidecar = body, side
		if err := d.PutReusable(*o.reusable); err != nil {
			return nil, err
		}
	}
	out := make([]docs.TranslationBlock, 0, len(stale))
	for _, block := range stale {
		out = append(out, docs.TranslationBlock{Page: o.id(), Part: partDocument, Block: block, Text: blockText(now.doc, block)})
	}
	return out, nil
}

// held returns a copy of next in which corrected blocks, or the corrected texts in a
// block, are those of the previous run. It also returns the keys of these blocks, all of
// which this run would have changed.
func held(was, now, next *markup.Document) (*markup.Document, []string) {
	before, edited := byKey(was), byKey(now)
	out := *next
	out.Nodes = slices.Clone(next.Nodes)
	var stale []string
	for i, n := range next.Nodes {
		b := before[n.Key]
		if b == nil || same(b, n) {
			continue
		}
		e := edited[n.Key]
		if e != nil && (same(b, e) || same(n, e)) {
			continue
		}
		node, corrected := heldBlock(b, e, n)
		if corrected {
			out.Nodes[i] = node
			stale = append(stale, n.Key)
		}
	}
	return &out, stale
}

// heldBlock is held for one block. It compares text by text where it can, because a whole
// list or table is one block. This requires blocks of the same shape; otherwise
// heldBlock returns the whole block of the previous run.
func heldBlock(was, now, next *markup.Node) (node *markup.Node, corrected bool) {
	if now == nil || !translate.SameShape(was, now) || !translate.SameShape(was, next) {
		return was, true
	}
	_, a := translate.Split(single(was))
	_, b := translate.Split(single(now))
	out, c := translate.Split(single(next))
	if len(a) != len(b) || len(a) != len(c) {
		return was, true
	}
	for i := range a {
		if a[i].Text == b[i].Text || a[i].Text == c[i].Text || b[i].Text == c[i].Text {
			continue // only one side changed the text, or both made the same change
		}
		corrected = true
		if c[i].Replace(a[i].Text) != nil {
			return was, true
		}
	}
	return out.Nodes[0], corrected
}

func single(n *markup.Node) *markup.Document { return &markup.Document{Nodes: []*markup.Node{n}} }

func same(a, b *markup.Node) bool { return markup.Equal(single(a), single(b)) }

func byKey(doc *markup.Document) map[string]*markup.Node {
	out := make(map[string]*markup.Node, len(doc.Nodes))
	for _, n := range doc.Nodes {
		out[n.Key] = n
	}
	return out
}

// blockText returns the plain text of the block with a key, or "" if there is no such
// block.
func blockText(doc *markup.Document, key string) string {
	if n := byKey(doc)[key]; n != nil {
		return markup.Text([]*markup.Node{n})
	}
	return ""
}

// maxStale limits how many stale blocks a run reads.
const maxStale = 10_000

// attention returns the blocks that need a person after the run. These are untranslated
// blocks that nobody has translated in the result, and corrected blocks whose source
// changed in this or an earlier run and that nobody has edited since.
func (r *run) attention(ctx context.Context, dst docs.Space, made docs.Revision, conflicts []merge.Conflict, stale []docs.TranslationBlock) (store.TranslationBlockChange, error) {
	out := store.TranslationBlockChange{Pages: r.pages}
	for _, c := range conflicts {
		if c.Kind == merge.ConflictPage || c.Kind == merge.ConflictReusable {
			part := c.Part
			if part == "" {
				part = partDocument
			}
			stale = append(stale, docs.TranslationBlock{Page: c.ID, Part: part, Block: c.Block})
		}
	}
	head, err := r.s.Content.Source.Head(ctx, dst)
	if err != nil {
		return out, err
	}
	now, source := &reader{tree: head.Tree}, &reader{tree: r.source.Tree}
	if out.Add, err = r.untranslated(ctx, now, made); err != nil {
		return out, err
	}
	known := map[string]bool{}
	add := func(b docs.TranslationBlock) error {
		if b.Text, err = now.text(ctx, b.Page, b.Part, b.Block); err != nil {
			return err
		}
		if b.Source, err = source.text(ctx, b.Page, b.Part, b.Block); err != nil {
			return err
		}
		b.ID, b.Status = "stale."+blockID(b.Page, b.Part, b.Block, 0), docs.BlockStale
		if !known[b.ID] {
			known[b.ID] = true
			out.Add = append(out.Add, b)
		}
		return nil
	}
	for _, b := range stale {
		if err := add(b); err != nil {
			return out, err
		}
	}
	old, _, err := r.s.Store.TranslationBlocks(ctx, r.t.ID, docs.BlockStale, store.Page{Limit: maxStale})
	if err != nil {
		return out, err
	}
	for _, b := range old {
		text, err := now.text(ctx, b.Page, b.Part, b.Block)
		if err != nil {
			return out, err
		}
		out.Drop = append(out.Drop, b.ID)
		if text != "" && text == b.Text {
			if err := add(b); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// untranslated returns the blocks that this run left untranslated and that nobody has
// translated in the result: the result is empty or has the text of a run there.
func (r *run) untranslated(ctx context.Context, now *reader, made docs.Revision) (out []docs.TranslationBlock, err error) {
	was, next := &reader{tree: r.machine.Tree}, &reader{tree: r.machine.At(made.Root)}
	for _, b := range r.blocks {
		var texts [3]string
		for i, x := range []*reader{now, was, next} {
			if texts[i], err = x.text(ctx, b.Page, b.Part, b.Block); err != nil {
				return nil, err
			}
		}
		if texts[0] == "" || texts[0] == texts[1] || texts[0] == texts[2] {
			out = append(out, b)
		}
	}
	return out, nil
}

// reader reads texts from a tree. It caches the last document that was read.
type reader struct {
	tree *revision.Tree
	last string
	doc  map[string]*markup.Node
	at   owner
}

// text returns the plain text of a part of a page or reusable content, or "" if the part
// does not exist.
func (x *reader) text(ctx context.Context, id, part, block string) (string, error) {
	if x.last != id {
		if err := x.read(ctx, id); err != nil {
			return "", err
		}
	}
	switch {
	case x.at.key == "":
		return "", nil
	case part == partTitle && x.at.page != nil:
		return x.at.page.Title, nil
	case part == partTitle:
		return x.at.reusable.Title, nil
	case part == partDescription && x.at.page != nil:
		return x.at.page.Description, nil
	}
	if n := x.doc[block]; n != nil {
		return markup.Text([]*markup.Node{n}), nil
	}
	return "", nil
}

func (x *reader) read(ctx context.Context, id string) error {
	x.last, x.doc, x.at = id, nil, owner{}
	for _, kind := range []string{revision.KeyPage, revision.KeyReusable} {
		value, exists, err := x.tree.Get(ctx, kind+id)
		if err != nil {
			return err
		}
		if !exists {
			continue
		}
		found, err := open(ctx, x.tree, kind+id, value)
		if err != nil {
			return err
		}
		x.at, x.doc = found.owner, byKey(found.doc)
		return nil
	}
	return nil
}
