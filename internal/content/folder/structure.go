package folder

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/names"
)

// item is a page with its depth in the navigation. A list of items in this form
// represents a tree.
type item struct {
	page  *Page
	depth int
	// entry is the index of the entry that the page was made from, or -1.
	entry int
}

// lookup finds the files that entries of SUMMARY.md link to.
type lookup interface {
	// find returns the file for a path. The path may lack its extension, or be a folder
	// with a landing page.
	find(name string) (file string, ok bool)
	// document returns the page of a Markdown file, or nil.
	document(file string) *Page
	// similar returns the file whose path differs in case only, or an empty string.
	similar(name string) string
	// isLanding reports whether a file is the landing page of its folder.
	isLanding(file string) bool
}

// structure converts entries into pages. report may be nil.
type structure struct {
	lookup  lookup
	at      Place
	dir     string // folder of SUMMARY.md; its links are relative to this folder
	depth   int    // maximum depth of the navigation
	report  func(line int, code, format string, args ...any)
	skipped func(e entry, file string)
}

// frame is an entry whose children may follow.
type frame struct {
	indent int
	// children is the depth of the children.
	children int
	page     *Page
}

// items returns the pages of entries. An entry that cannot be a page is skipped, and its
// children move up one level.
func (s *structure) items(entries []entry) []item {
	var out []item
	var open []frame
	used := map[string]int{}
	base, tooDeep := 0, false
	for i, e := range entries {
		switch e.kind {
		case entryRule:
			base, open = 0, nil
			continue
		case entryGroup:
			emoji, title := emoji.Split(e.text)
			out = append(out, item{&Page{Type: Group, Title: title, Emoji: emoji, Slug: e.slug, Line: e.line()}, 0, i})
			base, open = 1, nil
			continue
		}
		// As in Markdown, an entry that is indented by two more columns is a child.
		for len(open) > 0 && e.indent < open[len(open)-1].indent+2 {
			open = open[:len(open)-1]
		}
		depth := base
		if len(open) > 0 {
			parent := open[len(open)-1]
			depth = parent.children
			if p := parent.page; p != nil && p.Type != Document {
				s.problem(e, CodeSummary, "%q cannot have pages below it; they move up", p.Title)
				open[len(open)-1].page = nil
			}
		}
		page := s.page(e, used)
		below := depth
		if page != nil {
			out = append(out, item{page, depth, i})
			if page.Type == Document {
				below++
			}
		}
		if below >= s.depth {
			if !tooDeep {
				s.problem(e, CodeSummary, "pages are nested deeper than %d levels; the deeper ones move up", s.depth)
			}
			below, tooDeep = s.depth-1, true
		}
		open = append(open, frame{e.indent, below, page})
	}
	for i, it := range out {
		if it.page.Type == Group && it.page.Slug == "" {
			var first *Page
			if i+1 < len(out) && out[i+1].depth > 0 {
				first = out[i+1].page
			}
			it.page.Slug = groupSlug(it.page.Title, first)
		}
	}
	return out
}

func (s *structure) problem(e entry, code, format string, args ...any) {
	if s.report != nil {
		s.report(e.line(), code, format, args...)
	}
}

// page returns the page of an entry, or nil if the entry cannot be a page.
func (s *structure) page(e entry, used map[string]int) *Page {
	switch e.kind {
	case entryPlain:
		return nil
	case entryComputed:
		return &Page{Type: Computed, Title: computedTitle(e.computed), Computed: e.computed, Line: e.line()}
	}
	if scheme, ok := schemeOf(e.dest); ok {
		if !linkSchemes[scheme] {
			s.problem(e, CodeBadPath, "%q is not an address that a page may lead to", e.dest)
			return nil
		}
		return s.link(e, e.dest)
	}
	name, fragment, _ := strings.Cut(e.dest, "#")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	target, ok := s.at.fromRoot(s.dir, name)
	if !ok {
		s.problem(e, CodeBadPath, "%s", s.at.outside(s.dir, e.dest))
		return nil
	}
	file, ok := s.lookup.find(target)
	switch {
	case !ok:
		hint := ""
		if similar := s.lookup.similar(target); similar != "" {
			hint = "; did you mean " + similar + "?"
		}
		if fragment != "" { // a link to a part of a page is kept even if the file does not exist
			s.problem(e, CodeMissingFile, "there is no file %s, so the link %q is broken%s", target, e.text, hint)
			return s.link(e, target+"#"+fragment)
		}
		s.problem(e, CodeMissingFile, "there is no file %s, so %q is not shown%s", target, e.text, hint)
		s.skip(e, target)
		return nil
	case !isMarkdown(file) || IsAsset(file):
		return s.link(e, file)
	case fragment != "":
		return s.link(e, file+"#"+fragment)
	case used[file] > 0:
		s.problem(e, CodeDuplicatePage, "%s is already the page of line %d; a file is one page", file, used[file])
		s.skip(e, file)
		return nil
	}
	page := s.lookup.document(file)
	if page == nil {
		s.skip(e, file)
		return nil
	}
	used[file] = e.line()
	page.Line = e.line()
	if page.Title == "" {
		page.Emoji, page.Title = emoji.Split(e.text)
	}
	if page.Title == "" {
		page.Title = titleOf(file, s.lookup.isLanding(file))
	}
	page.LinkTitle = linkTitle(e, page)
	return page
}

// computedTitle returns the title of a computed page. Without a title, it is the name of
// the specification, else the type.
func computedTitle(computed map[string]any) string {
	at := func(v any, key string) any {
		m, _ := v.(map[string]any)
		return m[key]
	}
	spec := at(at(at(at(computed, "dependencies"), "spec"), "ref"), "spec")
	for _, v := range []any{computed["title"], spec, computed["type"]} {
		if s, _ := v.(string); frontmatter.CleanTitle(s) != "" {
			return frontmatter.CleanTitle(s)
		}
	}
	return "Pages"
}

func (s *structure) skip(e entry, file string) {
	if s.skipped != nil {
		s.skipped(e, file)
	}
}

func (s *structure) link(e entry, target string) *Page {
	picture, title := emoji.Split(e.text)
	if title == "" { // same as when the written entry is read again
		picture, title = emoji.Split(frontmatter.CleanTitle(target))
	}
	return &Page{Type: Link, Title: title, Emoji: picture, LinkTitle: e.label, Target: addressEscape.Replace(target), Line: e.line()}
}

// linkTitle returns the label that the navigation shows for a page instead of its title.
// It is the title of the link in SUMMARY.md, else linkTitle of the front matter, else the
// text of the link if it differs from the title of the page.
func linkTitle(e entry, p *Page) string {
	switch {
	case e.label != "":
		return e.label
	case p.Head.Meta.LinkTitle != "":
		return p.Head.Meta.LinkTitle
	case e.text == "", e.text == p.Title, e.text == p.Emoji+" "+p.Title, e.text == p.Emoji+p.Title:
		return ""
	}
	return e.text
}

// linkSchemes are the URL schemes that the navigation may link to.
var linkSchemes = map[string]bool{"http": true, "https": true, "mailto": true, "tel": true}

func schemeOf(dest string) (string, bool) {
	for i := 0; i < len(dest); i++ {
		c := dest[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case c == ':' && i > 1: // a single letter is a Windows drive
			return strings.ToLower(dest[:i]), true
		default:
			return "", false
		}
	}
	return "", false
}

// nest returns the tree that a list of items represents.
func nest(items []item) []*Page {
	root := &Page{}
	open := []*Page{root}
	for _, it := range items {
		open = open[:min(it.depth+1, len(open))]
		parent := open[len(open)-1]
		parent.Children = append(parent.Children, it.page)
		open = append(open, it.page)
	}
	return root.Children
}

// flatten returns a tree as a list of items, parents before their children.
func flatten(pages []*Page) []item {
	var out []item
	var walk func(pages []*Page, depth int)
	walk = func(pages []*Page, depth int) {
		for _, p := range pages {
			out = append(out, item{p, depth, -1})
			walk(p.Children, depth+1)
		}
	}
	walk(pages, 0)
	return out
}

// sameEntry reports whether the entry e of the page old also describes p, so that its
// line can be kept. Both pages must have the same depth.
func sameEntry(e entry, old, p *Page) bool {
	if old.Type != p.Type {
		return false
	}
	switch p.Type {
	case Group:
		return old.Title == p.Title && old.Emoji == p.Emoji && old.Slug == p.Slug
	case Link:
		return old.Title == p.Title && old.Emoji == p.Emoji && old.Target == p.Target && old.LinkTitle == p.LinkTitle
	case Computed:
		a, errA := json.Marshal(old.Computed)
		b, errB := json.Marshal(p.Computed)
		return errA == nil && errB == nil && string(a) == string(b)
	}
	if old.File != p.File {
		return false
	}
	fromFile := e.label == "" && p.Head.Meta.LinkTitle != "" && (p.LinkTitle == "" || p.LinkTitle == p.Head.Meta.LinkTitle)
	if !fromFile && linkTitle(e, p) != p.LinkTitle {
		return false
	}
	if p.Head.Title != "" {
		return true
	}
	// The text of the link is the title of a page only if the file has no title. Without a
	// text, old has the title that follows from the name of the file.
	emoji, title := emoji.Split(e.text)
	return emoji == p.Emoji && title == p.Title || e.text == "" && p.Title == old.Title
}

// finder implements lookup.find. It returns the first candidate for name that exists
// according to has. Files have names in any normal form, and so do links to them.
func finder(has func(file string) bool, name string) (string, bool) {
	if name = path.Clean(name); has(name) {
		return name, true
	}
	for _, name := range names.Spellings(name) {
		if has(name) {
			return name, true
		}
		for _, try := range Candidates(name) {
			if has(try) {
				return try, true
			}
		}
	}
	return "", false
}
