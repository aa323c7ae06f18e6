package sites

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// customHostnames declares the host names of sites under the paths of GitBook, which name no
// site. They do what the operations of a site do.
func (h *handlers) customHostnames() {
	const tag, route = "Site audience", "/custom-hostnames/{hostname}"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getCustomHostname", Route: "GET " + route, Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "Get a host name that a site which you can see has or wants.",
	}, h.getCustomHostname)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "dnsRevalidateCustomHostname", Route: "PATCH " + route, Tag: tag, Allow: authz.SignedIn(docs.ScopeWrite), Status: http.StatusNoContent,
		Summary: "Look for the DNS record of a host name now.",
	}, h.checkCustomHostname)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "removeCustomHostname", Route: "DELETE " + route, Tag: tag, Allow: authz.SignedIn(docs.ScopeWrite),
		Summary: "Take a host name from the site that has or wants it.",
	}, h.removeCustomHostname)
}

// CustomHostname is the JSON form of the host name of a site in the form of GitBook.
type CustomHostname struct {
	Object   string           `json:"object" enum:"custom-hostname"`
	Hostname string           `json:"hostname"`
	Target   wire.SitePointer `json:"target"`
	IsActive bool             `json:"isActive"`
	Status   string           `json:"status" enum:"live,dns_no_cname,dns_wrong_cname" doc:"dns_no_cname: not in use, its record was not found yet. dns_wrong_cname: in use, but its record is missing."`
	URLs     wire.Location    `json:"urls"`
}

type customHostnameIn struct {
	Hostname string `path:"hostname" maxLength:"512"`
}

// hostnameGrant returns a grant for the site of a host name.
func (h *handlers) hostnameGrant(ctx context.Context, action authz.Action, in *customHostnameIn) (*authz.Grant, error) {
	return h.Sites.Hostnames.Grant(ctx, authz.FromContext(ctx).Actor, action, in.Hostname)
}

func (a *handlers) getCustomHostname(ctx context.Context, in *customHostnameIn) (*kernel.Out[CustomHostname], error) {
	g, err := a.hostnameGrant(ctx, authz.ViewSite, in)
	if err != nil {
		return nil, err
	}
	h, err := a.Sites.Hostnames.Get(ctx, g)
	if err != nil {
		return nil, err
	}
	w := CustomHostname{
		Object: "custom-hostname", Hostname: h.Name, Target: wire.SitePointer{Type: "site", Site: string(h.Site)}, IsActive: h.Active, Status: "dns_no_cname",
		URLs: wire.Location{Location: a.Location("custom-hostnames", h.Name)},
	}
	switch {
	case h.FailingSince != 0:
		w.Status = "dns_wrong_cname"
	case h.Active:
		w.Status = "live"
	}
	return kernel.OK(w), nil
}

func (h *handlers) checkCustomHostname(ctx context.Context, in *customHostnameIn) (*kernel.Done, error) {
	g, err := h.hostnameGrant(ctx, authz.AdminSite, in)
	if err == nil {
		_, err = h.Sites.Hostnames.Check(ctx, g)
	}
	return nil, err
}

func (h *handlers) removeCustomHostname(ctx context.Context, in *customHostnameIn) (*kernel.Done, error) {
	g, err := h.hostnameGrant(ctx, authz.AdminSite, in)
	if err != nil {
		return nil, err
	}
	return nil, h.Sites.Hostnames.Remove(ctx, g)
}
