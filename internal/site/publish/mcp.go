package publish

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/publish/mcpserver"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// isMCPCall reports whether a request calls the MCP server of a site. The caller is not a
// browser, so it is not redirected to another address or to a login form.
func isMCPCall(r *http.Request) bool {
	return r.Method == http.MethodPost && (strings.HasSuffix(r.URL.Path, "/"+sites.OwnPrefix+page.MCPName) || strings.HasSuffix(r.URL.Path, "/"+sites.OtherPrefix+page.MCPName))
}

// serveMCP serves requests for the MCP server of the site, if it has one.
// It reports whether it has written the response. Calls are handled like visits of pages:
// the server keeps no state between them.
func (v *visit) serveMCP(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	name, ok := sites.OwnName(v.reader.Path)
	switch {
	case (!ok || name != page.MCPName) && v.reader.Program:
		notAllowed(w)
		return true, nil
	case !ok || name != page.MCPName:
		return false, nil
	}
	if w, err = v.begin(w, r); err != nil {
		return true, err
	}
	switch {
	case !v.HasMCP():
		theme.WriteText(w, http.StatusNotFound, "This site has no MCP server. Its owner can turn it on: mcp of the customization, and mcp of its pageActions if the site is not public.")
		return true, nil
	case !v.reader.Program:
		return true, v.explainMCP(w, r)
	}
	if err := v.heavy(); err != nil {
		return true, err
	}
	v.h.mcp.Serve(w, r, mcpserver.Documentation{
		Title: v.Title(), Search: v.callSearch, Log: v.h.Log.With("site", v.Site.ID),
		Page: func(address string) (string, bool, error) { return v.callPage(address, r.Host) },
	})
	return true, nil
}

// explainMCP responds to a GET request for the MCP server, such as from a person who
// followed a link.
func (v *visit) explainMCP(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Allow", http.MethodPost)
	if !theme.AcceptsHTML(r) {
		theme.WriteText(w, http.StatusMethodNotAllowed, "This is an MCP server, which is called with POST. It keeps no sessions and sends nothing by itself.")
		return nil
	}
	f, err := v.Frame(nil, nil)
	if err != nil {
		return err
	}
	f.Hidden = true
	t := f.Texts()
	return theme.Write(w, http.StatusOK, f, &theme.Message{
		Title: t.MCP, Text: t.MCPText,
		At: v.Absolute(v.Root + v.reader.Path), Next: &theme.Link{Title: t.Start, Href: v.Root},
	})
}

// callSearch searches the whole site.
func (v *visit) callSearch(query string) ([]mcpserver.Hit, error) {
	target, ok := v.Seen.Paths.Resolve("", false)
	if !ok {
		return nil, nil
	}
	e, err := v.Edition(v.Ctx, target.Space)
	if err != nil {
		return nil, err
	}
	hits, err := v.Search(e, page.TrimQuery(query), sites.SearchScope{Mode: "all"})
	out := make([]mcpserver.Hit, 0, len(hits))
	for _, h := range hits {
		out = append(out, mcpserver.Hit{Title: theme.Above(h.Title.String(), h.Heading.String()), Where: h.Where, URL: v.Absolute(h.Href), Snippet: strings.TrimSpace(h.Method + " " + h.Text.String())})
	}
	return out, err
}

// callPage returns the page at an address as Markdown. If there is none, ok is false.
func (v *visit) callPage(at, host string) (text string, ok bool, err error) {
	path, ok := v.below(at, host)
	if !ok {
		return "", false, nil
	}
	e, n, err := v.Lookup(path)
	if errs.Is(err, errs.NotFound) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	text, err = v.Printer(e).Markdown(n)
	return text, true, err
}

// below returns the path of an address relative to the root of the site. The address may
// have no host.
func (v *visit) below(at, host string) (path string, ok bool) {
	u, err := url.Parse(strings.TrimSpace(at))
	if err != nil || len(at) > maxPath {
		return "", false
	}
	if u.Host != "" {
		whole := u.Scheme + "://" + u.Host + u.EscapedPath()
		if path, ok = strings.CutPrefix(whole, v.Absolute(v.Root)); ok {
			return path, true
		}
		if u.Host != host {
			return "", false
		}
	}
	path, _ = strings.CutPrefix(u.EscapedPath(), v.Root)
	return strings.TrimLeft(path, "/"), true
}
