package merge

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// ResolveWithMain resolves a conflict in a draft of a change request with the state of a revision of the
// space.
func ResolveWithMain(ctx context.Context, d *revision.Draft, c Conflict, rev docs.Revision) error {
	main := d.At(rev.Root)
	switch c.Kind {
	case ConflictVariable:
		return takeKey(ctx, d, main, revision.KeyVariable+c.ID)
	case ConflictFile:
		b, _, err := main.Get(ctx, revision.FileKey(c.ID))
		if err != nil {
			return err
		}
		return d.ReplaceFile(ctx, c.ID, b)
	case ConflictReusable:
		return takeReusable(ctx, d, main, c)
	}
	theirs, has, err := main.Lookup(ctx, docs.PageID(c.ID))
	if err != nil {
		return err
	}
	mine, there, err := d.Lookup(ctx, docs.PageID(c.ID))
	if err != nil {
		return err
	}
	switch {
	case !has && !there:
		return nil
	case !has: // the space deleted the page
		return dropLikeMain(ctx, d, main, mine)
	case !there:
		_, err := d.RestorePage(ctx, "", main, docs.PageID(c.ID), nil)
		return err
	case c.Part == PartDocument:
		return takeBlock(ctx, d, main, c)
	case c.Part == PartDeleted:
		mine.Body, mine.Sidecar, mine.OID = theirs.Body, theirs.Sidecar, theirs.OID
	case c.Part == PartLocation:
		m := &merger{d: d, base: main, from: main}
		if theirs.Parent, err = m.surviving(ctx, theirs.Parent); err != nil {
			return err
		}
		if err := clearWay(ctx, d, main, mine.ID, theirs.Parent); err != nil {
			return err
		}
		mine.Parent, mine.Rank = theirs.Parent, theirs.Rank
		if err := d.CheckPlace(ctx, "", mine, mine.Parent); err != nil {
			return err
		}
	case c.Part == "slug":
		mine.Slug, mine.Pinned = theirs.Slug, theirs.Pinned
	default:
		if mine, err = takePart(mine, theirs, c.Part); err != nil {
			return err
		}
	}
	d.Touch(mine.ID)
	return d.PutWithFreeNames(ctx, mine)
}

// clearWay ensures that the page id can be put below parent: if the change request moved parent
// below the page, parent moves back to its position in the space.
func clearWay(ctx context.Context, d *revision.Draft, main *revision.Tree, id, parent docs.PageID) error {
	var chain []docs.Page
	for at := parent; at != id; {
		p, ok, err := d.Lookup(ctx, at)
		if err != nil || !ok || len(chain) > docs.MaxPageDepth {
			return err // parent is not below the page
		}
		chain = append(chain, p)
		at = p.Parent
	}
	for _, p := range slices.Backward(chain) {
		theirs, has, err := main.Lookup(ctx, p.ID)
		if err != nil {
			return err
		}
		if !has || theirs.Parent == p.Parent {
			continue
		}
		m := &merger{d: d, base: main, from: main}
		if theirs.Parent, err = m.surviving(ctx, theirs.Parent); err != nil {
			return err
		}
		p.Parent, p.Rank = theirs.Parent, theirs.Rank
		d.Touch(p.ID)
		if err := d.PutWithFreeNames(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// takePart copies one field of a page.
func takePart(mine, theirs docs.Page, part string) (docs.Page, error) {
	if name, is := strings.CutPrefix(part, "variables."); is {
		mine.Variables = maps.Clone(mine.Variables)
		if v, has := theirs.Variables[name]; has {
			if mine.Variables == nil {
				mine.Variables = docs.Variables{}
			}
			mine.Variables[name] = v
		} else {
			delete(mine.Variables, name)
		}
		return mine, nil
	}
	return docs.WithField(mine, theirs, part)
}

func takeKey(ctx context.Context, d *revision.Draft, from *revision.Tree, key string) error {
	b, ok, err := from.Get(ctx, key)
	switch {
	case err != nil:
		return err
	case !ok:
		d.Remove(key)
	default:
		d.Set(key, b)
	}
	return nil
}

// dropLikeMain deletes a page that the space deleted. Children that the space still has move up;
// the others are deleted too.
func dropLikeMain(ctx context.Context, d *revision.Draft, main *revision.Tree, p docs.Page) error {
	children, err := d.Children(ctx, p.ID)
	if err != nil {
		return err
	}
	for _, c := range children {
		if _, kept, err := main.Lookup(ctx, c.ID); err != nil {
			return err
		} else if kept {
			c.Parent = p.Parent
			if err := d.PutWithFreeNames(ctx, c); err != nil {
				return err
			}
		}
	}
	d.Touch(p.ID)
	return d.Drop(ctx, p)
}

func takeReusable(ctx context.Context, d *revision.Draft, main *revision.Tree, c Conflict) error {
	theirs, _, err := main.Get(ctx, revision.ReusableKey(c.ID))
	if err != nil {
		return err
	}
	mine, _, err := d.Get(ctx, revision.ReusableKey(c.ID))
	if err != nil {
		return err
	}
	if theirs == nil || mine == nil || c.Part == PartDeleted {
		return d.ReplaceReusable(ctx, c.ID, mine, theirs)
	}
	r, err := revision.DecodeReusable(c.ID, mine)
	if err != nil {
		return err
	}
	if c.Part == "title" {
		t, err := revision.DecodeReusable(c.ID, theirs)
		r.Title = t.Title
		if err != nil {
			return err
		}
		return d.PutReusable(r)
	}
	return takeBlock(ctx, d, main, c)
}

// takeBlock replaces the blocks of a conflict by the blocks in another tree.
func takeBlock(ctx context.Context, d *revision.Draft, from *revision.Tree, c Conflict) error {
	form, err := c.form(ctx, from)
	if err != nil {
		return err
	}
	var nodes []*markup.Node
	if form.Exists {
		nodes = form.Document.Nodes
	}
	return setBlock(ctx, d, c, nodes)
}

// setBlock replaces the blocks of a conflict by other blocks.
func setBlock(ctx context.Context, d *revision.Draft, c Conflict, nodes []*markup.Node) error {
	var x revision.Text
	var page docs.Page
	var reusable docs.Reusable
	var err error
	if c.Kind == ConflictReusable {
		if reusable, err = d.Reusable(ctx, docs.ReusableID(c.ID)); err != nil {
			return err
		}
		x = revision.ReusableText(reusable)
	} else {
		if page, err = d.Page(ctx, docs.PageID(c.ID)); err != nil {
			return err
		}
		if x, err = d.PageText(ctx, page); err != nil {
			return err
		}
	}
	doc, err := d.DocumentOf(ctx, x)
	if err != nil {
		return err
	}
	out := &markup.Document{Nodes: slices.Clone(doc.Nodes)}
	keys := map[string]bool{}
	for _, key := range c.keys() {
		keys[key] = true
	}
	contested := func(n *markup.Node) bool { return keys[n.Key] }
	at := slices.IndexFunc(out.Nodes, contested)
	if at < 0 {
		at = slices.IndexFunc(out.Nodes, func(n *markup.Node) bool { return n.Key == c.After }) + 1
	}
	out.Nodes = slices.Insert(slices.DeleteFunc(out.Nodes, contested), at, nodes...)
	w := &revision.Writing{Path: "document", Doc: out}
	if c.Kind != ConflictReusable {
		d.Touch(page.ID)
		d.Written[page.ID] = w
		return d.ComposeBodies(ctx)
	}
	body, sd, parsed, err := d.Compose(ctx, x, w)
	if err != nil {
		return err
	}
	d.Parsed[revision.DocKey(body, sd)] = parsed
	reusable.Body, reusable.Sidecar, reusable.OID = body, sd, ""
	return d.PutReusable(reusable)
}

// ResolveWithBody resolves a conflict in a draft of a change request with a document that a user
// wrote.
func ResolveWithBody(ctx context.Context, d *revision.Draft, c Conflict, rev docs.Revision, b revision.Body) error {
	if c.Part != PartDocument && c.Part != PartDeleted || c.Kind == ConflictFile || c.Kind == ConflictReusable && c.Part != PartDocument {
		return errs.Field("document", "cannot be used: the conflict is not about a text; choose main or mine, and edit it afterwards")
	}
	if c.Part == PartDeleted {
		if _, there, err := d.Lookup(ctx, docs.PageID(c.ID)); err != nil {
			return err
		} else if !there {
			if _, err := d.RestorePage(ctx, "", d.At(rev.Root), docs.PageID(c.ID), nil); err != nil {
				return err
			}
		}
		d.Touch(docs.PageID(c.ID))
		w, err := b.Writing("")
		if err != nil {
			return err
		}
		d.Write(docs.PageID(c.ID), w)
		return d.ComposeBodies(ctx)
	}
	doc := b.Document
	if b.Markdown != nil {
		var err error
		if doc, err = d.Parse(ctx, []byte(*b.Markdown), "", revision.Sidecar{}); err != nil {
			return err
		}
		doc.Spans = nil
	}
	nodes := slices.Clone(doc.Nodes)
	if len(nodes) > 0 && len(c.Blocks) == 0 { // keep the comments on the block
		first := *nodes[0]
		first.Key = c.Block
		nodes[0] = &first
	}
	return setBlock(ctx, d, c, nodes)
}
