package openapi

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// OpenAPISpecChanges is the JSON form of the differences between two versions of a
// specification.
type OpenAPISpecChanges struct {
	Object   string          `json:"object" enum:"openapi-spec-changes"`
	From     string          `json:"from,omitempty" doc:"Id of the version before; absent if there is none."`
	To       string          `json:"to"`
	Breaking int             `json:"breaking" doc:"How many changes break clients."`
	Changes  []openAPIChange `json:"changes"`
	Markdown string          `json:"markdown" doc:"The changes as a changelog."`
}

type openAPIChange struct {
	Kind        openapi.ChangeKind `json:"kind" enum:"added,removed,changed"`
	Breaking    bool               `json:"breaking" doc:"What clients send or expect now can fail."`
	Rule        string             `json:"rule" doc:"By which the change was found, such as property-removed."`
	Operation   string             `json:"operation" doc:"Method and path."`
	OperationID string             `json:"operationId,omitempty"`
	Where       string             `json:"where,omitempty" doc:"Place in the operation."`
	Message     string             `json:"message"`
}

type changesIn struct {
	versionIn
	From docs.OpenAPIVersionID `query:"from" maxLength:"50" doc:"Id of the version to compare with. Default: the one before."`
}

func (h *handlers) getChanges(ctx context.Context, in *changesIn) (*kernel.Out[OpenAPISpecChanges], error) {
	c, err := h.APISpecs.Changes(ctx, in.Org, in.Slug, in.Version, in.From)
	if err != nil {
		return nil, err
	}
	w := OpenAPISpecChanges{Object: "openapi-spec-changes", From: string(c.From), To: string(c.To), Breaking: c.Breaking, Changes: []openAPIChange{}, Markdown: openapi.Changelog(c.Differences)}
	for _, ch := range c.Changes {
		w.Changes = append(w.Changes, openAPIChange{ch.Kind, ch.Breaking, ch.Rule, ch.Operation, ch.ID, ch.Where, ch.Message})
	}
	return kernel.OK(w), nil
}

// OrphanedProse is the JSON form of the texts about operations that their specifications
// do not have any more.
type OrphanedProse struct {
	Object string         `json:"object" enum:"openapi-orphaned-prose"`
	Prose  []orphanedText `json:"prose"`
}

type orphanedText struct {
	Spec            string `json:"spec" doc:"Slug of the specification."`
	Operation       string `json:"operation" doc:"Id of the operation, or its method and path."`
	ReusableContent string `json:"reusableContent" doc:"Id of the reusable content."`
	Title           string `json:"title"`
}

func (h *handlers) listOrphanedProse(ctx context.Context, _ *wire.SpaceIn) (*kernel.Out[OrphanedProse], error) {
	v, err := h.Head(ctx)
	if err != nil {
		return nil, err
	}
	orphans, err := h.Content.OrphanedProse(ctx, v)
	if err != nil {
		return nil, err
	}
	w := OrphanedProse{Object: "openapi-orphaned-prose", Prose: []orphanedText{}}
	for _, o := range orphans {
		w.Prose = append(w.Prose, orphanedText{o.Spec, o.Operation, string(o.Content.ID), o.Content.Title})
	}
	return kernel.OK(w), nil
}
