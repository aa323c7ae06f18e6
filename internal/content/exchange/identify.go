package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/maphash"
	"path"
	"slices"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Pages have ids, files do not. A page is identified by the file that it was in when both sides
// were last equal. If that file does not exist any more, the page is in the new file with the same
// bytes, else in the most similar one, else in the only one with its title.

// alike is the share of common bytes from which on two files count as the same file after a change;
// git uses the same.
const alike = 0.5

// maxPairs and maxCompared limit the comparison of files, as pairs of files and as lines: a repository
// may have large files that are all new, or thousands of similar ones.
const (
	maxPairs    = 250_000
	maxCompared = 50_000_000
	keptLine    = 10 // the cost of a line that is stored, not only looked up
)

// missingPage is a page of the base whose file is not in the folder.
type missingPage struct {
	page docs.Page
	file string
	text []byte
}

// identify sets im.where and im.moved: the page of the base that each file is.
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
	var missing []missingPage
	for _, at := range im.filed.pages {
		there := files[at.file] != nil
		if there && (im.paired || !im.filed.created[at.id]) {
			im.where[at.file] = at.id
			continue
		}
		p, err := before.Page(ctx, at.id)
		if err != nil {
			return err
		}
		switch {
		case !im.paired && p.File == "" && p.Body == "":
			// A page without text is the first page of a new space.
		case there:
			im.where[at.file] = at.id
		default:
			missing = append(missing, missingPage{page: p, file: at.file})
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var came []*folder.Page
	for _, fp := range all { // in their order, so that the result is reproducible
		if fp.Type == folder.Document && fp.Source != nil && im.where[fp.File] == "" {
			came = append(came, fp)
		}
	}
	if len(came) == 0 {
		return nil
	}
	for i := range missing {
		if missing[i].text, err = im.draft.Bytes(ctx, missing[i].page.Body); err != nil {
			return err
		}
	}
	im.match(missing, came)
	return nil
}

// match pairs pages that lost their files with new files.
func (im *importer) match(missing []missingPage, came []*folder.Page) {
	lost := map[docs.PageID]bool{}
	take := func(g missingPage, fp *folder.Page) bool {
		if lost[g.page.ID] || im.moved[fp.File] != "" {
			return false
		}
		lost[g.page.ID] = true
		im.moved[fp.File] = g.page.ID
		return true
	}
	byOID := map[string][]missingPage{}
	for _, g := range missing {
		for _, oid := range []string{g.page.OID, git.BlobOID(g.text)} {
			if oid != "" {
				byOID[oid] = append(byOID[oid], g)
			}
		}
	}
	// Of several files with the same bytes, the one with the same name is chosen, else the first.
	// There may be thousands, so each is looked at once.
	oids := make([]string, len(came))
	named := map[[2]string][]missingPage{}
	for oid, same := range byOID {
		for _, g := range same {
			key := [2]string{oid, path.Base(g.file)}
			named[key] = append(named[key], g)
		}
	}
	first := func(from []missingPage, fp *folder.Page) (rest []missingPage) {
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
	im.mostAlike(missing, came, take, lost)
	titles := map[string][]missingPage{}
	for _, g := range missing {
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

// mostAlike pairs the remaining pages and files, the most similar first.
func (im *importer) mostAlike(missing []missingPage, came []*folder.Page, take func(missingPage, *folder.Page) bool, lost map[docs.PageID]bool) {
	missing = slices.DeleteFunc(slices.Clone(missing), func(g missingPage) bool { return lost[g.page.ID] || len(g.text) == 0 })
	came = slices.DeleteFunc(slices.Clone(came), func(fp *folder.Page) bool { return im.moved[fp.File] != "" })
	if len(missing)*len(came) == 0 || len(missing)*len(came) > maxPairs {
		return
	}
	olden, fresh := 0, 0 // lines
	for _, g := range missing {
		olden += bytes.Count(g.text, []byte("\n")) + 1
	}
	for _, fp := range came {
		fresh += bytes.Count(fp.Source, []byte("\n")) + 1
	}
	if keptLine*olden+fresh*len(missing) > maxCompared {
		return
	}
	seed := maphash.MakeSeed()
	olds := make([]map[uint64]int, len(missing))
	for i, g := range missing {
		olds[i] = linesOf(seed, g.text)
	}
	type pair struct {
		g, c  int
		score float64
	}
	var pairs []pair
	for c, fp := range came {
		lines := linesOf(seed, fp.Source)
		for g := range missing {
			most := max(len(missing[g].text), len(fp.Source))
			common := 0
			for h, n := range lines {
				common += min(n, olds[g][h])
			}
			if score := float64(common) / float64(most); score >= alike {
				pairs = append(pairs, pair{g, c, score + 0.1*float64(nameMatch(missing[g].file, fp.File))})
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
		take(missing[p.g], came[p.c])
	}
}

// linesOf returns the number of bytes of each line of a text, by the hash of the line.
func linesOf(seed maphash.Seed, text []byte) map[uint64]int {
	out := map[uint64]int{}
	for line := range bytes.Lines(text) {
		out[maphash.Bytes(seed, line)] += len(line)
	}
	return out
}

// page makes a page of the space from a page of a folder. It keeps the identity of the page that
// was in the file before, if there was one.
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
		if known && im.same(fp.File) { // only its place can have changed
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

// was returns the page of the base that identify found for a page of the folder.
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

// remain copies the id of a page from its former state, and its slug unless that follows from the
// name of the file. A page without a file of its own stays without one.
func (im *importer) remain(p *docs.Page, was docs.Page, file string) {
	p.ID = was.ID
	stayed := im.where[file] == was.ID
	if stayed || was.File != "" && !folder.FollowsFile(was.Slug, was.File) {
		p.Slug, p.Pinned = was.Slug, was.Pinned
	}
	if stayed && was.File == "" {
		p.File = ""
	}
}

// stay assigns pages without a file of their own to the file that they are in, if they would be
// exported to another one now: a page above them was renamed, but their files were not.
func (im *importer) stay(ctx context.Context) error {
	if len(im.filed.created) == 0 {
		return nil
	}
	for _, fp := range im.tree.All() {
		if fp.Type != folder.Document || !im.filed.created[im.ids[fp]] {
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
			// From now on the head of the file is stored too.
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

// asWritten reports whether a page whose file did not change would be exported unchanged. It would
// not if the target of a reference was renamed in the repository and the reference was not updated,
// or if something new took its place.
func (im *importer) asWritten(ctx context.Context, fp *folder.Page, p docs.Page) (bool, error) {
	if im.pathsStay() {
		return true, nil
	}
	src, err := (&exporter{s: im.x, v: &revision.View{Tree: im.draft.Tree}}).source(ctx, p, fp.File)
	return bytes.Equal(src, fp.Source), err
}

// other copies from the former state of a group, a link or a computed page everything that a folder
// cannot express.
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
		was.Emoji = old.Emoji // a folder cannot express its title and its emoji
	}
	return was
}

// alike finds the former state of a page without a file: a sibling with the same title, target or
// address, else a page elsewhere with the same title.
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
			return p, false // a very long list of links is created anew
		}
		for _, o := range same.in {
			if o.Type == p.Type && !im.kept[o.ID] && same.alike(o) {
				return o, true
			}
		}
	}
	return p, false
}
