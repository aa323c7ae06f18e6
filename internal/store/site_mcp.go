package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// SealedMCPServer is an MCP server of a site with its headers as they are stored.
type SealedMCPServer struct {
	docs.MCPServer
	Sealed docs.Sealed
}

const mcpColumns = `m.id, m.site_id, m.name, m.url, m.transport, m.headers, m.condition, m.created_at`

func scanMCPServer(s engine.Scanner) (v SealedMCPServer, err error) {
	err = s.Scan(&v.ID, &v.Site, &v.Name, &v.URL, &v.Transport, &v.Sealed, &v.Condition, &v.CreatedAt)
	return v, err
}

// MCPServer returns an MCP server of a site.
func (r siteReads) MCPServer(ctx context.Context, site docs.SiteID, id docs.MCPServerID) (SealedMCPServer, error) {
	return engine.One(ctx, r, "MCP server", scanMCPServer, `
		SELECT `+mcpColumns+` FROM site_mcp_servers m WHERE m.id = $1 AND m.site_id = $2`, id, site)
}

// MCPServers lists the MCP servers of a site, oldest first.
func (r siteReads) MCPServers(ctx context.Context, site docs.SiteID, p Page) ([]SealedMCPServer, Key, error) {
	items, err := engine.Many(ctx, r, scanMCPServer, `
		SELECT `+mcpColumns+` FROM site_mcp_servers m WHERE m.site_id = $1 AND m.id > $2
		ORDER BY m.id LIMIT $3 + 0`, site, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(v SealedMCPServer) Key { return Key{string(v.ID)} })
	return items, next, err
}

// CountMCPServers counts what MCPServers lists.
func (r siteReads) CountMCPServers(ctx context.Context, site docs.SiteID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM site_mcp_servers WHERE site_id = $1`, site)
}

// PutMCPServer stores a new or changed MCP server.
func (tx siteWrites) PutMCPServer(ctx context.Context, v SealedMCPServer) error {
	return engine.Put(ctx, tx, `
		INSERT INTO site_mcp_servers (id, site_id, name, url, transport, headers, condition, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, url = excluded.url, transport = excluded.transport,
			headers = excluded.headers, condition = excluded.condition`,
		v.ID, v.Site, v.Name, v.URL, v.Transport, v.Sealed, v.Condition, v.CreatedAt)
}

// DropMCPServer deletes an MCP server of a site.
func (tx siteWrites) DropMCPServer(ctx context.Context, site docs.SiteID, id docs.MCPServerID) error {
	return dropOne(ctx, tx, "MCP server", `DELETE FROM site_mcp_servers WHERE id = $1 AND site_id = $2`, id, site)
}
