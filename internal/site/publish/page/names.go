package page

import (
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// Names of what a site or a space has besides pages, below sites.OwnPrefix.
const (
	MCPName      = "mcp"
	PDFName      = "pdf"       // of a page or of a whole space
	FeedbackName = "feedback/" // followed by the id of a page
	TryName      = "try/"      // followed by the id of the page that describes the operation
	PictureName  = "pictures/" // followed by the id of a file, a hash, a width and a name
	CardName     = "ogimage/"  // followed by the id of a page and a hash
)

// CanTry reports whether readers can try API operations on pages.
func (c *Composer) CanTry() bool {
	return c.tries && c.Output.Published() && c.Output.Answered()
}

// HasFeedback reports whether pages have a feedback form.
func (c *Composer) HasFeedback() bool {
	return c.Settings.Feedback.Enabled && c.Output.Published() && c.Output.Answered()
}

// feedbackAddress returns the address that feedback about a page is posted to. It is empty
// if the page has no feedback form.
func (c *Composer) feedbackAddress(e *edition.Edition, n *edition.Node) string {
	if n == nil || !c.HasFeedback() {
		return ""
	}
	return e.Base + sites.OwnPrefix + FeedbackName + string(n.ID)
}

// HasMCP reports whether the site is an MCP server: those that everybody can read are,
// unless the customization turns it off, and others only if the menu of pages has it. It is
// a setting of the site, not of a site space.
func (c *Composer) HasMCP() bool {
	s, open := &c.State.Settings, c.Site.Visibility == docs.VisibilityPublic || c.Site.Visibility == docs.VisibilityUnlisted
	return s.MCP.Enabled && (open || s.PageActions.MCP) && c.Output.Answered()
}

// mcpAddress returns the address of the MCP server.
func (c *Composer) mcpAddress() string { return c.Absolute(c.Root + sites.OwnPrefix + MCPName) }
