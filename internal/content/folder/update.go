package folder

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/lis"
	"github.com/octavo-docs/octavo/internal/names"
)

// UpdateSummary returns the SUMMARY.md for a tree by changing as few lines of old as
// possible. It returns old if it already lists the same pages. Lines that are not entries
// stay, and so do the entries of Skipped files.
func UpdateSummary(old []byte, t *Tree) []byte {
	if old == nil {
		return PrintSummary(t)
	}
	u := newUpdate(old, t)
	if u == nil {
		return PrintSummary(t)
	}
	if u.matches(u.have) {
		return old
	}
	out := u.edit()
	if check := newUpdate(out, t); check != nil && check.matches(check.have) {
		return out
	}
	return PrintSummary(t)
}

// update holds the entries of a SUMMARY.md and the pages of the tree that it is compared
// with.
type update struct {
	tree    *Tree
	lines   []string
	entries []entry
	have    []item
	want    []item
	deleted map[int]bool // entries of pages that are not in the tree, by first line
}

func newUpdate(src []byte, t *Tree) *update {
	quiet := func(int, string, string, ...any) {}
	entries, err := parseSummary(src, DefaultLimits, quiet)
	if err != nil {
		return nil
	}
	u := &update{tree: t, lines: splitLines(src), entries: entries, deleted: map[int]bool{}}
	files := newTreeLookup(t)
	s := &structure{lookup: files, at: t.place(), dir: path.Dir(t.summary()), depth: DefaultLimits.Depth}
	known := map[string]bool{}
	for _, file := range t.Skipped {
		known[file] = true
	}
	s.skipped = func(e entry, file string) {
		if !known[file] {
			u.deleted[e.first] = true
		}
	}
	u.have = numbered(s.items(entries))
	u.want = numbered(flatten(t.Pages))
	if len(u.want) > 0 && u.needsNoEntry(u.want[0].page) {
		u.want = u.want[1:]
	}
	return u
}

// needsNoEntry reports whether Read finds the first page without an entry: it is the
// landing page, and its title is in its file.
func (u *update) needsNoEntry(p *Page) bool {
	readme := u.tree.readme()
	unlisted := &Page{Type: Document, File: readme, Title: titleOf(readme, true)}
	return p.File == readme && len(p.Children) == 0 && sameEntry(entry{}, unlisted, p) &&
		!slices.ContainsFunc(u.have, func(it item) bool { return it.page.File == readme })
}

// numbered sets the slugs of groups to the slugs that they get as pages of a space. A
// number is appended to a slug that an earlier sibling has.
func numbered(items []item) []item {
	next := map[string]int{} // the next number to try for each slug that is taken
	for i, it := range items {
		p := it.page
		if it.depth > 0 || p.Type != Group && p.Type != Document {
			continue
		}
		slug, n := p.Slug, next[docs.SlugKey(p.Slug)]
		for ; p.Type == Group && next[docs.SlugKey(slug)] > 0; n++ {
			slug = p.Slug + "-" + strconv.Itoa(n)
			next[docs.SlugKey(p.Slug)] = n + 1
		}
		next[docs.SlugKey(slug)] = max(1, next[docs.SlugKey(slug)])
		if slug != p.Slug {
			group := *p
			group.Slug = slug
			items[i].page = &group
		}
	}
	return items
}

// matches reports whether the entries match the pages of the tree and none has to be
// deleted.
func (u *update) matches(have []item) bool {
	if len(u.deleted) > 0 || len(have) != len(u.want) {
		return false
	}
	for i := range have {
		if have[i].depth != u.want[i].depth || !sameEntry(u.entries[have[i].entry], have[i].page, u.want[i].page) {
			return false
		}
	}
	return true
}

// maxAlike is the maximum number of entries with the same target that are compared.
const maxAlike = 8

// kept returns, for every wanted page, the index of its entry if its line can be kept,
// and -1 otherwise.
func (u *update) kept() []int {
	byKey := map[string][]int{}
	for i, it := range u.have {
		k := entryKey(it)
		byKey[k] = append(byKey[k], i)
	}
	var pairs [][2]int // pairs of indexes in want and have for the same page
	for w, it := range u.want {
		k := entryKey(it)
		list := byKey[k]
		for n, h := range list[:min(len(list), maxAlike)] {
			if sameEntry(u.entries[u.have[h].entry], u.have[h].page, it.page) {
				pairs = append(pairs, [2]int{w, h})
				copy(list[1:n+1], list[:n]) // delete list[n]
				byKey[k] = list[1:]
				break
			}
		}
	}
	out := make([]int, len(u.want))
	for i := range out {
		out[i] = -1
	}
	for _, i := range lis.Longest(pairs, func(a, b [2]int) int { return a[1] - b[1] }) {
		p := pairs[i]
		out[p[0]] = u.have[p[1]].entry
	}
	return out
}

// entryKey returns a key that identifies an entry independent of its position. It
// includes the depth.
func entryKey(it item) string {
	p := it.page
	name := p.File
	switch p.Type {
	case Link:
		name = p.Target
	case Group, Computed:
		name = p.Title
	}
	return strings.Repeat(" ", it.depth) + p.Type + ":" + name
}

// edit returns the file with the wanted entries. It keeps the lines of entries that stay,
// and all lines between them that are not entries.
func (u *update) edit() []byte {
	kept := u.kept()
	w := &lineWriter{update: u, printer: u.style(), stays: map[int]bool{}}
	pages := map[int]bool{}
	for _, it := range u.have {
		pages[it.entry] = true
	}
	for _, e := range kept {
		if e >= 0 {
			w.stays[e] = true
		}
	}
	for i, e := range u.entries {
		// An entry that was not a page is kept.
		if !pages[i] && !u.deleted[e.first] {
			w.stays[i] = true
		}
	}
	w.index()
	// next is, for each page, the first kept entry at or after it.
	next := make([]int, len(kept)+1)
	next[len(kept)] = len(u.entries)
	for i := len(kept) - 1; i >= 0; i-- {
		if next[i] = next[i+1]; kept[i] >= 0 {
			next[i] = kept[i]
		}
	}
	group := false
	for i, it := range u.want {
		depth := it.depth
		if depth == 0 {
			group = it.page.Type == Group
		} else if group {
			depth--
		}
		inside := group && it.page.Type != Group
		if kept[i] >= 0 {
			w.copyTo(u.entries[kept[i]].first, inside)
			w.endGroup(inside, it.page)
			w.copyTo(u.entries[kept[i]].last, inside)
		} else {
			was := ""
			if old := w.replaced(it.page, next[i]); old >= 0 {
				was = u.entries[old].text
				w.copyTo(u.entries[old].first, inside)
			} else if i == 0 && len(u.entries) > 0 { // after the title of the file
				w.copyTo(u.entries[0].first, inside)
			}
			if w.group && !inside && it.page.Type != Group {
				w.copyTo(w.afterRule(next[i]), inside)
			}
			w.endGroup(inside, it.page)
			w.insert(it.page, depth, was)
		}
	}
	// A divider at the end goes only together with the list that it began.
	gone := false
	for i := w.entry; i < len(u.entries); i++ {
		gone = gone || u.entries[i].first >= w.at && !w.stays[i]
	}
	w.copyTo(len(u.lines), gone)
	return []byte(strings.Join(w.out, ""))
}

// style returns a printer that uses the bullet, the indentation and the line ends of the
// old file.
func (u *update) style() printer {
	p := printer{tree: u.tree, bullet: "*", step: "  ", eol: "\n"}
	if len(u.lines) > 0 && strings.HasSuffix(u.lines[0], "\r\n") {
		p.eol = "\r\n"
	}
	first := true
	for _, e := range u.entries {
		b, ok := splitBullet(trimEOL(u.lines[e.first]))
		if !ok || e.kind == entryGroup || e.kind == entryRule {
			continue
		}
		if first && len(b.mark) == 1 {
			p.bullet = b.mark
		}
		first = false
		if e.indent >= 2 && e.indent <= 8 {
			p.step = b.indent
			break
		}
	}
	return p
}

// lineWriter composes a SUMMARY.md from old and new lines.
type lineWriter struct {
	*update
	printer printer
	stays   map[int]bool // by index of the entry
	leaving map[string][]int
	out     []string
	at      int // the first old line that is not written yet
	entry   int // the first entry that ends after at
	group   bool
	cut     bool // the previous old line was deleted
}

// index sets leaving, which replaced uses: the entries that are not kept, by page.
func (w *lineWriter) index() {
	w.leaving = map[string][]int{}
	for _, it := range w.have {
		if !w.stays[it.entry] {
			k := it.page.Type + it.page.File
			w.leaving[k] = append(w.leaving[k], it.entry)
		}
	}
}

// replaced returns the index of the old entry that the new entry of a page replaces, or
// -1. It is an entry for the same page before next, the next entry that stays.
func (w *lineWriter) replaced(p *Page, next int) int {
	k := p.Type + p.File
	for list := w.leaving[k]; len(list) > 0 && list[0] < next; list = w.leaving[k] {
		w.leaving[k] = list[1:]
		if w.entries[list[0]].first >= w.at {
			return list[0]
		}
	}
	return -1
}

// copyTo writes the old lines up to line, except for deleted entries. If inside is set,
// it also omits lines that would end the group.
func (w *lineWriter) copyTo(line int, inside bool) {
	for w.at < line {
		for w.entry < len(w.entries) && w.entries[w.entry].last <= w.at {
			w.entry++
		}
		if w.entry == len(w.entries) || w.entries[w.entry].first > w.at {
			w.write(w.lines[w.at])
			w.at++
			continue
		}
		e := w.entries[w.entry]
		stays := w.stays[w.entry] && !(e.kind == entryRule && inside && w.group)
		switch {
		case stays:
			if e.kind == entryGroup && e.first > 0 && blank(w.lines[e.first-1]) {
				w.space()
			}
			for ; w.at < e.last; w.at++ {
				w.write(w.lines[w.at])
			}
			if e.kind == entryGroup || e.kind == entryRule {
				w.group = e.kind == entryGroup
			}
		default:
			w.at, w.cut = e.last, true
			if (e.kind == entryGroup || e.kind == entryRule) && w.at < len(w.lines) && blank(w.lines[w.at]) {
				w.at++
			}
		}
	}
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// write appends a line. It omits a second blank line after a deleted entry.
func (w *lineWriter) write(line string) {
	if w.cut && blank(line) && len(w.out) > 0 && blank(w.out[len(w.out)-1]) {
		return
	}
	w.cut = w.cut && blank(line)
	if n := len(w.out); n > 0 && !strings.HasSuffix(w.out[n-1], "\n") {
		w.out[n-1] += w.printer.eol
	}
	w.out = append(w.out, line)
}

// endGroup ends the current group if p is a page outside of all groups.
func (w *lineWriter) endGroup(inside bool, p *Page) {
	if !inside && p.Type != Group && w.group {
		w.space()
		w.write("***" + w.printer.eol)
		w.space()
		w.group = false
	}
}

// afterRule returns the line after the old rule that ends the current group, or w.at if there
// is none before next, the next entry that stays. A page that comes to be the first outside of
// the group goes behind that rule and needs none of its own.
func (w *lineWriter) afterRule(next int) int {
	for i := w.entry; i < next; i++ {
		switch e := w.entries[i]; {
		case e.first < w.at || !w.stays[i]:
		case e.kind == entryRule:
			return e.last
		case e.kind == entryGroup:
			return w.at
		}
	}
	return w.at
}

// space appends a blank line if the last line is not blank.
func (w *lineWriter) space() {
	if n := len(w.out); n > 0 && !blank(w.out[n-1]) {
		w.write(w.printer.eol)
	}
}

// insert writes a new entry, with the blank lines that it needs. was is the text of
// the entry that it replaces.
func (w *lineWriter) insert(p *Page, depth int, was string) {
	last := ""
	if n := len(w.out); n > 0 {
		last = trimEOL(w.out[n-1])
	}
	first := last != "" && !isBullet(last) && !insideItem(last)
	for p.Type != Group && first && w.at < len(w.lines) && blank(w.lines[w.at]) {
		w.write(w.lines[w.at])
		w.at++
	}
	if p.Type == Group || first {
		w.space()
	}
	w.write(w.printer.entry(p, depth, was))
	if p.Type == Group {
		w.space()
		w.group = true
	}
}

// insideItem reports whether a line continues a list item.
func insideItem(line string) bool { return strings.HasPrefix(line, " ") && !blank(line) }

// treeLookup implements lookup for the files of a tree.
type treeLookup struct {
	tree   *Tree
	pages  map[string]*Page
	files  map[string]bool
	folded map[string]string // pages by their case-folded file; nil until it is needed
}

func newTreeLookup(t *Tree) *treeLookup {
	s := &treeLookup{tree: t, pages: map[string]*Page{}, files: map[string]bool{}}
	for _, p := range t.Unlisted {
		s.pages[p.File] = p
	}
	for _, p := range t.All() {
		if p.Type == Document {
			s.pages[p.File] = p
		}
	}
	for _, list := range [][]*File{t.Files, t.Others} {
		for _, f := range list {
			s.files[f.Path] = true
		}
	}
	return s
}

func (s *treeLookup) find(name string) (string, bool) {
	return finder(func(file string) bool { return s.pages[file] != nil || s.files[file] }, name)
}

func (s *treeLookup) document(file string) *Page {
	p := s.pages[file]
	if p == nil {
		return nil
	}
	return &Page{Type: Document, File: file, Title: p.Head.Title, Emoji: p.Head.Emoji, Slug: p.Slug, Head: p.Head}
}

func (*treeLookup) similar(string) string { return "" }

func (s *treeLookup) isLanding(file string) bool {
	return isLanding(file, s.tree.readme(), func(name string) string {
		if s.folded == nil {
			s.folded = make(map[string]string, len(s.pages))
			for _, file := range sortedKeys(s.pages) {
				if key := names.Fold(file); s.folded[key] == "" {
					s.folded[key] = file
				}
			}
		}
		return s.folded[names.Fold(name)]
	})
}
