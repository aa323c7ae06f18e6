package sites

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) mcpServers() {
	const tag, route, one = "Site MCP servers", wire.SiteRoute + "/mcp-servers", wire.SiteRoute + "/mcp-servers/{siteMcpServerId}"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSiteMcpServers", Route: "GET " + route, Tag: tag, Allow: authz.Site(authz.SiteSecrets),
		Summary: "List the MCP servers of a site, oldest first.",
	}, h.listMCPServers)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createSiteMcpServer", Route: "POST " + route, Tag: tag, Allow: authz.Site(authz.AdminSite), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Add an MCP server to a site.",
		About:   "A site can have 50. Headers are stored encrypted, and their values are never returned.",
	}, h.createMCPServer)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSiteMcpServerById", Route: "GET " + one, Tag: tag, Allow: authz.Site(authz.SiteSecrets),
		Summary: "Get an MCP server of a site.",
	}, h.getMCPServer)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSiteMcpServerById", Route: "PATCH " + one, Tag: tag, Allow: authz.Site(authz.AdminSite.Within(docs.ScopeAdmin)),
		Summary: "Change an MCP server of a site.",
	}, h.updateMCPServer)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteSiteMcpServerById", Route: "DELETE " + one, Tag: tag, Allow: authz.Site(authz.AdminSite),
		Summary: "Remove an MCP server from a site.",
	}, h.deleteMCPServer)
}

// SiteMCPServer is the JSON form of an MCP server of a site.
type SiteMCPServer struct {
	Object    string            `json:"object" enum:"site-mcp-server"`
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	URL       string            `json:"url" format:"uri"`
	Transport string            `json:"transport" enum:"sse,http"`
	Headers   map[string]string `json:"headers" doc:"Names, with (hidden) for each value: values are never returned."`
	Condition string            `json:"condition,omitempty" doc:"Expression that decides which visitors it is available to."`
	URLs      wire.Location     `json:"urls"`
}

func (h *handlers) mcpServer(site docs.Site) func(docs.MCPServer) SiteMCPServer {
	return func(v docs.MCPServer) SiteMCPServer {
		headers := map[string]string{}
		for name := range v.Headers {
			headers[name] = sites.HiddenHeader
		}
		return SiteMCPServer{
			Object: "site-mcp-server", ID: string(v.ID), Name: v.Name, URL: v.URL, Transport: v.Transport, Headers: headers, Condition: v.Condition,
			URLs: wire.Location{Location: h.location(site, "mcp-servers", string(v.ID))},
		}
	}
}

type listMCPServersIn struct {
	wire.SiteIn
	kernel.Paged
}

func (h *handlers) listMCPServers(ctx context.Context, in *listMCPServersIn) (*kernel.Page[SiteMCPServer], error) {
	g := authz.FromContext(ctx)
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Sites.MCPServers.List(g), h.mcpServer(g.Site))
}

type createMCPServerIn struct {
	wire.SiteIn
	Body struct {
		Name      string            `json:"name" minLength:"1" maxLength:"100"`
		URL       string            `json:"url" format:"uri" maxLength:"2048"`
		Transport string            `json:"transport,omitempty" enum:"sse,http" doc:"Default: sse."`
		Headers   map[string]string `json:"headers" doc:"At most 20, with values of 1 to 512 characters."`
		Condition opt.Val[string]   `json:"condition,omitempty" nullable:"true" maxLength:"1024" format:"condition"`
	}
}

func (h *handlers) createMCPServer(ctx context.Context, in *createMCPServerIn) (*kernel.Created[SiteMCPServer], error) {
	g, b := authz.FromContext(ctx), in.Body
	p := sites.MCPServerPatch{Name: opt.Of(b.Name), URL: opt.Of(b.URL), Headers: opt.Of(b.Headers), Condition: b.Condition}
	if b.Transport != "" {
		p.Transport = opt.Of(b.Transport)
	}
	v, err := h.Sites.MCPServers.Add(ctx, g, p)
	w := h.mcpServer(g.Site)(v)
	return kernel.Made(w.URLs.Location, w), err
}

type MCPServerIn struct {
	wire.SiteIn
	Server docs.MCPServerID `path:"siteMcpServerId"`
}

func (h *handlers) getMCPServer(ctx context.Context, in *MCPServerIn) (*kernel.Out[SiteMCPServer], error) {
	g := authz.FromContext(ctx)
	v, err := h.Sites.MCPServers.Get(ctx, g, in.Server)
	return kernel.OK(h.mcpServer(g.Site)(v)), err
}

type updateMCPServerIn struct {
	MCPServerIn
	Body struct {
		Name      opt.Val[string]            `json:"name,omitempty" minLength:"1" maxLength:"100"`
		URL       opt.Val[string]            `json:"url,omitempty" format:"uri" maxLength:"2048"`
		Transport opt.Val[string]            `json:"transport,omitempty" enum:"sse,http"`
		Headers   opt.Val[map[string]string] `json:"headers,omitempty" doc:"Replaces all. A header with the value (hidden) keeps the value that it has."`
		Condition opt.Val[string]            `json:"condition,omitempty" nullable:"true" maxLength:"1024" format:"condition" doc:"null removes it."`
	}
}

func (h *handlers) updateMCPServer(ctx context.Context, in *updateMCPServerIn) (*kernel.Out[SiteMCPServer], error) {
	b := in.Body
	if !b.Name.IsSet() && !b.URL.IsSet() && !b.Transport.IsSet() && !b.Headers.IsSet() && !b.Condition.IsSet() {
		return nil, errs.Field("body", "must contain name, url, transport, headers or condition")
	}
	g := authz.FromContext(ctx)
	v, err := h.Sites.MCPServers.Update(ctx, g, in.Server, sites.MCPServerPatch(b))
	return kernel.OK(h.mcpServer(g.Site)(v)), err
}

func (h *handlers) deleteMCPServer(ctx context.Context, in *MCPServerIn) (*kernel.Done, error) {
	return nil, h.Sites.MCPServers.Delete(ctx, authz.FromContext(ctx), in.Server)
}
