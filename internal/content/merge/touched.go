package merge

import (
	"context"
	"reflect"
	"slices"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Touched returns the conflicts whose subject a draft of a change request changes. An edit of the
// subject resolves its conflict; an edit of anything else does not.
func Touched(ctx context.Context, d *revision.Draft, open []Conflict) (out []Conflict, err error) {
	before, now := newTexts(d.Before()), newTexts(d.Tree)
	for _, c := range open {
		if _, changed := d.Changed(c.treeKey()); !changed {
			continue
		}
		touched, err := c.touched(ctx, before, now)
		if err != nil {
			return nil, err
		}
		if touched {
			out = append(out, c)
		}
	}
	return out, nil
}

// treeKey returns the key of the subject in a tree.
func (c Conflict) treeKey() string {
	switch c.Kind {
	case ConflictVariable:
		return revision.KeyVariable + c.ID
	case ConflictFile:
		return revision.FileKey(c.ID)
	case ConflictReusable:
		return revision.ReusableKey(c.ID)
	}
	return revision.PageKey(c.ID)
}

// touched reports whether the subject of a conflict differs between two trees.
func (c Conflict) touched(ctx context.Context, before, now *texts) (bool, error) {
	if c.Kind == ConflictPage && c.Part == PartLocation {
		return c.moved(ctx, before.tree, now.tree)
	}
	a, err := before.form(ctx, c)
	if err != nil {
		return false, err
	}
	b, err := now.form(ctx, c)
	if err != nil {
		return false, err
	}
	switch {
	case a.Exists != b.Exists:
		return true, nil
	case !a.Exists && c.Part == PartDocument:
		return c.filled(ctx, before, now)
	case a.Document != nil && b.Document != nil:
		return !markup.Equal(a.Document, b.Document), nil
	}
	return !reflect.DeepEqual(a.Value, b.Value), nil
}

// moved reports whether the page has another parent. It does not compare paths, because they also
// change with the titles of the pages above.
func (c Conflict) moved(ctx context.Context, before, now *revision.Tree) (bool, error) {
	a, _, err := before.Lookup(ctx, docs.PageID(c.ID))
	if err != nil {
		return false, err
	}
	b, there, err := now.Lookup(ctx, docs.PageID(c.ID))
	return !there || a.Parent != b.Parent, err
}

// filled reports whether a block was added in place of the block that the change request had
// deleted.
func (c Conflict) filled(ctx context.Context, before, now *texts) (bool, error) {
	whole := c
	whole.Part = PartDeleted // the whole text
	a, err := before.form(ctx, whole)
	if err != nil {
		return false, err
	}
	b, err := now.form(ctx, whole)
	if err != nil || a.Document == nil || b.Document == nil {
		return false, err
	}
	next := follows(b.Document, c.After)
	return next != "" && !slices.ContainsFunc(a.Document.Nodes, func(n *markup.Node) bool { return n.Key == next }), nil
}

// follows returns the key of the block after the block with the given key. The first block follows
// the empty key.
func follows(d *markup.Document, key string) string {
	for i, n := range d.Nodes {
		switch {
		case i == 0 && key == "":
			return n.Key
		case n.Key == key && i+1 < len(d.Nodes):
			return d.Nodes[i+1].Key
		}
	}
	return ""
}
