package page

import (
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// actions returns the entries of the menu of a page, as configured in the customization, and
// the feed of the page if it has one. Entries that need an assistant of the server are omitted,
// because the server has none.
func (c *Composer) actions(f *theme.Frame, e *edition.Edition, n *edition.Node, feed string) ([]*theme.Link, error) {
	if !shows(layoutOf(n.Page).Actions) {
		return nil, nil
	}
	var out []*theme.Link
	if feed != "" {
		out = append(out, &theme.Link{Title: f.Texts().NewsFeed, Icon: "rss", Href: feed})
	}
	for _, item := range c.Settings.PageActions.Items {
		var l *theme.Link
		var err error
		switch {
		case item == "pdf":
			out = append(out, c.downloads(f.Texts(), e, n)...)
		case item == "external-ai":
			out = append(out, c.assistantLinks(f)...)
		case item == "markdown" && f.Alternate != "":
			l = &theme.Link{Title: f.Texts().ViewMarkdown, Icon: "file-lines", Href: f.Alternate}
		case item == "mcp" && c.HasMCP():
			l = &theme.Link{Title: f.Texts().ConnectMCP, Icon: "plug", Href: c.Root + sites.OwnPrefix + MCPName}
		case item == "git":
			l, err = c.edit(f, e, n)
		}
		if err != nil {
			return nil, err
		}
		if l != nil {
			out = append(out, l)
		}
	}
	return out, nil
}

// edit returns the link to edit the source of a page. It returns nil if the space has no
// repository whose provider shows sources.
func (c *Composer) edit(f *theme.Frame, e *edition.Edition, n *edition.Node) (*theme.Link, error) {
	view := *e.View
	view.Space = e.Space // e.View may have an older state of the repository
	at, ok, err := view.SourceURL(c.Ctx, n.Page)
	if err != nil || !ok {
		return nil, err
	}
	l := &theme.Link{Title: f.Texts().EditSource, Icon: "pen-to-square", External: true}
	git := e.Space.Git
	if name := gitHosts[git.Provider]; name != "" {
		l.Title, l.Icon = fill(f.Texts().EditOn, name), git.Provider
		if tree := strings.TrimSuffix(git.TreeURL, "/"); strings.HasPrefix(at, tree) {
			at = strings.Replace(tree, "/blob/", "/edit/", 1) + at[len(tree):]
		}
	}
	if l.Href, ok = markup.SafeURL(at); !ok {
		return nil, nil
	}
	return l, nil
}

// gitHosts maps the providers of repositories to their names.
var gitHosts = map[string]string{"github": "GitHub", "gitlab": "GitLab"}

// fill replaces the placeholder %s in text.
func fill(text, with string) string { return strings.Replace(text, "%s", with, 1) }

// OffersPDF reports whether readers may download pages as PDF.
func (c *Composer) OffersPDF() bool {
	return slices.Contains(c.Settings.PageActions.Items, "pdf") && c.Output.Answered()
}

// downloads returns links to the PDF of a page and to the PDF of its space.
func (c *Composer) downloads(t *theme.Texts, e *edition.Edition, n *edition.Node) []*theme.Link {
	if !c.OffersPDF() {
		return nil
	}
	at := e.Base + sites.OwnPrefix + PDFName
	return []*theme.Link{
		{Title: t.DownloadPDF, Icon: "file-pdf", Href: at + "?" + url.Values{"page": {string(n.ID)}, "only": {"true"}}.Encode()},
		{Title: t.DownloadAll, Icon: "book", Href: at},
	}
}

// assistants are external AI assistants. The question is appended to the URL.
var assistants = []struct{ name, icon, at string }{
	{"ChatGPT", "openai", "https://chatgpt.com/?q="},
	{"Claude", "claude", "https://claude.ai/new?q="},
}

// assistantLinks returns links that open a page in external assistants. There are none
// for private pages, because assistants can read only public ones.
func (c *Composer) assistantLinks(f *theme.Frame) (out []*theme.Link) {
	if f.Canonical == "" || f.Alternate == "" || c.Private {
		return nil
	}
	t := f.Texts()
	for _, a := range assistants {
		out = append(out, &theme.Link{Title: fill(t.OpenIn, a.name), Icon: a.icon, Href: a.at + url.QueryEscape(fill(t.AskAbout, c.Absolute(f.Alternate))), External: true})
	}
	return out
}
