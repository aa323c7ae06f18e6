package exchange

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup/lis"
)

// importer puts a folder into a draft. The tree comes first and the bodies
// afterwards, so that every reference finds its target.
type importer struct {
	draft *revision.Draft
	tree  *folder.Tree
	step  Step
	ids   map[*folder.Page]docs.PageID
	kept  map[docs.PageID]bool

	where    map[string]docs.PageID // pages of the base, by their files
	moved    map[string]docs.PageID // pages of the base whose file has another name now, by that name
	fileless []docs.Page            // pages of the base that are not documents
	looked   int                    // number of comparisons with siblings and fileless so far
	tied     map[docs.PageID]bool   // pages that had no file of their own and have one now
	renamed  bool                   // some file of the base has another name now
	taken    bool                   // some path that led to something of the base leads to something else

	// In an import from a repository it is known which files are unchanged, and the bytes of files
	// were stored when they were read.
	paired bool
	same   func(file string) bool
	have   map[string]docs.File // by path

	filed       *filedPages  // the files of the pages of the base
	incremental *incremental // set if only a part of the folder was read
	todo        []*folder.Page

	x    *Exchange
	work *index.Work // entries for the index
}

// Step is called with the progress of an operation.
type Step func(stage string, done, all int)

func newImporter(x *Exchange, d *revision.Draft, t *folder.Tree, step Step) *importer {
	pages := len(t.All())
	return &importer{
		x: x, draft: d, tree: t, step: step, ids: make(map[*folder.Page]docs.PageID, pages), kept: make(map[docs.PageID]bool, pages), tied: map[docs.PageID]bool{},
		same: func(string) bool { return false },
	}
}

// maxImportPages is the maximum size of the decoded pages that an import caches, in bytes: it reads
// all pages several times.
const maxImportPages = 128 << 20

func (im *importer) run(ctx context.Context) error {
	im.draft.Cache = revision.NewPageCache(maxImportPages)
	defer func() { im.draft.Cache = nil }()
	if err := im.identify(ctx); err != nil {
		return err
	}
	if err := im.files(ctx); err != nil {
		return err
	}
	if err := im.level(ctx, im.tree.Pages, "", 0); err != nil {
		return err
	}
	if err := im.includes(ctx); err != nil {
		return err
	}
	if err := im.clean(ctx); err != nil {
		return err
	}
	if err := im.stay(ctx); err != nil {
		return err
	}
	if err := im.settings(ctx); err != nil {
		return err
	}
	if err := im.draft.UpdateTombstones(ctx); err != nil {
		return err
	}
	return im.bodies(ctx)
}

func (im *importer) files(ctx context.Context) error {
	missing := map[docs.FileID]docs.File{}
	old, err := im.draft.Files(ctx, "", 0)
	if err != nil {
		return err
	}
	present := map[string]bool{}
	for _, f := range im.tree.Files {
		present[f.Path] = true
	}
	byOID := map[string]docs.FileID{} // files whose name does not exist any more
	for _, f := range old {
		missing[f.ID] = f
		if !present[f.Path] && f.OID != "" {
			byOID[f.OID] = f.ID
		}
	}
	for i, f := range im.tree.Files {
		im.step("files", i, len(im.tree.Files))
		kept, err := im.keepFile(ctx, f)
		if err != nil {
			return err
		}
		kind, id, ok, err := im.draft.Named(ctx, f.Path)
		if err != nil {
			return err
		}
		if !ok || kind != "f" {
			id = string(byOID[kept.OID])
			delete(byOID, kept.OID)
		}
		if kept.ID = docs.FileID(id); id == "" {
			kept.ID = docs.FileID(im.draft.NewID())
		}
		was := missing[kept.ID]
		im.renamed = im.renamed || was.ID != "" && was.Path != kept.Path
		if delete(missing, kept.ID); was.Path == kept.Path && was.Name != "" {
			kept.Name = was.Name
		} else if err := im.draft.DropName(ctx, was.Path, revision.Owner(revision.KeyFile, id)); err != nil {
			return err
		}
		if err := im.draft.PutFile(kept); err != nil {
			return err
		}
	}
	for _, f := range missing {
		im.draft.Remove(revision.FileKey(f.ID))
		if err := im.draft.DropName(ctx, f.Path, revision.Owner(revision.KeyFile, f.ID)); err != nil {
			return err
		}
	}
	return nil
}

// keepFile stores the bytes of a file in the blob store.
func (im *importer) keepFile(ctx context.Context, f *folder.File) (docs.File, error) {
	if kept, ok := im.have[f.Path]; ok {
		return kept, nil
	}
	r, err := f.Open()
	if err != nil {
		return docs.File{}, err
	}
	defer r.Close()
	oid := git.NewBlobHash(f.Size)
	out, err := im.x.StoreFile(ctx, path.Base(f.Path), io.TeeReader(r, oid))
	if err != nil {
		return out, fmt.Errorf("%s: %w", f.Path, err)
	}
	out.Path, out.OID = f.Path, oid.OID()
	return out, nil
}

// level puts the pages of one level into the draft, in their order.
func (im *importer) level(ctx context.Context, pages []*folder.Page, parent docs.PageID, depth int) error {
	if depth >= docs.MaxPageDepth {
		return errs.E(errs.Invalid, "pages are nested deeper than %d levels", docs.MaxPageDepth)
	}
	if len(pages) == 0 {
		return nil
	}
	before := im.draft.Before()
	old, err := before.ChildRanks(ctx, parent)
	if err != nil {
		return err
	}
	var siblings []docs.Page
	if slices.ContainsFunc(pages, func(fp *folder.Page) bool { return fp.Type != folder.Document }) {
		if siblings, err = before.Children(ctx, parent); err != nil {
			return err
		}
	}
	next, unchanged := make([]docs.Page, len(pages)), make([]bool, len(pages))
	for i, fp := range pages {
		if next[i].ID, unchanged[i] = im.unchangedPage(fp); !unchanged[i] {
			if next[i], err = im.page(ctx, fp, parent, siblings); err != nil {
				return err
			}
		}
		im.ids[fp] = next[i].ID
		im.kept[next[i].ID] = true
		next[i].Rank = ""
	}
	if !allUnchanged(old, next, unchanged) {
		rankInOrder(old, next)
		if err := im.moving(ctx, old, next, unchanged, parent); err != nil {
			return err
		}
	}
	slugs := map[string]int{}
	for i := range next {
		if unchanged[i] {
			if err := im.level(ctx, pages[i].Children, next[i].ID, depth+1); err != nil {
				return err
			}
			continue
		}
		p := &next[i]
		uniqueSlug(p, slugs)
		was, had, err := im.draft.Lookup(ctx, p.ID)
		if err != nil {
			return err
		}
		if had {
			p.CreatedAt, p.UpdatedAt, p.Body, p.Sidecar = was.CreatedAt, was.UpdatedAt, was.Body, was.Sidecar
		}
		if hasWork(pages[i]) { // body checks whether it changed
			im.todo = append(im.todo, pages[i])
		} else {
			im.draft.Touch(p.ID)
		}
		if err := im.draft.Put(ctx, *p); err != nil {
			return err
		}
		if err := im.level(ctx, pages[i].Children, p.ID, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// rankInOrder assigns ranks to the pages of a level in their order. As many pages as possible keep
// their rank, so that pages which did not move are unchanged.
func rankInOrder(old, next []docs.Page) {
	had := map[docs.PageID]docs.Rank{}
	for _, p := range old {
		had[p.ID] = p.Rank
	}
	var known []int
	for i, p := range next {
		if _, ok := had[p.ID]; ok {
			known = append(known, i)
		}
	}
	for _, k := range lis.Longest(known, func(i, j int) int { return cmp.Compare(had[next[i].ID], had[next[j].ID]) }) {
		next[known[k]].Rank = had[next[known[k]].ID]
	}
	last, long := docs.Rank(""), false
	ranked := 0 // index of the next page that has a rank
	for i := range next {
		if next[i].Rank == "" {
			for ranked = max(ranked, i+1); ranked < len(next) && next[ranked].Rank == ""; ranked++ {
			}
			before := docs.Rank("")
			if ranked < len(next) {
				before = next[ranked].Rank
			}
			if before == "" {
				next[i].Rank = docs.RankAfter(last)
			} else {
				next[i].Rank = docs.RankBetween(last, before)
			}
		}
		last = next[i].Rank
		if long = len(last) > revision.MaxRank; long {
			break // ranks between two others get longer with each page
		}
	}
	if !long {
		return
	}
	last = ""
	for i := range next {
		last = docs.RankAfter(last)
		next[i].Rank = last
	}
}

// uniqueSlug sets a slug that none of the page's siblings has. taken holds for each slug in use the
// next number to append.
func uniqueSlug(p *docs.Page, taken map[string]int) {
	if !p.HasPath() {
		return
	}
	want := p.Slug
	for n := max(1, taken[docs.SlugKey(want)]); taken[docs.SlugKey(p.Slug)] > 0; n++ {
		p.Slug = fmt.Sprintf("%s-%d", want, n)
		taken[docs.SlugKey(want)] = n + 1
	}
	taken[docs.SlugKey(p.Slug)] = max(1, taken[docs.SlugKey(p.Slug)])
}

// clean deletes what the folder no longer has.
func (im *importer) clean(ctx context.Context) error {
	var missing []docs.Page
	err := im.draft.Scan(ctx, revision.KeyPage, "", func(id string, b []byte) (bool, error) {
		if !im.kept[docs.PageID(id)] {
			p, err := docs.DecodePage(id, b)
			missing = append(missing, p)
			return true, err
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, p := range missing {
		im.draft.Remove(revision.PageKey(p.ID))
		im.draft.Remove(revision.OrderKey(p))
		if id, ok, err := im.draft.Get(ctx, revision.SlugKey(p.Parent, p.Slug)); err != nil {
			return err
		} else if ok && docs.PageID(id) == p.ID {
			im.draft.Remove(revision.SlugKey(p.Parent, p.Slug))
		}
		if kind, id, ok, err := im.draft.Named(ctx, p.File); err != nil {
			return err
		} else if ok && kind == "p" && docs.PageID(id) == p.ID {
			im.draft.Remove(revision.NameKey(p.File))
		}
	}
	return nil
}

func (im *importer) includes(ctx context.Context) error {
	missing := map[docs.ReusableID]docs.Reusable{}
	old, err := im.draft.Reusables(ctx)
	if err != nil {
		return err
	}
	present := map[string]bool{}
	for _, in := range im.tree.Includes {
		present[in.File] = true
	}
	byOID := map[string]docs.ReusableID{} // contents whose name does not exist any more
	for _, r := range old {
		missing[r.ID] = r
		if !present[r.File] && r.OID != "" {
			byOID[r.OID] = r.ID
		}
	}
	for _, in := range im.tree.Includes {
		r := docs.Reusable{Title: in.Title, File: in.File, OID: git.BlobOID(in.Source)}
		kind, id, ok, err := im.draft.Named(ctx, in.File)
		if err != nil {
			return err
		}
		if !ok || kind != "r" {
			id = string(byOID[r.OID])
			delete(byOID, r.OID)
		}
		if r.ID = docs.ReusableID(id); id == "" {
			r.ID = docs.ReusableID(im.draft.NewID())
		}
		was := missing[r.ID]
		if r.Body, r.Sidecar = was.Body, was.Sidecar; was.File != r.File {
			if err := im.draft.DropName(ctx, was.File, revision.Owner(revision.KeyReusable, id)); err != nil {
				return err
			}
		}
		delete(missing, r.ID)
		if err := im.draft.PutReusable(r); err != nil {
			return err
		}
	}
	for _, r := range missing {
		im.draft.Remove(revision.ReusableKey(r.ID))
		if err := im.draft.DropName(ctx, r.File, revision.Owner(revision.KeyReusable, r.ID)); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) settings(ctx context.Context) error {
	keep := map[string]bool{}
	set := func(key string, value []byte) {
		keep[key] = true
		im.draft.Set(key, value)
	}
	for name, data := range map[string][]byte{
		revision.SettingSummary: im.tree.SummarySource, revision.SettingConfig: im.tree.ConfigSource,
		revision.SettingVars: im.tree.VariablesSource, revision.SettingTags: im.tree.TagsSource,
	} {
		if data != nil {
			before, _, err := im.draft.Get(ctx, revision.KeySetting+name)
			if err != nil {
				return err
			}
			set(revision.KeySetting+name, []byte(im.draft.Object(data, chunk.Hash(before))))
		}
	}
	b, err := json.Marshal(revision.Layout{
		Root: im.tree.Root, Readme: im.tree.Readme, Summary: im.tree.Summary, Inferred: im.tree.Inferred, Skipped: im.tree.Skipped,
		Variables: im.tree.VariablesFile, Tags: im.tree.TagsFile,
	})
	if err != nil {
		return err
	}
	set(revision.KeySetting+revision.SettingLayout, b)
	for _, p := range im.tree.Unlisted {
		if key := revision.KeySetting + revision.SettingUnlisted + p.File; p.Same && p.Source == nil {
			keep[key] = true
		} else {
			set(key, []byte(im.draft.Object(p.Source, "")))
		}
	}
	if err := im.redirects(ctx, set); err != nil {
		return err
	}
	for _, f := range im.tree.Others {
		kept, err := im.keepFile(ctx, f)
		if err != nil {
			return err
		}
		b, err := json.Marshal(kept)
		if err != nil {
			return err
		}
		set(revision.KeySetting+revision.SettingOther+f.Path, b)
	}
	for name, v := range im.tree.Variables {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		set(revision.KeyVariable+name, b)
	}
	return im.removeOthers(ctx, keep)
}

// redirects stores the redirects of the folder and the pages that they lead to.
func (im *importer) redirects(ctx context.Context, set func(key string, value []byte)) error {
	pages := map[string]docs.PageID{}
	if len(im.tree.Redirects) > 0 {
		for fp, id := range im.ids {
			if fp.Type == folder.Document {
				pages[fp.File] = id
			}
		}
	}
	for _, r := range im.tree.Redirects {
		leads, err := im.leads(ctx, r, pages)
		if err != nil {
			return err
		}
		set(revision.KeySetting+revision.SettingRedirect+r.From, []byte(r.To))
		if leads != "" {
			set(revision.KeySetting+revision.SettingLeads+r.From, []byte(leads))
		}
	}
	return nil
}

// removeOthers removes the settings and variables that are not in keep.
func (im *importer) removeOthers(ctx context.Context, keep map[string]bool) error {
	for _, prefix := range []string{revision.KeySetting, revision.KeyVariable} {
		var others []string
		err := im.draft.Scan(ctx, prefix, "", func(rest string, _ []byte) (bool, error) {
			if !keep[prefix+rest] {
				others = append(others, prefix+rest)
			}
			return true, nil
		})
		if err != nil {
			return err
		}
		for _, key := range others {
			im.draft.Remove(key)
		}
	}
	return nil
}

// leads returns the page that a redirect leads to. A redirect to a deleted
// page keeps that page, because the page may be restored.
func (im *importer) leads(ctx context.Context, r folder.Redirect, pages map[string]docs.PageID) (docs.PageID, error) {
	file, _ := redirectFile(r.To)
	if id, ok := pages[file]; ok {
		return id, nil
	}
	base := im.draft.Before()
	to, err := base.Setting(ctx, revision.SettingRedirect+r.From)
	if err != nil || len(to) == 0 {
		return "", err
	}
	// A page that moved before it was deleted is exported with its last file.
	exported, err := exportedRedirect(ctx, base, r.From, string(to))
	if err != nil || r.To != string(to) && r.To != exported {
		return "", err
	}
	was, err := base.Setting(ctx, revision.SettingLeads+r.From)
	if err != nil || len(was) == 0 {
		return "", err
	}
	_, there, err := im.draft.Lookup(ctx, docs.PageID(was))
	if there {
		return "", err // the page has another file, and the redirect does not name it
	}
	return docs.PageID(was), err
}

// ImportFolder returns the draft in which a folder replaces all content of a revision. It stores
// nothing but the bytes of files.
func (s *Exchange) ImportFolder(ctx context.Context, base *revision.View, t *folder.Tree, step Step) (*Imported, error) {
	d := s.draft(base)
	im := newImporter(s, d, t, step)
	if err := im.run(ctx); err != nil {
		im.work.Discard(ctx)
		return nil, err
	}
	return &Imported{Problems: t.Problems, Empty: len(t.Pages) == 0, Draft: d, Work: im.work}, nil
}
