// Package manual is the documentation of Octavo: three folders of Markdown, as
// anybody could write them. The server publishes them as the sections of one site.
package manual

import "embed"

// Files has the folders of Books, and site.yaml. References between books lead from one folder
// into another, such as ../guide/content/git.md.
//
//go:embed all:guide all:operating all:api site.yaml
var Files embed.FS

// A Book is one of the folders.
type Book struct{ Folder, Title, Emoji string }

// Books lists the folders in the order of the site.
var Books = []Book{
	{"guide", "User guide", "1f4d6"},
	{"operating", "Operating", "1f6e0"},
	{"api", "API", "1f50c"},
}

// APISlug is the name under which the pages refer to the description of the API of this server.
const APISlug = "octavo"
