package publish

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/edition"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/theme"
)

// actions returns what the menu of a page has, as the customization says. Those
// that need an assistant of the server are not there, because it has none.
func (v *visit) actions(f *theme.Frame, e *edition.Edition, n *edition.Node) ([]*theme.Link, error) {
	if !shows(layoutOf(n.Page).Actions) {
		return nil, nil
	}
	var out []*theme.Link
	for _, item := range v.settings.PageActions.Items {
		var l *theme.Link
		var err error
		switch {
		case item == "pdf":
			out = append(out, v.downloads(f.Texts(), e, n)...)
		case item == "external-ai":
			out = append(out, v.asking(f)...)
		case item == "markdown" && f.Alternate != "":
			l = &theme.Link{Title: f.Texts().ViewMarkdown, Icon: "file-lines", Href: f.Alternate}
		case item == "mcp" && v.state.settings.PageActions.MCP && v.export == nil: // the server belongs to the site
			l = &theme.Link{Title: f.Texts().ConnectMCP, Icon: "plug", Href: v.root + ownPrefix + mcpName}
		case item == "git":
			l, err = v.edit(f, e, n)
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

// edit returns the link to where the source of a page is edited; nil if the space
// has no repository that shows it.
func (v *visit) edit(f *theme.Frame, e *edition.Edition, n *edition.Node) (*theme.Link, error) {
	view := *e.View
	view.Space = e.Space // whose repository may be another by now
	at, ok, err := view.SourceURL(v.ctx, n.Page)
	if err != nil || !ok {
		return nil, err
	}
	l := &theme.Link{Title: f.Texts().EditSource, Icon: "pen-to-square", External: true}
	switch git := e.Space.Git; git.Provider {
	case "github", "gitlab":
		if tree := strings.TrimSuffix(git.TreeURL, "/"); strings.HasPrefix(at, tree) {
			at = strings.Replace(tree, "/blob/", "/edit/", 1) + at[len(tree):]
		}
	}
	if l.Href, ok = markup.SafeURL(at); !ok {
		return nil, nil
	}
	return l, nil
}

// fill puts a text into the place that another one has for it.
func fill(text, with string) string { return strings.Replace(text, "%s", with, 1) }
