package exchange

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// ExportedFile is a file that differs between the exports of two revisions. A file that was not changed in
// the space is not one, even if the repository has another version of it.
type ExportedFile struct {
	Path     string
	Old, New string // identify the bytes; empty: the file does not exist
	// Data holds the new bytes; otherwise Open returns them and their number.
	Data []byte
	Open func() (io.ReadCloser, int64, error)
}

// Delete reports whether the file was deleted.
func (o ExportedFile) Delete() bool { return o.New == "" }

// ChangedFiles returns the files that differ between two revisions of a space, ordered by path. If only
// texts of pages differ, it reads nothing else.
func (s *Exchange) ChangedFiles(ctx context.Context, from, to *revision.View) ([]ExportedFile, error) {
	if from.Rev.Root == to.Rev.Root {
		return nil, nil
	}
	out, ok, err := s.outgoingPages(ctx, from, to)
	if err != nil || ok {
		return out, err
	}
	before, err := s.AllFiles(ctx, from)
	if err != nil {
		return nil, err
	}
	after, err := s.AllFiles(ctx, to)
	if err != nil {
		return nil, err
	}
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].Path < after[0].Path:
			out = append(out, ExportedFile{Path: before[0].Path, Old: before[0].New})
			before = before[1:]
		case len(before) == 0 || after[0].Path < before[0].Path:
			out = append(out, after[0])
			after = after[1:]
		default:
			if o := after[0]; o.New != before[0].New {
				o.Old = before[0].New
				out = append(out, o)
			}
			before, after = before[1:], after[1:]
		}
	}
	return out, nil
}

// AllFiles returns all files of a revision, ordered by path.
func (s *Exchange) AllFiles(ctx context.Context, v *revision.View) ([]ExportedFile, error) {
	t, err := s.Folder(ctx, v)
	if err != nil {
		return nil, err
	}
	files, err := folder.Outputs(t)
	if err != nil {
		return nil, err
	}
	out := make([]ExportedFile, len(files))
	for i, f := range files {
		if f.File == nil {
			out[i] = textOutput(f.Name, f.Data)
			continue
		}
		out[i] = ExportedFile{Path: f.Name, New: f.File.Sum, Open: func() (io.ReadCloser, int64, error) {
			r, err := f.File.Open()
			return r, f.File.Size, err
		}}
	}
	return out, nil
}

func textOutput(name string, data []byte) ExportedFile {
	return ExportedFile{Path: name, New: "text:" + string(chunk.Sum(data)), Data: data}
}

// outgoingPages is ChangedFiles for revisions with the same pages, titles and places: then every file
// can be compared on its own. Otherwise ok is false.
func (s *Exchange) outgoingPages(ctx context.Context, from, to *revision.View) (out []ExportedFile, ok bool, err error) {
	changed, ok, err := plainChanges(ctx, from, to)
	if !ok || err != nil {
		return nil, false, err
	}
	layout, err := to.Layout(ctx)
	if err != nil {
		return nil, false, err
	}
	add := func(file string, was, now []byte) {
		if string(was) != string(now) {
			o := textOutput(path.Join(path.Clean(layout.Root), file), now)
			o.Old = textOutput("", was).New
			out = append(out, o)
		}
	}
	for _, p := range changed.pages {
		if !p[1].HasBody() {
			continue
		}
		file, err := to.FileOf(ctx, p[1])
		if err != nil {
			return nil, false, err
		}
		if file != folder.VisiblePath(file) && (!folder.OutsideRoot(file) || file != layout.Readme) {
			return nil, false, nil
		}
		was, err := (&exporter{s: s, v: from}).source(ctx, p[0], file)
		if err != nil {
			return nil, false, err
		}
		now, err := (&exporter{s: s, v: to}).source(ctx, p[1], file)
		if err != nil {
			return nil, false, err
		}
		if was == nil || now == nil || markup.ParseHead(was).Meta.LinkTitle != markup.ParseHead(now).Meta.LinkTitle {
			return nil, false, nil
		}
		add(file, was, now)
	}
	for _, r := range changed.includes {
		was, err := to.Bytes(ctx, r[0].Body)
		if err != nil {
			return nil, false, err
		}
		now, err := to.Bytes(ctx, r[1].Body)
		if err != nil {
			return nil, false, err
		}
		add(r[1].File, was, now)
	}
	slices.SortFunc(out, func(a, b ExportedFile) int { return strings.Compare(a.Path, b.Path) })
	return out, true, nil
}

// plainChange holds the pages and includes that differ between two revisions, before and after. Their
// places are unchanged.
type plainChange struct {
	pages    [][2]docs.Page
	includes [][2]docs.Reusable
}

// plainChanges compares two revisions. ok is false if anything else than pages and includes differs.
func plainChanges(ctx context.Context, from, to *revision.View) (out plainChange, ok bool, err error) {
	plain := true
	err = from.Diff(ctx, from.Rev.Root, to.Rev.Root, func(key string, before, after []byte) error {
		if before == nil || after == nil {
			plain = false
		}
		switch kind, id := revision.SplitKey(key); {
		case !plain:
			return errStop
		case kind == revision.KeyPage:
			was, now, err := docs.DecodePages(id, before, after)
			out.pages = append(out.pages, [2]docs.Page{was, now})
			plain = sameEntry(was, now)
			return err
		case kind == revision.KeyReusable:
			was, err := revision.DecodeReusable(id, before)
			if err != nil {
				return err
			}
			now, err := revision.DecodeReusable(id, after)
			out.includes = append(out.includes, [2]docs.Reusable{was, now})
			plain = was.Title == now.Title && was.File == now.File
			return err
		}
		plain = false
		return nil
	})
	return out, plain && err == nil, ignoreStop(err)
}

// sameEntry reports whether a page is at the same place under the same name,
// so that nothing but its own file can differ.
func sameEntry(a, b docs.Page) bool {
	computed := func(p docs.Page) string { return string(p.Computed) }
	return a.Type == b.Type && a.Parent == b.Parent && a.Rank == b.Rank && a.Slug == b.Slug && a.File == b.File &&
		a.Title == b.Title && a.Emoji == b.Emoji && a.LinkTitle == b.LinkTitle && (a.Body == "") == (b.Body == "") &&
		revision.SameRef(a.Target, b.Target) && computed(a) == computed(b)
}

// errStop ends a walk early.
var errStop = errors.New("enough")

func ignoreStop(err error) error {
	if err == errStop {
		return nil
	}
	return err
}
