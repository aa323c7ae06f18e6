package content

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// dropName forgets the name of something in the folder, if it is still its.
func (d *draft) dropName(ctx context.Context, name, owner string) error {
	if name == "" {
		return nil
	}
	b, _, err := d.get(ctx, keyName+name)
	if err == nil && string(b) == owner {
		d.remove(keyName + name)
	}
	return err
}

// freeName gives a name in the folder if nothing else has it.
func (d *draft) freeName(ctx context.Context, name, owner string) (string, error) {
	if name == "" {
		return "", nil
	}
	b, ok, err := d.get(ctx, keyName+name)
	if err != nil || ok && string(b) != owner {
		return "", err
	}
	return name, nil
}

// dropSlug forgets the slug of a page, if it is still its.
func (d *draft) dropSlug(ctx context.Context, p docs.Page) error {
	if p.Slug == "" {
		return nil
	}
	key := slugKey(p.Parent, p.Slug)
	b, _, err := d.get(ctx, key)
	if err == nil && docs.PageID(b) == p.ID {
		d.remove(key)
	}
	return err
}

// dropOne removes a page without what is below it.
func (d *draft) dropOne(ctx context.Context, p docs.Page) error {
	d.remove(keyPage + string(p.ID))
	d.remove(orderKey(p))
	delete(d.written, p.ID)
	return cmp.Or(d.dropSlug(ctx, p), d.dropName(ctx, p.File, "p:"+string(p.ID)))
}

// putFree stores a page under a slug and a file that are its own.
func (d *draft) putFree(ctx context.Context, p docs.Page) error {
	taken, _, err := d.taken(ctx, p, p.Slug)
	if err != nil {
		return err
	}
	if taken && p.HasPath() {
		if p, err = d.reslugged(ctx, p); err != nil {
			return err
		}
	}
	if p.File, err = d.freeName(ctx, p.File, "p:"+string(p.ID)); err != nil {
		return err
	}
	return d.put(ctx, p)
}

// reslugged gives a page a slug that is free, close to the one that it has.
func (d *draft) reslugged(ctx context.Context, p docs.Page) (docs.Page, error) {
	pinned, title := p.Pinned, p.Title
	if pinned {
		p.Title = p.Slug
	}
	p.Pinned = false
	p, err := d.slugged(ctx, "", p)
	p.Pinned, p.Title = pinned, title
	return p, err
}

// takeFile takes a file over, with the name that it has in a folder.
func (d *draft) takeFile(ctx context.Context, id string, after []byte) error {
	if before, ok, err := d.get(ctx, keyFile+id); err != nil {
		return err
	} else if ok {
		f, err := decodeFile(id, before)
		if err != nil {
			return err
		}
		if err := d.dropName(ctx, f.Path, "f:"+id); err != nil {
			return err
		}
	}
	if after == nil {
		d.remove(keyFile + id)
		return nil
	}
	f, err := decodeFile(id, after)
	if err != nil {
		return err
	}
	path, err := d.freeName(ctx, f.Path, "f:"+id)
	if err == nil && path == "" { // both sides have another file there
		path, err = d.assetPath(ctx, f.Name)
	}
	if err != nil {
		return err
	}
	f.Path = path
	return d.putFile(f)
}

// replaceReusable takes a reusable content over, with the name that it has in
// a folder.
func (d *draft) replaceReusable(ctx context.Context, id string, cur, after []byte) error {
	if cur != nil {
		r, err := decodeReusable(id, cur)
		if err != nil {
			return err
		}
		if err := d.dropName(ctx, r.File, "r:"+id); err != nil {
			return err
		}
	}
	if after == nil {
		d.remove(keyReusable + id)
		return nil
	}
	r, err := decodeReusable(id, after)
	if err != nil {
		return err
	}
	if r.File, err = d.freeName(ctx, r.File, "r:"+id); err != nil {
		return err
	}
	return d.putReusable(r)
}

// assetPath gives where a new file stands in the folder: under its name, or
// with a number if that is taken.
func (t *tree) assetPath(ctx context.Context, name string) (string, error) {
	ext := path.Ext(name)
	for n := 0; ; n++ {
		at := AssetFolder + "/" + name
		if n > 0 {
			at = fmt.Sprintf("%s/%s-%d%s", AssetFolder, strings.TrimSuffix(name, ext), n, ext)
		}
		if _, _, taken, err := t.named(ctx, at); err != nil || !taken {
			return at, err
		}
	}
}
