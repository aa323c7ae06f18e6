package requests

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// conflict is the JSON form of a conflict: a space and a change request changed the same
// thing in different ways.
type conflict struct {
	Object          string             `json:"object" enum:"change-request-conflict"`
	ID              string             `json:"id"`
	Kind            merge.ConflictKind `json:"kind" enum:"page,file,reusable-content,variable"`
	Page            string             `json:"page,omitempty" doc:"Id of the page in conflict."`
	File            string             `json:"file,omitempty"`
	ReusableContent string             `json:"reusableContent,omitempty"`
	Variable        string             `json:"variable,omitempty"`
	Title           string             `json:"title" doc:"Title of the page, name of the file or similar."`
	Part            string             `json:"part,omitempty" doc:"Part that is in conflict: document (blocks), deleted, location, or a field such as title; absent for the whole."`
	Block           string             `json:"block,omitempty" doc:"Key of the block in the base; absent if the text was empty there."`
	Base            conflictForm       `json:"base" doc:"The version before both changes."`
	Main            conflictForm       `json:"main" doc:"The version of the space."`
	Mine            conflictForm       `json:"mine" doc:"The version of the change request."`
	Status          string             `json:"status" enum:"open,resolved"`
	Resolution      string             `json:"resolution,omitempty" enum:"main,mine,document"`
	ResolvedBy      string             `json:"resolvedBy,omitempty" doc:"Id of the user."`
	CreatedAt       docs.Time          `json:"createdAt"`
}

// conflictForm is one version of what is in conflict: that of the base, of the space or
// of the change request.
type conflictForm struct {
	Revision string           `json:"revision"`
	Exists   bool             `json:"exists" doc:"Whether it exists in that revision."`
	Document *markup.Document `json:"document,omitempty" doc:"The block, or the blocks in its place, or the whole document if the conflict is about all of it."`
	Markdown string           `json:"markdown,omitempty" doc:"The document as Markdown."`
	Value    any              `json:"value,omitempty" doc:"The value, if the conflict is not about text."`
}

func (h *handlers) conflict(ctx context.Context, sp docs.Space, forms *merge.Forms, row reviews.RecordedConflict) (conflict, error) {
	c := row.Conflict
	w := conflict{
		Object: "change-request-conflict", ID: row.ID, Kind: c.Kind, Part: c.Part, Block: c.Block, Status: "open",
		Resolution: row.Resolution, ResolvedBy: string(row.ResolvedBy), CreatedAt: row.CreatedAt,
	}
	if row.Resolution != "" {
		w.Status = "resolved"
	}
	switch c.Kind {
	case merge.ConflictPage:
		w.Page = c.ID
	case merge.ConflictFile:
		w.File = c.ID
	case merge.ConflictReusable:
		w.ReusableContent = c.ID
	case merge.ConflictVariable:
		w.Variable = c.ID
	}
	var err error
	if w.Title, err = forms.Title(ctx, c); err != nil {
		return w, err
	}
	base, main, mine, err := forms.Of(ctx, c)
	if err != nil {
		return w, err
	}
	g := authz.FromContext(ctx)
	w.Base, w.Main, w.Mine = h.form(g, sp, c.Base, base), h.form(g, sp, c.Main, main), h.form(g, sp, c.Mine, mine)
	return w, nil
}

// inertValue returns the value of a field, as encoding/json decodes it, with unsafe
// addresses replaced: see markup.Inert.
func inertValue(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for key, v := range m {
		if url, ok := v.(string); ok && key == docs.RefURL {
			out[key] = markup.InertURL(url)
		} else {
			out[key] = inertValue(v)
		}
	}
	return out
}

func (h *handlers) form(g *authz.Grant, sp docs.Space, rev docs.RevisionID, f merge.Form) conflictForm {
	w := conflictForm{Revision: string(rev), Exists: f.Exists, Document: f.Document, Value: inertValue(f.Value)}
	if f.Document != nil {
		w.Markdown = string(markup.Print(f.Document, markup.Refs{}))
	}
	if file, is := f.Value.(docs.File); is {
		w.Value = h.File(g, sp, file)
	}
	return w
}

type listConflictsIn struct {
	wire.RequestIn
	kernel.Paged
	Status string `query:"status" enum:"open,all" default:"open"`
}

func (h *handlers) listConflicts(ctx context.Context, in *listConflictsIn) (*kernel.Page[conflict], error) {
	sp := authz.FromContext(ctx).Space
	cr, err := h.FindRequest(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	list := h.Reviews.Conflicts(cr, in.Status == "open")
	return kernel.ListOf(ctx, h.Kernel, in.Paged, store.List[conflict]{
		Page: func(ctx context.Context, at store.Page) ([]conflict, store.Key, error) {
			rows, next, err := list.Page(ctx, at)
			if err != nil {
				return nil, nil, err
			}
			var out []conflict
			forms := merge.FormsOf(h.Content.Source, sp)
			for i, row := range rows {
				if forms.Full() {
					return out, rows[i-1].Key(), nil
				}
				w, err := h.conflict(ctx, sp, forms, row)
				if err != nil {
					return nil, nil, err
				}
				out = append(out, w)
			}
			return out, next, nil
		},
		Count: list.Count,
	}, kernel.Same[conflict])
}

type resolveConflictIn struct {
	wire.RequestIn
	Conflict string `path:"conflictId" maxLength:"100"`
	Body     struct {
		Resolution string            `json:"resolution" enum:"main,mine,document"`
		Document   *wire.ContentBody `json:"document,omitempty" doc:"The new content, if the resolution is document."`
	}
}

func (h *handlers) resolveConflict(ctx context.Context, in *resolveConflictIn) (*kernel.Out[wire.ChangeRequest], error) {
	g := authz.FromContext(ctx)
	var given *revision.Body
	switch b := in.Body.Document; {
	case in.Body.Resolution == merge.ByDocument && (b == nil || b.Markdown == nil && len(b.Document) == 0):
		return nil, errs.Field("document", "is required because the resolution is document")
	case in.Body.Resolution != merge.ByDocument && b != nil:
		return nil, errs.Field("document", "must be left out: the resolution is %s", in.Body.Resolution)
	case b != nil:
		var err error
		if given, err = b.RevisionBody("document"); err != nil {
			return nil, err
		}
	}
	cr, err := h.Reviews.Resolve(ctx, g, in.Request, in.Conflict, in.Body.Resolution, given)
	if err != nil {
		return nil, err
	}
	w, err := h.ChangeRequest(ctx, g, g.Space, cr)
	return kernel.OK(w), err
}
