package content

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// ConflictKind tells what a conflict is about.
type ConflictKind string

// Kinds of conflicts.
const (
	ConflictPage     ConflictKind = "page"
	ConflictFile     ConflictKind = "file"
	ConflictReusable ConflictKind = "reusable-content"
	ConflictVariable ConflictKind = "variable"
)

// Parts of what a conflict is about, besides the names of fields.
const (
	PartDeleted  = "deleted"  // one side deleted it, the other one changed it
	PartDocument = "document" // a block of it
	PartLocation = "location" // where a page is
)

// Conflict is something that two lines changed in different ways. It names
// the revisions that have all of it, so nothing has to be copied.
type Conflict struct {
	Kind   ConflictKind    `json:"kind"`
	ID     string          `json:"id"`               // of the page, file, content; name of the variable
	Part   string          `json:"part,omitempty"`   // empty: the whole
	Block  string          `json:"block,omitempty"`  // key
	Behind string          `json:"behind,omitempty"` // key of the block in front of it
	Base   docs.RevisionID `json:"base"`
	Main   docs.RevisionID `json:"main"` // of the space
	Mine   docs.RevisionID `json:"mine"` // of the change request
}

// Name is the same for the same thing, whenever it is in conflict.
func (c Conflict) Name() string {
	return string(chunk.Sum([]byte(strings.Join([]string{string(c.Kind), c.ID, c.Part, c.Block}, "\x00"))))[:20]
}

// Form is what a conflict is about in one of its revisions.
type Form struct {
	Exists   bool
	Document *markup.Document // of blocks; the whole one if the page was deleted elsewhere
	Value    any              // of anything else
}

// form reads what a conflict is about from a tree.
func (c Conflict) form(ctx context.Context, t *tree) (Form, error) {
	return c.formBy(ctx, t, readText)
}

// formBy is form with a way of reading texts.
func (c Conflict) formBy(ctx context.Context, t *tree, read textReader) (f Form, err error) {
	switch c.Kind {
	case ConflictVariable:
		b, ok, err := t.get(ctx, keyVariable+c.ID)
		if err == nil && ok {
			f.Exists = true
			err = json.Unmarshal(b, &f.Value)
		}
		return f, err
	case ConflictFile:
		file, err := t.File(ctx, docs.FileID(c.ID))
		if errs.Is(err, errs.NotFound) {
			return f, nil
		}
		return Form{Exists: err == nil, Value: file}, err
	case ConflictReusable:
		r, err := t.Reusable(ctx, docs.ReusableID(c.ID))
		if errs.Is(err, errs.NotFound) {
			return f, nil
		}
		if err != nil {
			return f, err
		}
		if c.Part == "title" {
			return Form{Exists: true, Value: r.Title}, nil
		}
		return c.blocks(ctx, t, reusableText(r), read)
	}
	p, ok, err := t.page(ctx, docs.PageID(c.ID))
	if err != nil || !ok {
		return f, err
	}
	switch c.Part {
	case PartDeleted, PartDocument:
		x, err := t.pageText(ctx, p)
		if err != nil {
			return f, err
		}
		return c.blocks(ctx, t, x, read)
	case PartLocation:
		path, err := t.Path(ctx, p)
		return Form{Exists: true, Value: path}, err
	case "slug":
		return Form{Exists: true, Value: p.Slug}, nil
	}
	if name, is := strings.CutPrefix(c.Part, "variables."); is {
		v, has := p.Variables[name]
		return Form{Exists: has, Value: v}, nil
	}
	f.Value, f.Exists, err = docs.FieldValue(p, c.Part)
	return f, err
}

// takeMain gives a draft of a change request what the space had in a
// revision.
func (d *draft) takeMain(ctx context.Context, c Conflict, rev docs.Revision) error {
	main := d.at(rev.Root)
	switch c.Kind {
	case ConflictVariable:
		return d.takeKey(ctx, main, keyVariable+c.ID)
	case ConflictFile:
		b, _, err := main.get(ctx, keyFile+c.ID)
		if err != nil {
			return err
		}
		return d.takeFile(ctx, c.ID, b)
	case ConflictReusable:
		return d.takeReusable(ctx, main, c)
	}
	theirs, has, err := main.page(ctx, docs.PageID(c.ID))
	if err != nil {
		return err
	}
	mine, there, err := d.page(ctx, docs.PageID(c.ID))
	if err != nil {
		return err
	}
	switch {
	case !has && !there:
		return nil
	case !has: // the space deleted it
		return d.dropLikeMain(ctx, main, mine)
	case !there:
		_, err := d.RestorePage(ctx, "body", main, docs.PageID(c.ID), nil)
		return err
	case c.Part == PartDocument:
		return d.takeBlock(ctx, main, c)
	case c.Part == PartDeleted:
		mine.Body, mine.Side, mine.OID = theirs.Body, theirs.Side, theirs.OID
	case c.Part == PartLocation:
		m := &merge{d: d, base: main, from: main}
		if theirs.Parent, err = m.surviving(ctx, theirs.Parent); err != nil {
			return err
		}
		if err := d.clearWay(ctx, main, mine.ID, theirs.Parent); err != nil {
			return err
		}
		mine.Parent, mine.Rank = theirs.Parent, theirs.Rank
		if err := d.fits(ctx, "body", mine, mine.Parent); err != nil {
			return err
		}
	case c.Part == "slug":
		mine.Slug, mine.Pinned = theirs.Slug, theirs.Pinned
	default:
		if mine, err = takePart(mine, theirs, c.Part); err != nil {
			return err
		}
	}
	d.touch(mine.ID)
	return d.putFree(ctx, mine)
}

// clearWay makes room for a page below another one: where the change request
// put that one below the page, it goes back to where the space has it.
func (d *draft) clearWay(ctx context.Context, main *tree, id, parent docs.PageID) error {
	var chain []docs.Page
	for at := parent; at != id; {
		p, ok, err := d.page(ctx, at)
		if err != nil || !ok || len(chain) > docs.MaxPageDepth {
			return err // it does not hang below the page
		}
		chain = append(chain, p)
		at = p.Parent
	}
	for _, p := range slices.Backward(chain) {
		theirs, has, err := main.page(ctx, p.ID)
		if err != nil {
			return err
		}
		if !has || theirs.Parent == p.Parent {
			continue
		}
		m := &merge{d: d, base: main, from: main}
		if theirs.Parent, err = m.surviving(ctx, theirs.Parent); err != nil {
			return err
		}
		p.Parent, p.Rank = theirs.Parent, theirs.Rank
		d.touch(p.ID)
		if err := d.putFree(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// takePart gives a page one field of another one.
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
	return docs.TakeField(mine, theirs, part)
}

func (d *draft) takeKey(ctx context.Context, from *tree, key string) error {
	b, ok, err := from.get(ctx, key)
	switch {
	case err != nil:
		return err
	case !ok:
		d.remove(key)
	default:
		d.set(key, b)
	}
	return nil
}

// dropLikeMain drops a page with those below it that the space does not have
// either; others move up.
func (d *draft) dropLikeMain(ctx context.Context, main *tree, p docs.Page) error {
	children, err := d.Children(ctx, p.ID)
	if err != nil {
		return err
	}
	for _, c := range children {
		if _, kept, err := main.page(ctx, c.ID); err != nil {
			return err
		} else if kept {
			c.Parent = p.Parent
			if err := d.putFree(ctx, c); err != nil {
				return err
			}
		}
	}
	d.touch(p.ID)
	return d.drop(ctx, p)
}

func (d *draft) takeReusable(ctx context.Context, main *tree, c Conflict) error {
	theirs, _, err := main.get(ctx, keyReusable+c.ID)
	if err != nil {
		return err
	}
	mine, _, err := d.get(ctx, keyReusable+c.ID)
	if err != nil {
		return err
	}
	if theirs == nil || mine == nil || c.Part == PartDeleted {
		return d.replaceReusable(ctx, c.ID, mine, theirs)
	}
	r, err := decodeReusable(c.ID, mine)
	if err != nil {
		return err
	}
	if c.Part == "title" {
		t, err := decodeReusable(c.ID, theirs)
		r.Title = t.Title
		if err != nil {
			return err
		}
		return d.putReusable(r)
	}
	return d.takeBlock(ctx, main, c)
}

// takeBlock gives a draft the block that a conflict is about as another tree
// has it.
func (d *draft) takeBlock(ctx context.Context, from *tree, c Conflict) error {
	form, err := c.form(ctx, from)
	if err != nil {
		return err
	}
	var nodes []*markup.Node
	if form.Exists {
		nodes = form.Document.Nodes
	}
	return d.setBlock(ctx, c, nodes)
}

// setBlock puts blocks in place of the one that a conflict is about.
func (d *draft) setBlock(ctx context.Context, c Conflict, nodes []*markup.Node) error {
	var x text
	var page docs.Page
	var reusable docs.Reusable
	var err error
	if c.Kind == ConflictReusable {
		if reusable, err = d.Reusable(ctx, docs.ReusableID(c.ID)); err != nil {
			return err
		}
		x = reusableText(reusable)
	} else {
		if page, err = d.Page(ctx, docs.PageID(c.ID)); err != nil {
			return err
		}
		if x, err = d.pageText(ctx, page); err != nil {
			return err
		}
	}
	doc, err := d.documentOf(ctx, x)
	if err != nil {
		return err
	}
	out := &markup.Document{Nodes: slices.Clone(doc.Nodes)}
	at := func(key string) int {
		return slices.IndexFunc(out.Nodes, func(n *markup.Node) bool { return n.Key == key })
	}
	if i := at(c.Block); i >= 0 {
		out.Nodes = slices.Replace(out.Nodes, i, i+1, nodes...)
	} else {
		out.Nodes = slices.Insert(out.Nodes, at(c.Behind)+1, nodes...)
	}
	w := &writing{path: "body.document", doc: out}
	if c.Kind != ConflictReusable {
		d.touch(page.ID)
		d.written[page.ID] = w
		return d.settle(ctx)
	}
	body, sd, parsed, err := d.compose(ctx, x, w)
	if err != nil {
		return err
	}
	d.parsed[docKey(body, sd)] = parsed
	reusable.Body, reusable.Side, reusable.OID = body, sd, ""
	return d.putReusable(reusable)
}

// takeGiven gives a draft of a change request a document that somebody wrote
// to end a conflict.
func (d *draft) takeGiven(ctx context.Context, c Conflict, rev docs.Revision, b Body) error {
	if c.Part != PartDocument && c.Part != PartDeleted || c.Kind == ConflictFile || c.Kind == ConflictReusable && c.Part != PartDocument {
		return errs.Field("body.document", "does not fit: the conflict is not about a text; take main or mine, and edit it afterwards")
	}
	if c.Part == PartDeleted {
		if _, there, err := d.page(ctx, docs.PageID(c.ID)); err != nil {
			return err
		} else if !there {
			if _, err := d.RestorePage(ctx, "body", d.at(rev.Root), docs.PageID(c.ID), nil); err != nil {
				return err
			}
		}
		d.touch(docs.PageID(c.ID))
		if err := d.write("body", docs.PageID(c.ID), &b); err != nil {
			return err
		}
		return d.settle(ctx)
	}
	doc := b.Document
	if b.Markdown != nil {
		var err error
		if doc, err = d.parse(ctx, []byte(*b.Markdown), "", side{}); err != nil {
			return err
		}
		doc.Spans = nil
	}
	nodes := slices.Clone(doc.Nodes)
	if len(nodes) > 0 { // comments on the block stay on it
		first := *nodes[0]
		first.Key = c.Block
		nodes[0] = &first
	}
	return d.setBlock(ctx, c, nodes)
}
