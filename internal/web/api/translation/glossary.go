package translation

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/translation/translations"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) glossary() {
	const (
		tag   = "Translations"
		route = "/orgs/{organizationId}/translations-glossary"
	)
	see := authz.Org(authz.ListTranslations)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listGlossaryEntries", Route: "GET " + route, Tag: tag, Allow: see,
		Summary: "List the glossary of an organization, oldest entries first.",
	}, h.listGlossaryEntries)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateGlossaryEntries", Route: "PUT " + route, Tag: tag, Allow: authz.Org(authz.ManageTranslations),
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Add, change and delete entries of the glossary: all of them, or none.",
		About:   "The next runs of translations use what is set, for the texts with a term that changed. A glossary can have 100,000 entries.",
	}, h.updateGlossaryEntries)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getGlossaryEntry", Route: "GET " + route + "/{glossaryEntryId}", Tag: tag, Allow: see,
		Summary: "Get an entry of the glossary.",
	}, h.getGlossaryEntry)
}

// GlossaryEntry is the JSON form of an entry of the glossary.
type GlossaryEntry struct {
	Object       string            `json:"object" enum:"glossary-entry"`
	ID           string            `json:"id"`
	Translations map[string]string `json:"translations" doc:"By language."`
	CreatedAt    docs.Time         `json:"createdAt"`
	UpdatedAt    docs.Time         `json:"updatedAt"`
	URLs         wire.Location     `json:"urls"`
}

func (h *handlers) glossaryEntry(v docs.GlossaryEntry) GlossaryEntry {
	return GlossaryEntry{
		"glossary-entry", string(v.ID), v.Translations, v.CreatedAt, v.UpdatedAt,
		wire.Location{Location: h.Location("orgs", string(v.Org), "translations-glossary", string(v.ID))},
	}
}

type listGlossaryEntriesIn struct {
	wire.OrgIn
	kernel.Paged
	OrderBy kernel.Language `query:"orderBy" doc:"Ignored."`
}

func (h *handlers) listGlossaryEntries(ctx context.Context, in *listGlossaryEntriesIn) (*kernel.Page[GlossaryEntry], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Translations.Glossary(in.Org), h.glossaryEntry)
}

type getGlossaryEntryIn struct {
	wire.OrgIn
	ID docs.GlossaryEntryID `path:"glossaryEntryId"`
}

func (h *handlers) getGlossaryEntry(ctx context.Context, in *getGlossaryEntryIn) (*kernel.Out[GlossaryEntry], error) {
	v, err := h.Translations.GlossaryEntry(ctx, in.Org, in.ID)
	return kernel.OK(h.glossaryEntry(v)), err
}

// glossaryOperation is the JSON form of one change of the glossary.
type glossaryOperation struct {
	Type         string               `json:"type" enum:"insert,update,delete"`
	ID           docs.GlossaryEntryID `json:"id,omitempty" maxLength:"100" doc:"Of the entry that is changed or deleted."`
	Translations map[string]string    `json:"translations,omitempty" doc:"By language: 1 to 255 characters without line breaks. Not of a deletion."`
}

type updateGlossaryEntriesIn struct {
	wire.OrgIn
	Body struct {
		Operations []glossaryOperation `json:"operations" maxItems:"1000"`
	}
}

func (h *handlers) updateGlossaryEntries(ctx context.Context, in *updateGlossaryEntriesIn) (*kernel.Done, error) {
	changes := make([]translations.GlossaryChange, len(in.Body.Operations))
	for i, o := range in.Body.Operations {
		changes[i] = translations.GlossaryChange(o)
	}
	return nil, h.Translations.ChangeGlossary(ctx, authz.FromContext(ctx), changes)
}
