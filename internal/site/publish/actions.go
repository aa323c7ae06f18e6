package publish

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// actions returns the entries of the menu of a page, as configured in the customization.
// Entries that need an assistant of the server are omitted, because the server has none.
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
			out = append(out, v.assistantLinks(f)...)
		case item == "markdown" && f.Alternate != "":
			l = &theme.Link{Title: f.Texts().ViewMarkdown, Icon: "file-lines", Href: f.Alternate}
		case item == "mcp" && v.hasMCP():
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

// edit returns the link to edit the source of a page. It returns nil if the space has no
// repository whose provider shows sources.
func (v *visit) edit(f *theme.Frame, e *edition.Edition, n *edition.Node) (*theme.Link, error) {
	view := *e.View
	view.Space = e.Space // e.View may have an older state of the repository
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

// fill replaces the placeholder %s in text.
func fill(text, with string) string { return strings.Replace(text, "%s", with, 1) }
