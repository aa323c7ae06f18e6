// Package manual is the documentation of Octavo: three folders of Markdown, as
// anybody could write them. The server publishes them as the sections of one site.
package manual

import (
	"embed"
	"io/fs"
	"regexp"
	"strings"
)

//go:embed all:guide all:operating all:api
var files embed.FS

// A Book is one of the folders.
type Book struct {
	Folder, Title, Emoji, Icon string
}

// Books lists them in the order of the site. References between them lead from one folder into
// another, such as ../guide/content/git.md.
var Books = []Book{
	{"guide", "User guide", "1f4d6", "book-open"},
	{"operating", "Operating", "1f6e0", "server"},
	{"api", "API", "1f50c", "code"},
}

// Files returns the files of a book.
func (b Book) Files() (fs.FS, error) { return fs.Sub(files, b.Folder) }

var across = regexp.MustCompile(`\]\(((?:\.\./)+(\w+)/([\w./-]+\.md))(#[\w.-]+)?\)`)

// Connected returns the text of a page of this book with other addresses for
// pages of other books. The address of a page that address does not know stays.
func (b Book) Connected(text string, address func(folder, file string) (string, bool)) string {
	return across.ReplaceAllStringFunc(text, func(link string) string {
		m := across.FindStringSubmatch(link)
		if m[2] == b.Folder || !known(m[2]) {
			return link
		}
		at, ok := address(m[2], m[3])
		if !ok {
			return link
		}
		return strings.Replace(link, m[1], at, 1)
	})
}

func known(folder string) bool {
	for _, b := range Books {
		if b.Folder == folder {
			return true
		}
	}
	return false
}
