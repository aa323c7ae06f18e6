// Package mcpserver implements a Model Context Protocol server, with which assistants
// search and read the documentation of a site. It is stateless and does not check
// permissions: each call comes with functions that see what its sender sees.
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
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

const (
	version = "1.0.0" // of the input and output of the tools

	maxValues = 500       // of a request
	maxText   = 256 << 10 // bytes of a page in a response
)

// MaxCall is the maximum size of a request in bytes. Anybody may send one, and what it is decoded
// to takes many times as much.
const MaxCall = 16 << 10

// Server answers calls for any number of sites.
type Server struct{ schemas *mcp.SchemaCache }

// New returns a server.
func New() *Server { return &Server{mcp.NewSchemaCache()} }

// Documentation is the part of a site that the sender of a call sees.
type Documentation struct {
	Title  string
	Search func(query string) ([]Hit, error)
	// Page returns a page of the site as Markdown, by its address or its path. ok is
	// false if there is no such page.
	Page func(address string) (text string, ok bool, err error)
	// Log receives the errors that senders must not see.
	Log *slog.Logger
}

// Hit is a page in a search result.
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
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxCall))
	switch tooLarge := (*http.MaxBytesError)(nil); {
	case errors.As(err, &tooLarge):
		theme.WriteText(w, http.StatusRequestEntityTooLarge, "A request has at most "+errs.Size(MaxCall)+".")
		return
	case err != nil:
		return // the client has disconnected
	case jsontext.MoreValues(body, maxValues):
		theme.WriteText(w, http.StatusBadRequest, fmt.Sprintf("A request has at most %d values.", maxValues))
		return
	case bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")): // the cost of a batch is not limited
		theme.WriteText(w, http.StatusBadRequest, "Send one message in a request.")
		return
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	server := s.server(d)
	mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: MaxCall, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the caller has checked the host against those of sites
	}).ServeHTTP(w, r)
}

// searchCall is the input of the search tool.
type searchCall struct {
	Query string `json:"query" jsonschema:"words to look for"`
}

// found is the output of the search tool.
type found struct {
	Results []Hit `json:"results"`
}

// pageCall is the input of the tool that reads a page.
type pageCall struct {
	URL string `json:"url" jsonschema:"address of a page of this site, or its path"`
}

// server returns an MCP server whose tools use a documentation. Its tools have the same
// names as those of other renderers, which clients know.
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

// page returns a page, truncated to maxText bytes.
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

// public returns an error that clients may see. It logs and replaces internal errors.
func (d *Documentation) public(err error) error {
	if err == nil {
		return nil
	}
	if !errs.Is(err, errs.Internal) { // not for the log, because strangers can cause it as often as they like, such as when the server is busy
		return errors.New(errs.Message(err))
	}
	if errs.Cancelled(err) { // the assistant has left
		return errors.New("the call was cancelled; try again")
	}
	d.Log.Error("a call of the MCP server of a site failed", "error", err)
	return errors.New("the server could not do this; try again later")
}
