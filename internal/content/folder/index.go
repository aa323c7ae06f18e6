package folder

import (
	"iter"
	"maps"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/names"
)

// Index finds the target of a destination in a file, and the page at an address. It does
// not follow later changes of the tree.
type Index struct {
	docs      map[string]*Page // by file, including pages that are not in the navigation
	includes  map[string]*Include
	assets    map[string]*File
	pages     map[string]*Page // by address; "." is the first page of the navigation
	addresses map[*Page]string
	at        Place

	fold   sync.Once
	folded folded // see near
}

// NewIndex returns the index of a tree.
func NewIndex(t *Tree) *Index {
	x := &Index{
		docs: map[string]*Page{}, includes: map[string]*Include{}, assets: map[string]*File{},
		pages: map[string]*Page{}, addresses: map[*Page]string{}, at: t.place(),
	}
	x.place(t.Pages, "")
	for _, p := range t.All() {
		if p.Type == Document {
			if p.File != "" { // a computed page has no file
				x.docs[p.File] = p
			}
			if x.pages["."] == nil {
				x.pages["."] = p
			}
		}
	}
	for _, p := range t.Unlisted {
		x.docs[p.File] = p
	}
	for _, in := range t.Includes {
		x.includes[in.File] = in
	}
	for _, list := range [][]*File{t.Files, t.Others} {
		for _, f := range list {
			x.assets[f.Path] = f
		}
	}
	return x
}

// place sets the addresses of pages, which may differ from the paths of their files.
// Siblings with the same slug are numbered, as an import numbers them.
func (x *Index) place(pages []*Page, above string) {
	taken := map[string]int{}
	for _, p := range pages {
		if p.Slug == "" || p.Type != Document && p.Type != Group {
			continue
		}
		slug := p.Slug
		for n := max(1, taken[docs.SlugKey(p.Slug)]); taken[docs.SlugKey(slug)] > 0; n++ {
			slug = p.Slug + "-" + strconv.Itoa(n)
			taken[docs.SlugKey(p.Slug)] = n + 1
		}
		taken[docs.SlugKey(slug)] = max(1, taken[docs.SlugKey(slug)])
		at := path.Join(above, slug)
		x.addresses[p] = at
		x.pages[at] = p
		x.place(p.Children, at)
	}
}

// Address returns the address of a page or a group of the navigation: the slugs of its
// ancestors and its own slug, joined by slashes. It is empty for any other page.
func (x *Index) Address(p *Page) string { return x.addresses[p] }

// Home returns the first page of the navigation, or nil.
func (x *Index) Home() *Page { return x.pages["."] }

// Doc returns the page of a file, or nil. The page may be missing in the navigation.
func (x *Index) Doc(file string) *Page { return x.docs[file] }

// Include returns the reusable content of a file, or nil.
func (x *Index) Include(file string) *Include { return x.includes[file] }

// Target is the target of a destination.
type Target struct {
	// Path is the file, or the address of a group. If nothing was found, it is the path
	// that was searched. It is empty for a path outside of the folder.
	Path   string
	Anchor string
	// At most one of these is set. All are nil if nothing was found.
	Page    *Page // a document or a group
	Include *Include
	File    *File
}

// near returns the file that a path that does not exist probably means: the Markdown
// source of an .html page, or the same path in another case. It is empty if there is no
// such file.
func (x *Index) near(name string) string {
	x.fold.Do(func() {
		x.folded = folded{}
		for _, list := range []iter.Seq[string]{maps.Keys(x.docs), maps.Keys(x.includes), maps.Keys(x.assets)} {
			for file := range list {
				x.folded.add(file)
			}
		}
	})
	return x.folded.near(name)
}

// folded finds files by almost their path.
type folded map[string]string // by their case-folded path

// add adds a file.
func (f folded) add(file string) {
	if other := f[names.Fold(file)]; other == "" || file < other {
		f[names.Fold(file)] = file
	}
}

// near returns the file that a path that does not exist probably means, or "".
func (f folded) near(name string) string {
	for _, try := range Candidates(SourceOf(name)) {
		if file := f[names.Fold(try)]; file != "" {
			return file
		}
	}
	return ""
}

// SourceOf returns the name of the Markdown file that other programs make an .html page of;
// it returns any other name as it is.
func SourceOf(name string) string {
	for _, ext := range []string{".html", ".htm"} {
		if page, ok := strings.CutSuffix(name, ext); ok {
			return page + ".md"
		}
	}
	return name
}

// Find returns the target of a destination in the file from. The destination is
// the path of a file, which may lack its extension or be a folder, or the
// address of a page; it has neither a scheme nor a host.
func (x *Index) Find(from, dest string, use markup.Use) (Target, bool) {
	_, anchor, _ := strings.Cut(dest, "#")
	name, ok := x.at.resolve(from, dest)
	if !ok {
		return Target{Anchor: anchor}, false
	}
	asset := use == markup.UseImage || use == markup.UseFile
	file, ok := finder(func(file string) bool {
		return x.assets[file] != nil || !asset && (x.docs[file] != nil || x.includes[file] != nil)
	}, name)
	if ok {
		return Target{file, anchor, x.docs[file], x.includes[file], x.assets[file]}, true
	}
	if use == markup.UseLink {
		for _, at := range Addresses(name) {
			if x.pages[at] == nil {
				at = names.Normal(at) // slugs are
			}
			if page := x.pages[at]; page != nil && page.Type == Group {
				return Target{Path: at, Anchor: anchor, Page: page}, true
			} else if page != nil {
				return Target{Path: page.File, Anchor: anchor, Page: page}, true
			}
		}
	}
	return Target{Path: name, Anchor: anchor}, false
}
