package folder

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/names"
)

// Tree is the content of a folder. All paths are relative to Root, use slashes, and have
// no "." or ".." elements. The only exception is the path of a landing page above the
// root, see Place.
type Tree struct {
	// Root is the folder of the content; "." is the whole folder.
	Root string
	// Readme is the file of the landing page. Summary is the file of the navigation.
	Readme, Summary string

	Pages    []*Page
	Includes []*Include
	// Files are the files that pages refer to or that are in a folder of assets. Others
	// are all other files that are not Markdown. Write writes both.
	Files, Others []*File
	// Unlisted are Markdown files that SUMMARY.md does not list. They are written, but
	// not shown.
	Unlisted []*Page

	// VariablesFile and TagsFile are the paths of the files with variables and tags. They
	// are empty for the usual paths.
	VariablesFile, TagsFile string

	Variables map[string]any // string, float64 or bool
	Tags      []Tag
	Redirects []Redirect

	// Inferred is set if there is no SUMMARY.md. The navigation is then derived from the
	// folders.
	Inferred bool
	// Skipped are files that SUMMARY.md lists and that are not pages, because they do not
	// exist or are listed twice. UpdateSummary keeps their lines.
	Skipped []string

	// Hidden are the files and folders that Read skipped because of their names, see
	// Ignored. The path of a folder ends with a slash.
	Hidden []string

	// The files as they were read; nil for a file that does not exist.
	ConfigSource, SummarySource, VariablesSource, TagsSource []byte

	Problems []Problem

	// Known reports whether a destination exists outside of the folder, such as a page on
	// a server that is referred to by its ID. It may be nil.
	Known func(dest string) bool
}

// Types of pages.
const (
	Document = "document"
	Group    = "group" // at the top level only
	Link     = "link"
	Computed = "computed" // a place for generated pages
)

// Page is an entry of the navigation.
type Page struct {
	Type  string
	Title string
	Emoji string
	// LinkTitle is the label that the navigation shows instead of the title.
	LinkTitle string
	// File is the path of the Markdown file of a document. Derived is set if the path was
	// not read from a folder. Write makes a derived path differ from all others in more
	// than case.
	File    string
	Derived bool
	// Slug is the last element of the address of the page.
	Slug string
	// Source is the content of the file. It is nil for the page of a folder without
	// README.md, for which no file exists.
	Source []byte
	Head   frontmatter.Head
	// Same is set if the page did not change since an earlier call of Read, except for
	// its position. Its file was not read: Title, Slug, Source and Head are empty.
	Same bool
	// Target is the target of a link: an address, or a path in the folder.
	Target string
	// Computed describes generated pages as JSON values.
	Computed map[string]any
	// Method is the method of the operation that a generated page shows.
	Method   string
	Children []*Page
	// Line is the line of the entry in SUMMARY.md, or 0.
	Line int
}

// Include is a reusable content, which pages include.
type Include struct {
	File   string
	Title  string
	Source []byte
	Head   frontmatter.Head
}

// File is a file that is not Markdown. It is opened on demand.
type File struct {
	Path string
	Size int64
	Open func() (io.ReadCloser, error)
	// Sum identifies the content, if it is set: files with equal sums have equal bytes.
	Sum string
}

// Tag is a label that pages can carry.
type Tag struct {
	Tag   string `yaml:"tag"`
	Label string `yaml:"label,omitempty"`
	Icon  string `yaml:"icon,omitempty"`
	Color string `yaml:"color,omitempty"`
}

// Redirect redirects an old address to a page or to an external address.
type Redirect struct {
	From, To string
	Line     int
}

// Problem is a problem of a folder that a person should fix or review.
type Problem struct {
	// File is the path in the folder, including the root.
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"` // from 1; 0 means the whole file
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s (%s)", p.File, p.Message, p.Code)
	}
	return fmt.Sprintf("%s:%d: %s (%s)", p.File, p.Line, p.Message, p.Code)
}

// Names of files and folders with a special meaning.
const (
	configName  = ".gitbook.yaml"
	readmeName  = "README.md"
	indexName   = "index.md"
	summaryName = "SUMMARY.md"
	// settingsFolder is the only hidden folder that is read without an entry in
	// SUMMARY.md. It may also be in a subfolder of the documentation.
	settingsFolder = ".gitbook"
	assetsFolder   = ".gitbook/assets/"
	includeFolder  = ".gitbook/includes/"
	variablesName  = ".gitbook/vars.yaml"
	tagsName       = ".gitbook/tags.yaml"
)

func isMarkdown(name string) bool {
	ext := path.Ext(name)
	return ext == ".md" || strings.EqualFold(ext, ".md") || strings.EqualFold(ext, ".markdown")
}

// FollowsFile reports whether a slug is one that Read derives from the name of a file, and
// not one that somebody chose.
func FollowsFile(slug, file string) bool {
	return slug == slugOf(file, false) || slug == slugOf(file, true)
}

// slugOf returns the slug of the page in a file. It is the name of the file without its
// extension, or the name of the folder for a README.md and for an index.md that is the
// landing page of the folder.
func slugOf(file string, landing bool) string {
	file = withoutAbove(file)
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if dir := path.Dir(file); (strings.EqualFold(name, "readme") || landing && isIndex(file)) && dir != "." {
		name = path.Base(dir)
	}
	if slug := strings.ToLower(cleanSlug(name)); slug != "" {
		return slug
	}
	return "page"
}

// cleanSlug converts a text into one path element of an address.
func cleanSlug(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return '-'
		case unicode.IsControl(r), strings.ContainsRune(`/\?#%"<>`, r):
			return -1
		}
		return r
	}, names.Normal(strings.TrimSpace(s)))
}

// GroupSlug returns the slug of a group that is derived from its title.
func GroupSlug(title string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(names.Key(title), "&", " and ") {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Mn, r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if slug := strings.TrimRight(b.String(), "-"); slug != "" {
		return slug
	}
	return "group"
}

// groupSlug returns the slug of a group that is derived from its title. For a title that
// is not ASCII it is the name of the folder of the group's first page, if that folder is
// at the top level.
func groupSlug(title string, first *Page) string {
	slug := GroupSlug(title)
	if first == nil || first.Type != Document || !strings.ContainsFunc(slug, func(r rune) bool { return r > unicode.MaxASCII }) {
		return slug
	}
	dir := path.Dir(first.File)
	if strings.EqualFold(path.Base(first.File), readmeName) {
		dir = path.Dir(dir)
	}
	if dir == "." || strings.Contains(dir, "/") || cleanSlug(dir) == "" {
		return slug
	}
	return strings.ToLower(cleanSlug(dir))
}

// titleOf derives a title from the name of a file, or of its folder for the landing page of
// the folder.
func titleOf(file string, landing bool) string {
	file = withoutAbove(file)
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if strings.EqualFold(name, "readme") || landing && isIndex(file) {
		if name = path.Base(path.Dir(file)); name == "." {
			return "Introduction"
		}
	}
	name = frontmatter.CleanTitle(strings.NewReplacer("-", " ", "_", " ").Replace(name))
	for i, r := range name {
		return string(unicode.ToUpper(r)) + name[i+len(string(r)):]
	}
	return "Page"
}

// All returns every page of the navigation, parents before their children.
func (t *Tree) All() []*Page {
	var out []*Page
	var walk func(pages []*Page)
	walk = func(pages []*Page) {
		for _, p := range pages {
			out = append(out, p)
			walk(p.Children)
		}
	}
	walk(t.Pages)
	return out
}

func (t *Tree) readme() string {
	if t.Readme == "" {
		return readmeName
	}
	return t.Readme
}

func (t *Tree) variablesFile() string { return cmp.Or(t.VariablesFile, variablesName) }

func (t *Tree) tagsFile() string { return cmp.Or(t.TagsFile, tagsName) }

func (t *Tree) summary() string {
	if t.Summary == "" {
		return summaryName
	}
	return t.Summary
}

// problems collects problems up to a limit.
type problems struct {
	list  []Problem
	limit int
	more  int
}

func (p *problems) add(file string, line int, code, format string, args ...any) {
	if len(p.list) >= p.limit {
		p.more++
		return
	}
	p.list = append(p.list, Problem{file, line, code, withoutControls(fmt.Sprintf(format, args...))})
}

// withoutControls replaces control characters, which a terminal could execute. Messages
// quote text from the files, which is not trusted.
func withoutControls(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || names.IsMark(r) {
			return '?'
		}
		return r
	}, s)
}

// sorted returns the problems sorted by file and line. It prepends root to their paths.
func (p *problems) sorted(root string) []Problem {
	for i, f := range p.list {
		if f.File != configName {
			p.list[i].File = path.Join(root, f.File)
		}
	}
	sortProblems(p.list)
	if p.more > 0 {
		p.list = append(p.list, Problem{".", 0, CodeTooMany, fmt.Sprintf("%d further problems are not listed", p.more)})
	}
	return p.list
}

func sortProblems(list []Problem) {
	slices.SortStableFunc(list, func(a, b Problem) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
}
