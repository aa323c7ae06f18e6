package folder

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/names"
)

// maxPlaces is how many lines are reported for one destination of a page.
const maxPlaces = 20

// maxSearches is the maximum number of destinations of a page that are searched for in
// its text because they are not written in one of the usual ways.
const maxSearches = 20

// Check returns the problems of a tree, sorted by file and line. They are the problems
// that Read found, links to pages, headings, files and reusable contents that do not
// exist, reusable contents that include themselves, sibling pages with the same address,
// and redirects without a target.
func Check(t *Tree) []Problem { return new(Checker).Check(t) }

// Checker checks successive states of one folder. It parses only the files that changed
// since the previous state. It is not safe for concurrent use.
type Checker struct{ known map[string]*source }

// Headings returns the headings of a Markdown file of the last tree that was checked. It
// returns nil for an unknown file.
func (k *Checker) Headings(file string) []markup.Heading {
	if s := k.known[file]; s != nil {
		return s.headings
	}
	return nil
}

// Check is like the function Check, but reuses the files that were parsed for the
// previous tree.
func (k *Checker) Check(t *Tree) []Problem {
	c := &checker{
		tree: t, index: NewIndex(t), out: problems{limit: DefaultLimits.Problems},
		known: k.known, sources: map[string]*source{}, shown: map[string]bool{},
	}
	for _, p := range t.All() {
		if p.Type == Document {
			c.shown[p.File] = true
			c.read(p.File, p.Title, p.Source, p.Head)
		}
	}
	for _, p := range t.Unlisted {
		c.read(p.File, p.Title, p.Source, p.Head)
	}
	for _, in := range t.Includes {
		c.read(in.File, "", in.Source, in.Head)
	}
	k.known = c.sources
	for _, name := range sortedKeys(c.sources) {
		c.source(name, c.sources[name])
	}
	c.cycles()
	c.slugs(t.Pages, "the top level")
	c.redirects()
	out := slices.Concat(t.Problems, c.out.sorted(path.Clean(t.Root)))
	sortProblems(out)
	return slices.Compact(out)
}

// source is a Markdown file with its anchors and destinations.
type source struct {
	text     []byte
	title    string
	anchors  map[string]bool
	headings []markup.Heading
	problems []markup.Problem
	uses     map[use]bool
	includes []string
}

type use struct {
	dest  string
	kind  markup.Use
	paths string // that a destination in the form of another tool may mean
}

type checker struct {
	tree    *Tree
	index   *Index
	out     problems
	known   map[string]*source // of the previous state
	sources map[string]*source
	shown   map[string]bool // files that the navigation lists
}

// read adds a file to c.sources. It parses the file only if its title or text changed.
func (c *checker) read(name, title string, text []byte, h frontmatter.Head) {
	s := c.known[name]
	if s == nil || s.title != title || !bytes.Equal(s.text, text) {
		s = parseSource(c.tree.place(), name, title, text, h)
	}
	c.sources[name] = s
	for _, p := range s.problems {
		c.out.add(name, p.Line, CodeMarkup, "%s", p.Message)
	}
}

// parseSource parses a file and collects its anchors, headings, problems and
// destinations.
func parseSource(at Place, name, title string, text []byte, h frontmatter.Head) *source {
	s := &source{text: text, title: title, anchors: map[string]bool{}, uses: map[use]bool{}}
	for _, cover := range []string{h.Meta.Cover, h.Meta.CoverDark} {
		if cover != "" {
			s.uses[use{cover, markup.UseImage, ""}] = true
		}
	}
	doc := markup.Parse(text[h.Body:], markup.Refs{Resolve: func(dest string, kind markup.Use) (docs.Ref, bool) {
		s.uses[use{dest, kind, ""}] = true
		// Every include resolves: the checker reports unknown ones itself, so the parser
		// must not report them as well.
		return docs.Ref{Kind: docs.RefReusable, ReusableContent: dest}, kind == markup.UseInclude
	}, Any: func(dest string, paths []string, kind markup.Use, needed bool) (none docs.Ref, ok bool) {
		if needed {
			s.uses[use{dest, kind, strings.Join(paths, "\n")}] = true
		}
		return none, false
	}})
	for _, a := range markup.Anchors(doc) {
		s.anchors[a] = true
	}
	if title != "" {
		s.anchors[markup.Slug(title)] = true
	}
	s.headings = markup.Headings(doc)
	above := bytes.Count(text[:h.Body], []byte("\n"))
	for _, p := range markup.Mistakes(text[h.Body:], doc) {
		s.problems = append(s.problems, markup.Problem{Line: p.Line + above, Message: p.Message})
	}
	for u := range s.uses {
		if u.kind != markup.UseInclude {
			continue
		}
		if file, ok := at.resolve(name, u.dest); ok {
			s.includes = append(s.includes, file)
		}
	}
	slices.Sort(s.includes)
	return s
}

// source reports the destinations of a file that lead nowhere, with the lines that
// contain them.
func (c *checker) source(name string, s *source) {
	order := slices.SortedFunc(maps.Keys(s.uses), func(a, b use) int {
		return strings.Compare(a.dest+"\x00"+string(a.kind), b.dest+"\x00"+string(b.kind))
	})
	var lines map[string][]int
	searched := 0
	for _, u := range order {
		code, why := c.use(name, u)
		if code == "" {
			continue
		}
		if lines == nil {
			lines = writtenLines(s.text)
		}
		at := lines[u.dest]
		if at == nil && searched < maxSearches {
			searched++
			at = places(s.text, u.dest)
		}
		if at == nil {
			at = []int{0}
		}
		for _, line := range at {
			c.out.add(name, line, code, "%s", why)
		}
	}
}

// writtenLines returns, for each destination, the lines that contain it.
func writtenLines(text []byte) map[string][]int {
	var starts []int
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	out := map[string][]int{}
	for dest, offset := range destinations(string(text)) {
		line, exact := slices.BinarySearch(starts, offset)
		if line++; exact {
			line++
		}
		if list := out[dest]; len(list) < maxPlaces && !slices.Contains(list, line) {
			out[dest] = append(list, line)
		}
	}
	return out
}

// use returns the code and the message of the problem of a destination. The code is empty
// if there is no problem.
func (c *checker) use(name string, u use) (code, why string) {
	if u.paths != "" {
		for path := range strings.SplitSeq(u.paths, "\n") {
			one, reason := c.use(name, use{path, u.kind, ""})
			if one == "" {
				return "", ""
			} else if code == "" {
				code, why = one, reason
			}
		}
		return code, why
	}
	if _, ok := schemeOf(u.dest); ok || strings.HasPrefix(u.dest, "//") {
		return "", ""
	}
	shown := printable(u.dest)
	if u.dest != "" && c.tree.Known != nil && c.tree.Known(u.dest) {
		return "", ""
	}
	target, ok := c.index.Find(name, u.dest, u.kind)
	file, anchor := target.Path, target.Anchor
	switch {
	case !ok:
		return MissingTarget(c.tree.place(), name, u.dest, u.kind, c.index.near)
	case u.kind != markup.UseLink:
		return "", ""
	case target.Page != nil && target.Page.Type == Group:
		if anchor != "" {
			return GroupAnchor(target.Page.Title)
		}
		return "", ""
	}
	to := c.sources[file]
	if to == nil {
		return "", ""
	}
	if !c.shown[file] && c.shown[name] && !IsInclude(file) {
		return missingCode(u.kind), shown + " leads to a page that is not in " + c.tree.summary()
	}
	if anchor != "" && !c.hasAnchor(file, anchor, 0) {
		return MissingAnchor(file, anchor, to.anchors)
	}
	return "", ""
}

func missingCode(use markup.Use) string {
	switch use {
	case markup.UseImage, markup.UseFile:
		return CodeMissingFile
	case markup.UseInclude:
		return CodeMissingReuse
	}
	return CodeBrokenLink
}

// MissingTarget returns the code and the message of the problem of a destination in the
// file from that leads nowhere. near returns the file that a path probably means, or "".
func MissingTarget(at Place, from, dest string, use markup.Use, near func(file string) string) (code, why string) {
	if dest == "" {
		return missingCode(use), "the link has no destination"
	}
	file, ok := at.resolve(from, dest)
	if !ok {
		return CodeBadPath, at.outside(path.Dir(from), dest)
	}
	if other := near(file); other != "" {
		return CodeNearLink, file + " does not exist; write " + other
	}
	if len(file) > names.MaxName {
		file = printable(file)
	}
	return missingCode(use), file + " does not exist"
}

// MissingAnchor returns the code and the message of the problem of a link to a heading that
// a file does not have. anchors are those that it has.
func MissingAnchor(file, anchor string, anchors map[string]bool) (code, why string) {
	return CodeBrokenAnchor, file + " has no heading #" + readable(anchor) + anchorHint(anchors, anchor)
}

// GroupAnchor is MissingAnchor for a link to a group.
func GroupAnchor(title string) (code, why string) {
	return CodeBrokenAnchor, title + " is a group, which has no headings"
}

// Lines returns the lines of a text that contain a destination.
func Lines(text []byte, dest string) []int {
	if at := writtenLines(text)[dest]; at != nil {
		return at
	}
	return places(text, dest)
}

// anchorHint returns a hint that names one of several anchors that differs in punctuation
// only, or an empty string. Other programs generate other anchors for the same heading.
func anchorHint(anchors map[string]bool, anchor string) string {
	letters := func(s string) string { return strings.ReplaceAll(GroupSlug(s), "-", "") }
	for _, a := range sortedKeys(anchors) {
		if letters(a) == letters(anchor) {
			return "; did you mean #" + a + "?"
		}
	}
	return ""
}

// maxNesting is the maximum depth of nested reusable contents that hasAnchor searches.
const maxNesting = 16

// hasAnchor reports whether a file, or a reusable content that it includes, has an
// anchor.
func (c *checker) hasAnchor(file, anchor string, depth int) bool {
	s := c.sources[file]
	if s == nil || depth > maxNesting {
		return false
	}
	if markup.HasAnchor(anchor, func(name string) bool { return s.anchors[name] }) {
		return true
	}
	return slices.ContainsFunc(s.includes, func(in string) bool { return c.hasAnchor(in, anchor, depth+1) })
}

// places returns the lines that contain a destination or, if there are none, the lines
// that contain its last path element. It is used for destinations that writtenLines does
// not find.
func places(text []byte, dest string) []int {
	tries := []string{dest, path.Base(dest)}
	if dest == "" {
		tries = []string{"]()", "](<>)", `=""`}
	}
	for _, try := range tries {
		var lines []int
		line := 0
		for l := range bytes.Lines(text) {
			line++
			if bytes.Contains(l, []byte(try)) && len(lines) < maxPlaces {
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			return lines
		}
	}
	return nil
}

// firstPlace returns the first line that contains a name, or 0 if no line does.
func firstPlace(text []byte, name string) int {
	if at := places(text, name); len(at) > 0 {
		return at[0]
	}
	return 0
}

// cycles reports reusable contents that include themselves.
func (c *checker) cycles() {
	const (
		open = 1
		done = 2
	)
	state := map[string]int{}
	var trail []string
	var visit func(name string)
	visit = func(name string) {
		state[name] = open
		trail = append(trail, name)
		for _, next := range c.sources[name].includes {
			switch {
			case c.sources[next] == nil || state[next] == done:
			case state[next] == open:
				loop := append(slices.Clone(trail[slices.Index(trail, next):]), next)
				if len(loop) > maxNesting {
					loop = slices.Concat(loop[:maxNesting/2], []string{"…"}, loop[len(loop)-maxNesting/2:])
				}
				c.out.add(name, firstPlace(c.sources[name].text, path.Base(next)), CodeReuseCycle, "a reusable content includes itself: %s", strings.Join(loop, " → "))
			default:
				visit(next)
			}
		}
		trail = trail[:len(trail)-1]
		state[name] = done
	}
	for _, name := range sortedKeys(c.sources) {
		if state[name] == 0 {
			visit(name)
		}
	}
}

// slugs reports siblings that have the same slug, and so the same address.
func (c *checker) slugs(pages []*Page, where string) {
	first := map[string]*Page{}
	for _, p := range pages {
		if p.Type == Document || p.Type == Group {
			if other := first[p.Slug]; other != nil {
				file, line := c.tree.summary(), p.Line
				if c.tree.Inferred {
					file, line = p.File, 0
				}
				c.out.add(file, line, CodeDuplicateSlug, "%q has the same address %q as %q in %s; rename one of them", p.Title, p.Slug, other.Title, where)
			} else {
				first[p.Slug] = p
			}
		}
		c.slugs(p.Children, p.Title)
	}
}

// redirects reports redirects to paths that are not pages of the navigation.
func (c *checker) redirects() {
	for _, r := range c.tree.Redirects {
		if _, ok := schemeOf(r.To); ok {
			continue
		}
		target, ok := c.tree.place().resolve(readmeName, r.To)
		if ok {
			_, ok = finder(func(file string) bool { return c.shown[file] }, target)
		}
		if !ok {
			c.out.add(configName, r.Line, CodeRedirect, "the redirect from %q leads to %q, which is not a page", r.From, r.To)
		}
	}
}
