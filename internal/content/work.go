package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/exchange"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Work is the content of a revision that is to be made: an edit, a merge, an import, a template.
// Prepare works it out before the transaction, Commit stores it.
type Work interface {
	// plan returns what the work starts from. Prepare asks with the heads that it is given,
	// Commit with those of its transaction: the work is still valid if both answers have the
	// same sides.
	plan(h Heads) plan
	// draft makes the content. It may be called again, on other heads, so it depends on
	// nothing else and keeps nothing.
	draft(ctx context.Context, s *Service, g *authz.Grant, h Heads) (*drafted, error)
}

// Heads is a space, and the change request that a work is about, with their newest
// revisions.
type Heads struct {
	Space   docs.Space
	Request *docs.ChangeRequest // nil: none
	New     bool                // the space is being created, and has no revision yet
}

// head returns the newest revision of the line that an edit changes: that of the
// change request if there is one, or else that of the space.
func (h Heads) head() docs.RevisionID {
	if h.Request != nil {
		return h.Request.Revision
	}
	return h.Space.Revision
}

// view opens a revision of the space.
func (h Heads) view(ctx context.Context, s *Service, id docs.RevisionID) (*revision.View, error) {
	if h.New {
		return s.Source.View(h.Space, docs.Revision{ID: id}), nil
	}
	return s.Source.At(ctx, s.Store.Reader, h.Space, id)
}

// plan is what a work starts from, and where its revision goes.
type plan struct {
	to    goal
	sides Sides
	rev   docs.Revision // metadata of the revision
	edit  bool          // it is a contribution of a person to a change request
	text  bool          // it has text of a person, who may not be allowed to show everything
	whole bool          // it merges everything that the space has into a change request
}

// Sides are the revisions that a work starts from. Into is continued by the new revision.
// A merge has the others too: what changed between Base and From is merged into Into.
type Sides struct{ Base, Into, From docs.RevisionID }

// goal is what a revision becomes.
type goal int

const (
	toSpace   goal = iota // the newest one of the space
	toRequest             // the newest one of the change request
	beside                // one outside of both lines, such as the tip of a fork
)

// planEdit returns the plan of an edit of the line that h names.
func planEdit(h Heads, rev docs.Revision) plan {
	p := plan{sides: Sides{Into: h.head()}, rev: rev, edit: true, text: true}
	if h.Request != nil {
		p.to = toRequest
	}
	return p
}

// drafted is the content of a work.
type drafted struct {
	*revision.Draft             // nil: conflicts prevent it
	work            *index.Work // of an import, for the index; may be nil
	conflicts       []merge.Conflict
	resolved        []string // names of the conflicts that are resolved
	how             string   // the kind of that resolution
	applied         *Applied // of a batch and of an upload
}

// Merge is the merge of a line of revisions into another one. The heads have the change request
// that takes part.
type Merge struct {
	Direction merge.Direction
	// Fork is what is merged into the space, or into the change request if that is the
	// direction. The zero value is the other one of the two.
	Fork Fork
	// Revision is the metadata of the new revision of the space, for a fork.
	Revision docs.Revision
}

// Fork is a line of revisions beside that of a space, from the revision of the
// space where it starts to its own newest revision.
type Fork struct{ Base, Tip docs.RevisionID }

func (m Merge) plan(h Heads) plan {
	f := m.Fork
	if m.Direction == merge.IntoRequest {
		p := plan{to: toRequest, rev: docs.Revision{Type: docs.RevisionBringUpToDate}}
		if p.sides = (Sides{Base: f.Base, Into: h.Request.Revision, From: f.Tip}); f == (Fork{}) {
			p.sides.Base, p.sides.From, p.whole = h.Request.Ancestor, h.Space.Revision, true
		}
		return p
	}
	rev := m.Revision
	if f == (Fork{}) {
		f = Fork{h.Request.Ancestor, h.Request.Revision}
		rev = docs.Revision{Type: docs.RevisionMerge, Message: h.Request.Subject, MergedFrom: h.Request.ID}
	}
	return plan{to: toSpace, sides: Sides{Base: f.Base, Into: h.Space.Revision, From: f.Tip}, rev: rev}
}

func (m Merge) draft(ctx context.Context, s *Service, _ *authz.Grant, h Heads) (*drafted, error) {
	sides, r := m.plan(h).sides, s.Store.Reader
	into, err := h.view(ctx, s, sides.Into)
	if err != nil {
		return nil, err
	}
	from, err := r.Revision(ctx, h.Space.ID, sides.From)
	if err != nil {
		return nil, err
	}
	base, err := r.Revision(ctx, h.Space.ID, sides.Base)
	if err != nil {
		return nil, err
	}
	now := s.Store.Clock()
	d, conflicts, err := merge.Into(ctx, m.Direction, into, base, from, docs.TimeOf(now), revision.IDGenerator(now))
	if err != nil {
		return nil, err
	}
	main, mine := sides.Into, sides.From
	if m.Direction == merge.IntoRequest {
		main, mine = mine, main
	}
	for i := range conflicts {
		c := &conflicts[i]
		c.Base, c.Main, c.Mine = sides.Base, main, mine
	}
	// In conflicts of a translation the space keeps its own state, as a change request does
	// when it is brought up to date.
	if len(conflicts) > 0 && m.Direction != merge.IntoRequest && m.Direction != merge.FromTranslation {
		d = nil
	}
	return &drafted{Draft: d, conflicts: conflicts}, nil
}

// Import is the content of an upstream as the next revision of a space.
type Import struct {
	Taken    *exchange.Imported
	Revision docs.Revision // metadata
}

func (i Import) plan(h Heads) plan {
	return plan{to: toSpace, sides: Sides{Into: h.Space.Revision}, rev: i.Revision}
}

func (i Import) draft(_ context.Context, _ *Service, _ *authz.Grant, h Heads) (*drafted, error) {
	d, w := *i.Taken.Draft, i.Taken.Work
	if d.Base.ID != h.Space.Revision {
		return nil, ErrMoved
	}
	if d.Space.Language != h.Space.Language {
		w = nil // its words were analysed for another language
	}
	d.Space = h.Space
	i.Taken.Draft.Parsed = nil // most of the memory; a second try parses what it needs
	return &drafted{Draft: &d, work: w}, nil
}

// Beside is a draft, such as that of an import, as a revision beside the line of its
// space.
type Beside struct {
	Draft    *revision.Draft
	Revision docs.Revision // metadata
}

func (b Beside) plan(Heads) plan {
	rev := b.Revision
	rev.Aside = true
	return plan{to: beside, sides: Sides{Into: b.Draft.Base.ID}, rev: rev}
}

func (b Beside) draft(context.Context, *Service, *authz.Grant, Heads) (*drafted, error) {
	return &drafted{Draft: b.Draft}, nil
}

// Resolution is the resolution of a conflict in a change request.
type Resolution struct {
	Conflict merge.Conflict
	How      string         // merge.ByMain, or else the request keeps its own state
	Body     *revision.Body // a new text instead; nil: none
}

func (r Resolution) plan(h Heads) plan {
	p := planEdit(h, docs.Revision{Type: docs.RevisionEdits})
	p.text = r.Body != nil
	return p
}

func (r Resolution) draft(ctx context.Context, s *Service, _ *authz.Grant, h Heads) (*drafted, error) {
	v, err := h.view(ctx, s, h.Request.Revision)
	if err != nil {
		return nil, err
	}
	out := &drafted{Draft: s.draft(v), resolved: []string{r.Conflict.Name()}, how: r.How}
	if r.How != merge.ByMain && r.Body == nil {
		return out, nil
	}
	var main docs.Revision
	if main, err = s.Store.Revision(ctx, h.Space.ID, r.Conflict.Main); err != nil {
		return nil, err
	}
	if r.Body != nil {
		return out, merge.ResolveWithBody(ctx, out.Draft, r.Conflict, main, *r.Body)
	}
	return out, merge.ResolveWithMain(ctx, out.Draft, r.Conflict, main)
}

// LineName names a line of revisions: that of the space if it is empty, otherwise the
// one of the change request with that id or number.
type LineName string

// readHeads returns the heads for a change of the line that on names. expected is the
// revision that must be the newest one of the line; empty is any.
func readHeads(ctx context.Context, r store.Reader, sp docs.Space, on LineName, expected docs.RevisionID) (Heads, error) {
	h := Heads{Space: sp}
	switch {
	case on != "":
		cr, err := OpenRequest(ctx, r, sp.ID, string(on))
		if err != nil {
			return h, err
		}
		h.Request = &cr
	case sp.EditMode != docs.EditLive:
		return h, errs.E(errs.Precondition, "the space is locked: its content is changed by change requests; set editMode to live to change it directly")
	}
	if expected != "" && expected != h.head() {
		return h, errs.E(errs.Precondition, "the content has changed: its revision is %s; read it again", h.head())
	}
	return h, nil
}

// OpenRequest returns a change request of a space. It fails if the request cannot be
// edited.
func OpenRequest(ctx context.Context, r store.Reader, space docs.SpaceID, name string) (docs.ChangeRequest, error) {
	cr, err := r.ChangeRequest(ctx, space, name)
	if err == nil {
		err = Editable(cr)
	}
	return cr, err
}

// Editable returns an error if a change request cannot be edited.
func Editable(c docs.ChangeRequest) error {
	switch c.Status {
	case docs.ChangeMerged:
		return errs.E(errs.Precondition, "change request %d is merged, which is final; open a new one", c.Number)
	case docs.ChangeArchived:
		return errs.E(errs.Precondition, "change request %d is archived; set its status to draft or open first", c.Number)
	}
	return nil
}
