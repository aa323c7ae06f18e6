package content

import (
	"context"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Operations of a batch.
const (
	InsertPage  = "insert_page"
	UpdatePage  = "update_page"
	DeletePage  = "delete_page"
	RevertPage  = "revert_page"
	InsertFiles = "insert_files"
)

// Limits of a batch.
const (
	MaxChanges = 50
	MaxFiles   = 20
	MaxText    = 4 << 20 // bytes of Markdown; other requests wait while it is parsed

	maxCheapReverts = 4 // reverts of a batch that do not wait for budget.Turn
)

// Change is one change of a batch. Operation decides which fields are used.
type Change struct {
	Operation string
	Page      string          // id, or a name of the batch
	Into      opt.Val[string] // parent; null is the top level
	At        *int            // index among its siblings
	Ref       string          // name of an inserted page within the batch
	Body      *revision.Body  // new content of the page
	Meta      PageMeta        // new metadata of the page
	Revision  docs.RevisionID // of revert_page
	Blocks    []string        // of revert_page: only these
	Files     []NewFile       // of insert_files
}

// PageMeta is metadata of a page. Fields that are not set are not changed.
type PageMeta struct {
	Title         opt.Val[string]
	Slug          opt.Val[string]
	Emoji         opt.Val[string]
	Icon          opt.Val[string]
	Description   opt.Val[string]
	Hidden        opt.Val[bool]
	NoIndex       opt.Val[bool]
	NoRobotsIndex opt.Val[bool]
	Condition     opt.Val[string]
}

// Outcome is the result of a batch for one page.
type Outcome struct {
	Kind string // created, updated, deleted
	Page docs.PageID
	Ref  string
}

// Applied is the result of a batch.
type Applied struct {
	View     *revision.View
	Outcomes []Outcome
	Files    []docs.File
	Request  *docs.ChangeRequest // as it is now; nil: the space itself
	Problems []revision.Problem  // mistakes in the pages that were written, at most maxProblems
}

// maxProblems is the maximum number of mistakes that are reported for a batch.
const maxProblems = 100

// Apply makes all changes in one new revision of a space that is edited live, or
// of a change request; if one fails, none is made. expected is the revision that
// must be the newest one; empty is any.
func (s *Service) Apply(ctx context.Context, g *authz.Grant, on LineName, expected docs.RevisionID, changes []Change) (*Applied, error) {
	return s.applyBatch(ctx, g, on, expected, changes, false)
}

// ApplyStrict is like Apply, but fails if there are mistakes in the pages that are written.
func (s *Service) ApplyStrict(ctx context.Context, g *authz.Grant, on LineName, expected docs.RevisionID, changes []Change) (*Applied, error) {
	return s.applyBatch(ctx, g, on, expected, changes, true)
}

func (s *Service) applyBatch(ctx context.Context, g *authz.Grant, on LineName, expected docs.RevisionID, changes []Change, strict bool) (*Applied, error) {
	text := 0
	for _, c := range changes {
		if c.Body != nil && c.Body.Markdown != nil {
			text += len(*c.Body.Markdown)
		}
	}
	if text > MaxText {
		return nil, errs.Field("changes", "have more than %d MB of text together; send them in several batches", MaxText>>20)
	}
	reverts := 0
	for _, c := range changes {
		if c.Operation == RevertPage {
			reverts++
		}
	}
	if reverts > maxCheapReverts {
		if err := budget.Turn(ctx); err != nil {
			return nil, err
		}
	}
	b := batch{changes: changes, files: make([][]docs.File, len(changes)), strict: strict}
	if slices.ContainsFunc(changes, func(c Change) bool { return len(c.Files) > 0 }) {
		// Try the batch without the bytes of its files first: an invalid batch fetches nothing.
		h, err := readHeads(ctx, s.Store.Reader, g.Space, on, expected)
		if err != nil {
			return nil, err
		}
		if b.files, err = withoutBytes(changes); err != nil {
			return nil, err
		}
		if _, err := b.draft(ctx, s, g, h); err != nil {
			return nil, err
		}
		if err := s.fetch(ctx, changes, b.files); err != nil {
			return nil, err
		}
	}
	done, err := s.write(ctx, g, edit{on: on, expected: expected, work: b})
	if err != nil {
		return nil, err
	}
	out := *done.applied
	out.View, out.Request = done.View, done.request
	return &out, nil
}

// batch is the work of Apply.
type batch struct {
	changes []Change
	files   [][]docs.File // of each change
	strict  bool
}

func (batch) plan(h Heads) plan { return planEdit(h, docs.Revision{Type: docs.RevisionEdits}) }

func (b batch) draft(ctx context.Context, s *Service, _ *authz.Grant, h Heads) (*drafted, error) {
	v, err := h.view(ctx, s, h.head())
	if err != nil {
		return nil, err
	}
	base := v.Rev
	if h.Request != nil { // revert_page restores the state before the change request
		if base, err = s.Store.Revision(ctx, h.Space.ID, h.Request.Ancestor); err != nil {
			return nil, err
		}
	}
	d := s.draft(v)
	out, err := applyChanges(ctx, d, s.Store.Reader, b.changes, b.files, base)
	if err == nil && b.strict {
		err = refused(out.Problems)
	}
	return &drafted{Draft: d, applied: out}, err
}

// refused returns an error that names the problems of a batch, or nil if there are none.
func refused(problems []revision.Problem) error {
	details := make([]errs.Detail, 0, min(len(problems), maxRefused))
	for _, p := range problems[:cap(details)] {
		details = append(details, errs.Detail{Path: p.Path, Message: fmt.Sprintf("line %d: %s (%s)", p.Line, p.Message, p.Code)})
	}
	return errs.Fields(details)
}

// maxRefused is the maximum number of problems that the error of a strict batch names.
const maxRefused = 20

// applyChanges makes the changes of a batch on a draft. base is the revision that
// revert_page restores.
func applyChanges(ctx context.Context, d *revision.Draft, r store.Reader, changes []Change, files [][]docs.File, base docs.Revision) (*Applied, error) {
	out := &Applied{}
	kinds := map[docs.PageID]*Outcome{}
	for i, c := range changes {
		at := fmt.Sprintf("changes[%d]", i)
		var err error
		switch c.Operation {
		case InsertPage:
			err = insertPage(ctx, d, at, c, kinds)
		case UpdatePage:
			err = updatePage(ctx, d, at, c)
		case DeletePage:
			err = deletePage(ctx, d, at, c, kinds)
		case RevertPage:
			err = revertPage(ctx, d, r, at, c, base, kinds)
		case InsertFiles:
			var added []docs.File
			added, err = insertFiles(ctx, d, at, c, files[i])
			out.Files = append(out.Files, added...)
		default:
			err = errs.Field(at+".operation", "must be one of %s, %s, %s, %s, %s", InsertPage, UpdatePage, DeletePage, RevertPage, InsertFiles)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := d.ComposeBodies(ctx); err != nil {
		return nil, err
	}
	problems, err := d.Problems(ctx, maxProblems)
	if err != nil {
		return nil, err
	}
	out.Problems = problems
	for _, id := range d.Touched {
		o := kinds[id]
		if o == nil {
			o = &Outcome{Kind: revision.Updated}
		}
		o.Page = id
		out.Outcomes = append(out.Outcomes, *o)
	}
	return out, nil
}

// target returns the page that a change names.
func target(ctx context.Context, d *revision.Draft, at, id string) (docs.Page, error) {
	if id == "" {
		return docs.Page{}, errs.Field(at+".page", "is required")
	}
	if ref, ok := d.Refs[id]; ok && ref.Kind == markup.RefPage {
		id = ref.Page
	}
	p, ok, err := d.Lookup(ctx, docs.PageID(id))
	if err == nil && !ok {
		err = errs.At(errs.NotFound, at+".page", "page %q not found in this space", id)
	}
	return p, err
}

func parentOf(d *revision.Draft, c Change) (id *docs.PageID) {
	if !c.Into.IsSet() {
		return nil
	}
	into, _ := c.Into.Get()
	if ref, ok := d.Refs[into]; ok && ref.Kind == markup.RefPage {
		into = ref.Page
	}
	p := docs.PageID(into)
	return &p
}

func insertPage(ctx context.Context, d *revision.Draft, at string, c Change, kinds map[docs.PageID]*Outcome) error {
	p := docs.Page{ID: docs.PageID(d.NewID()), Type: docs.PageDocument, CreatedAt: d.Now, UpdatedAt: d.Now}
	if into := parentOf(d, c); into != nil {
		p.Parent = *into
	}
	if err := nameInBatch(ctx, d, at, c.Ref, markup.Ref{Kind: markup.RefPage, Page: string(p.ID)}); err != nil {
		return err
	}
	body, err := c.Body.Writing(at)
	if err != nil {
		return err
	}
	if p, err = described(at, p, c.Meta, body); err != nil {
		return err
	}
	if p.Title == "" {
		p.Title = "Untitled"
	}
	if err := d.Insert(ctx, at, p, c.At); err != nil {
		return err
	}
	kinds[p.ID] = &Outcome{Kind: revision.Created, Ref: c.Ref}
	d.Write(p.ID, body)
	return nil
}

// nameInBatch makes a name valid for the rest of the batch.
func nameInBatch(ctx context.Context, d *revision.Draft, at, name string, ref markup.Ref) error {
	if name == "" {
		return nil
	}
	clean := strings.TrimSuffix(path.Clean(strings.TrimPrefix(name, "./")), ".md")
	if _, twice := d.Refs[clean]; twice {
		return errs.Field(at+".ref", "%q is used twice in the batch", name)
	}
	if p, rest, err := d.PageAt(ctx, clean); err != nil {
		return err
	} else if rest == "" && p.ID != "" {
		return errs.Field(at+".ref", "%q is the path of an existing page; choose another name", name)
	}
	d.Refs[clean] = ref
	d.Refs[name] = ref
	return nil
}

func updatePage(ctx context.Context, d *revision.Draft, at string, c Change) error {
	p, err := target(ctx, d, at, c.Page)
	if err != nil {
		return err
	}
	before := p
	if c.Body != nil && !p.HasBody() {
		return errs.Field(at+".document", "cannot be set: a %s page has no content", p.Type)
	}
	body, err := c.Body.Writing(at)
	if err != nil {
		return err
	}
	if p, err = described(at, p, c.Meta, body); err != nil {
		return err
	}
	if p, err = d.Move(ctx, at, p, parentOf(d, c), c.At); err != nil {
		return err
	}
	if p.Title != before.Title || p.Slug != before.Slug || p.Parent != before.Parent || p.Pinned != before.Pinned {
		if p, err = d.WithSlug(ctx, at+".slug", p); err != nil {
			return err
		}
	}
	if p.Slug != before.Slug {
		if home, _, err := d.Home(ctx); err != nil {
			return err
		} else if stays, err := d.IsHomeFile(ctx, p.File); err != nil {
			return err
		} else if !stays || home.ID != p.ID { // the first page stays in the file of the landing page
			p.File = "" // the file gets a name that follows the new slug
		}
	}
	d.Touch(p.ID)
	if !reflect.DeepEqual(p, before) { // ComposeBodies puts a page of which only the body changes
		if err := d.Put(ctx, p); err != nil {
			return err
		}
	}
	d.Write(p.ID, body)
	return nil
}

// described returns p with the metadata of a change. The head of its Markdown takes
// precedence. body is nil if the change has none.
func described(at string, p docs.Page, m PageMeta, body *revision.Writing) (docs.Page, error) {
	before := p
	p.Emoji, p.Icon = m.Emoji.Or(p.Emoji), m.Icon.Or(p.Icon)
	if err := docs.CheckEmoji(at+".emoji", p.Emoji); err != nil {
		return p, err
	}
	if title, ok := m.Title.Get(); ok {
		if p.Title = frontmatter.CleanTitle(title); p.Title == "" {
			return p, errs.Field(at+".title", "is blank")
		}
		if p.Emoji == "" { // as the same title in Markdown is read
			p.Emoji, p.Title = emoji.Split(p.Title)
		}
	}
	p.Description, p.Condition = m.Description.Or(p.Description), m.Condition.Or(p.Condition)
	p.Hidden, p.NoIndex, p.NoRobotsIndex = m.Hidden.Or(p.Hidden), m.NoIndex.Or(p.NoIndex), m.NoRobotsIndex.Or(p.NoRobotsIndex)
	if slug, ok := m.Slug.Get(); ok {
		if !p.HasPath() {
			return p, errs.Field(at+".slug", "cannot be set: a %s page has no address", p.Type)
		}
		p.Slug, p.Pinned = names.Normal(slug), slug != ""
		if p.Pinned && !docs.CheckSlug(p.Slug) {
			return p, errs.Field(at+".slug", "cannot be part of an address: use letters, digits and dashes, at most %d characters", docs.MaxSlug)
		}
	}
	if body != nil && body.Markdown != nil {
		revision.ApplyHead(body.ReadHead(), &p)
	}
	return p, checkPage(at, before, p)
}

// checkPage checks the metadata of a page that a change sets. What the page has already
// stays valid: files may say more than a change may.
func checkPage(at string, before, p docs.Page) error {
	for _, f := range []struct {
		name, before, value string
		most                int
	}{
		{"title", before.Title, p.Title, docs.MaxPageTitle}, {"emoji", before.Emoji, p.Emoji, 50}, {"icon", before.Icon, p.Icon, 50},
		{"description", before.Description, p.Description, docs.MaxDescription}, {"condition", before.Condition, p.Condition, expr.MaxLength},
	} {
		if f.value != f.before && utf8.RuneCountInString(f.value) > f.most {
			return errs.Field(at+"."+f.name, "is longer than %d characters", f.most)
		}
	}
	if p.Condition != "" && p.Condition != before.Condition {
		if _, err := expr.Parse(p.Condition); err != nil {
			return errs.Field(at+".condition", "is not an expression: %v", err)
		}
	}
	return nil
}

func deletePage(ctx context.Context, d *revision.Draft, at string, c Change, kinds map[docs.PageID]*Outcome) error {
	p, err := target(ctx, d, at, c.Page)
	if err != nil {
		return err
	}
	d.Touch(p.ID)
	kinds[p.ID] = &Outcome{Kind: revision.Deleted}
	return d.Drop(ctx, p)
}

func contentEvent(sp docs.Space, action string, data map[string]any) audit.Event {
	return audit.Event{Org: sp.Org, Action: "space.content." + action, Kind: "space", ID: string(sp.ID), Data: data}
}
