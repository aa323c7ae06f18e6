// Package sitefile describes a site in a file of a repository: its title, its
// sections, groups and variants, its conditions, how it looks, and its
// redirects. Parse reads a file, Plan returns the requests that make a site what
// the file says, and Export writes the file of a site.
//
// The package sends nothing: a client of the API reads what a site has (Current)
// and sends the calls of each Step.
package sitefile

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/adaptive"
	"github.com/octavo-docs/octavo/internal/customization"
	"github.com/octavo-docs/octavo/internal/docs"
)

// Limits of a file. Those of texts are the same as in the API, so that a file is
// refused before a part of it is applied.
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

// File is what a file says about a site. What it does not mention stays as it
// is.
type File struct {
	Site          string // basename, or id
	Title         string // empty: not mentioned
	Visibility    docs.Visibility
	Adaptive      *bool
	Publish       *bool
	Structure     *[]*Item // sections and groups, or variants
	Customization *customization.Patch
	Redirects     *[]Redirect

	settings *yaml.Node // the customization as it is written
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
	Space       Space // of a variant
	Items       []*Item

	line int // in the file
}

// Space is a space of the organization. In a file it has an id or a title, of which
// Name is the one that was written, or a folder.
type Space struct {
	ID     string
	Title  string
	Name   string
	Folder Folder
}

// Folder is a folder of a repository, such as docs/v2, that a space is
// synchronized with. The zero value is none; the whole repository is ".".
type Folder string

// folderOf returns the folder of a directory, which a file may write with a slash
// or a dot around it.
func folderOf(directory string) Folder { return Folder(path.Clean(strings.Trim(directory, "/"))) }

// Synced returns the space as one that is synchronized with a directory of a
// repository; the empty one is the whole repository.
func (s Space) Synced(directory string) Space {
	s.Folder = folderOf(directory)
	return s
}

// Redirect is a redirect of a file. It leads to a URL, or to a section, a
// variant or a page of a variant, which are named by their paths.
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

// Current is what a server has.
type Current struct {
	ID         Ref // empty if there is no such site yet
	Basename   string
	Title      string
	Visibility docs.Visibility
	Adaptive   bool
	Published  bool
	Items      []*Item
	Links      bool // whether it has links to other sites, which a file does not describe
	Settings   customization.Settings
	Redirects  []docs.Redirect
	Schema     *adaptive.Schema // of claims; nil if there is none
}

// sectioned reports whether items are sections and groups and not variants.
func sectioned(items []*Item) bool { return len(items) > 0 && items[0].Kind != docs.SiteSpace }

// count returns the number of items with those that they hold.
func count(items []*Item) int {
	n := len(items)
	for _, it := range items {
		n += count(it.Items)
	}
	return n
}
