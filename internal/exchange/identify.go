package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/maphash"
	"path"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/emoji"
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/git"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/revision"
)

// Pages have ids, files have none. A page is known again by the file that it
// was in when both sides were last the same. Where that is gone and others
// came, the page went to the one with the same bytes, else to the one that is
// most like it, else to the only one with its title.

// alike is the share of common bytes from which on two files are taken for
// one that was changed: what git takes.
const alike = 0.5

// maxPairs bounds how many files are compared with each other, and maxCompared
// how many of their lines: a repository may have large files that are all
// new, or thousands that are all alike.
const (
	maxPairs    = 250_000
	maxCompared = 50_000_000
	keptLine    = 10 // what one costs that is remembered, not only looked up
)

// gonePage is a page of the base whose file is not in the folder.
type gonePage struct {
	page docs.Page
	file string
	text []byte
}

// identify finds out which page of the base is in which file.
func (im *importer) identify(ctx context.Context) error {
	all := im.tree.All()
	im.where, im.moved = make(map[string]docs.PageID, len(all)), map[string]docs.PageID{}
	files := make(map[string]*folder.Page, len(all))
	for _, fp := range all {
		if fp.Type == folder.Document {
			files[fp.File] = fp
		}
	}
	before := im.draft.Before()
	var err error
	if im.filed == nil {
		if im.filed, err = filedPagesOf(ctx, before); err != nil {
			return err
		}
	}
	im.fileless = im.filed.fileless
	var gone []gonePage
	for _, at := range im.filed.pages {
		there := files[at.file] != nil
		if there && (im.paired || !im.filed.born[at.id]) {
			im.where[at.file] = at.id
			continue
		}
		p, err := before.Page(ctx, at.id)
		if err != nil {
			return err
		}
		switch {
		case !im.paired && p.File == "" && p.Body == "":
			// A page without words is the one that a new space begins with.
		case there:
			im.where[at.file] = at.id
		default:
			gone = append(gone, gonePage{page: p, file: at.file})
		}
	}
	if len(gone) == 0 {
		return nil
	}
	var came []*folder.Page
	for _, fp := range all { // in their order, so that the same gives the same
		if fp.Type == folder.Document && fp.Source != nil && im.where[fp.File] == "" {
			came = append(came, fp)
		}
	}
	if len(came) == 0 {
		return nil
	}
	for i := range gone {
		if gone[i].text, err = im.draft.Bytes(ctx, gone[i].page.Body); err != nil {
			return err
		}
	}
	im.match(gone, came)
	return nil
}

// match pairs pages that lost their files with files that came.
func (im *importer) match(gone []gonePage, came []*folder.Page) {
	lost := map[docs.PageID]bool{}
	take := func(g gonePage, fp *folder.Page) bool {
		if lost[g.page.ID] || im.moved[fp.File] != "" {
			return false
		}
		lost[g.page.ID] = true
		im.moved[fp.File] = g.page.ID
		return true
	}
	byOID := map[string][]gonePage{}
	for _, g := range gone {
		for _, oid := range []string{g.page.OID, git.BlobOID(g.text)} {
			if oid != "" {
				byOID[oid] = append(byOID[oid], g)
			}
		}
	}
	// Of several with the same bytes, the one with the same name, else the
	// first. There may be thousands, so nobody looks at one twice.
	oids := make([]string, len(came))
	named := map[[2]string][]gonePage{}
	for oid, same := range byOID {
		for _, g := range same {
			key := [2]string{oid, path.Base(g.file)}
			named[key] = append(named[key], g)
		}
	}
	first := func(from []gonePage, fp *folder.Page) (rest []gonePage) {
		for i, g := range from {
			if take(g, fp) {
				return from[i+1:]
			}
		}
		return nil
	}
	for i, fp := range came {
		oids[i] = git.BlobOID(fp.Source)
		key := [2]string{oids[i], path.Base(fp.File)}
		named[key] = first(named[key], fp)
	}
	for i, fp := range came {
		if im.moved[fp.File] == "" {
			byOID[oids[i]] = first(byOID[oids[i]], fp)
		}
	}
	im.mostAlike(gone, came, take, lost)
	titles := map[string][]gonePage{}
	for _, g := range gone {
		if !lost[g.page.ID] {
			titles[g.page.Title] = append(titles[g.page.Title], g)
		}
	}
	for _, fp := range came {
		if only := titles[fp.Title]; len(only) == 1 {
			take(only[0], fp)
		}
	}
}

func nameMatch(a, b string) int {
	if path.Base(a) == path.Base(b) {
		return 1
	}
	return 0
}

// mostAlike pairs what is left, the most alike first.
func (im *importer) mostAlike(gone []gonePage, came []*folder.Page, take func(gonePage, *folder.Page) bool, lost map[docs.PageID]bool) {
	gone = slices.DeleteFunc(slices.Clone(gone), func(g gonePage) bool { return lost[g.page.ID] || len(g.text) == 0 })
	came = slices.DeleteFunc(slices.Clone(came), func(fp *folder.Page) bool { return im.moved[fp.File] != "" })
	if len(gone)*len(came) == 0 || len(gone)*len(came) > maxPairs {
		return
	}
	olden, fresh := 0, 0 // lines
	for _, g := range gone {
		olden += bytes.Count(g.text, []byte("\n")) + 1
	}
	for _, fp := range came {
		fresh += bytes.Count(fp.Source, []byte("\n")) + 1
	}
	if keptLine*olden+fresh*len(gone) > maxCompared {
		return
	}
	seed := maphash.MakeSeed()
	olds := make([]map[uint64]int, len(gone))
	for i, g := range gone {
		olds[i] = linesOf(seed, g.text)
	}
	type pair struct {
		g, c  int
		score float64
	}
	var pairs []pair
	for c, fp := range came {
		lines := linesOf(seed, fp.Source)
		for g := range gone {
			most := max(len(gone[g].text), len(fp.Source))
			common := 0
			for h, n := range lines {
				common += min(n, olds[g][h])
			}
			if score := float64(common) / float64(most); score >= alike {
				pairs = append(pairs, pair{g, c, score + 0.1*float64(nameMatch(gone[g].file, fp.File))})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	for _, p := range pairs {
		take(gone[p.g], came[p.c])
	}
}

// linesOf counts the bytes of each line of a text.
func linesOf(seed maphash.Seed, text []byte) map[uint64]int {
	out := map[uint64]int{}
	for line := range bytes.Lines(text) {
		out[maphash.Bytes(seed, line)] += len(line)
	}
	return out
}

// page makes a page of a folder into one of the space: the one that it was
// before, if there was one.
func (im *importer) page(ctx context.Context, fp *folder.Page, parent docs.PageID, siblings []docs.Page) (docs.Page, error) {
	p := docs.Page{
		Type: docs.PageType(fp.Type), Parent: parent, Title: fp.Title, Emoji: fp.Emoji, LinkTitle: fp.LinkTitle,
		Slug: fp.Slug, Pinned: true, File: fp.File, CreatedAt: im.draft.Now,
	}
	switch p.Type {
	case docs.PageDocument:
		was, known, err := im.was(ctx, fp)
		if err != nil {
			return p, err
		}
		if known && im.same(fp.File) { // git has nothing to say of it but its place
			p = was
			p.Parent, p.Title, p.LinkTitle = parent, fp.Title, fp.LinkTitle
		} else {
			revision.ApplyHead(fp.Head, &p)
			p.Title, p.Emoji, p.LinkTitle = fp.Title, fp.Emoji, fp.LinkTitle
			if fp.Source != nil {
				p.OID = git.BlobOID(fp.Source)
			}
			if known {
				im.remain(&p, was, fp.File)
			}
		}
		if p.Emoji = fp.Emoji; emoji.FromCode(was.Emoji) == fp.Emoji {
			p.Emoji = was.Emoji
		}
	case docs.PageComputed:
		b, err := json.Marshal(fp.Computed)
		if err != nil {
			return p, err
		}
		p.Computed = b
		if p.Title == "" {
			p.Title = "Computed pages"
		}
	case docs.PageLink:
		p.Target = &markup.Ref{Kind: markup.RefURL, URL: fp.Target} // resolved with the bodies
	}
	if p.Title == "" {
		p.Title = "Untitled"
	}
	if p.Type != docs.PageDocument {
		p = im.other(p, siblings)
	}
	if p.ID == "" {
		p.ID = docs.PageID(im.draft.NewID())
	}
	return p, nil
}

// was returns the page that a page of the folder was before.
func (im *importer) was(ctx context.Context, fp *folder.Page) (docs.Page, bool, error) {
	id, ok := im.where[fp.File]
	if !ok {
		id, ok = im.moved[fp.File]
	}
	if !ok || im.kept[id] {
		return docs.Page{}, false, nil
	}
	before := im.draft.Before()
	return before.Lookup(ctx, id)
}

// remain returns a page what it keeps of the one that it was: its id, and the
// slug that somebody chose. A page without a file of its own goes on without
// one.
func (im *importer) remain(p *docs.Page, was docs.Page, file string) {
	p.ID = was.ID
	stayed := im.where[file] == was.ID
	if stayed || was.File != "" && was.Slug != folder.SlugOf(was.File) {
		p.Slug, p.Pinned = was.Slug, was.Pinned
	}
	if stayed && was.File == "" {
		p.File = ""
	}
}

// stay ties pages that have no file of their own to the one that they are in,
// where they would be written to another one by now: a page above them was
// renamed, and the folder has them where they were.
func (im *importer) stay(ctx context.Context) error {
	if len(im.filed.born) == 0 {
		return nil
	}
	for _, fp := range im.tree.All() {
		if fp.Type != folder.Document || !im.filed.born[im.ids[fp]] {
			continue
		}
		p, ok, err := im.draft.Lookup(ctx, im.ids[fp])
		if err != nil {
			return err
		}
		if !ok || p.File != "" {
			continue
		}
		file, err := im.draft.FileOf(ctx, p)
		if err != nil {
			return err
		}
		if file != fp.File {
			// The head of the file is its own too from now on.
			p.File, im.tied[p.ID] = fp.File, true
			if fp.Source != nil {
				p.OID = git.BlobOID(fp.Source)
			} else if fp.Same {
				p.OID = im.incremental.oids[im.incremental.full(fp.File)]
			}
			if err := im.draft.Put(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// asWritten reports whether a page whose file did not change would be written
// as it is. Where something that it refers to was renamed there and nobody
// mended the reference, it would not be, and nobody here changed anything.
func (im *importer) asWritten(ctx context.Context, fp *folder.Page, p docs.Page) (bool, error) {
	if !im.renamed && len(im.moved)+len(im.tied) == 0 {
		return true, nil
	}
	src, err := (&exporter{s: im.x, v: &revision.View{Tree: im.draft.Tree}}).source(ctx, p, fp.File)
	return bytes.Equal(src, fp.Source), err
}

// other returns a group, a link or a computed page what it keeps of the one
// that it was: everything that a folder cannot tell.
func (im *importer) other(p docs.Page, siblings []docs.Page) docs.Page {
	was, ok := im.alike(p, siblings)
	if !ok {
		return p
	}
	old := was
	was.Parent, was.Target, was.Computed = p.Parent, p.Target, p.Computed
	if emoji.FromCode(old.Emoji) != p.Emoji {
		was.Emoji = p.Emoji
	}
	switch p.Type {
	case docs.PageGroup:
		if was.Title = p.Title; was.Slug != p.Slug {
			was.Slug, was.Pinned = p.Slug, p.Pinned
		}
	case docs.PageLink:
		was.Title, was.LinkTitle = p.Title, p.LinkTitle
	case docs.PageComputed:
		was.Emoji = old.Emoji // it has a title and an emoji only here
	}
	return was
}

// alike finds the page that one without a file was: one beside it that is
// called the same, leads to the same or has the same address, else one from
// elsewhere that is called the same.
func (im *importer) alike(p docs.Page, siblings []docs.Page) (docs.Page, bool) {
	for _, same := range []struct {
		in    []docs.Page
		alike func(o docs.Page) bool
	}{
		{siblings, func(o docs.Page) bool { return p.Computed != nil && string(o.Computed) == string(p.Computed) }},
		{siblings, func(o docs.Page) bool { return o.Title == p.Title && o.Slug == p.Slug }},
		{siblings, func(o docs.Page) bool { return o.Title == p.Title }},
		{siblings, func(o docs.Page) bool { return p.Slug != "" && o.Slug == p.Slug }},
		{siblings, func(o docs.Page) bool { return p.Target != nil && revision.SameRef(o.Target, p.Target) }},
		{im.fileless, func(o docs.Page) bool { return o.Title == p.Title }},
		{im.fileless, func(o docs.Page) bool { return p.Computed != nil && string(o.Computed) == string(p.Computed) }},
	} {
		if im.looked += len(same.in); im.looked > maxCompared {
			return p, false // a list of links without end is made anew
		}
		for _, o := range same.in {
			if o.Type == p.Type && !im.kept[o.ID] && same.alike(o) {
				return o, true
			}
		}
	}
	return p, false
}
