package folder

import (
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/names"
)

// infer returns the navigation of a folder without SUMMARY.md. Folders are parents, the
// landing page comes first, and all other pages are sorted by name. Names that begin with
// a dot or an underscore are left out. Folders that all pages have in common are left out
// too.
func infer(docs map[string]*Page, readme string) []*Page {
	root := &branch{}
	home := docs[readme]
	var shared []string
	first := true
	for _, name := range sortedKeys(docs) {
		if name == readme {
			continue
		}
		parts := strings.Split(name, "/")
		if slices.ContainsFunc(parts, func(p string) bool { return p[0] == '_' || p[0] == '.' }) {
			continue
		}
		root.add(parts, docs[name])
		if dir := parts[:len(parts)-1]; first {
			shared, first = dir, false
		} else {
			n := 0
			for n < len(shared) && n < len(dir) && shared[n] == dir[n] {
				n++
			}
			shared = shared[:n]
		}
	}
	b, prefix := root, ""
	for _, part := range shared {
		b, prefix = b.folders[part], path.Join(prefix, part)
	}
	var pages []*Page
	if home != nil {
		pages = append(pages, inferred(home, true))
	}
	if prefix == "" {
		b.ordinary(b.index)
	} else if first := b.landing(false); first != nil {
		pages = append(pages, inferred(first, true))
	}
	return append(pages, b.pages(prefix)...)
}

// branch is a folder with its Markdown files and subfolders.
type branch struct {
	readme  *Page            // the README.md
	index   *Page            // the index.md
	docs    map[string]*Page // all others, by name without extension
	folders map[string]*branch
}

func (b *branch) add(parts []string, doc *Page) {
	for _, part := range parts[:len(parts)-1] {
		if b.folders == nil {
			b.folders = map[string]*branch{}
		}
		if b.folders[part] == nil {
			b.folders[part] = &branch{}
		}
		b = b.folders[part]
	}
	switch name := parts[len(parts)-1]; {
	case strings.EqualFold(name, readmeName) && b.readme == nil:
		b.readme = doc
	case strings.EqualFold(name, indexName) && b.index == nil:
		b.index = doc
	default:
		b.ordinary(doc)
	}
}

// ordinary adds a page that is not the landing page of the folder. doc may be nil.
func (b *branch) ordinary(doc *Page) {
	if doc == nil {
		return
	}
	if b.docs == nil {
		b.docs = map[string]*Page{}
	}
	name := path.Base(doc.File)
	key := strings.TrimSuffix(name, path.Ext(name))
	if b.docs[key] != nil {
		key = name // a file of the same name with another extension exists
	}
	b.docs[key] = doc
}

// landing returns the landing page of the folder, or nil: its README.md, else its index.md
// unless a file beside the folder has the name of the folder. Another index.md becomes an
// ordinary page.
func (b *branch) landing(beside bool) *Page {
	if b.readme == nil && !beside {
		return b.index
	}
	b.ordinary(b.index)
	return b.readme
}

// pages returns the pages in a folder, without its landing page. The page of a subfolder is
// its landing page, else the file of the same name next to the subfolder, else a page
// without content.
func (b *branch) pages(dir string) []*Page {
	entries := sortedKeys(b.docs)
	for name := range b.folders {
		if b.docs[name] == nil {
			entries = append(entries, name)
		}
	}
	slices.SortFunc(entries, func(x, y string) int {
		if c := strings.Compare(names.Fold(x), names.Fold(y)); c != 0 {
			return c
		}
		return strings.Compare(x, y)
	})
	var out []*Page
	for _, name := range entries {
		doc, sub := b.docs[name], b.folders[name]
		if doc != nil {
			out = append(out, inferred(doc, false))
		}
		if sub == nil {
			continue
		}
		landing := sub.landing(doc != nil)
		below := sub.pages(path.Join(dir, name))
		switch {
		case landing != nil && doc == nil:
			page := inferred(landing, true)
			page.Children = below
			out = append(out, page)
		case doc != nil:
			page := out[len(out)-1]
			if landing != nil {
				page.Children = append(page.Children, inferred(landing, true))
			}
			page.Children = append(page.Children, below...)
		default:
			file := path.Join(dir, name, readmeName)
			out = append(out, &Page{Type: Document, Title: titleOf(file, true), File: file, Slug: slugOf(file, true), Children: below})
		}
	}
	return out
}

func inferred(doc *Page, landing bool) *Page {
	p := *doc
	if p.Title == "" {
		p.Title = titleOf(p.File, landing)
	}
	return &p
}
