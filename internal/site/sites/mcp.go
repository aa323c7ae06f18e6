package sites

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// Limits of MCP servers.
const (
	maxMCPServers = 50 // of a site
	maxHeaders    = 20
	maxHeader     = 512 // bytes of a value
)

// HiddenHeader is what is shown instead of the value of a header of an MCP server, which is only written and never read back. Sent back, it
// leaves the value as it is.
const HiddenHeader = "(hidden)"

// keepHidden returns headers with the stored values of those that are HiddenHeader.
func keepHidden(headers, stored map[string]string) (map[string]string, error) {
	out := maps.Clone(headers)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if headers[name] != HiddenHeader {
			continue
		}
		v, known := stored[name]
		if !known {
			return nil, errs.Field("headers", "has no value for %.40q: %s means a value that the server has", name, HiddenHeader)
		}
		out[name] = v
	}
	return out, nil
}

// MCPServers reads and changes the MCP servers that sites offer to their visitors.
type MCPServers struct {
	Store *store.Store
}

// List lists the MCP servers of the site of a grant.
func (s *MCPServers) List(g *authz.Grant) store.List[docs.MCPServer] {
	return store.List[docs.MCPServer]{
		Page: func(ctx context.Context, p store.Page) ([]docs.MCPServer, store.Key, error) {
			rows, next, err := s.Store.MCPServers(ctx, g.Site.ID, p)
			if err != nil {
				return nil, nil, err
			}
			out := make([]docs.MCPServer, len(rows))
			for i, v := range rows {
				if out[i], err = openServer(ctx, s.Store.Reader, v); err != nil {
					return nil, nil, err
				}
			}
			return out, next, nil
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountMCPServers(ctx, g.Site.ID) },
	}
}

// Get returns an MCP server of the site of a grant.
func (s *MCPServers) Get(ctx context.Context, g *authz.Grant, id docs.MCPServerID) (docs.MCPServer, error) {
	v, err := s.Store.MCPServer(ctx, g.Site.ID, id)
	if err != nil {
		return docs.MCPServer{}, err
	}
	return openServer(ctx, s.Store.Reader, v)
}

func openServer(ctx context.Context, r store.Reader, v store.SealedMCPServer) (docs.MCPServer, error) {
	text, err := seal.Open(ctx, r, seal.MCPHeaders, string(v.ID), v.Sealed)
	if err != nil {
		return v.MCPServer, err
	}
	err = json.Unmarshal([]byte(text), &v.Headers)
	return v.MCPServer, err
}

// MCPServerPatch is the input of MCPServers.Add and MCPServers.Update.
type MCPServerPatch struct {
	Name      opt.Val[string]
	URL       opt.Val[string]
	Transport opt.Val[string]
	Headers   opt.Val[map[string]string]
	Condition opt.Val[string]
}

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$")

// check returns an error unless the fields of a patch are valid.
func (s *MCPServers) check(ctx context.Context, g *authz.Grant, p MCPServerPatch) error {
	return errs.All(checkCondition(ctx, s.Store.Reader, g, conditionField, p.Condition.Or("")), checkAddress("url", p.URL), checkHeaders(p.Headers.Or(nil)))
}

func checkHeaders(headers map[string]string) error {
	if len(headers) > maxHeaders {
		return errs.Field("headers", "must have at most %d entries", maxHeaders)
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if v := headers[name]; !headerName.MatchString(name) || v == "" || len(v) > maxHeader || strings.ContainsAny(v, "\r\n\x00") {
			return errs.Field("headers", "has %.40q, which is not a header with a value of 1 to %d characters", name, maxHeader)
		}
	}
	return nil
}

// put stores a new or changed server, and returns the audit event.
func (p MCPServerPatch) put(ctx context.Context, c *change, action string, v docs.MCPServer) (docs.MCPServer, audit.Event, error) {
	before := v
	headers, err := keepHidden(p.Headers.Or(v.Headers), v.Headers)
	if err != nil {
		return v, audit.Event{}, err
	}
	v.Name, v.URL, v.Transport = p.Name.Or(v.Name), p.URL.Or(v.URL), p.Transport.Or(v.Transport)
	v.Headers, v.Condition = headers, p.Condition.Or(v.Condition)
	if v.Headers == nil {
		v.Headers = map[string]string{}
	}
	if audit.Same(before, v) {
		return before, audit.Event{}, nil
	}
	text, err := jsontext.Marshal(v.Headers)
	if err != nil {
		return v, audit.Event{}, err
	}
	sealed, err := seal.Seal(ctx, c.tx.Reader, seal.MCPHeaders, string(v.ID), string(text))
	if err != nil {
		return v, audit.Event{}, err
	}
	c.touch = true
	return v, mcpEvent(action, v).Changed(logged(before), logged(v)), c.tx.PutMCPServer(ctx, store.SealedMCPServer{MCPServer: v, Sealed: sealed})
}

// logged returns a server as the audit log may have it. The names and values of headers are secret there.
func logged(v docs.MCPServer) docs.MCPServer {
	if v.URL != "" {
		v.URL = audit.Host(v.URL)
	}
	return v
}

func mcpEvent(action string, v docs.MCPServer) audit.Event {
	return audit.Event{Action: "site.mcp_server." + action, Data: map[string]any{"server": v.ID, "name": v.Name}}
}

// Add creates an MCP server.
func (s *MCPServers) Add(ctx context.Context, g *authz.Grant, p MCPServerPatch) (docs.MCPServer, error) {
	if err := s.check(ctx, g, p); err != nil {
		return docs.MCPServer{}, err
	}
	var v docs.MCPServer
	_, err := editSite(ctx, s.Store, g, func(c *change) (e audit.Event, err error) {
		n, err := c.tx.CountMCPServers(ctx, c.site.ID)
		if err == nil && n >= maxMCPServers {
			err = errs.E(errs.Precondition, "a site can have %d MCP servers; delete one first", maxMCPServers)
		}
		if err != nil {
			return e, err
		}
		v, e, err = p.put(ctx, c, "create", docs.MCPServer{ID: store.NewID[docs.MCPServerID](c.tx), Site: c.site.ID, Transport: "sse", CreatedAt: c.tx.Now()})
		return e, err
	})
	return v, err
}

// Update changes an MCP server.
func (s *MCPServers) Update(ctx context.Context, g *authz.Grant, id docs.MCPServerID, p MCPServerPatch) (docs.MCPServer, error) {
	if err := s.check(ctx, g, p); err != nil {
		return docs.MCPServer{}, err
	}
	var v docs.MCPServer
	_, err := editSite(ctx, s.Store, g, func(c *change) (e audit.Event, err error) {
		row, err := c.tx.MCPServer(ctx, c.site.ID, id)
		if err == nil {
			v, err = openServer(ctx, c.tx.Reader, row)
		}
		if err != nil {
			return e, err
		}
		v, e, err = p.put(ctx, c, "update", v)
		return e, err
	})
	return v, err
}

// Delete deletes an MCP server.
func (s *MCPServers) Delete(ctx context.Context, g *authz.Grant, id docs.MCPServerID) error {
	_, err := editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
		c.touch = true
		return mcpEvent("delete", docs.MCPServer{ID: id}), c.tx.DropMCPServer(ctx, c.site.ID, id)
	})
	return err
}
