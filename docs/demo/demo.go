// Package demo is the documentation of a product that does not exist, as its writers would keep
// it: a folder of Markdown for each space, a description of its API, and a file that says what the
// site looks like. The server publishes it with --demo.
package demo

import "embed"

// Files has the folders of Books, and site.yaml. References between books lead from one folder
// into another, such as ../api/README.md.
//
//go:embed all:en all:ja all:ar all:api all:changelog all:notes site.yaml
var Files embed.FS

// A Book is one of the folders: a space.
type Book struct {
	Folder, Title, Emoji, Language string
	Private                        bool // for writers only, on no site
}

// Books lists the folders.
var Books = []Book{
	{"en", "Carillon", "1f514", "en", false},
	{"ja", "Carillon 日本語", "1f514", "ja", false},
	{"ar", "Carillon بالعربية", "1f514", "ar", false},
	{"api", "Carillon API", "1f50c", "en", false},
	{"changelog", "Carillon changelog", "1f4e3", "en", false},
	{"notes", "Editorial notes", "270f", "en", true},
}

// API is the description of the product's API, and APISlug the name under which pages refer to
// it. Sandbox is its server whose address is that of the demonstration.
const (
	API     = "api/carillon.yaml"
	APISlug = "carillon"
	Sandbox = "https://sandbox.carillon.example/v1"
)
