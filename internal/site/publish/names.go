package publish

import (
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// Names of what a site or a space has besides pages, below sites.OwnPrefix.
const (
	mcpName      = "mcp"
	pdfName      = "pdf"       // of a page or of a whole space
	feedbackName = "feedback/" // followed by the id of a page
	tryName      = "try/"      // followed by the id of the page that describes the operation
	cardName     = "ogimage/"  // followed by the id of a page and a hash
)

// canTry reports whether readers can try API operations on pages.
func (c *composer) canTry() bool {
	return c.tries && c.out.published() && c.out.answered()
}

// hasFeedback reports whether pages have a feedback form.
func (c *composer) hasFeedback() bool {
	return c.settings.Feedback.Enabled && c.out.published() && c.out.answered()
}

// feedbackAddress returns the address that feedback about a page is posted to. It is empty
// if the page has no feedback form.
func (c *composer) feedbackAddress(e *edition.Edition, n *edition.Node) string {
	if n == nil || !c.hasFeedback() {
		return ""
	}
	return e.Base + sites.OwnPrefix + feedbackName + string(n.ID)
}

// hasMCP reports whether the site is an MCP server: those that everybody can read are,
// unless the customization turns it off, and others only if the menu of pages has it. It is
// a setting of the site, not of a site space.
func (c *composer) hasMCP() bool {
	s, open := &c.state.settings, c.site.Visibility == docs.VisibilityPublic || c.site.Visibility == docs.VisibilityUnlisted
	return s.MCP.Enabled && (open || s.PageActions.MCP) && c.out.answered()
}

// mcpAddress returns the address of the MCP server.
func (c *composer) mcpAddress() string { return c.absolute(c.root + sites.OwnPrefix + mcpName) }
