package exchange

import (
	"cmp"
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/names"
)

// A push that changes the structure changes little of it. If a file is unchanged and its entry of
// SUMMARY.md too, its page is unchanged: neither the file nor the page is read, unless the place of
// the page changed.

// filedPages holds the files of the pages of a revision.
type filedPages struct {
	pages    []filedPage            // documents, in order of their ids
	byFile   map[string]docs.PageID // the same by file
	created  map[docs.PageID]bool   // documents without a file of their own: created in the space
	empty    map[docs.PageID]bool   // documents without a source; their file may have one
	fileless []docs.Page            // pages that are not documents
}

type filedPage struct {
	id   docs.PageID
	file string
}

// filedPagesOf returns the files of the pages of a tree. Pages that have a file, which are
// nearly all of an imported space, are decoded only in part.
func filedPagesOf(ctx context.Context, t *revision.Tree) (*filedPages, error) {
	n, err := t.Count(ctx, revision.KeyPage)
	if err != nil {
		return nil, err
	}
	st := &filedPages{pages: make([]filedPage, 0, n), byFile: make(map[string]docs.PageID, n), created: map[docs.PageID]bool{}, empty: map[docs.PageID]bool{}}
	err = t.Scan(ctx, revision.KeyPage, "", func(key string, b []byte) (bool, error) {
		id := docs.PageID(key)
		src, err := docs.DecodePageSource(b)
		if err != nil {
			return false, err
		}
		file := src.File
		if !src.HasBody() || file == "" {
			p, err := docs.DecodePage(key, b)
			if err != nil {
				return false, err
			}
			if !p.HasBody() {
				st.fileless = append(st.fileless, p)
				return true, nil
			}
			if file, err = t.FileOf(ctx, p); err != nil {
				return false, err
			}
			st.created[id] = true
		}
		if src.Body == "" {
			st.empty[id] = true
		}
		st.pages = append(st.pages, filedPage{id, file})
		st.byFile[file] = id
		return true, nil
	})
	return st, err
}

// planIncremental reads the structure of a folder and the files that differ. If that is not enough,
// reason says why.
func (t *source) planIncremental(ctx context.Context) (p *incremental, f *readFolder, reason string, err error) {
	layout, err := t.base.Layout(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	list, err := t.list(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	p = &incremental{from: t, layout: layout, oids: make(map[string]string, len(list)), changed: map[string]UpstreamChange{}}
	for _, f := range list {
		p.oids[f.Path] = f.OID
	}
	for _, c := range t.up.Changed {
		p.changed[c.Path] = c
	}
	if _, is := p.changed[folder.ConfigName]; is {
		return nil, nil, folder.ConfigName + " changed", nil
	}
	if p.filed, err = filedPagesOf(ctx, t.base.Tree); err != nil {
		return nil, nil, "", err
	}
	if reason, err = p.summaryDiff(ctx); err != nil || reason != "" {
		return nil, nil, reason, err
	}
	if f, err = t.readFolder(ctx, p.source); err != nil {
		return nil, nil, "", err
	}
	reason, err = p.check(ctx, f)
	return p, f, reason, err
}

// incremental is a folder of which only a part was read.
type incremental struct {
	from    *source
	filed   *filedPages
	layout  revision.Layout
	oids    map[string]string // by path
	changed map[string]UpstreamChange
	read    func(file string) bool // files to read although they are unchanged; nil: none
	summary folder.Source          // if it was read
}

// full returns the path of a file of the folder in the upstream.
func (p *incremental) full(name string) string { return path.Join(path.Clean(p.layout.Root), name) }

// source returns the source of a file that need not be read, or false for other files.
func (p *incremental) source(ctx context.Context, full string) (folder.Source, bool, error) {
	if p.summary.Path == full {
		return p.summary, true, nil
	}
	same, err := p.unchanged(ctx, full)
	return folder.Source{Path: full, Same: true}, same, err
}

// unchanged reports whether a file is the same page, or the same Markdown file without a page, as
// before. Reusable contents are few and always read.
func (p *incremental) unchanged(ctx context.Context, full string) (bool, error) {
	name, is := p.layout.Place().Name(full)
	if _, changed := p.changed[full]; !is || changed || p.read != nil && p.read(name) || name == p.summaryName() || folder.IsInclude(name) || strings.HasPrefix(name, ".gitbook/") {
		return false, nil
	}
	if id := p.filed.byFile[name]; id != "" {
		return !p.filed.empty[id], nil
	}
	if !folder.IsText(name) {
		return false, nil
	}
	b, err := p.from.base.Setting(ctx, revision.SettingUnlisted+name)
	return b != nil, err
}

func (p *incremental) summaryName() string { return cmp.Or(p.layout.Summary, "SUMMARY.md") }

// summaryDiff finds the files whose entries in SUMMARY.md changed.
func (p *incremental) summaryDiff(ctx context.Context) (reason string, err error) {
	full := p.full(p.summaryName())
	c, changed := p.changed[full]
	switch {
	case !changed: // also if there is none
		return "", nil
	case c.Old == "" || c.New == "":
		return p.summaryName() + " was added or deleted", nil
	}
	h, err := p.from.base.Setting(ctx, revision.SettingSummary)
	if err != nil {
		return "", err
	}
	was, err := p.from.base.Bytes(ctx, chunk.Hash(h))
	if err != nil {
		return "", err
	}
	want := []string{c.New}
	if was == nil || git.BlobOID(was) != c.Old { // the exported file differs from the imported one
		was, want = nil, []string{c.Old, c.New}
	}
	var now []byte
	limits := upstreamLimits()
	missing := false // the old object may not exist any more
	err = p.from.up.Read(ctx, want, func(oid string, size int64, data io.Reader) error {
		if data == nil || size > limits.Markdown {
			missing = true
			return nil
		}
		text, err := io.ReadAll(data)
		if oid == c.New {
			now = text
		} else {
			was = text
		}
		return err
	})
	if err != nil {
		return "", err
	}
	if missing {
		return p.summaryName() + " cannot be compared with its old version", nil
	}
	read, parsed, ok := folder.SummaryChanges(p.summaryName(), was, now, limits)
	if !ok {
		return p.summaryName() + " differs in more than its entries", nil
	}
	p.read, p.summary = read, folder.Source{Path: full, Size: int64(len(now)), Data: now, Parsed: parsed}
	return "", nil
}

// check reads those files that are needed although they are unchanged. If the whole folder has to be
// read, reason says why.
func (p *incremental) check(ctx context.Context, f *readFolder) (reason string, err error) {
	tree := f.tree
	if path.Clean(tree.Root) != path.Clean(p.layout.Root) || tree.Readme != cmp.Or(p.layout.Readme, tree.Readme) || tree.Summary != p.summaryName() && !tree.Inferred {
		return "the layout changed", nil
	}
	landings := p.changedLandings()
	for _, fp := range tree.All() {
		if fp.Same && p.filed.byFile[fp.File] == "" {
			return fp.File + " becomes a page", nil
		}
		if dir, landing := folder.FolderOf(fp.File); fp.Same && landing && landings[names.Fold(p.full(dir))] {
			return fp.File + " is another page of its folder", nil
		}
	}
	// A new file becomes a file of the space if some page refers to it.
	for _, f0 := range tree.Others {
		if _, was := f.known["/"+f0.Path]; was {
			continue
		}
		if b, err := p.from.base.Setting(ctx, revision.SettingOther+f0.Path); err != nil || b == nil {
			return f0.Path + " is new, and any page may refer to it", err
		}
	}
	var load []*folder.Page
	for _, fp := range tree.Unlisted {
		if fp.Same && p.filed.byFile[fp.File] != "" { // it was a page
			load = append(load, fp)
		}
	}
	return "", p.load(ctx, load)
}

// changedLandings returns the folders, case-folded, in or beside which a file came or went that
// decides whether an index.md is the landing page of the folder.
func (p *incremental) changedLandings() map[string]bool {
	out := map[string]bool{}
	for full, c := range p.changed {
		if (c.Old == "") == (c.New == "") {
			continue
		}
		out[names.Fold(strings.TrimSuffix(full, ".md"))] = true
		if dir, landing := folder.FolderOf(full); landing {
			out[names.Fold(dir)] = true
		}
	}
	return out
}

// load reads the files of pages that planIncremental did not read.
func (p *incremental) load(ctx context.Context, pages []*folder.Page) error {
	by := map[string][]*folder.Page{}
	var oids []string
	for _, fp := range pages {
		oid := p.oids[p.full(fp.File)]
		if fp.Source != nil || oid == "" {
			continue
		}
		if by[oid] = append(by[oid], fp); len(by[oid]) == 1 {
			oids = append(oids, oid)
		}
	}
	if len(oids) == 0 {
		return nil
	}
	in := blobFetch{from: p.from, limits: upstreamLimits()}
	return p.from.up.Read(ctx, oids, func(oid string, size int64, data io.Reader) error {
		if data == nil {
			return nil
		}
		got, err := in.object(oid, size, data, int64(len(by[oid])))
		if err != nil {
			return err
		}
		for _, fp := range by[oid] {
			fp.Source, fp.Head = got.text, markup.ParseHead(got.text)
		}
		return nil
	})
}

// unchangedPage returns the id of the page in the base if a page of the folder can stay as it is.
func (im *importer) unchangedPage(fp *folder.Page) (docs.PageID, bool) {
	if !fp.Same {
		return "", false
	}
	id, ok := im.where[fp.File]
	return id, ok && !im.kept[id]
}

// allUnchanged reports whether a level is unchanged.
func allUnchanged(old, next []docs.Page, unchanged []bool) bool {
	return !slices.Contains(unchanged, false) && slices.EqualFunc(old, next, func(a, b docs.Page) bool { return a.ID == b.ID })
}

// moving decodes the unchanged pages of a level whose place changed and marks them as changed.
func (im *importer) moving(ctx context.Context, old, next []docs.Page, unchanged []bool, parent docs.PageID) error {
	if !slices.Contains(unchanged, true) {
		return nil
	}
	was := make(map[docs.PageID]docs.Rank, len(old))
	for _, p := range old {
		was[p.ID] = p.Rank
	}
	move := func(i int) (err error) {
		rank := next[i].Rank
		next[i], err = im.draft.Before().Page(ctx, next[i].ID)
		next[i].Parent, next[i].Rank, unchanged[i] = parent, rank, false
		return err
	}
	for i, p := range next {
		if rank, here := was[p.ID]; unchanged[i] && (!here || rank != p.Rank) {
			if err := move(i); err != nil {
				return err
			}
		}
	}
	clash, err := im.clash(ctx, next, unchanged)
	for i := range next {
		if clash && err == nil && unchanged[i] {
			err = move(i)
		}
	}
	return err
}

// clash reports whether a changed page needs the slug of another page. Then all pages of the level
// get their slugs again, in their order.
func (im *importer) clash(ctx context.Context, next []docs.Page, unchanged []bool) (bool, error) {
	if !slices.Contains(unchanged, false) {
		return false, nil
	}
	here := make(map[docs.PageID]bool, len(next))
	for i, p := range next {
		if unchanged[i] {
			here[p.ID] = true
		}
	}
	taken := map[string]bool{}
	for i, p := range next {
		if unchanged[i] || !p.HasPath() {
			continue
		}
		key := string(p.Parent) + revision.Sep + docs.SlugKey(p.Slug)
		owner, ok, err := im.draft.Before().BySlug(ctx, p.Parent, p.Slug)
		if err != nil || taken[key] || ok && here[owner] {
			return true, err
		}
		taken[key] = true
	}
	return false, nil
}
