package folder

// Codes of problems. They are stable: people filter by them.
const (
	CodeBadPath       = "bad-path"        // a path that leaves the folder or cannot be written
	CodeSymlink       = "symlink"         // a link instead of a file
	CodeCaseTwin      = "case-twin"       // two names that differ in case only
	CodeTooLarge      = "too-large"       // a file beyond its limit
	CodeTooMany       = "too-many"        // problems
	CodeUnreadable    = "unreadable"      // a file that cannot be opened
	CodeYAML          = "yaml"            // in a YAML file
	CodeFrontMatter   = "front-matter"    // in the head of a page
	CodeMarkup        = "markup"          // in the body of a page
	CodeSummary       = "summary"         // in SUMMARY.md
	CodeNoLink        = "no-link"         // an entry that leads nowhere
	CodeNoReadme      = "no-readme"       // no landing page
	CodeMissingFile   = "missing-file"    // a page, an image or a file that is not there
	CodeDuplicatePage = "duplicate-page"  // one file as two pages
	CodeDuplicateSlug = "duplicate-slug"  // two pages with one address
	CodeNotInSummary  = "not-in-summary"  // a page that nobody sees
	CodeBrokenLink    = "broken-link"     // a link to a page that is not there
	CodeBrokenAnchor  = "broken-anchor"   // a link to a heading that is not there
	CodeMissingReuse  = "missing-include" // a reusable content that is not there
	CodeReuseCycle    = "include-cycle"   // a reusable content that has itself
	CodeRedirect      = "redirect"        // a redirect to nothing
)

// rule is what a checker shows about a code.
type rule struct {
	level string // error or warning
	about string
}

var rules = map[string]rule{
	CodeBadPath:       {"error", "A path must stay in the folder and have a name that every system can write."},
	CodeSymlink:       {"error", "Symbolic links and special files are not followed."},
	CodeCaseTwin:      {"error", "Names that differ in case only are one file on many systems."},
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
	CodeNotInSummary:  {"warning", "A page that the summary does not name is not shown."},
	CodeBrokenLink:    {"error", "A link leads to a page that is not there."},
	CodeBrokenAnchor:  {"error", "A link leads to a heading that is not there."},
	CodeMissingReuse:  {"error", "A reusable content is not there."},
	CodeReuseCycle:    {"error", "A reusable content includes itself."},
	CodeRedirect:      {"error", "A redirect leads to a page that is not there."},
}

// Level tells how bad a problem is: error or warning.
func (p Problem) Level() string {
	if r, ok := rules[p.Code]; ok {
		return r.level
	}
	return "error"
}
