package translations

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/translation/translate"
)

// together is the number of pages that are held in main memory at once.
const together = 50

// Parts of a page.
const (
	partDocument    = "document"
	partTitle       = "title"
	partDescription = "description"
)

// owner is a page or a reusable content of the source, which has texts. Exactly one of
// page and reusable is set.
type owner struct {
	key      string
	page     *docs.Page
	reusable *docs.Reusable

	doc      *markup.Document // the document of the source; nil if there is no body
	copy     *markup.Document // the copy of doc that is translated
	segments []segment
}

// segment is a text of an owner.
type segment struct {
	*translate.Segment
	part    string
	context string // see translate.Context
	own     bool   // a person has translated this text in the result
	done    bool
}

func ownerOf(key string, value []byte) (owner, error) {
	o := owner{key: key}
	kind, id := revision.SplitKey(key)
	if kind == revision.KeyReusable {
		v, err := revision.DecodeReusable(id, value)
		o.reusable = &v
		return o, err
	}
	v, err := docs.DecodePage(id, value)
	o.page = &v
	return o, err
}

func (o owner) id() string {
	_, id := revision.SplitKey(o.key)
	return id
}

func (o owner) title() string {
	if o.page != nil {
		return o.page.Title
	}
	return o.reusable.Title
}

func (o owner) description() string {
	if o.page != nil {
		return o.page.Description
	}
	return ""
}

// texts translates owners in batches.
func (r *run) texts(ctx context.Context, owners []owner) error {
	for some := range slices.Chunk(owners, together) {
		for i := range some {
			if err := r.split(ctx, &some[i]); err != nil {
				return err
			}
		}
		if err := r.fill(ctx, some); err != nil {
			return err
		}
		for i := range some {
			if err := r.compose(ctx, &some[i]); err != nil {
				return err
			}
			some[i] = owner{key: some[i].key} // free the documents
		}
		if err := r.s.storeProgress(ctx, r.t, int64(len(r.pages)), int64(len(owners))); err != nil {
			return err
		}
	}
	return nil
}

// storeProgress stores the progress of a run.
func (s *Service) storeProgress(ctx context.Context, t docs.Translation, done, all int64) error {
	return s.Store.Do(ctx, func(tx *store.Tx) error { return tx.PutTranslationProgress(ctx, t.ID, t.Run, done, all) })
}

// split reads the texts of an owner.
func (r *run) split(ctx context.Context, o *owner) (err error) {
	switch {
	case o.reusable != nil && o.reusable.Body != "":
		o.doc, err = r.source.ReusableDocument(ctx, *o.reusable)
	case o.page != nil && o.page.HasBody() && o.page.Body != "":
		o.doc, err = r.source.Document(ctx, *o.page)
	}
	if err != nil {
		return err
	}
	add := func(part string, s *translate.Segment) {
		if s != nil {
			o.segments = append(o.segments, segment{
				Segment: s, part: part, context: translate.Context(r.request.Instructions, r.glossary.Terms(s.Text)),
				own: r.corrected[correction{o.id(), part, s.Block, s.Text}],
			})
		}
	}
	if p := o.page; p != nil {
		add(partTitle, translate.Line(p.Title, func(t string) { p.Title = strings.TrimSpace(docs.FirstRunes(t, docs.MaxPageTitle)) }))
		add(partDescription, translate.Line(p.Description, func(t string) { p.Description = strings.TrimSpace(docs.FirstRunes(t, docs.MaxDescription)) }))
	} else {
		add(partTitle, translate.Line(o.reusable.Title, func(t string) { o.reusable.Title = strings.TrimSpace(docs.FirstRunes(t, docs.MaxPageTitle)) }))
	}
	if o.doc != nil {
		var found []*translate.Segment
		o.copy, found = translate.Split(o.doc)
		for _, s := range found {
			add(partDocument, s)
		}
	}
	return nil
}

// pendingText is a text to translate, which several segments may share. If own is set, a
// person has translated it in the result, and the translation by people is not used for
// it: the revision of the machine keeps the translation of the engine there, because
// a correction is recognized by the difference between the two.
type pendingText struct {
	text     string
	context  string
	own      bool
	segments []*segment
}

// apply puts a translation into all segments. It reports whether the translation has all
// protected parts.
func (w *pendingText) apply(text string) bool {
	for _, s := range w.segments {
		if s.Replace(text) != nil {
			return false
		}
		s.done = true
	}
	return true
}

// fill translates the segments of owners from the translation memory, and the rest with
// the engine.
func (r *run) fill(ctx context.Context, owners []owner) error {
	var list []*pendingText
	type key struct {
		text, context string
		own           bool
	}
	by := map[key]*pendingText{}
	for i := range owners {
		for j := range owners[i].segments {
			s := &owners[i].segments[j]
			k := key{s.Text, s.context, s.own}
			w := by[k]
			if w == nil {
				w = &pendingText{text: s.Text, context: s.context, own: s.own}
				by[k] = w
				list = append(list, w)
			}
			w.segments = append(w.segments, s)
		}
	}
	missing, err := r.fillFromMemory(ctx, list)
	if err != nil {
		return err
	}
	return r.send(ctx, missing)
}

// fillFromMemory applies the translations that the memory has, and returns the texts that
// it does not have. It prefers translations by people, then those of this engine and
// context, then those of other engines. An entry with an empty target records that the
// engine could not translate the text.
func (r *run) fillFromMemory(ctx context.Context, list []*pendingText) ([]*pendingText, error) {
	hashes := make([]string, len(list))
	for i, w := range list {
		hashes[i] = translate.HashText(w.text)
	}
	known, err := r.s.Store.Memory(ctx, r.t.Org, r.t.From, r.t.To, hashes)
	if err != nil {
		return nil, err
	}
	by := map[[2]string]docs.MemoryEntry{}
	for _, m := range known {
		by[[2]string{m.Hash, m.Context}] = m
	}
	var missing []*pendingText
	for i, w := range list {
		if m, ok := by[[2]string{hashes[i], docs.MemoryPeople}]; ok && !w.own && w.apply(m.Target) {
			continue
		}
		m, ok := by[[2]string{hashes[i], r.context(w.context)}]
		if !ok {
			m, ok = by[[2]string{hashes[i], docs.MemoryEngines}]
		}
		if !ok {
			missing = append(missing, w)
		} else if m.Target != "" {
			w.apply(m.Target)
		}
	}
	return missing, nil
}

// context returns the context of a text in the memory. It includes the name of the
// engine, because engines do not share translations.
func (r *run) context(c string) string { return r.s.Name + "." + c }

// send sends texts to the engine, and stores the answers as they arrive.
func (r *run) send(ctx context.Context, list []*pendingText) error {
	if len(list) == 0 {
		return nil
	}
	if r.s.Engine == nil || r.reason != "" { // no engine, or it stopped in an earlier batch
		r.incomplete = true
		return nil
	}
	texts := make([]string, 0, len(list))
	words := 0
	for _, w := range list {
		n := translate.Words(w.text)
		before := int(r.words) + words
		if r.s.MaxWords > 0 && before > 0 && before+n > r.s.MaxWords { // a text that is longer than the limit is sent alone
			r.reason = "the limit of words of a run is reached; another run goes on"
			break
		}
		words += n
		texts = append(texts, w.text)
	}
	done := 0
	err := r.s.Engine.Each(ctx, r.request, r.glossary, texts, func(at int, answers []string) error {
		entries := make([]docs.MemoryEntry, 0, len(answers))
		for i, answer := range answers {
			w := list[at+i]
			r.words += int64(translate.Words(w.text))
			if answer == "" {
				continue // the next run sends it again
			}
			if !w.apply(answer) {
				answer = ""
			}
			entries = append(entries, docs.MemoryEntry{Context: r.context(w.context), Hash: translate.HashText(w.text), Source: w.text, Target: answer})
			done++
		}
		return r.s.storeMemory(ctx, r.t, entries)
	})
	r.incomplete = r.incomplete || done < len(list)
	if reason, failed := translate.Reason(err); failed {
		r.reason, err = reason, nil
	}
	return err
}

// storeMemory stores translations in the memory.
func (s *Service) storeMemory(ctx context.Context, t docs.Translation, entries []docs.MemoryEntry) error {
	return s.Store.Do(ctx, func(tx *store.Tx) error { return tx.PutMemory(ctx, t.Org, t.From, t.To, entries) })
}

// compose writes a translated owner into the draft.
func (r *run) compose(ctx context.Context, o *owner) error {
	var value []byte
	var err error
	if v := o.reusable; v != nil {
		was := v.Body
		if v.Body, v.Sidecar, err = r.body(ctx, o, revision.ReusableText(*v)); err != nil {
			return err
		}
		if v.Body != was {
			v.OID = "" // the git object has the old body
		}
		value, err = json.Marshal(*v)
	} else {
		value, err = r.composePage(ctx, o)
	}
	if err != nil {
		return err
	}
	r.draft.Replace(o.key, value)
	r.pages = append(r.pages, o.id())
	for i, s := range o.segments {
		if !s.done {
			r.blocks = append(r.blocks, docs.TranslationBlock{
				ID: blockID(o.id(), s.part, s.Block, i), Page: o.id(), Part: s.part, Block: s.Block, Status: docs.BlockUntranslated, Source: s.Text, Text: s.Text,
			})
		}
	}
	return nil
}

// composePage returns the encoded form of a translated page. The page is pinned to the
// slug of the source, so that the slug does not follow the translated title.
func (r *run) composePage(ctx context.Context, o *owner) ([]byte, error) {
	p := *o.page
	p.Pinned = p.Pinned || p.HasPath()
	if p.HasBody() {
		x, err := r.draft.PageText(ctx, p)
		if err != nil {
			return nil, err
		}
		if p.Body, p.Sidecar, err = r.body(ctx, o, x); err != nil {
			return nil, err
		}
		if p.Body != x.Body {
			p.OID = ""
		}
	}
	return docs.EncodePage(p)
}

// maxComposed limits how often body composes the text of one page.
const maxComposed = 64

// body returns the translated text of an owner. A translation may contain Markdown syntax
// or an address by accident, so that the page has another shape than its source. body
// finds the blocks that cause this by bisection and leaves them untranslated.
func (r *run) body(ctx context.Context, o *owner, x revision.Text) (body, side chunk.Hash, err error) {
	body, side = x.Body, x.Sidecar
	if o.copy == nil {
		return body, side, nil
	}
	doc := *o.copy
	nodes := slices.Clone(o.doc.Nodes)
	composed := 0
	var put func(from, to int) error
	put = func(from, to int) error {
		if composed++; composed <= maxComposed {
			copy(nodes[from:to], o.copy.Nodes[from:to])
			doc.Nodes = slices.Clone(nodes)
			b, s, got, err := r.draft.Compose(ctx, x, &revision.Writing{Path: "document", Doc: &doc})
			if err != nil {
				return err
			}
			if slices.EqualFunc(o.doc.Nodes, got.Nodes, translate.SameShape) {
				body, side = b, s
				return nil
			}
			copy(nodes[from:to], o.doc.Nodes[from:to])
		}
		if to-from < 2 || composed > maxComposed {
			o.markUntranslated(o.doc.Nodes[from:to])
			return nil
		}
		middle := (from + to) / 2
		if err := put(from, middle); err != nil {
			return err
		}
		return put(middle, to)
	}
	return body, side, put(0, len(nodes))
}

// markUntranslated marks the segments of blocks as not translated.
func (o *owner) markUntranslated(blocks []*markup.Node) {
	for i := range o.segments {
		s := &o.segments[i]
		if s.part == partDocument && slices.ContainsFunc(blocks, func(n *markup.Node) bool { return n.Key == s.Block }) {
			s.done = false
		}
	}
}
