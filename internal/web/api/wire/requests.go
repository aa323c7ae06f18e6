package wire

import (
	"context"
	"strconv"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// ChangeRequest is the JSON form of a change request.
type ChangeRequest struct {
	Object           string                   `json:"object" enum:"change-request"`
	ID               string                   `json:"id"`
	Number           int64                    `json:"number" doc:"Counts up within the space; can be used instead of the id."`
	Status           docs.ChangeRequestStatus `json:"status" enum:"draft,open,archived,merged"`
	Subject          string                   `json:"subject"`
	Description      *markup.Document         `json:"description,omitempty"`
	CreatedBy        User                     `json:"createdBy"`
	CreatedAt        docs.Time                `json:"createdAt"`
	UpdatedAt        docs.Time                `json:"updatedAt"`
	Space            string                   `json:"space"`
	Revision         string                   `json:"revision" doc:"The newest revision of the request."`
	RevisionInitial  string                   `json:"revisionInitial" doc:"Revision of the space that the request was created from."`
	RevisionAncestor string                   `json:"revisionMergedAncestor,omitempty" doc:"Revision of the space that the request was last updated with."`
	RevisionMerged   string                   `json:"revisionMerged,omitempty" doc:"Revision of the space that the merge created."`
	MergedBy         *User                    `json:"mergedBy,omitempty"`
	MergedAt         docs.Time                `json:"mergedAt,omitzero"`
	Comments         int                      `json:"comments" doc:"Number of open comments."`
	Conflicts        int                      `json:"conflicts" doc:"Number of open conflicts, which prevent merging."`
	Outdated         bool                     `json:"outdated" doc:"Whether the space has changed since the request was last updated."`
	Cluster          string                   `json:"conversationsIssuesCluster,omitempty"`
	URLs             EntryURLs                `json:"urls"`
}

// ChangeRequest returns the JSON form of a change request of a space for a caller.
func (v *Views) ChangeRequest(ctx context.Context, g *authz.Grant, sp docs.Space, c docs.ChangeRequest) (ChangeRequest, error) {
	w := ChangeRequest{
		Object: "change-request", ID: string(c.ID), Number: c.Number, Status: c.Status, Subject: c.Subject,
		CreatedBy: v.Person(g, c.CreatedBy), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Space: string(c.Space),
		Revision: string(c.Revision), RevisionInitial: string(c.Initial), RevisionAncestor: string(c.Ancestor), RevisionMerged: string(c.Merged),
		MergedAt: c.MergedAt, Comments: c.OpenComments, Conflicts: c.OpenConflicts,
		Outdated: c.Outdated(sp), Cluster: c.Cluster,
		URLs: EntryURLs{v.Location("spaces", string(sp.ID), "change-requests", string(c.ID)), v.requestURL(sp, c)},
	}
	if c.MergedBy != "" {
		u, err := v.reviews.MergedBy(ctx, c)
		if err != nil {
			return w, err
		}
		w.MergedBy = new(v.Person(g, u))
	}
	if c.Description != "" && g.VisitorAccess() == nil {
		at, err := v.content.Revision(ctx, sp, c.Revision)
		if err != nil {
			return w, err
		}
		if w.Description, err = at.NoteDocument(ctx, c.Description); err != nil {
			return w, err
		}
	}
	return w, nil
}

// requestURL returns the address of a change request in the application.
func (v *Views) requestURL(sp docs.Space, c docs.ChangeRequest) string {
	return v.AppURL(sp, "") + "/~/changes/" + strconv.FormatInt(c.Number, 10)
}

// FindRequest returns the change request with an id or number, in the space of the path.
func (v *Views) FindRequest(ctx context.Context, name string) (docs.ChangeRequest, error) {
	return v.reviews.ChangeRequest(ctx, authz.FromContext(ctx), name)
}
