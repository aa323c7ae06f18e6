package exchange

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/store"
)

// Upstream is a folder that is stored elsewhere, as objects with ids, such as in a git repository.
// An import only requests what it needs: a change of one file costs that file.
type Upstream struct {
	// Paired reports whether a revision is equal to an earlier state of the folder. Then Changed
	// lists the files that differ since. Otherwise the whole folder is imported.
	Paired  bool
	Changed []UpstreamChange
	// AtLeast is the smallest mode that the caller allows: WholeFolder if there may be files that
	// no import has read. Empty leaves the decision to the plan.
	AtLeast Mode
	// List returns all files.
	List func(ctx context.Context) ([]UpstreamFile, error)
	// Read calls each with the bytes of every object once, in any order. data is nil if the bytes
	// are not available.
	Read func(ctx context.Context, oids []string, each func(oid string, size int64, data io.Reader) error) error
}

// UpstreamFile is a file and the object id of its bytes.
type UpstreamFile struct{ Path, OID string }

// UpstreamChange is a file that differs. An empty object id means that the file does not exist.
type UpstreamChange struct{ Path, Old, New string }

// Imported is the content of an upstream, as a draft on a revision.
type Imported struct {
	Problems []folder.Problem
	Empty    bool // there are no pages

	Draft *revision.Draft
	Work  *index.Work

	in     *source // nil: a folder
	parsed int     // bytes of pages whose documents the draft has
}

// Discard deletes index entries that were stored in advance and are not used, and releases the place
// of a large import.
func (t *Imported) Discard(ctx context.Context) {
	t.Work.Discard(ctx)
	if t.in != nil {
		t.in.releaseLarge()
	}
}

// Changes reports whether the draft differs from its base.
func (t *Imported) Changes() bool { return !t.Draft.Empty() }

// upstreamLimits are the limits of a folder, except that text which is too large for a page is left
// out and reported.
func upstreamLimits() folder.Limits {
	l := folder.DefaultLimits
	l.Markdown, l.Memory = docs.MaxSource, maxUpstream
	return l
}

// maxUpstream is the maximum size of the texts of a repository, in bytes. Importing them takes several
// times as much memory.
const maxUpstream = 256 << 20

// changedFile is a file of which only the bytes changed.
type changedFile struct {
	UpstreamChange
	name     string // below the root
	kind, id string // of the content in the base
	data     []byte // of a text
	head     frontmatter.Head
	file     docs.File
}

// Kinds of files besides "p", "f" and "r" (see revision.Tree.Named).
const (
	kindUnlisted = "u"
	kindOther    = "o"
)

// changedFiles reads the files that differ. If that is not enough, reason says why.
func (t *source) changedFiles(ctx context.Context) (changed []*changedFile, reason string, err error) {
	layout, err := t.base.Layout(ctx)
	if err != nil {
		return nil, "", err
	}
	for _, c := range t.up.Changed {
		f, ok, err := t.known(ctx, c, layout)
		if err != nil {
			return nil, "", err
		}
		if !ok {
			return nil, "the structure changed at " + c.Path, nil
		}
		if f != nil {
			changed = append(changed, f)
		}
	}
	if err := t.read(ctx, changed); err != nil {
		return nil, "", err
	}
	for _, f := range changed {
		if reason, err = t.structural(ctx, f, layout.Place()); err != nil || reason != "" {
			return nil, reason, err
		}
	}
	return changed, "", nil
}

// structural returns the reason why a changed file affects others, or "" if it does not.
func (t *source) structural(ctx context.Context, f *changedFile, at folder.Place) (reason string, err error) {
	switch {
	case f.text() && f.data == nil || !f.text() && f.file.Blob == "":
		return "the bytes of " + f.Path + " cannot be read", nil
	case f.kind != "p" && f.kind != "r":
		return "", nil
	}
	f.head = markup.ParseHead(f.data)
	for _, file := range folder.References(at, f.name, f.data) {
		if b, err := t.base.Setting(ctx, revision.SettingOther+file); err != nil || b != nil {
			return f.Path + " refers to " + file + ", which becomes a file of the space", err
		}
	}
	if f.kind == "r" {
		return "", nil
	}
	same, err := t.sameTitle(ctx, f)
	if err != nil || same {
		return "", err
	}
	return "the title of " + f.Path + " changed, which SUMMARY.md may repeat", nil
}

// sameTitle reports whether the title of a changed page is unchanged.
func (t *source) sameTitle(ctx context.Context, f *changedFile) (bool, error) {
	was, err := t.base.Page(ctx, docs.PageID(f.id))
	if err != nil {
		return false, err
	}
	old, err := t.base.Bytes(ctx, was.Body)
	if err != nil {
		return false, err
	}
	h := f.head
	untitled := h.Title == "" && was.File != "" && markup.ParseHead(old).Title == ""
	titled := h.Title != "" && h.Title == was.Title && h.Emoji == emoji.FromCode(was.Emoji)
	return (untitled || titled) && (h.Meta.LinkTitle == "" || h.Meta.LinkTitle == was.LinkTitle), nil
}

// importFiles imports files that do not affect others.
func (t *source) importFiles(ctx context.Context, changed []*changedFile) (*Imported, error) {
	out := &Imported{Draft: t.draft, in: t}
	for i, f := range changed {
		t.step("process", i, len(changed))
		release, err := t.s.parse(ctx, t.base.Space.Org, len(f.data))
		if err != nil {
			return nil, err
		}
		err = t.put(ctx, out, f)
		release()
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// known returns the content of the base at a changed path, or nil if the file is not content. ok is
// false if reading the changed files is not enough.
func (t *source) known(ctx context.Context, c UpstreamChange, l revision.Layout) (f *changedFile, ok bool, err error) {
	if c.Path == folder.ConfigName {
		return nil, false, nil
	}
	name, is := l.Place().Name(c.Path)
	if is && folder.Ignored(name) {
		if is, err = unhidden(ctx, t.base.Tree, name); err != nil {
			return nil, false, err
		}
		if !is && c.Old == "" && folder.IsText(name) {
			return nil, false, nil // SUMMARY.md may name it
		}
	}
	if !is {
		return nil, true, nil
	}
	if c.Old == "" || c.New == "" || name == cmp.Or(l.Summary, "SUMMARY.md") {
		return nil, false, nil
	}
	f = &changedFile{UpstreamChange: c, name: name}
	if f.kind, f.id, ok, err = t.base.Named(ctx, name); err != nil || ok {
		return f, ok, err
	}
	for kind, at := range map[string]string{kindUnlisted: revision.SettingUnlisted, kindOther: revision.SettingOther} {
		if b, err := t.base.Setting(ctx, at+name); err != nil || b != nil {
			f.kind = kind
			return f, true, err
		}
	}
	p, ok, err := t.base.PageWrittenTo(ctx, name)
	f.kind, f.id = "p", string(p.ID)
	return f, ok, err
}

// text reports whether the bytes of a file are stored in the revision itself.
func (f *changedFile) text() bool { return f.kind != "f" && f.kind != kindOther }

// read reads the bytes of the files.
func (t *source) read(ctx context.Context, files []*changedFile) error {
	by := map[string][]*changedFile{}
	var oids []string
	for _, f := range files {
		by[f.New] = append(by[f.New], f)
		oids = append(oids, f.New)
	}
	in := blobFetch{from: t, limits: upstreamLimits()}
	return t.up.Read(ctx, oids, func(oid string, size int64, data io.Reader) error {
		if data == nil {
			return nil
		}
		got, err := in.object(oid, size, data, count(by[oid], (*changedFile).text))
		if err != nil {
			return err
		}
		for _, f := range by[oid] {
			if f.text() {
				f.data = got.text
			} else if f.file, err = got.keep(ctx, f.name); err != nil {
				return err
			}
		}
		return nil
	})
}

func count[T any](list []T, is func(T) bool) (n int64) {
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return n
}

// keepAs stores the bytes of a file together with git's object id.
func (s *Exchange) keepAs(ctx context.Context, name, oid string, data io.Reader) (docs.File, error) {
	f, err := s.StoreFile(ctx, path.Base(name), data)
	if err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	f.Path, f.OID = name, oid
	return f, nil
}

// put imports one file.
func (t *source) put(ctx context.Context, out *Imported, f *changedFile) error {
	d := out.Draft
	switch f.kind {
	case kindOther:
		b, err := json.Marshal(f.file)
		d.Set(revision.KeySetting+revision.SettingOther+f.name, b)
		return err
	case kindUnlisted:
		d.Set(revision.KeySetting+revision.SettingUnlisted+f.name, []byte(d.Object(f.data, "")))
		return nil
	case "f":
		was, err := t.base.File(ctx, docs.FileID(f.id))
		if err != nil {
			return err
		}
		f.file.ID, f.file.Name, f.file.Path = was.ID, was.Name, was.Path
		return d.PutFile(f.file)
	}
	for _, p := range f.head.Problems {
		out.Problems = append(out.Problems, folder.Problem{File: f.Path, Line: p.Line, Code: folder.CodeFrontMatter, Message: p.Message})
	}
	if f.kind == "r" {
		return t.putReusable(ctx, out, f)
	}
	return t.putPage(ctx, out, f)
}

func (t *source) putReusable(ctx context.Context, out *Imported, f *changedFile) error {
	r, err := t.base.Reusable(ctx, docs.ReusableID(f.id))
	if err != nil {
		return err
	}
	if f.head.Title != "" {
		r.Title = f.head.Title
	}
	if r.Body, r.Sidecar, _, err = out.Draft.Compose(ctx, revision.ReusableText(r), &revision.Writing{Path: f.name, Markdown: f.data, Whole: true, Written: true}); err != nil {
		return err
	}
	r.OID = f.New
	return out.Draft.PutReusable(r)
}

// putPage imports a page whose title is unchanged.
func (t *source) putPage(ctx context.Context, out *Imported, f *changedFile) error {
	d := out.Draft
	was, err := t.base.Page(ctx, docs.PageID(f.id))
	if err != nil {
		return err
	}
	p := docs.Page{
		ID: was.ID, Type: was.Type, Parent: was.Parent, Rank: was.Rank, Slug: was.Slug, Pinned: was.Pinned, File: was.File,
		CreatedAt: was.CreatedAt, UpdatedAt: was.UpdatedAt,
	}
	revision.ApplyHead(f.head, &p)
	p.Title, p.Emoji, p.LinkTitle, p.OID = was.Title, was.Emoji, was.LinkTitle, f.New
	l := d.Linker(ctx, f.name)
	if p.Cover = revision.CoverOf(f.head, l); l.Err != nil {
		return l.Err
	}
	var doc *markup.Document
	x := revision.Text{Owner: string(p.ID), File: f.name, Body: was.Body, Sidecar: was.Sidecar}
	if p.Body, p.Sidecar, doc, err = d.Compose(ctx, x, &revision.Writing{Path: f.name, Markdown: f.data, Whole: true, Written: true}); err != nil {
		return err
	}
	if out.parsed += len(f.data); out.parsed <= parsedAtOnce { // the index parses the rest again, one after another
		d.Parsed[revision.DocKey(p.Body, p.Sidecar)] = doc
	}
	d.Touch(p.ID)
	return d.Put(ctx, p)
}

// readFolder reads the folder, without the files whose source unchanged returns.
func (t *source) readFolder(ctx context.Context, unchanged func(context.Context, string) (folder.Source, bool, error)) (*readFolder, error) {
	list, err := t.list(ctx)
	if err != nil {
		return nil, err
	}
	out := &readFolder{}
	if out.known, err = t.knownFiles(ctx); err != nil {
		return nil, err
	}
	sources, have, err := t.sources(ctx, list, out.known, unchanged)
	if err != nil {
		return nil, err
	}
	out.have = have
	out.tree, err = folder.Read(folder.List(sources), upstreamLimits())
	return out, err
}

// readFolder is a folder that was read from an upstream.
type readFolder struct {
	tree        *folder.Tree
	have, known map[string]docs.File // files that are stored: of this folder, and of the base
}

// importFolder imports a folder. If the upstream is paired, unchanged pages are neither parsed nor
// indexed again; p says which files were not read if only a part was read.
func (t *source) importFolder(ctx context.Context, f *readFolder, p *incremental) (*Imported, error) {
	d, tree := t.draft, f.tree
	im := newImporter(t.s, d, tree, t.step)
	im.have = filesBelow(folder.Place{Root: tree.Root, Readme: tree.Readme}, f.have)
	if err := im.releaseTexts(); err != nil {
		return nil, err
	}
	if im.paired = t.up.Paired; im.paired {
		changed := map[string]bool{}
		for _, c := range t.up.Changed {
			changed[c.Path] = true
		}
		im.same = func(file string) bool { return !changed[path.Join(tree.Root, file)] }
	}
	if p != nil {
		im.incremental, im.filed = p, p.filed
	}
	im.keepFiles(f.known)
	if err := im.run(ctx); err != nil {
		im.work.Discard(ctx)
		return nil, err
	}
	return &Imported{Problems: tree.Problems, Empty: len(tree.Pages) == 0, Draft: d, Work: im.work, in: t}, nil
}

// releaseTexts replaces the functions that open files, which refer to all texts of the folder, so that the
// texts can be freed. Nearly all files are stored already.
func (im *importer) releaseTexts() error {
	for _, f := range slices.Concat(im.tree.Files, im.tree.Others) {
		if _, kept := im.have[f.Path]; kept {
			f.Open = nil
			continue
		}
		r, err := f.Open() // a text file that is not a page
		if err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
		f.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	}
	return nil
}

// list returns the files that can be content: few, in a repository that has more than
// documentation.
func (t *source) list(ctx context.Context) ([]UpstreamFile, error) {
	if t.all != nil {
		return t.all, nil
	}
	all, err := t.up.List(ctx)
	if err != nil {
		return nil, err
	}
	at, summary, err := folder.LayoutOf(0, nil)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(f UpstreamFile) bool { return f.Path == folder.ConfigName }); i >= 0 {
		err := t.up.Read(ctx, []string{all[i].OID}, func(_ string, size int64, data io.Reader) error {
			at, summary, err = folder.LayoutOf(size, data)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	named, err := t.named(ctx, all, at, summary)
	if err != nil {
		return nil, err
	}
	t.all = slices.DeleteFunc(all, func(f UpstreamFile) bool {
		name, is := at.Name(f.Path)
		return f.Path != folder.ConfigName && (!is || named.Ignored(name))
	})
	return t.all, nil
}

// named returns the files that SUMMARY.md lists and that would be skipped otherwise. SUMMARY.md is
// only read if there are such files.
func (t *source) named(ctx context.Context, all []UpstreamFile, root folder.Place, summary string) (named folder.Named, err error) {
	at, hidden := -1, false
	for i, f := range all {
		name, is := root.Name(f.Path)
		switch {
		case !is:
		case name == summary, at < 0 && strings.EqualFold(name, summary):
			at = i
		case folder.IsText(name) && folder.Ignored(name):
			hidden = true
		}
	}
	if at < 0 || !hidden {
		return nil, nil
	}
	err = t.up.Read(ctx, []string{all[at].OID}, func(_ string, size int64, data io.Reader) error {
		if data == nil || size > folder.DefaultLimits.Markdown {
			return nil // folder.Read reports it
		}
		src, err := io.ReadAll(io.LimitReader(data, folder.DefaultLimits.Markdown))
		named = folder.NamedBy(summary, src)
		return err
	})
	return named, err
}

// unhidden reports whether a path that would be skipped otherwise is content, because it or something
// else in its folder was imported.
func unhidden(ctx context.Context, t *revision.Tree, name string) (is bool, err error) {
	for _, part := range folder.HiddenParts(name) {
		is = false
		err := t.Scan(ctx, revision.NameKey(part), "", func(rest string, _ []byte) (bool, error) {
			is = strings.HasSuffix(part, "/") || rest == ""
			return false, nil
		})
		if err != nil || !is {
			return false, err
		}
	}
	return is, nil
}

// knownFiles returns the files of the base that are not texts, by object id and by path.
func (t *source) knownFiles(ctx context.Context) (map[string]docs.File, error) {
	out := map[string]docs.File{}
	add := func(f docs.File) {
		if f.OID != "" {
			out[f.OID] = f
		}
		if f.ID != "" {
			out["/"+f.Path] = f
		}
	}
	all, err := t.base.Files(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		add(f)
	}
	return out, t.base.Scan(ctx, revision.KeySetting+revision.SettingOther, "", func(_ string, b []byte) (bool, error) {
		f, err := revision.DecodeFile("", b)
		add(f)
		return true, err
	})
}

// sources reads the bytes of texts that are needed, and of other files that are not stored yet.
func (t *source) sources(ctx context.Context, list []UpstreamFile, known map[string]docs.File, unchanged func(context.Context, string) (folder.Source, bool, error)) ([]folder.Source, map[string]docs.File, error) {
	in := blobFetch{from: t, limits: upstreamLimits()}
	if len(list) > in.limits.Files {
		return nil, nil, errs.E(errs.Invalid, "the folder has more than %d files", in.limits.Files)
	}
	have := map[string]docs.File{}
	keep := &fileStore{have: have, free: make(chan struct{}, keepAtOnce)}
	by := map[string][]string{} // paths by object id
	out := make([]folder.Source, 0, len(list))
	var oids []string
	for _, f := range list {
		if src, is, err := unchanged(ctx, f.Path); err != nil {
			return nil, nil, err
		} else if is {
			out = append(out, src)
			continue
		}
		if k, ok := known[f.OID]; ok && !folder.IsText(f.Path) {
			k.ID, k.Name, k.Path = "", path.Base(f.Path), f.Path
			have[f.Path] = k
			out = append(out, folder.Source{Path: f.Path, Size: k.Size})
			continue
		}
		if by[f.OID] = append(by[f.OID], f.Path); len(by[f.OID]) == 1 {
			oids = append(oids, f.OID)
		}
	}
	done := 0
	err := t.up.Read(ctx, oids, func(oid string, size int64, data io.Reader) error {
		t.step("read", done, len(oids))
		done++
		if data == nil {
			return nil // the upstream has reported why
		}
		got, err := in.object(oid, size, data, count(by[oid], folder.IsText))
		if err != nil {
			return err
		}
		var files []string
		for _, name := range by[oid] {
			f := folder.Source{Path: name, Size: size}
			if folder.IsText(name) && got.text != nil {
				f.Data = got.text
			} else { // also a text that is too large for a page
				files = append(files, name)
			}
			out = append(out, f)
		}
		return keep.take(ctx, got, files)
	})
	return out, have, cmp.Or(err, keep.wait())
}

// filesBelow returns the files below a root, by their paths relative to it.
func filesBelow(root folder.Place, have map[string]docs.File) map[string]docs.File {
	out := map[string]docs.File{}
	for name, f := range have {
		if rest, ok := root.Name(name); ok {
			f.Path = rest
			out[rest] = f
		}
	}
	return out
}

// keepFiles keeps files of the space even if no page refers to them any more: something else may refer
// to them by id.
func (im *importer) keepFiles(known map[string]docs.File) {
	im.tree.Others = slices.DeleteFunc(im.tree.Others, func(f *folder.File) bool {
		_, is := known["/"+f.Path]
		if is {
			im.tree.Files = append(im.tree.Files, f)
		}
		return is
	})
}

// Exchange turns folders and git trees into drafts, and revisions into files.
type Exchange struct {
	Store  *store.Store
	Source *revision.Source
	Blobs  blob.Store
	Index  *index.Index
	// NewDraft makes drafts; nil uses the clock of the store.
	NewDraft func(base *revision.View) *revision.Draft

	parsing *budget.Pool // bytes of pages that are parsed at the same time
	large   *budget.Pool // imports that hold much text in memory
}

// StoreFile stores bytes in the blob store and detects their type. The type that a sender claims is
// ignored.
func (s *Exchange) StoreFile(ctx context.Context, name string, r io.Reader) (docs.File, error) {
	info, kind, err := blob.Save(ctx, s.Blobs, name, r)
	if err != nil {
		return docs.File{}, err
	}
	return docs.File{
		Name: name, ContentType: kind.ContentType, Size: info.Size, Width: kind.Width, Height: kind.Height, Blob: info.Hash.String(),
	}, nil
}
