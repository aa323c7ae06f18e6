package translations

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/translation/translate"
)

// correction identifies a text of the source whose translation a person has changed in
// the result.
type correction struct{ page, part, block, source string }

// learn reads the translations that people wrote in the result since the previous run. It
// stores them in the translation memory as translations by people, for other places with
// the same text. Corrections whose source has changed since are skipped, because they
// translate a different text.
func (r *run) learn(ctx context.Context) error {
	head, err := r.s.Content.Source.Head(ctx, r.dst)
	if err != nil || head.Root == r.machine.Root {
		return err
	}
	old, _, err := r.s.Store.TranslationBlocks(ctx, r.t.ID, docs.BlockStale, store.Page{Limit: maxStale})
	if err != nil {
		return err
	}
	stale := map[correction]bool{}
	now := &reader{tree: head.Tree}
	for _, b := range old {
		text, err := now.text(ctx, b.Page, b.Part, b.Block)
		if err != nil {
			return err
		}
		stale[correction{b.Page, b.Part, b.Block, ""}] = text == b.Text
	}
	r.corrected = map[correction]bool{}
	source := r.source.At(chunk.Hash(r.t.SourceRoot)) // of the previous run, which people saw
	var learned []docs.MemoryEntry
	note := func(c correction, source, text *translate.Segment) {
		if stale[correction{c.page, c.part, c.block, ""}] {
			return
		}
		c.source = source.Text
		r.corrected[c] = true
		if target, ok := source.Renumber(text); ok {
			learned = append(learned, docs.MemoryEntry{Context: docs.MemoryPeople, Hash: source.Hash(), Source: source.Text, Target: target})
		}
	}
	err = head.Diff(ctx, r.machine.Root, head.Root, func(key string, before, after []byte) error {
		value, exists, err := source.Get(ctx, key)
		if err != nil || !exists || before == nil || after == nil || !translated(key) {
			return err
		}
		var texts [3]texted
		for i, x := range []struct {
			tree  *revision.Tree
			value []byte
		}{{source, value}, {r.machine.Tree, before}, {head.Tree, after}} {
			if texts[i], err = open(ctx, x.tree, key, x.value); err != nil {
				return err
			}
		}
		compare(texts[0], texts[1], texts[2], note)
		return nil
	})
	if err != nil {
		return err
	}
	return r.storeLearned(ctx, learned)
}

// compare calls note for each text of source whose translation differs between was, the
// previous run, and now, the result.
func compare(source, was, now texted, note func(c correction, source, text *translate.Segment)) {
	line := func(part string, of func(o owner) string) {
		a, b, c := lineOf(of(source.owner)), lineOf(of(was.owner)), lineOf(of(now.owner))
		if a != nil && b != nil && c != nil && b.Text != c.Text {
			note(correction{source.id(), part, "", ""}, a, c)
		}
	}
	line(partTitle, owner.title)
	line(partDescription, owner.description)
	before, after := byKey(was.doc), byKey(now.doc)
	for _, n := range source.doc.Nodes {
		b, c := before[n.Key], after[n.Key]
		if b == nil || c == nil || same(b, c) || !translate.SameShape(n, b) || !translate.SameShape(n, c) {
			continue
		}
		_, from := translate.Split(single(n))
		_, machine := translate.Split(single(b))
		_, people := translate.Split(single(c))
		if len(from) != len(machine) || len(from) != len(people) {
			continue
		}
		for i := range from {
			if machine[i].Text != people[i].Text {
				note(correction{source.id(), partDocument, n.Key, ""}, from[i], people[i])
			}
		}
	}
}

func lineOf(text string) *translate.Segment { return translate.Line(text, func(string) {}) }

// storeLearned stores the translations by people that the memory does not have yet.
func (r *run) storeLearned(ctx context.Context, learned []docs.MemoryEntry) error {
	for some := range slices.Chunk(learned, importBatch) {
		hashes := make([]string, len(some))
		for i, m := range some {
			hashes[i] = m.Hash
		}
		known, err := r.s.Store.Memory(ctx, r.t.Org, r.t.From, r.t.To, hashes)
		if err != nil {
			return err
		}
		fresh := map[string]docs.MemoryEntry{} // by hash; the last entry for a source wins
		for _, m := range some {
			if !slices.Contains(known, m) {
				fresh[m.Hash] = m
			}
		}
		if err := r.s.storeMemory(ctx, r.t, slices.Collect(maps.Values(fresh))); err != nil {
			return err
		}
	}
	return nil
}
