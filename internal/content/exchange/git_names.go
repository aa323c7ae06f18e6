package exchange

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
)

// GitNames holds the git object ids and paths of the contents of a revision, by content id.
// Imported content that was not changed stores its own object id; those of exported content are
// stored separately.
type GitNames map[string]docs.GitBlob

// GitNames returns the names of the contents with the given ids, or of all contents.
func (s *Exchange) GitNames(ctx context.Context, v *revision.View, ids ...string) (GitNames, error) {
	if v.Space.Git == nil {
		return nil, nil
	}
	out := GitNames{}
	if len(ids) == 0 {
		all, err := s.Store.GitBlobs(ctx, v.Space.ID)
		for _, b := range all {
			out[b.ID] = b
		}
		return out, err
	}
	for _, id := range ids {
		b, ok, err := s.Store.GitBlob(ctx, v.Space.ID, id)
		if err != nil {
			return nil, err
		}
		if ok {
			out[id] = b
		}
	}
	return out, nil
}

// Page returns the object id and the path of a page, or empty strings.
func (n GitNames) Page(p docs.Page) (oid, path string) {
	return n.of(string(p.ID), string(p.Body), p.OID, p.File)
}

// Reusable is Page for reusable content.
func (n GitNames) Reusable(r docs.Reusable) (oid, path string) {
	return n.of(string(r.ID), string(r.Body), r.OID, r.File)
}

// File is Page for a file.
func (n GitNames) File(f docs.File) (oid, path string) {
	return n.of(string(f.ID), f.Blob, f.OID, f.Path)
}

// of prefers the separately stored name if it is that of the same bytes in the same file. Imported
// content without a file of its own has the path of its last export. Content that was not exported
// yet has no name.
func (n GitNames) of(id, body, oid, path string) (string, string) {
	b := n[id]
	if b.Body == body && b.OID != "" && (path == "" || path == b.Path) {
		return b.OID, b.Path
	}
	if path = cmp.Or(path, b.Path); oid == "" || path == "" {
		return "", ""
	}
	return oid, path
}

// ExportedBlobs returns the paths and object ids of the files that a revision was exported to.
func (s *Exchange) ExportedBlobs(ctx context.Context, v *revision.View, files []ExportedFile) ([]docs.GitBlob, error) {
	layout, err := v.Layout(ctx)
	if err != nil {
		return nil, err
	}
	var out []docs.GitBlob
	for _, o := range files {
		if o.Delete() {
			continue
		}
		b, ok, err := blobAt(ctx, v.Tree, layout, o.Path)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if b.OID, err = o.gitOID(); err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// ImportedBlobs returns the paths and object ids of the files that a revision was read from.
func (s *Exchange) ImportedBlobs(ctx context.Context, t *revision.Tree, changed []UpstreamChange) ([]docs.GitBlob, error) {
	layout, err := t.Layout(ctx)
	if err != nil {
		return nil, err
	}
	var out []docs.GitBlob
	for _, c := range changed {
		if c.New == "" {
			continue
		}
		b, ok, err := blobAt(ctx, t, layout, c.Path)
		if err != nil {
			return nil, err
		}
		if ok {
			b.OID = c.New
			out = append(out, b)
		}
	}
	return out, nil
}

// blobAt returns the content of a file of a repository, without its object id.
func blobAt(ctx context.Context, t *revision.Tree, layout revision.Layout, file string) (b docs.GitBlob, ok bool, err error) {
	name, is := layout.Place().Name(file)
	if !is {
		return b, false, nil // the configuration
	}
	b.Path = name
	b.ID, b.Body, err = owner(ctx, t, name)
	return b, b.ID != "", err
}

// AddsContent reports whether exported files refer to other files of the folder that were not content so
// far: the next import makes them content.
func AddsContent(ctx context.Context, v *revision.View, files []ExportedFile) (bool, error) {
	layout, err := v.Layout(ctx)
	if err != nil {
		return false, err
	}
	for _, o := range files {
		name, is := layout.Place().Name(o.Path)
		if !is || o.Data == nil || !folder.IsText(name) {
			continue
		}
		for _, file := range folder.References(layout.Place(), name, o.Data) {
			if b, err := v.Setting(ctx, revision.SettingOther+file); err != nil || b != nil {
				return true, err
			}
		}
	}
	return false, nil
}

// IsContent reports whether a file of a repository is content of the space, or would be if it were new.
// Other files of the repository are ignored.
func IsContent(ctx context.Context, v *revision.View, file string) (bool, error) {
	layout, err := v.Layout(ctx)
	if err != nil || file == folder.ConfigName {
		return true, err
	}
	name, is := layout.Place().Name(file)
	if is && folder.Ignored(name) {
		is, err = unhidden(ctx, v.Tree, name)
	}
	if !is || err != nil {
		return false, err
	}
	if folder.IsText(name) || folder.IsAsset(name) {
		return true, nil
	}
	_, _, known, err := v.Named(ctx, name)
	return known, err
}

// owner returns the id of the content at a path of the folder, and the hash of its bytes.
func owner(ctx context.Context, t *revision.Tree, name string) (id, body string, err error) {
	kind, id, ok, err := t.Named(ctx, name)
	switch {
	case err != nil:
		return "", "", err
	case !ok:
		p, known, err := t.PageWrittenTo(ctx, name)
		if err != nil || !known {
			return "", "", err
		}
		return string(p.ID), string(p.Body), nil
	case kind == "p":
		p, err := t.Page(ctx, docs.PageID(id))
		return id, string(p.Body), err
	case kind == "r":
		r, err := t.Reusable(ctx, docs.ReusableID(id))
		return id, string(r.Body), err
	}
	f, err := t.File(ctx, docs.FileID(id))
	return id, f.Blob, err
}

// gitOID returns git's object id of the new bytes.
func (o ExportedFile) gitOID() (_ string, err error) {
	if o.Open == nil {
		return git.BlobOID(o.Data), nil
	}
	r, size, err := o.Open()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	h := git.NewBlobHash(size)
	_, err = io.Copy(h, r)
	return h.OID(), err
}
