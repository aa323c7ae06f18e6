package translations

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/translate"
)

// together is how many pages are held in memory at once.
const together = 50

// Parts of a page.
const (
	partDocument    = "document"
	partTitle       = "title"
	partDescription = "description"
)

// owner is something of the source with texts: a page or a reusable content.
type owner struct {
	key      string
	page     *docs.Page
	reusable *docs.Reusable

	doc      *markup.Document // as it is in the source; nil: it has no body
	copy     *markup.Document // that is translated
	segments []segment
}

// segment is a text of an owner.
type segment struct {
	*translate.Segment
	part    string
	context string // see translate.Context
	own     bool   // somebody has translated it in the result
	done    bool
}

func ownerOf(key string, value []byte) (owner, error) {
	o := owner{key: key}
	if key[:1] == revision.KeyReusable {
		v, err := revision.DecodeReusable(key[1:], value)
		o.reusable = &v
		return o, err
	}
	v, err := docs.DecodePage(key[1:], value)
	o.page = &v
	return o, err
}

func (o owner) id() string { return o.key[1:] }

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

// texts translates owners, some at a time.
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
			some[i] = owner{key: some[i].key} // free what it holds
		}
		if err := r.s.note(ctx, r.t, int64(len(r.pages)), int64(len(owners))); err != nil {
			return err
		}
	}
	return nil
}

// note stores how far a run is.
func (s *Service) note(ctx context.Context, t docs.Translation, done, all int64) error {
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
		add(partTitle, translate.Line(p.Title, func(t string) { p.Title = clip(t, docs.MaxPageTitle) }))
		add(partDescription, translate.Line(p.Description, func(t string) { p.Description = clip(t, docs.MaxDescription) }))
	} else {
		add(partTitle, translate.Line(o.reusable.Title, func(t string) { o.reusable.Title = clip(t, docs.MaxPageTitle) }))
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

func clip(s string, most int) string {
	r := []rune(s)
	return strings.TrimSpace(string(r[:min(len(r), most)]))
}

// wanted is a text that several segments may have. What people wrote is not used
// where they wrote it: there the line of the machine keeps what the machine made, which is
// how a correction is known.
type wanted struct {
	text     string
	context  string
	own      bool
	segments []*segment
}

// apply puts a translation into all segments and reports whether it has everything
// that is protected.
func (w *wanted) apply(text string) bool {
	for _, s := range w.segments {
		if s.Replace(text) != nil {
			return false
		}
		s.done = true
	}
	return true
}

// fill translates segments: from the memory, the rest by the engine.
func (r *run) fill(ctx context.Context, owners []owner) error {
	var list []*wanted
	type key struct {
		text, context string
		own           bool
	}
	by := map[key]*wanted{}
	for i := range owners {
		for j := range owners[i].segments {
			s := &owners[i].segments[j]
			k := key{s.Text, s.context, s.own}
			w := by[k]
			if w == nil {
				w = &wanted{text: s.Text, context: s.context, own: s.own}
				by[k] = w
				list = append(list, w)
			}
			w.segments = append(w.segments, s)
		}
	}
	missing, err := r.remember(ctx, list)
	if err != nil {
		return err
	}
	return r.send(ctx, missing)
}

// remember fills in what the memory has, and returns the rest. Translations of people
// come first, those that an engine made elsewhere last. One without a text says that the
// engine could not do it.
func (r *run) remember(ctx context.Context, list []*wanted) ([]*wanted, error) {
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
	var missing []*wanted
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

// context returns the context of a text in the memory: engines do not share one.
func (r *run) context(c string) string { return r.s.Name + "." + c }

// send lets the engine translate texts, and stores what it answers as it arrives.
func (r *run) send(ctx context.Context, list []*wanted) error {
	if len(list) == 0 {
		return nil
	}
	if r.s.Engine == nil || r.reason != "" { // nothing translates, or it failed before
		r.incomplete = true
		return nil
	}
	texts := make([]string, 0, len(list))
	words := 0
	for _, w := range list {
		n := translate.Words(w.text)
		if r.s.MaxWords > 0 && int(r.words)+words+n > r.s.MaxWords {
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
				continue // asked again by the next run
			}
			if !w.apply(answer) {
				answer = ""
			}
			entries = append(entries, docs.MemoryEntry{Context: r.context(w.context), Hash: translate.HashText(w.text), Source: w.text, Target: answer})
			done++
		}
		return r.s.accept(ctx, r.t, entries)
	})
	r.incomplete = r.incomplete || done < len(list)
	if reason, failed := translate.Reason(err); failed {
		r.reason, err = reason, nil
	}
	return err
}

// accept stores what an engine has translated.
func (s *Service) accept(ctx context.Context, t docs.Translation, entries []docs.MemoryEntry) error {
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
			v.OID = "" // git knows another one
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

// composePage returns a translated page as it is stored. Its slug is that of the
// source, so it does not follow the title.
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

// maxComposed bounds how often the text of a page is composed.
const maxComposed = 64

// body returns the translated text of an owner. A word of a translation may mean something
// in Markdown, or be an address, so that the page has another shape than its source:
// the blocks that do that are searched for by halves, and stay as they are.
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
			o.leave(o.doc.Nodes[from:to])
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

// leave notes that blocks are not translated.
func (o *owner) leave(blocks []*markup.Node) {
	for i := range o.segments {
		s := &o.segments[i]
		if s.part == partDocument && slices.ContainsFunc(blocks, func(n *markup.Node) bool { return n.Key == s.Block }) {
			s.done = false
		}
	}
}
