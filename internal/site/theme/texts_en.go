package theme

import (
	"github.com/octavo-docs/octavo/internal/markup/html"
)

var english = Texts{
	Skip: "Skip to the text", Announcement: "Announcement", Menu: "Menu", Close: "Close", Search: "Search", Links: "Links", Scheme: "Light or dark",
	Sections: "Sections", Pages: "Pages", Privacy: "Privacy policy", Version: "Version", Outline: "On this page", Breadcrumbs: "Breadcrumbs",
	Page: "Page", Turn: "Previous and next page", Previous: "Previous", Next: "Next", Updated: "Last updated",
	SearchHint: "Type some words above.", Results: "Results for", NoResults: "Nothing was found for", Near: "Perhaps you mean:", Everywhere: "All sections",
	SystemScheme: "System", LightScheme: "Light", DarkScheme: "Dark", NewsFeed: "RSS feed", EditOn: "Edit on %s",
	ViewMarkdown: "View as Markdown", ConnectMCP: "Connect by MCP", EditSource: "Edit the source",
	Missing: "Not found", MissingText: "There is no page at this address.", Start: "Go to the first page",
	MCP: "MCP server", MCPText: "Assistants can search and read these pages. Add this address to yours as an MCP server (streamable HTTP):",
	Documentation: "Documentation",
	SignIn:        "Sign in", SignInText: "These pages are for signed-in readers only. Open them from the place where you sign in.",
	SignInFailed: "Sign-in failed", SignInAgain: "Sign in again", Report: "If this happens again, send this message to whoever runs the site.",
	Refused: TokenErrors{
		Expired:   "The sign-in token has expired.",
		Early:     "The sign-in token is not valid yet: the clock of the server that made it is ahead.",
		Lifetime:  "The sign-in token has no end, or one more than 30 days ahead.",
		Signature: "The sign-in token is not signed with this site's key.",
		Algorithm: "The sign-in token is not signed with HS256.",
		Malformed: "The sign-in token is malformed.",
	},
	Copy: "Copy", Copied: "Copied", CopyPage: "Copy page as Markdown", Diagrams: "Diagrams", Zoom: "Enlarge", More: "Show more", Less: "Show less",
	Play: "Play the video", OpenHere: "Open it here", LoadsFrom: "Loads from %s, which then learns of your visit",
	Finder: englishFinder,
	Wrap:   "Wrap lines", NoDiagram: "This diagram cannot be drawn:",
	Review: Review{
		Label: "Preview", Request: "Change request", Revision: "Revision", By: "by", Draft: "Draft", Open: "Open", Merged: "Merged",
		Archived: "Archived", Live: "Live page", Show: "Show changes", Pages: "Changed pages", First: "Changes on this page:", Same: "Nothing differs on this page.",
		Large: "This page is too long to be compared.", More: "More pages:", Added: "Added", Removed: "Removed", Changed: "Changed", Moved: "Moved",
	},
	Feedback:    Feedback{Question: "Was this page helpful?", Bad: "No", OK: "Partly", Good: "Yes", Thanks: "Thank you for your feedback!", Back: "Back to the page", Later: "Too many answers came from here. Try again in a minute."},
	DownloadPDF: "Download as PDF", DownloadAll: "Download everything as PDF", OpenIn: "Ask %s about this page", AskAbout: "Read %s and answer my questions about it.",
	PublishedWith: "Published with",
	Labels:        html.EnglishLabels,
}
