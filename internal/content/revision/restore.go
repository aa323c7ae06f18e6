package revision

import (
	"context"
	"fmt"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Results of RestorePage.
const (
	Created = "created"
	Updated = "updated"
	Deleted = "deleted"
)

// RestorePage restores a page, or only some of its blocks, from an earlier tree. A
// page that did not exist there is deleted. It returns Created, Updated or Deleted;
// at names the change in errors.
func (d *Draft) RestorePage(ctx context.Context, at string, old *Tree, id docs.PageID, blocks []string) (became string, err error) {
	was, had, err := old.Lookup(ctx, id)
	if err != nil {
		return "", err
	}
	now, has, err := d.Lookup(ctx, id)
	if err != nil {
		return "", err
	}
	switch {
	case !had && !has:
		return "", errs.At(errs.NotFound, errs.In(at, "page"), "page %q not found in this space", id)
	case !had:
		d.Touch(id)
		return Deleted, d.Drop(ctx, now)
	case len(blocks) > 0 && has:
		d.Touch(id)
		return Updated, d.revertBlocks(ctx, at, old, was, now, blocks)
	}
	d.Touch(id)
	became = Updated
	if !has {
		became = Created
	}
	// If its parent does not exist any more, the page is at the top level.
	if was.Parent != "" {
		if _, ok, err := d.Lookup(ctx, was.Parent); err != nil {
			return "", err
		} else if !ok {
			was.Parent = ""
		}
	}
	if err := d.CheckPlace(ctx, errs.In(at, "page"), was, was.Parent); err != nil {
		return "", err
	}
	if taken, _, err := d.SlugTaken(ctx, was, was.Slug); err != nil {
		return "", err
	} else if taken {
		was.Pinned = false
		if was, err = d.WithSlug(ctx, errs.In(at, "page"), was); err != nil {
			return "", err
		}
	}
	delete(d.Written, id)
	return became, d.Put(ctx, was)
}

// revertBlocks restores some blocks of a page: a block that was changed or deleted
// is as before, a new one is deleted.
func (d *Draft) revertBlocks(ctx context.Context, at string, old *Tree, was, now docs.Page, keys []string) error {
	before, err := old.Document(ctx, was)
	if err != nil {
		return err
	}
	after, err := d.Document(ctx, now)
	if err != nil {
		return err
	}
	out := &markup.Document{Nodes: slices.Clone(after.Nodes)}
	for i, key := range keys {
		from := slices.IndexFunc(before.Nodes, func(n *markup.Node) bool { return n.Key == key })
		to := slices.IndexFunc(out.Nodes, func(n *markup.Node) bool { return n.Key == key })
		switch {
		case from < 0 && to < 0:
			return errs.Field(errs.In(at, fmt.Sprintf("block[%d]", i)), "is not a block of the page: %q", key)
		case from < 0:
			out.Nodes = slices.Delete(out.Nodes, to, to+1)
		case to >= 0:
			out.Nodes[to] = before.Nodes[from]
		default: // behind the nearest block above it that is still there
			place := 0
			for j := from - 1; j >= 0 && place == 0; j-- {
				place = 1 + slices.IndexFunc(out.Nodes, func(n *markup.Node) bool { return n.Key == before.Nodes[j].Key })
			}
			out.Nodes = slices.Insert(out.Nodes, place, before.Nodes[from])
		}
	}
	d.Written[now.ID] = &Writing{Path: errs.In(at, "block"), Doc: out}
	return nil
}
