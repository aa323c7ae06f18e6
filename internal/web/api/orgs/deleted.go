package orgs

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) deleted() {
	const tag = "Organizations"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteOrganization", Route: "DELETE /orgs/{organizationId}", Tag: tag, Allow: authz.Org(authz.DeleteOrg),
		Summary: "Delete an organization with everything in it.",
		About: "It is out of reach at once, its sites too. Its admins can restore it for 7 days; then it is removed for good. " +
			"Export what you want to keep first.",
	}, h.delete)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listDeletedOrganizations", Route: "GET /user/deleted-orgs", Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "List the deleted organizations that you administer and can restore.",
	}, h.listDeleted)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "restoreOrganization", Route: "POST /user/deleted-orgs/{organizationId}/restore", Tag: tag, Allow: authz.SignedIn(docs.ScopeAdmin), Status: 204,
		Summary: "Restore an organization that was deleted less than 7 days ago. You must be an admin of it.",
	}, h.restore)
}

// DeletedOrganization is the JSON form of an organization that was deleted and can be
// restored.
type DeletedOrganization struct {
	Object    string    `json:"object" enum:"deleted-organization"`
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Members   int64     `json:"members" doc:"How many people."`
	Spaces    int64     `json:"spaces" doc:"How many."`
	Sites     int64     `json:"sites" doc:"How many."`
	DeletedAt docs.Time `json:"deletedAt"`
	PurgeAt   docs.Time `json:"purgeAt" doc:"Until then it can be restored."`
}

func deletedOf(v store.AnyOrg) DeletedOrganization {
	return DeletedOrganization{
		Object: "deleted-organization", ID: string(v.Org.ID), Title: v.Org.Title, Members: v.Members, Spaces: v.Spaces, Sites: v.Sites,
		DeletedAt: v.DeletedAt, PurgeAt: v.DeletedAt.Add(docs.TrashRetention),
	}
}

func (h *handlers) delete(ctx context.Context, _ *wire.OrgIn) (*kernel.Done, error) {
	return nil, h.Orgs.Organizations.Delete(ctx, authz.FromContext(ctx))
}

func (h *handlers) listDeleted(ctx context.Context, in *kernel.Paged) (*kernel.Page[DeletedOrganization], error) {
	return kernel.ListOf(ctx, h.Kernel, *in, h.Orgs.Organizations.Deleted(authz.FromContext(ctx)), deletedOf)
}

func (h *handlers) restore(ctx context.Context, in *wire.OrgIn) (*kernel.Done, error) {
	return nil, h.Orgs.Organizations.Restore(ctx, authz.FromContext(ctx), in.Org)
}
