package folder

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/emoji"
	"github.com/octavo-docs/octavo/internal/frontmatter"
)

// item is a page at its depth in the navigation: a tree as a list.
type item struct {
	page  *Page
	depth int
	// entry is the one that it came from, or -1.
	entry int
}

// shelf is what the folder has, for those who look for what an entry means.
type shelf interface {
	// find gives the file that a path names, which may lack its extension or
	// be a folder.
	find(name string) (file string, ok bool)
	// document gives the page in a Markdown file.
	document(file string) *Page
	// near gives a file that a path may have meant, or nothing.
	near(name string) string
}

// structure turns entries into pages. report may be nil.
type structure struct {
	shelf   shelf
	dir     string // of SUMMARY.md, where its links begin
	depth   int    // the deepest that is allowed
	report  func(line int, code, format string, args ...any)
	skipped func(e entry, file string)
}

// frame is an entry that further ones can be below.
type frame struct {
	indent int
	// children is the depth of what is below.
	children int
	page     *Page
}

// items gives the pages that entries mean. What cannot be a page is passed
// over, and what is below it moves up.
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
		// Two columns deeper is below, as in Markdown.
		for len(open) > 0 && e.indent < open[len(open)-1].indent+2 {
			open = open[:len(open)-1]
		}
		depth := base
		if len(open) > 0 {
			parent := open[len(open)-1]
			depth = parent.children
			if p := parent.page; p != nil && p.Type != Document {
				s.say(e, CodeSummary, "%q cannot have pages below it; they move up", p.Title)
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
				s.say(e, CodeSummary, "pages are nested deeper than %d levels; the deeper ones move up", s.depth)
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

func (s *structure) say(e entry, code, format string, args ...any) {
	if s.report != nil {
		s.report(e.line(), code, format, args...)
	}
}

// page gives the page that an entry means, or nil.
func (s *structure) page(e entry, used map[string]int) *Page {
	switch e.kind {
	case entryPlain:
		return nil
	case entryComputed:
		return &Page{Type: Computed, Title: computedTitle(e.computed), Computed: e.computed, Line: e.line()}
	}
	if scheme, ok := schemeOf(e.dest); ok {
		if !linkSchemes[scheme] {
			s.say(e, CodeBadPath, "%q is not an address that a page may lead to", e.dest)
			return nil
		}
		return s.link(e, e.dest)
	}
	name, fragment, _ := strings.Cut(e.dest, "#")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	target, ok := inside(s.dir, name)
	if !ok {
		s.say(e, CodeBadPath, "%q leaves the folder", e.dest)
		return nil
	}
	file, ok := s.shelf.find(target)
	switch {
	case !ok:
		hint := ""
		if near := s.shelf.near(target); near != "" {
			hint = "; did you mean " + near + "?"
		}
		if fragment != "" { // a part of a page is a link, whether it leads anywhere or not
			s.say(e, CodeMissingFile, "there is no file %s, so %q leads nowhere%s", target, e.text, hint)
			return s.link(e, target+"#"+fragment)
		}
		s.say(e, CodeMissingFile, "there is no file %s, so %q is not shown%s", target, e.text, hint)
		s.skip(e, target)
		return nil
	case !isMarkdown(file):
		return s.link(e, file)
	case fragment != "":
		return s.link(e, file+"#"+fragment)
	case used[file] > 0:
		s.say(e, CodeDuplicatePage, "%s is already the page of line %d; a file is one page", file, used[file])
		s.skip(e, file)
		return nil
	}
	page := s.shelf.document(file)
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
		page.Title = titleOf(file)
	}
	page.LinkTitle = linkTitle(e, page)
	return page
}

// computedTitle names a computed page, which need not have a title: by what
// it comes from.
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
	if title == "" { // as it is read again once it was written
		picture, title = emoji.Split(frontmatter.CleanTitle(target))
	}
	return &Page{Type: Link, Title: title, Emoji: picture, LinkTitle: e.label, Target: addressEscape.Replace(target), Line: e.line()}
}

// linkTitle gives what the navigation shows for a page instead of its title:
// what SUMMARY.md says in the title of the link, else the front matter, else
// the text of the link when it is another one.
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

// linkSchemes are those of addresses that a page of the navigation may have.
var linkSchemes = map[string]bool{"http": true, "https": true, "mailto": true, "tel": true}

func schemeOf(dest string) (string, bool) {
	for i := 0; i < len(dest); i++ {
		c := dest[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case c == ':' && i > 1: // one letter is a drive
			return strings.ToLower(dest[:i]), true
		default:
			return "", false
		}
	}
	return "", false
}

// nest makes a tree of a list.
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

// flatten makes a list of a tree.
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

// sameEntry tells whether an entry that gave old says what p is, so that its
// line can stay. Both are the same kind of page at the same depth.
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
	// The text of the link is the title of a page only where its file does
	// not say one.
	emoji, title := emoji.Split(e.text)
	return emoji == p.Emoji && title == p.Title || e.text == "" && p.Title == titleOf(p.File)
}

// finder looks files up as find of a shelf should.
func finder(has func(file string) bool, name string) (string, bool) {
	if name = path.Clean(name); has(name) {
		return name, true
	}
	for _, try := range spelled(name) {
		if has(try) {
			return try, true
		}
	}
	return "", false
}
