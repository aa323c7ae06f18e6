package merge

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/revision"
)

const (
	// maxForms is how many bytes of text one response about conflicts reads and holds. A page can
	// have as many conflicts as blocks, and a conflict can be about whole pages.
	maxForms = 8 << 20
	// blockCost is what a block counts in addition to its text: in JSON, a short block is many
	// times as long.
	blockCost = 100
)

// blocksOf is a text that was read for conflicts.
type blocksOf struct {
	doc   *markup.Document
	byKey map[string]*markup.Node
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
	b := &blocksOf{doc: doc, byKey: make(map[string]*markup.Node, len(doc.Nodes)), cost: len(body) + blockCost*len(doc.Nodes)}
	for _, n := range doc.Nodes {
		if b.byKey[n.Key] == nil {
			b.byKey[n.Key] = n
		}
	}
	return b, nil
}

// blocks returns the block of a conflict, or all blocks if the conflict is about the whole text.
func (c Conflict) blocks(ctx context.Context, t *revision.Tree, x revision.Text, read textReader) (Form, error) {
	b, err := read(ctx, t, x)
	switch {
	case err != nil:
		return Form{}, err
	case c.Part != PartDocument:
		return Form{Exists: true, Document: b.doc}, nil
	case b.byKey[c.Block] == nil:
		return Form{}, nil
	}
	return Form{Exists: true, Document: &markup.Document{Nodes: []*markup.Node{b.byKey[c.Block]}}}, nil
}

// Forms reads the subjects of the conflicts of one response: each text once, however many of its
// blocks are in conflict.
type Forms struct {
	s     *revision.Source
	sp    docs.Space
	views map[docs.RevisionID]*revision.View
	texts map[formText]*blocksOf
	spent int
}

// formText names a text of a revision.
type formText struct {
	rev  docs.RevisionID
	kind ConflictKind
	id   string
}

// FormsOf begins a response about conflicts of a space.
func FormsOf(s *revision.Source, sp docs.Space) *Forms {
	return &Forms{s: s, sp: sp, views: map[docs.RevisionID]*revision.View{}, texts: map[formText]*blocksOf{}}
}

// Full reports whether the response is long enough, so that the rest belongs on the next page of
// the list.
func (f *Forms) Full() bool { return f.spent >= maxForms }

func (f *Forms) view(ctx context.Context, id docs.RevisionID) (*revision.View, error) {
	if v := f.views[id]; v != nil {
		return v, nil
	}
	v, err := f.s.At(ctx, f.s.Store.Reader, f.sp, id)
	if err == nil {
		f.views[id] = v
	}
	return v, err
}

// Of returns the subject of a conflict in the base, in the space and in the change request.
func (f *Forms) Of(ctx context.Context, c Conflict) (base, main, mine Form, err error) {
	for _, x := range []struct {
		id docs.RevisionID
		to *Form
	}{{c.Base, &base}, {c.Main, &main}, {c.Mine, &mine}} {
		v, err := f.view(ctx, x.id)
		if err != nil {
			return base, main, mine, err
		}
		at := formText{x.id, c.Kind, c.ID}
		*x.to, err = c.formBy(ctx, v.Tree, func(ctx context.Context, t *revision.Tree, x revision.Text) (*blocksOf, error) {
			if b := f.texts[at]; b != nil {
				return b, nil
			}
			b, err := readText(ctx, t, x)
			if err == nil {
				f.texts[at] = b
				f.spent += b.cost
			}
			return b, err
		})
		if err != nil {
			return base, main, mine, err
		}
	}
	return base, main, mine, nil
}

// Title returns a name of the conflict's subject for people.
func (f *Forms) Title(ctx context.Context, c Conflict) (string, error) {
	for _, id := range []docs.RevisionID{c.Mine, c.Main, c.Base} {
		v, err := f.view(ctx, id)
		if err != nil {
			return "", err
		}
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
