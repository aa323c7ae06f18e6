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
	if home := docs[readme]; home != nil {
		pages = append(pages, inferred(home))
	}
	if prefix != "" && b.readme != nil {
		pages = append(pages, inferred(b.readme))
	}
	return append(pages, b.pages(prefix)...)
}

// branch is a folder with its Markdown files and subfolders.
type branch struct {
	readme  *Page
	docs    map[string]*Page // by name without extension
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
	name := parts[len(parts)-1]
	if strings.EqualFold(name, readmeName) {
		b.readme = doc
		return
	}
	if b.docs == nil {
		b.docs = map[string]*Page{}
	}
	key := strings.TrimSuffix(name, path.Ext(name))
	if b.docs[key] != nil {
		key = name // a file of the same name with another extension exists
	}
	b.docs[key] = doc
}

// pages returns the pages in a folder, without its README.md. The page of a subfolder is
// its README.md, else the file of the same name next to the subfolder, else a page
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
			out = append(out, inferred(doc))
		}
		if sub == nil {
			continue
		}
		below := sub.pages(path.Join(dir, name))
		switch {
		case sub.readme != nil && doc == nil:
			page := inferred(sub.readme)
			page.Children = below
			out = append(out, page)
		case doc != nil:
			page := out[len(out)-1]
			if sub.readme != nil {
				page.Children = append(page.Children, inferred(sub.readme))
			}
			page.Children = append(page.Children, below...)
		default:
			file := path.Join(dir, name, readmeName)
			out = append(out, &Page{Type: Document, Title: titleOf(file), File: file, Slug: SlugOf(file), Children: below})
		}
	}
	return out
}

func inferred(doc *Page) *Page {
	p := *doc
	if p.Title == "" {
		p.Title = titleOf(p.File)
	}
	return &p
}
