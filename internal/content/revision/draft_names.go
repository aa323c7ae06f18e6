package revision

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// DropName removes a name in the folder if it still belongs to owner.
func (d *Draft) DropName(ctx context.Context, name, owner string) error {
	if name == "" {
		return nil
	}
	b, _, err := d.Get(ctx, NameKey(name))
	if err == nil && string(b) == owner {
		d.Remove(NameKey(name))
	}
	return err
}

// freeName returns name, or "" if something other than owner has it in the folder.
func (d *Draft) freeName(ctx context.Context, name, owner string) (string, error) {
	if name == "" {
		return "", nil
	}
	b, ok, err := d.Get(ctx, NameKey(name))
	if err != nil || ok && string(b) != owner {
		return "", err
	}
	return name, nil
}

// DropSlug removes the slug of a page if it still belongs to the page.
func (d *Draft) DropSlug(ctx context.Context, p docs.Page) error {
	if p.Slug == "" {
		return nil
	}
	key := SlugKey(p.Parent, p.Slug)
	b, _, err := d.Get(ctx, key)
	if err == nil && docs.PageID(b) == p.ID {
		d.Remove(key)
	}
	return err
}

// DropOne removes a page, but not the pages below it.
func (d *Draft) DropOne(ctx context.Context, p docs.Page) error {
	d.Remove(PageKey(p.ID))
	d.Remove(OrderKey(p))
	if p.Type == docs.PageComputed {
		d.Remove(KeyComputed + string(p.ID))
	}
	delete(d.Written, p.ID)
	return cmp.Or(d.DropSlug(ctx, p), d.DropName(ctx, p.File, Owner(KeyPage, p.ID)))
}

// PutWithFreeNames stores a page. If its slug is taken, it gets a free one; if its file is
// taken, it gets none.
func (d *Draft) PutWithFreeNames(ctx context.Context, p docs.Page) error {
	taken, _, err := d.SlugTaken(ctx, p, p.Slug)
	if err != nil {
		return err
	}
	if taken && p.HasPath() {
		if p, err = d.WithFreeSlug(ctx, p); err != nil {
			return err
		}
	}
	if p.File, err = d.freeName(ctx, p.File, Owner(KeyPage, p.ID)); err != nil {
		return err
	}
	return d.Put(ctx, p)
}

// WithFreeSlug returns p with a free slug that is similar to its current one.
func (d *Draft) WithFreeSlug(ctx context.Context, p docs.Page) (docs.Page, error) {
	pinned, title := p.Pinned, p.Title
	if pinned {
		p.Title = p.Slug
	}
	p.Pinned = false
	p, err := d.WithSlug(ctx, "", p)
	p.Pinned, p.Title = pinned, title
	return p, err
}

// ReplaceFile sets a file and its name in the folder to after, the encoding of a
// file. nil removes the file.
func (d *Draft) ReplaceFile(ctx context.Context, id string, after []byte) error {
	if before, ok, err := d.Get(ctx, FileKey(id)); err != nil {
		return err
	} else if ok {
		f, err := DecodeFile(id, before)
		if err != nil {
			return err
		}
		if err := d.DropName(ctx, f.Path, Owner(KeyFile, id)); err != nil {
			return err
		}
	}
	if after == nil {
		d.Remove(FileKey(id))
		return nil
	}
	f, err := DecodeFile(id, after)
	if err != nil {
		return err
	}
	path, err := d.freeName(ctx, f.Path, Owner(KeyFile, id))
	if err == nil && path == "" { // both sides have another file there
		path, err = d.AssetPath(ctx, f.Name)
	}
	if err != nil {
		return err
	}
	f.Path = path
	return d.PutFile(f)
}

// ReplaceReusable sets a reusable content and its name in the folder from cur to
// after, both encoded. nil is none.
func (d *Draft) ReplaceReusable(ctx context.Context, id string, cur, after []byte) error {
	if cur != nil {
		r, err := DecodeReusable(id, cur)
		if err != nil {
			return err
		}
		if err := d.DropName(ctx, r.File, Owner(KeyReusable, id)); err != nil {
			return err
		}
	}
	if after == nil {
		d.Remove(ReusableKey(id))
		return nil
	}
	r, err := DecodeReusable(id, after)
	if err != nil {
		return err
	}
	if r.File, err = d.freeName(ctx, r.File, Owner(KeyReusable, id)); err != nil {
		return err
	}
	return d.PutReusable(r)
}

// AssetPath returns a free path in the folder for a new file with a name.
func (t *Tree) AssetPath(ctx context.Context, name string) (string, error) {
	ext := path.Ext(name)
	for n := 0; ; n++ {
		at := AssetFolder + "/" + name
		if n > 0 {
			at = fmt.Sprintf("%s/%s-%d%s", AssetFolder, strings.TrimSuffix(name, ext), n, ext)
		}
		if _, _, taken, err := t.NamedLike(ctx, at); err != nil || !taken {
			return at, err
		}
	}
}
