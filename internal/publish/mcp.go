package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/octavo-docs/octavo/internal/edition"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/sites"
	"github.com/octavo-docs/octavo/internal/theme"
)

const (
	mcpName  = "mcp"
	mcpTools = "1.0.0" // version of what the tools take and return

	maxCall = 1 << 20   // bytes of a request
	maxText = 256 << 10 // bytes of a page in an answer
	maxHops = 4         // redirects that lead to a page
)

// isProgram reports whether a request calls the MCP server of a site: the only
// requests that are not for a page or a file, and that have a body. What calls has
// no browser, so it is sent neither to another address nor to a form.
func isProgram(r *http.Request) bool {
	return r.Method == http.MethodPost && (strings.HasSuffix(r.URL.Path, "/"+ownPrefix+mcpName) || strings.HasSuffix(r.URL.Path, "/"+otherPrefix+mcpName))
}

// serveMCP answers for the MCP server of the site, if the customization has one. A
// call is a visit like that of a page: the server keeps nothing between two of them.
func (v *visit) serveMCP(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	name, ok := ownName(v.path)
	switch {
	case (!ok || name != mcpName) && v.program:
		notAllowed(w)
		return true, nil
	case !ok || name != mcpName:
		return false, nil
	case !v.settings.PageActions.MCP:
		theme.WriteText(w, http.StatusNotFound, "This site has no MCP server. Its owner can turn it on: pageActions of the customization.")
		return true, nil
	case !v.program:
		return true, v.explainMCP(w, r)
	}
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		theme.WriteText(w, http.StatusForbidden, "Pages of other web sites cannot call this server.")
		return true, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall))
	switch tooLarge := (*http.MaxBytesError)(nil); {
	case errors.As(err, &tooLarge):
		theme.WriteText(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("A request has at most %d bytes.", maxCall))
		return true, nil
	case err != nil:
		return true, nil // who asked has gone
	case bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")): // the work of a batch has no bound
		theme.WriteText(w, http.StatusBadRequest, "Send one message in a request.")
		return true, nil
	}
	r = r.Clone(v.ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	server := v.mcpServer(r.Host)
	mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxCall, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the host was compared with those of sites
	}).ServeHTTP(w, r)
	return true, nil
}

// explainMCP answers a person who followed the link to the server.
func (v *visit) explainMCP(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Allow", http.MethodPost)
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		theme.WriteText(w, http.StatusMethodNotAllowed, "This is an MCP server, which is called with POST. It keeps no sessions and sends nothing by itself.")
		return nil
	}
	f, err := v.frame(nil, nil)
	if err != nil {
		return err
	}
	f.Hidden = true
	t := f.Texts()
	return theme.Write(w, http.StatusOK, f, &theme.Message{
		Title: t.MCP, Text: t.MCPText,
		At: v.absolute(v.root + v.path), Next: &theme.Link{Title: t.Start, Href: v.root},
	})
}

// A searchCall is what the tool for searching takes.
type searchCall struct {
	Query string `json:"query" jsonschema:"words to look for"`
}

// found is what the tool for searching returns.
type found struct {
	Results []foundPage `json:"results"`
}

type foundPage struct {
	Title   string `json:"title"`
	Where   string `json:"where,omitempty" jsonschema:"titles of the section and of the pages above it"`
	URL     string `json:"url" jsonschema:"address of the page, for getPage"`
	Snippet string `json:"snippet,omitempty"`
}

// A pageCall is what the tool for reading takes.
type pageCall struct {
	URL string `json:"url" jsonschema:"address of a page of this site, or its path"`
}

// mcpServer returns a server whose tools see what the visitor sees. The names of
// the tools are those that clients of other renderers know.
func (v *visit) mcpServer(host string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "octavo", Title: v.title(), Version: mcpTools}, &mcp.ServerOptions{
		Instructions: "Documentation of " + v.title() + ". Search it for words, then read the pages that were found.",
		SchemaCache:  v.h.schemas, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	closed := false
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
	mcp.AddTool(s, &mcp.Tool{Name: "searchDocumentation", Title: "Search", Annotations: reads, Description: "Searches the pages of the documentation and returns titles, addresses and snippets."},
		func(_ context.Context, _ *mcp.CallToolRequest, in searchCall) (*mcp.CallToolResult, found, error) {
			out, err := v.callSearch(in.Query)
			return nil, out, v.public(err)
		})
	mcp.AddTool(s, &mcp.Tool{Name: "getPage", Title: "Read a page", Annotations: reads, Description: "Returns a page of the documentation as Markdown."},
		func(_ context.Context, _ *mcp.CallToolRequest, in pageCall) (*mcp.CallToolResult, any, error) {
			text, err := v.callPage(in.URL, host)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, v.public(err)
		})
	return s
}

// public returns an error as callers may read it.
func (v *visit) public(err error) error {
	if err == nil || errs.Is(err, errs.NotFound) {
		return err
	}
	v.h.Log.Error("a call of the MCP server of a site failed", "site", v.site.ID, "error", err)
	return errors.New("the server could not do this; try again later")
}

// callSearch searches the whole site.
func (v *visit) callSearch(query string) (found, error) {
	out := found{Results: []foundPage{}}
	target, ok := v.seen.Paths.Resolve("", false)
	if !ok {
		return out, nil
	}
	e, err := v.h.edition(v.ctx, v, target.Space)
	if err != nil {
		return out, err
	}
	hits, err := v.search(e, trimQuery(query), sites.SearchScope{Mode: "all"})
	for _, h := range hits {
		out.Results = append(out.Results, foundPage{Title: h.Title, Where: h.Where, URL: v.absolute(h.Href), Snippet: h.Text})
	}
	return out, err
}

// callPage returns the page at an address as Markdown.
func (v *visit) callPage(at, host string) (string, error) {
	none := errs.E(errs.NotFound, "There is no page at this address; searchDocumentation finds pages.")
	path, ok := v.below(at, host)
	if !ok {
		return "", none
	}
	e, n, err := v.lookup(path)
	if errs.Is(err, errs.NotFound) {
		return "", none
	}
	if err != nil {
		return "", err
	}
	text, err := v.printer(e).markdown(n)
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + fmt.Sprintf("\n\n(The page has %d bytes. It is cut here.)\n", len(text))
	}
	return text, err
}

// below returns the path below the root of an address of the site, which may have
// no host.
func (v *visit) below(at, host string) (path string, ok bool) {
	u, err := url.Parse(strings.TrimSpace(at))
	if err != nil || len(at) > maxPath {
		return "", false
	}
	if u.Host != "" {
		whole := u.Scheme + "://" + u.Host + u.EscapedPath()
		if path, ok = strings.CutPrefix(whole, v.absolute(v.root)); ok {
			return path, true
		}
		if u.Host != host {
			return "", false
		}
	}
	path, _ = strings.CutPrefix(u.EscapedPath(), v.root)
	return strings.TrimLeft(path, "/"), true
}

// lookup returns the page that a path of the site leads to. Drafts have none.
func (v *visit) lookup(path string) (*edition.Edition, *edition.Node, error) {
	for range maxHops {
		target, ok := v.seen.Paths.Resolve(path, false)
		if !ok || strings.HasPrefix(target.Rest, sites.DraftPrefix) {
			break
		}
		name, _ := markdownName(target.Rest)
		plain, ok := unescape(name)
		if !ok {
			break
		}
		e, err := v.h.edition(v.ctx, v, target.Space)
		if err != nil {
			return nil, nil, err
		}
		page, moved, err := e.Find(v.ctx, plain)
		if err != nil || page != nil {
			return e, page, err
		}
		if path, ok = strings.CutPrefix(moved, v.root); !ok {
			break
		}
	}
	return nil, nil, errs.Missing("page")
}
