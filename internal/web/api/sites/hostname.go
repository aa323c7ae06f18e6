package sites

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) hostnames() {
	const tag, route = "Site audience", wire.SiteRoute + "/hostname"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSiteHostname", Route: "GET " + route, Tag: tag, Allow: authz.Site(authz.ViewSite),
		Summary: "Get the host name that a site has or wants, and the DNS record that proves it.",
	}, h.getHostname)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "setSiteHostname", Route: "PUT " + route, Tag: tag, Allow: authz.Site(authz.AdminSite), Status: 200,
		Also:    []int{http.StatusConflict},
		Summary: "Ask for a host name of your own domain for a site. It is used once its DNS record was found.",
		About:   "The host name before, if any, ends at once. 409 if another site has the name.",
	}, h.setHostname)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "checkSiteHostname", Route: "POST " + route + "/check", Tag: tag, Allow: authz.Site(authz.AdminSite), Status: 200,
		Summary: "Look for the DNS record of the host name of a site now.",
	}, h.checkHostname)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteSiteHostname", Route: "DELETE " + route, Tag: tag, Allow: authz.Site(authz.AdminSite),
		Summary: "Take the host name from a site, which has its own address again.",
	}, h.deleteHostname)
	h.customHostnames()
}

// SiteHostname is the JSON form of the host name of a site.
type SiteHostname struct {
	Object     string         `json:"object" enum:"site-hostname"`
	Hostname   string         `json:"hostname"`
	Status     string         `json:"status" enum:"pending,active,failing" doc:"pending: not in use, its record was not found yet. failing: in use, but its record is missing."`
	Problem    string         `json:"problem,omitempty" doc:"What the last check found."`
	Record     hostnameRecord `json:"record"`
	CreatedAt  docs.Time      `json:"createdAt"`
	VerifiedAt docs.Time      `json:"verifiedAt,omitzero" doc:"When it came into use."`
	CheckedAt  docs.Time      `json:"checkedAt,omitzero"`
	EndsAt     docs.Time      `json:"endsAt,omitzero" doc:"When a failing host name ends unless its record is back."`
	URLs       wire.Location  `json:"urls"`
}

type hostnameRecord struct {
	Type  string `json:"type" enum:"TXT"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (a *handlers) hostname(site docs.Site, h docs.SiteHostname) SiteHostname {
	out := SiteHostname{
		Object: "site-hostname", Hostname: h.Name, Status: "pending", Problem: h.Problem,
		Record: hostnameRecord{"TXT", h.Record(), h.Token}, CreatedAt: h.CreatedAt, VerifiedAt: h.VerifiedAt, CheckedAt: h.CheckedAt,
		URLs: wire.Location{Location: a.location(site, "hostname")},
	}
	if h.Active {
		out.Status = "active"
	}
	if h.FailingSince != 0 {
		out.Status, out.EndsAt = "failing", h.FailingSince.Add(docs.HostnameGrace)
	}
	return out
}

func (a *handlers) getHostname(ctx context.Context, _ *wire.SiteIn) (*kernel.Out[SiteHostname], error) {
	g := authz.FromContext(ctx)
	h, err := a.Sites.Hostnames.Get(ctx, g)
	return kernel.OK(a.hostname(g.Site, h)), err
}

type setSiteHostnameIn struct {
	wire.SiteIn
	Body struct {
		Hostname string `json:"hostname" minLength:"1" maxLength:"512" doc:"Such as docs.example.com; international names are stored in ASCII."`
	}
}

func (a *handlers) setHostname(ctx context.Context, in *setSiteHostnameIn) (*kernel.Out[SiteHostname], error) {
	g := authz.FromContext(ctx)
	h, err := a.Sites.Hostnames.Set(ctx, g, in.Body.Hostname)
	return kernel.OK(a.hostname(g.Site, h)), err
}

func (a *handlers) checkHostname(ctx context.Context, _ *wire.SiteIn) (*kernel.Out[SiteHostname], error) {
	g := authz.FromContext(ctx)
	h, err := a.Sites.Hostnames.Check(ctx, g)
	return kernel.OK(a.hostname(g.Site, h)), err
}

func (h *handlers) deleteHostname(ctx context.Context, _ *wire.SiteIn) (*kernel.Done, error) {
	return nil, h.Sites.Hostnames.Remove(ctx, authz.FromContext(ctx))
}
