package orgs

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) usage() {
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOrganizationUsage", Route: "GET /orgs/{organizationId}/usage", Tag: "Organizations", Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "Get what an organization uses, and how much it may use.",
		About: "A change that would exceed a quota is refused with status 413 and a message that names the quota. The operator of the server sets quotas. " +
			"Content and files count with their history, and spaces in the trash count until they are purged.",
	}, h.getOrganizationUsage)
}

// UsageOut is the output of getOrganizationUsage.
type UsageOut struct {
	Body OrganizationUsage
}

// OrganizationUsage is the JSON form of the usage and the quotas of an organization.
type OrganizationUsage struct {
	Object        string       `json:"object" enum:"organization-usage"`
	ID            string       `json:"id" doc:"Id of the organization."`
	Content       Metered      `json:"content" doc:"Bytes of text in all revisions."`
	Files         Metered      `json:"files" doc:"Bytes of files in all revisions."`
	Pages         Metered      `json:"pages" doc:"Pages of the newest revisions."`
	Members       Metered      `json:"members" doc:"Members, with guests and service accounts."`
	Webhooks      Metered      `json:"webhooks"`
	GitOperations Metered      `json:"gitOperations" doc:"Imports and exports that people and webhooks of repositories asked for today (UTC)."`
	Spaces        []SpaceUsage `json:"spaces" doc:"Those with quotas of their own, then the largest; at most 50."`
}

// SpaceUsage is the JSON form of the usage and the quotas of a space.
type SpaceUsage struct {
	Object  string  `json:"object" enum:"space-usage"`
	ID      string  `json:"id" doc:"Id of the space."`
	Title   string  `json:"title"`
	Content Metered `json:"content"`
	Files   Metered `json:"files"`
	Pages   Metered `json:"pages"`
}

// Metered is a used amount and its quota.
type Metered struct {
	Used  int64  `json:"used"`
	Quota *int64 `json:"quota,omitempty" doc:"Absent: unlimited."`
}

func metered(of docs.Quota, used docs.Usage, q docs.Quotas) Metered {
	return Metered{Used: used[of], Quota: q.Of(of)}
}

func (h *handlers) getOrganizationUsage(ctx context.Context, in *wire.OrgIn) (*UsageOut, error) {
	u, err := h.Orgs.Organizations.Usage(ctx, in.Org)
	if err != nil {
		return nil, err
	}
	of := func(q docs.Quota) Metered { return metered(q, u.Used, u.Quotas) }
	out := OrganizationUsage{
		Object: "organization-usage", ID: string(u.Org), Content: of(docs.QuotaContent), Files: of(docs.QuotaFiles), Pages: of(docs.QuotaPages),
		Members: of(docs.QuotaMembers), Webhooks: of(docs.QuotaWebhooks), GitOperations: of(docs.QuotaGitOperations), Spaces: []SpaceUsage{},
	}
	for _, s := range u.Spaces {
		out.Spaces = append(out.Spaces, SpaceUsage{
			Object: "space-usage", ID: string(s.ID), Title: s.Title, Content: metered(docs.QuotaContent, s.Usage, s.Quotas),
			Files: metered(docs.QuotaFiles, s.Usage, s.Quotas), Pages: metered(docs.QuotaPages, s.Usage, s.Quotas),
		})
	}
	return &UsageOut{out}, nil
}
