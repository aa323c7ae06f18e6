package content

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
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/frontmatter"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/store"
)

// Upstream is a folder that is kept somewhere else under names of objects, as
// in a git repository. It is asked for what is needed only: a change of one
// file costs that file.
type Upstream struct {
	// Paired says that there is a revision that is equal to what the folder
	// was before, and Changed is what differs since. Otherwise the folder is
	// taken as a whole.
	Paired  bool
	Changed []UpstreamChange
	// Whole says that there may be more that nobody looked at yet, besides the
	// pages.
	Whole bool
	// List gives all files.
	List func(ctx context.Context) ([]UpstreamFile, error)
	// Read gives the bytes of objects, each once, one after the other in any
	// order. Nil bytes are those that cannot be had.
	Read func(ctx context.Context, oids []string, each func(oid string, size int64, data io.Reader) error) error
}

// UpstreamFile is a file and the name of its bytes.
type UpstreamFile struct{ Path, OID string }

// UpstreamChange is a file that differs; an empty name is that of a file that
// is not there.
type UpstreamChange struct{ Path, Old, New string }

// Taken is what an upstream has, as a draft on a revision.
type Taken struct {
	Problems []folder.Problem
	Empty    bool // there is no page at all

	draft *draft
	work  *Work
}

// Discard lets go of what was stored ahead and nobody took over.
func (t *Taken) Discard(ctx context.Context) { t.work.discard(ctx) }

// Changes tells whether the draft differs from its base.
func (t *Taken) Changes() bool { return !t.draft.empty() }

// Take works out what a revision becomes by what an upstream has. Nothing is
// stored but the bytes of files.
func (s *Exchange) Take(ctx context.Context, base *View, up Upstream, step Step) (*Taken, error) {
	take := s.taking(base, up, step)
	if up.Paired && !up.Whole {
		if t, ok, err := take.files(ctx); err != nil || ok {
			return t, err
		}
		if t, err := take.parts(ctx); !errors.Is(err, errWhole) {
			return t, err
		}
	}
	return take.folder(ctx)
}

// upstreamLimits are those of a folder, without what would be no page anyway:
// a text that is too large for one is left out, and told of.
func upstreamLimits() folder.Limits {
	l := folder.DefaultLimits
	l.Markdown, l.Memory = docs.MaxSource, maxUpstream
	return l
}

// maxUpstream is how much text a repository may have. Reading it takes several
// times as much memory of a server that has other things to do.
const maxUpstream = 256 << 20

// taking reads from an upstream.
type taking struct {
	s        *Exchange
	base     *View
	up       Upstream
	step     Step
	newDraft func() *draft
	all      []UpstreamFile // that can be content; nil: not listed yet
}

func (s *Exchange) taking(base *View, up Upstream, step Step) *taking {
	now := s.Store.Clock()
	return &taking{s: s, base: base, up: up, step: step, newDraft: func() *draft {
		return base.draft(docs.TimeOf(now), idsFrom(now))
	}}
}

// below gives the path of a file below the root of a folder, if it is there.
func below(root, file string) (string, bool) {
	if root = path.Clean(root); root == "." {
		return file, true
	}
	return strings.CutPrefix(file, root+"/")
}

// changedFile is a file whose bytes changed and nothing else.
type changedFile struct {
	UpstreamChange
	name     string // below the root
	kind, id string // what it is in the base
	data     []byte // of a text
	file     docs.File
}

// Kinds of files besides those of names: "p", "f" and "r".
const (
	kindUnlisted = "u"
	kindOther    = "o"
)

// files takes changes that leave the structure of the folder alone, without
// looking at anything else. It tells whether they do.
func (t *taking) files(ctx context.Context) (*Taken, bool, error) {
	layout, err := t.base.layoutOf(ctx)
	if err != nil {
		return nil, false, err
	}
	var changed []*changedFile
	for _, c := range t.up.Changed {
		f, ok, err := t.known(ctx, c, layout)
		if err != nil || !ok {
			return nil, false, err
		}
		if f != nil {
			changed = append(changed, f)
		}
	}
	if err := t.read(ctx, changed); err != nil {
		return nil, false, err
	}
	out := &Taken{draft: t.newDraft()}
	for i, f := range changed {
		t.step("process", i, len(changed))
		ok, err := t.put(ctx, out, f)
		if err != nil || !ok {
			return nil, false, err
		}
	}
	return out, true, nil
}

// known gives what the base has at a changed path, or nothing where it is
// not content. ok is false where the whole folder has to be looked at.
func (t *taking) known(ctx context.Context, c UpstreamChange, l layoutSetting) (f *changedFile, ok bool, err error) {
	if c.Path == folder.ConfigName {
		return nil, false, nil
	}
	name, is := below(l.Root, c.Path)
	if !is || folder.Ignored(name) {
		return nil, true, nil
	}
	if c.Old == "" || c.New == "" || name == cmp.Or(l.Summary, "SUMMARY.md") {
		return nil, false, nil
	}
	f = &changedFile{UpstreamChange: c, name: name}
	if f.kind, f.id, ok, err = t.base.named(ctx, name); err != nil || ok {
		return f, ok, err
	}
	for kind, at := range map[string]string{kindUnlisted: settingUnlisted, kindOther: settingOther} {
		if b, err := t.base.setting(ctx, at+name); err != nil || b != nil {
			f.kind = kind
			return f, true, err
		}
	}
	p, ok, err := t.base.born(ctx, name)
	f.kind, f.id = "p", string(p.ID)
	return f, ok, err
}

// text tells whether the bytes of a file are kept in the revision itself.
func (f *changedFile) text() bool { return f.kind != "f" && f.kind != kindOther }

// read brings the bytes of the files.
func (t *taking) read(ctx context.Context, files []*changedFile) error {
	by := map[string][]*changedFile{}
	var oids []string
	for _, f := range files {
		by[f.New] = append(by[f.New], f)
		oids = append(oids, f.New)
	}
	in := intake{s: t.s, limits: upstreamLimits()}
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

// keepAs keeps the bytes of a file that git has under a name.
func (s *Exchange) keepAs(ctx context.Context, name, oid string, data io.Reader) (docs.File, error) {
	f, err := s.keep(ctx, path.Base(name), data)
	if err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	f.Path, f.OID = name, oid
	return f, nil
}

// put takes one file over. It tells whether that was all there is to it.
func (t *taking) put(ctx context.Context, out *Taken, f *changedFile) (bool, error) {
	d := out.draft
	if f.text() && f.data == nil || !f.text() && f.file.Blob == "" {
		return false, nil
	}
	switch f.kind {
	case kindOther:
		b, err := json.Marshal(f.file)
		d.set(keySetting+settingOther+f.name, b)
		return true, err
	case kindUnlisted:
		d.set(keySetting+settingUnlisted+f.name, []byte(d.object(f.data)))
		return true, nil
	case "f":
		was, err := t.base.File(ctx, docs.FileID(f.id))
		if err != nil {
			return false, err
		}
		f.file.ID, f.file.Name, f.file.Path = was.ID, was.Name, was.Path
		return true, d.putFile(f.file)
	}
	h := markup.ParseHead(f.data)
	for _, p := range h.Problems {
		out.Problems = append(out.Problems, folder.Problem{File: f.Path, Line: p.Line, Code: folder.CodeFrontMatter, Message: p.Message})
	}
	for _, file := range folder.References(f.name, f.data) {
		if b, err := t.base.setting(ctx, settingOther+file); err != nil || b != nil {
			return false, err // it becomes a file of the space
		}
	}
	if f.kind == "r" {
		return t.putReusable(ctx, out, f, h)
	}
	return t.putPage(ctx, out, f, h)
}

func (t *taking) putReusable(ctx context.Context, out *Taken, f *changedFile, h frontmatter.Head) (bool, error) {
	r, err := t.base.Reusable(ctx, docs.ReusableID(f.id))
	if err != nil {
		return false, err
	}
	if h.Title != "" {
		r.Title = h.Title
	}
	if r.Body, r.Side, _, err = out.draft.compose(ctx, reusableText(r), &writing{path: f.name, markdown: f.data, whole: true, written: true}); err != nil {
		return false, err
	}
	r.OID = f.New
	return true, out.draft.putReusable(r)
}

// putPage takes a page over whose title is what it was: another one would
// have to be looked for in SUMMARY.md.
func (t *taking) putPage(ctx context.Context, out *Taken, f *changedFile, h frontmatter.Head) (bool, error) {
	d := out.draft
	was, err := t.base.Page(ctx, docs.PageID(f.id))
	if err != nil {
		return false, err
	}
	old, err := t.base.bytes(ctx, was.Body)
	if err != nil {
		return false, err
	}
	untitled := h.Title == "" && was.File != "" && markup.ParseHead(old).Title == ""
	titled := h.Title != "" && h.Title == was.Title && h.Emoji == emoji.FromCode(was.Emoji)
	if !untitled && !titled || h.Meta.LinkTitle != "" && h.Meta.LinkTitle != was.LinkTitle {
		return false, nil
	}
	p := docs.Page{
		ID: was.ID, Type: was.Type, Parent: was.Parent, Rank: was.Rank, Slug: was.Slug, Pinned: was.Pinned, File: was.File,
		CreatedAt: was.CreatedAt, UpdatedAt: was.UpdatedAt,
	}
	headOf(h, &p)
	p.Title, p.Emoji, p.LinkTitle, p.OID = was.Title, was.Emoji, was.LinkTitle, f.New
	l := d.linker(ctx, f.name)
	if p.Cover = coverOf(h, l); l.err != nil {
		return false, l.err
	}
	var doc *markup.Document
	x := text{string(p.ID), f.name, was.Body, was.Side}
	if p.Body, p.Side, doc, err = d.compose(ctx, x, &writing{path: f.name, markdown: f.data, whole: true, written: true}); err != nil {
		return false, err
	}
	d.parsed[docKey(p.Body, p.Side)] = doc
	d.touch(p.ID)
	return true, d.put(ctx, p)
}

// folder takes the whole folder. Of a pair, what did not change is neither
// parsed nor indexed again.
func (t *taking) folder(ctx context.Context) (*Taken, error) {
	list, err := t.list(ctx)
	if err != nil {
		return nil, err
	}
	known, err := t.knownFiles(ctx)
	if err != nil {
		return nil, err
	}
	sources, have, err := t.sources(ctx, list, known, nothingRead)
	if err != nil {
		return nil, err
	}
	tree, err := folder.Read(folder.List(sources), upstreamLimits())
	if err != nil {
		return nil, err
	}
	return t.take(ctx, tree, have, known, nil)
}

// nothingRead says that every file has to be read.
func nothingRead(context.Context, string) (folder.Source, bool, error) {
	return folder.Source{}, false, nil
}

// take takes a folder over. Of one that was read in parts, it is told which.
func (t *taking) take(ctx context.Context, tree *folder.Tree, have, known map[string]docs.File, p *parts) (*Taken, error) {
	d := t.newDraft()
	im := newImporter(t.s, d, tree, t.step)
	im.have = filesBelow(tree.Root, have)
	if err := im.letGo(); err != nil {
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
		im.parts, im.standing = p, p.standing
	}
	im.keepFiles(known)
	if err := im.run(ctx); err != nil {
		im.work.discard(ctx)
		return nil, err
	}
	return &Taken{Problems: tree.Problems, Empty: len(tree.Pages) == 0, draft: d, work: im.work}, nil
}

// letGo makes the files independent of the folder, which holds all texts:
// nearly all were kept already.
func (im *importer) letGo() error {
	for _, f := range slices.Concat(im.tree.Files, im.tree.Others) {
		if _, kept := im.have[f.Path]; kept {
			f.Open = nil
			continue
		}
		r, err := f.Open() // a text that is no page
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

// list gives the files that can be content: in a repository that has more
// than documentation, these are few.
func (t *taking) list(ctx context.Context) ([]UpstreamFile, error) {
	if t.all != nil {
		return t.all, nil
	}
	all, err := t.up.List(ctx)
	if err != nil {
		return nil, err
	}
	root := "."
	if i := slices.IndexFunc(all, func(f UpstreamFile) bool { return f.Path == folder.ConfigName }); i >= 0 {
		err := t.up.Read(ctx, []string{all[i].OID}, func(_ string, size int64, data io.Reader) error {
			root, err = folder.RootOf(size, data)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	t.all = slices.DeleteFunc(all, func(f UpstreamFile) bool {
		name, is := below(root, f.Path)
		return f.Path != folder.ConfigName && (!is || folder.Ignored(name))
	})
	return t.all, nil
}

// knownFiles gives the files of the base that are not texts, by the names of
// their bytes and by their paths.
func (t *taking) knownFiles(ctx context.Context) (map[string]docs.File, error) {
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
	return out, t.base.scan(ctx, keySetting+settingOther, "", func(_ string, b []byte) (bool, error) {
		f, err := decodeFile("", b)
		add(f)
		return true, err
	})
}

// sources brings what the folder has: the bytes of texts that need to be read,
// and of other files those that are not known yet.
func (t *taking) sources(ctx context.Context, list []UpstreamFile, known map[string]docs.File, read func(context.Context, string) (folder.Source, bool, error)) ([]folder.Source, map[string]docs.File, error) {
	in := intake{s: t.s, limits: upstreamLimits()}
	if len(list) > in.limits.Files {
		return nil, nil, errs.E(errs.Invalid, "the folder has more than %d files", in.limits.Files)
	}
	have := map[string]docs.File{}
	keep := &keeper{have: have, free: make(chan struct{}, keepAtOnce)}
	by := map[string][]string{} // paths by the names of their bytes
	out := make([]folder.Source, 0, len(list))
	var oids []string
	for _, f := range list {
		if src, is, err := read(ctx, f.Path); err != nil {
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
			return nil // whoever reads it has told why
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

// filesBelow gives files by their path below a root.
func filesBelow(root string, have map[string]docs.File) map[string]docs.File {
	out := map[string]docs.File{}
	for name, f := range have {
		if rest, ok := below(root, name); ok {
			f.Path = rest
			out[rest] = f
		}
	}
	return out
}

// keepFiles keeps a file of the space a file of the space although no page
// names it any more: others may refer to it by its id.
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
	Source *Source
	Blobs  blob.Store
	Index  *Index
}

// keep streams bytes to the blob store and looks at what they are. What a
// sender says about their type counts for nothing.
func (s *Exchange) keep(ctx context.Context, name string, r io.Reader) (docs.File, error) {
	info, err := s.Blobs.Put(ctx, r)
	if err != nil {
		return docs.File{}, err
	}
	o, err := s.Blobs.Open(ctx, info.Hash)
	if err != nil {
		return docs.File{}, err
	}
	defer o.Close()
	kind, err := blob.Inspect(name, o, info.Size)
	if err != nil {
		return docs.File{}, err
	}
	return docs.File{
		Name: name, ContentType: kind.ContentType, Size: info.Size, Width: kind.Width, Height: kind.Height, Blob: info.Hash.String(),
	}, nil
}
