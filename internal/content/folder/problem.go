package folder

// Codes of problems. They must not change, because people filter by them.
const (
	CodeBadPath       = "bad-path"        // a path that leaves the folder or cannot be written
	CodeSymlink       = "symlink"         // a symbolic link instead of a file
	CodeCaseTwin      = "case-twin"       // two names that differ in case only
	CodeTooLarge      = "too-large"       // a file above its limit
	CodeTooMany       = "too-many"        // too many problems to list
	CodeUnreadable    = "unreadable"      // a file that cannot be opened
	CodeYAML          = "yaml"            // an error in a YAML file
	CodeFrontMatter   = "front-matter"    // an error in front matter
	CodeMarkup        = "markup"          // an error in the body of a page
	CodeSummary       = "summary"         // an error in SUMMARY.md
	CodeNoLink        = "no-link"         // an entry without a link
	CodeNoReadme      = "no-readme"       // no landing page
	CodeMissingFile   = "missing-file"    // a page, an image or a file that does not exist
	CodeDuplicatePage = "duplicate-page"  // a file that is listed twice
	CodeDuplicateSlug = "duplicate-slug"  // two pages with the same address
	CodePassedOver    = "passed-over"     // a file of another program that contains or lists pages
	CodeNotInSummary  = "not-in-summary"  // a page that the navigation does not list
	CodeBrokenLink    = "broken-link"     // a link to a page that does not exist
	CodeNearLink      = "near-link"       // a link whose path is almost the path of an existing file
	CodeBrokenAnchor  = "broken-anchor"   // a link to a heading that does not exist
	CodeMissingReuse  = "missing-include" // a reusable content that does not exist
	CodeReuseCycle    = "include-cycle"   // a reusable content that includes itself
	CodeRedirect      = "redirect"        // a redirect whose target does not exist
)

// rule is the severity and the description of a code, for reports.
type rule struct {
	level string // error or warning
	about string
}

var rules = map[string]rule{
	CodeBadPath:       {"error", "A path must stay in the folder and have a name that every system can write."},
	CodeSymlink:       {"error", "Symbolic links and special files are not followed."},
	CodeCaseTwin:      {"warning", "Names that differ in case only are one file on many systems."},
	CodeTooLarge:      {"error", "The file is larger than what can be imported."},
	CodeTooMany:       {"warning", "Further problems are not listed."},
	CodeUnreadable:    {"error", "The file cannot be opened."},
	CodeYAML:          {"error", "A YAML file has something that is not understood."},
	CodeFrontMatter:   {"error", "The head of a page has something that is not understood."},
	CodeMarkup:        {"warning", "The body of a page has something that is not understood."},
	CodeSummary:       {"error", "The summary has something that is not understood."},
	CodeNoLink:        {"warning", "An entry of the summary leads to no page."},
	CodeNoReadme:      {"error", "There is no landing page."},
	CodeMissingFile:   {"error", "A file that is used is not there."},
	CodeDuplicatePage: {"error", "A file can be one page only."},
	CodeDuplicateSlug: {"error", "Two pages next to each other have one address."},
	CodePassedOver:    {"warning", "A file for another program is kept, and its pages are not shown."},
	CodeNotInSummary:  {"warning", "A page that the summary does not name is not shown."},
	CodeBrokenLink:    {"error", "A link leads to a page that is not there."},
	CodeNearLink:      {"warning", "A link has almost the name of a file that is there."},
	CodeBrokenAnchor:  {"error", "A link leads to a heading that is not there."},
	CodeMissingReuse:  {"error", "A reusable content is not there."},
	CodeReuseCycle:    {"error", "A reusable content includes itself."},
	CodeRedirect:      {"error", "A redirect leads to a page that is not there."},
}

// Level returns the severity of a problem: error or warning.
func (p Problem) Level() string {
	if r, ok := rules[p.Code]; ok {
		return r.level
	}
	return "error"
}
