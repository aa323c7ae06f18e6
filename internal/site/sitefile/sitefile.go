// Package sitefile describes a site in a file of a repository: its title, its sections,
// groups and variants, its conditions, its customization, and its redirects. Parse parses
// a file, Plan returns the requests that change a site to match the file, and Export
// writes the file of a site.
//
// The package sends no requests. A client of the API reads the state of a site (Current)
// and sends the calls of each Step.
//
// Where a change goes:
//   - what a file says about a site: keys in parse.go and export.go, what they change in
//     plan.go, the order of steps in structure.go; the requests are sent by
//     cmd/octavo/site.go
package sitefile

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/adaptive"
	"github.com/octavo-docs/octavo/internal/site/customization"
)

// Limits of a file. The limits of texts are the same as in the API, so that an invalid
// file is refused before a part of it is applied.
const (
	MaxBytes     = 1 << 20
	MaxRedirects = 500

	maxProblems    = 20
	minTitle       = 2
	maxTitle       = 128
	maxGroupTitle  = 100
	maxIcon        = 50
	maxDescription = 256
)

// File is the content of a file about a site. Settings that the file does not mention are
// not changed.
type File struct {
	Site          string // basename, or ID
	Title         string // empty if not mentioned
	Visibility    docs.Visibility
	Adaptive      *bool
	Publish       *bool
	Structure     *[]*Item // either sections and groups, or variants
	Customization *customization.Patch
	Redirects     *[]Redirect

	settings *yaml.Node // the source of the customization
}

// Item is a section, a group or a variant (a site space) of a site.
type Item struct {
	Kind        docs.SiteItemKind
	ID          Ref // empty in a file
	Title       string
	Path        string
	Icon        string
	Description string
	Condition   string
	Default     bool
	Draft       bool
	Hidden      bool           // only for a variant
	Titles      docs.Localized // by language
	// Descriptions are by language, only for a section.
	Descriptions docs.Localized
	Space        Space // only for a variant
	Items        []*Item

	line int // line in the file
}

// Space is a space of the organization. A variant in a file refers to a space by Name,
// which is its ID or its title, or by Folder.
type Space struct {
	ID     string
	Title  string
	Name   string
	Folder Folder
}

// Folder is a folder of a repository that a space is synchronized with, such as docs/v2.
// The zero value means no folder; "." is the whole repository.
type Folder string

// folderOf returns the Folder of a path, which may have slashes around it or a leading
// "./".
func folderOf(directory string) Folder { return Folder(path.Clean(strings.Trim(directory, "/"))) }

// Synced returns the space with the folder that it is synchronized with. An empty
// directory is the whole repository.
func (s Space) Synced(directory string) Space {
	s.Folder = folderOf(directory)
	return s
}

// Redirect is a redirect of a file. Its destination is a URL, or a section, a variant or
// a page of a variant. Sections and variants are identified by their paths.
type Redirect struct {
	Source    docs.RedirectSource
	URL       string
	Section   string
	Variant   string
	Page      docs.PageID
	Draft     bool
	Capture   bool
	Permanent bool

	line int
}

// Current is the current state of a site on the server.
type Current struct {
	ID         Ref // empty if the site does not exist yet
	Basename   string
	Title      string
	Visibility docs.Visibility
	Adaptive   bool
	Published  bool
	Items      []*Item
	Links      bool // the site has links to other sites, which a file cannot describe
	Settings   customization.Settings
	Redirects  []docs.Redirect
	Schema     *adaptive.Schema // the schema of claims, or nil
}

// sectioned reports whether items are sections and groups, as opposed to variants.
func sectioned(items []*Item) bool { return len(items) > 0 && items[0].Kind != docs.SiteSpace }

// count returns the number of items, including nested items.
func count(items []*Item) int {
	n := len(items)
	for _, it := range items {
		n += count(it.Items)
	}
	return n
}
