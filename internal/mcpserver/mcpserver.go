// Package mcpserver answers assistants that search and read the documentation of a site, by the
// Model Context Protocol. It keeps nothing between two calls and does not know who may read
// what: each call comes with functions that see what its sender sees.
package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/theme"
)

const (
	version = "1.0.0" // of what the tools take and return

	maxCall = 1 << 20   // bytes of a request
	maxText = 256 << 10 // bytes of a page in an answer
)

// Server answers calls for any number of sites.
type Server struct{ schemas *mcp.SchemaCache }

// New returns a server.
func New() *Server { return &Server{mcp.NewSchemaCache()} }

// Documentation is what the sender of a call sees of a site.
type Documentation struct {
	Title  string
	Search func(query string) ([]Hit, error)
	// Page returns a page of the site as Markdown, by its address or its path. It is
	// false if there is none.
	Page func(address string) (text string, ok bool, err error)
	// Log gets the errors that senders must not read.
	Log *slog.Logger
}

// Hit is a page that was found.
type Hit struct {
	Title   string `json:"title"`
	Where   string `json:"where,omitempty" jsonschema:"titles of the section and of the pages above it"`
	URL     string `json:"url" jsonschema:"address of the page, for getPage"`
	Snippet string `json:"snippet,omitempty"`
}

// Serve answers a call, which is a POST request to a host that the caller has checked.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, d Documentation) {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		theme.WriteText(w, http.StatusForbidden, "Pages of other web sites cannot call this server.")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall))
	switch tooLarge := (*http.MaxBytesError)(nil); {
	case errors.As(err, &tooLarge):
		theme.WriteText(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("A request has at most %d bytes.", maxCall))
		return
	case err != nil:
		return // who asked has gone
	case bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")): // the work of a batch has no bound
		theme.WriteText(w, http.StatusBadRequest, "Send one message in a request.")
		return
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	server := s.server(d)
	mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxCall, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the host was compared with those of sites
	}).ServeHTTP(w, r)
}

// A searchCall is what the tool for searching takes.
type searchCall struct {
	Query string `json:"query" jsonschema:"words to look for"`
}

// found is what the tool for searching returns.
type found struct {
	Results []Hit `json:"results"`
}

// A pageCall is what the tool for reading takes.
type pageCall struct {
	URL string `json:"url" jsonschema:"address of a page of this site, or its path"`
}

// server returns a server whose tools see a documentation. The names of the tools are those
// that clients of other renderers know.
func (s *Server) server(d Documentation) *mcp.Server {
	out := mcp.NewServer(&mcp.Implementation{Name: "octavo", Title: d.Title, Version: version}, &mcp.ServerOptions{
		Instructions: "Documentation of " + d.Title + ". Search it for words, then read the pages that were found.",
		SchemaCache:  s.schemas, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	closed := false
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
	mcp.AddTool(out, &mcp.Tool{Name: "searchDocumentation", Title: "Search", Annotations: reads, Description: "Searches the pages of the documentation and returns titles, addresses and snippets."},
		func(_ context.Context, _ *mcp.CallToolRequest, in searchCall) (*mcp.CallToolResult, found, error) {
			hits, err := d.Search(in.Query)
			return nil, found{append([]Hit{}, hits...)}, d.public(err)
		})
	mcp.AddTool(out, &mcp.Tool{Name: "getPage", Title: "Read a page", Annotations: reads, Description: "Returns a page of the documentation as Markdown."},
		func(_ context.Context, _ *mcp.CallToolRequest, in pageCall) (*mcp.CallToolResult, any, error) {
			text, err := d.page(in.URL)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, d.public(err)
		})
	return out
}

// page returns a page, or the beginning of a long one.
func (d *Documentation) page(address string) (string, error) {
	text, ok, err := d.Page(address)
	if err == nil && !ok {
		err = errs.E(errs.NotFound, "There is no page at this address; searchDocumentation finds pages.")
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + fmt.Sprintf("\n\n(The page has %d bytes. It is cut here.)\n", len(text))
	}
	return text, err
}

// public returns an error as callers may read it.
func (d *Documentation) public(err error) error {
	if err == nil || errs.Is(err, errs.NotFound) {
		return err
	}
	d.Log.Error("a call of the MCP server of a site failed", "error", err)
	return errors.New("the server could not do this; try again later")
}
