package merge

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
)

const (
	// maxForms is the size of the texts, in bytes, at which a response about conflicts is full. A
	// page can have as many conflicts as blocks, and a conflict can be about whole pages.
	maxForms = 8 << 20
	// blockCost is the cost of each block in addition to its text, because a short block is many
	// times longer in JSON.
	blockCost = 100
)

// blocksOf is a parsed text with an index of its blocks.
type blocksOf struct {
	doc   *markup.Document
	byKey map[string]int // index in doc.Nodes
	cost  int
}

type textReader func(ctx context.Context, t *revision.Tree, x revision.Text) (*blocksOf, error)

func readText(ctx context.Context, t *revision.Tree, x revision.Text) (*blocksOf, error) {
	body, s, err := t.Body(ctx, x)
	if err != nil {
		return nil, err
	}
	doc, err := t.Parse(ctx, body, x.File, s)
	if err != nil {
		return nil, err
	}
	b := &blocksOf{doc: doc, byKey: make(map[string]int, len(doc.Nodes)), cost: len(body) + blockCost*len(doc.Nodes)}
	for i, n := range doc.Nodes {
		if _, known := b.byKey[n.Key]; !known {
			b.byKey[n.Key] = i
		}
	}
	return b, nil
}

// blocks returns the blocks of a conflict, or all blocks if the conflict is about the whole text.
func (c Conflict) blocks(ctx context.Context, t *revision.Tree, x revision.Text, read textReader) (Form, error) {
	b, err := read(ctx, t, x)
	switch {
	case err != nil:
		return Form{}, err
	case c.Part != PartDocument:
		return Form{Exists: true, Document: b.doc}, nil
	}
	var at []int
	for _, key := range c.keys() {
		if i, there := b.byKey[key]; there {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return Form{}, nil
	}
	slices.Sort(at)
	found := &markup.Document{}
	for _, i := range at {
		found.Nodes = append(found.Nodes, b.doc.Nodes[i])
	}
	return Form{Exists: true, Document: found}, nil
}

// texts reads subjects of conflicts from one tree. It reads each text once, however many of its
// blocks are in conflict.
type texts struct {
	tree  *revision.Tree
	read  map[revision.Text]*blocksOf
	spent int // total cost of the texts read
}

func newTexts(t *revision.Tree) *texts { return &texts{tree: t, read: map[revision.Text]*blocksOf{}} }

func (x *texts) form(ctx context.Context, c Conflict) (Form, error) {
	return c.formBy(ctx, x.tree, x.text)
}

func (x *texts) text(ctx context.Context, t *revision.Tree, of revision.Text) (*blocksOf, error) {
	if b := x.read[of]; b != nil {
		return b, nil
	}
	b, err := readText(ctx, t, of)
	if err == nil {
		x.read[of] = b
		x.spent += b.cost
	}
	return b, err
}

// Forms reads the subjects of the conflicts of one response.
type Forms struct {
	s  *revision.Source
	sp docs.Space
	at map[docs.RevisionID]*texts
}

// FormsOf returns the Forms of one response about conflicts of a space.
func FormsOf(s *revision.Source, sp docs.Space) *Forms {
	return &Forms{s: s, sp: sp, at: map[docs.RevisionID]*texts{}}
}

// Full reports whether the response has reached its size limit. The remaining conflicts belong on
// the next page of the list.
func (f *Forms) Full() bool {
	spent := 0
	for _, x := range f.at {
		spent += x.spent
	}
	return spent >= maxForms
}

// in returns the texts of a revision.
func (f *Forms) in(ctx context.Context, id docs.RevisionID) (*texts, error) {
	if x := f.at[id]; x != nil {
		return x, nil
	}
	v, err := f.s.At(ctx, f.s.Store.Reader, f.sp, id)
	if err != nil {
		return nil, err
	}
	f.at[id] = newTexts(v.Tree)
	return f.at[id], nil
}

// Of returns the subject of a conflict in the base, in the space and in the change request.
func (f *Forms) Of(ctx context.Context, c Conflict) (base, main, mine Form, err error) {
	for _, x := range []struct {
		id docs.RevisionID
		to *Form
	}{{c.Base, &base}, {c.Main, &main}, {c.Mine, &mine}} {
		in, err := f.in(ctx, x.id)
		if err == nil {
			*x.to, err = in.form(ctx, c)
		}
		if err != nil {
			return base, main, mine, err
		}
	}
	return base, main, mine, nil
}

// Title returns the title or name of the conflict's subject.
func (f *Forms) Title(ctx context.Context, c Conflict) (string, error) {
	for _, id := range []docs.RevisionID{c.Mine, c.Main, c.Base} {
		in, err := f.in(ctx, id)
		if err != nil {
			return "", err
		}
		v := in.tree
		title := ""
		switch c.Kind {
		case ConflictPage:
			p, perr := v.Page(ctx, docs.PageID(c.ID))
			title, err = p.Title, perr
		case ConflictFile:
			file, ferr := v.File(ctx, docs.FileID(c.ID))
			title, err = file.Name, ferr
		case ConflictReusable:
			r, rerr := v.Reusable(ctx, docs.ReusableID(c.ID))
			title, err = r.Title, rerr
		default:
			return c.ID, nil
		}
		if err == nil || !errs.Is(err, errs.NotFound) {
			return title, err
		}
	}
	return "", nil
}
