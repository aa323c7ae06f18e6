package content

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) templates() {
	const tag = "Content"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "applyTemplateToSpace", Route: "POST /spaces/{spaceId}/content/template", Tag: tag, Allow: authz.Space(authz.EditSpace), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Add the pages of a template to a space.",
		About:   "412 if the space is locked.",
	}, h.applyTemplate)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listTemplates", Route: "GET /templates", Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "List the templates that a space can start with.",
	}, h.listTemplates)
}

type applyTemplateIn struct {
	wire.SpaceIn
	Body struct {
		ID              string              `json:"id" minLength:"1" maxLength:"100"`
		Params          wire.TemplateParams `json:"params,omitempty"`
		ChangeRequestID string              `json:"changeRequestId,omitempty" maxLength:"100"`
	}
}

func (h *handlers) applyTemplate(ctx context.Context, in *applyTemplateIn) (*kernel.Done, error) {
	return nil, h.Content.ApplyTemplate(ctx, authz.FromContext(ctx), content.LineName(in.Body.ChangeRequestID), content.TemplateChoice{ID: in.Body.ID, Refs: in.Body.Params.ContentRefs})
}

type templateOut struct {
	Object      string            `json:"object" enum:"template"`
	ID          string            `json:"id"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	ContentRefs map[string]string `json:"contentRefs" doc:"References that the template expects: what each is for, by name."`
}

type templateList struct {
	Items []templateOut `json:"items"`
}

func (h *handlers) listTemplates(context.Context, *struct{}) (*kernel.Out[templateList], error) {
	w := templateList{}
	for _, t := range content.Templates {
		w.Items = append(w.Items, templateOut{"template", t.ID, t.Title, t.About, t.Refs})
	}
	return kernel.OK(w), nil
}
