package markup

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Law: an edit of the structure of a page changes only what it means: moved,
// wrapped, lifted and nested lines keep their bytes after the prefix of their
// block, and all other lines keep all bytes.
//
//	OCTAVO_TEST_DOCS=~/docs go test ./internal/markup -run TestASingleEdit -v
func TestASingleEditLeavesTheRest(t *testing.T) {
	c := newTally(t)
	for _, p := range pages(t) {
		tryEdits(c, p, sampled)
	}
	defer c.print("changed more:")
	t.Run("generated", func(t *testing.T) { // rapid refuses a test that has failed already
		rapid.Check(t, func(rt *rapid.T) {
			seed := rapid.Uint64().Draw(rt, "page")
			name := fmt.Sprintf("page %#x", seed)
			tryEdits(c, page{name, styledPage(seed)}, func(_ string, i int) bool {
				return os.Getenv(docsVariable) != "" || i%20 == int(seed%20)
			})
		})
	})
}

// tryEdits makes the sampled edits of a page, one at a time.
func tryEdits(c *tally, p page, sampled func(name string, i int) bool) {
	e := &editTrial{marked: map[*Node]bool{}, c: c, page: p, src: string(p.body), old: Parse(p.body, Refs{}), doc: Parse(p.body, Refs{}), sampled: sampled}
	traced := parseTraced(p.body, Refs{})
	e.doc.Spans = nil
	e.spans = map[*Node]Span{}
	for i, n := range e.doc.Nodes {
		e.note(n, traced.Nodes[i])
		s := e.old.Spans[i]
		if i > 0 && e.old.Spans[i-1] == s || i+1 < len(e.old.Spans) && e.old.Spans[i+1] == s {
			s = Span{-1, -1} // a layout of several blocks
		}
		e.spans[n] = s
	}
	for i := range e.old.Spans {
		if i > 0 && e.old.Spans[i] == e.old.Spans[i-1] {
			return // nothing can come between the blocks of a layout
		}
	}
	e.list(nil, &e.doc.Nodes)
}

// editTrial makes edits of one page.
type editTrial struct {
	c        *tally
	page     page
	src      string
	old, doc *Document
	spans    map[*Node]Span // where the blocks of doc are written; Start is -1 if it is not known
	sampled  func(name string, i int) bool
	number   int
	marked   map[*Node]bool // containers whose first block is on the line of the marker of a list
}

func (e *editTrial) note(n, traced *Node) {
	e.spans[n] = spanOr(traced.span)
	if len(traced.Leaves) == 1 && traced.Leaves[0].trace != nil && len(traced.Leaves[0].trace.parts) == 1 {
		p := traced.Leaves[0].trace.parts[0]
		e.spans[n] = Span{p.start, p.end}
	}
	for i, k := range n.Nodes {
		e.note(k, traced.Nodes[i])
	}
	for i, k := range n.Fragments {
		e.note(k, traced.Fragments[i])
	}
}

// wanted is what an edit may do to the source.
type wanted struct {
	touched []Span         // lines that may be adapted
	strip   *regexp.Regexp // what of them may be adapted
	added   []string       // lines that come, without their prefix
	gone    *regexp.Regexp // lines of touched that go
	beside  []Span         // more lines that may be adapted
	copies  int            // of the lines of touched, 1 if it is 0
	flow    bool           // the lines of touched may be joined
	pure    func(gone, come string) string
}

var (
	prefixOnly    = regexp.MustCompile(`^[ \t>]*`)
	withMarker    = regexp.MustCompile(`^(?:[ \t>]|(?:[-+*]|[0-9]+[.)])(?:[ \t]|$)|\[[ xX]\](?:[ \t]|$))*`)
	withHashes    = regexp.MustCompile(`^(?:[ \t>]|(?:[-+*]|[0-9]+[.)])(?:[ \t]|$)|\[[ xX]\](?:[ \t]|$))*#*[ \t]*|[ \t]+#+[ \t]*$`)
	all           = regexp.MustCompile(``)
	tagLine       = regexp.MustCompile(`^[ \t>]*(\{%.*%\}|</?details.*>|<summary>.*</summary>)\s*$`)
	escapedNumber = regexp.MustCompile(`^([0-9]+)\\([.)])`)
	literalTags   = regexp.MustCompile(`\{% (?:end)?raw %\}`)
	openFence     = regexp.MustCompile("^[ \t>]*(```+|~~~+)")
	underline     = regexp.MustCompile(`^[ \t>]*(=+|-+)\s*$`)
)

// try compares the written page with what the edit may do to it.
func (e *editTrial) try(kind string, w wanted) {
	if e.number++; !e.sampled(e.page.name, e.number) {
		return
	}
	for _, s := range w.touched {
		if s.Start < 0 {
			return
		}
	}
	if e.indentedAfterList(e.doc.Nodes) {
		return // code without a fence would be a part of the list
	}
	out := string(Reprint(e.page.body, e.old, e.doc, Refs{}))
	why := e.judge(out, w)
	if why != "" {
		why = lineDiff(e.src, out) + why
	}
	e.c.add(kind, why == "", "%s:\n%s", e.page.name, why)
}

// lineDiff returns the lines that are in only one of two sources.
func lineDiff(a, b string) string {
	count, out := map[string]int{}, ""
	for l := range strings.Lines(b) {
		count[l]++
	}
	for l := range strings.Lines(a) {
		if count[l]--; count[l] < 0 {
			out += fmt.Sprintf("- %q\n", l)
		}
	}
	for l := range strings.Lines(b) {
		if count[l] > 0 {
			count[l]--
			out += fmt.Sprintf("+ %q\n", l)
		}
	}
	return out
}

// indentedAfterList reports whether an edit puts indented code after a list.
func (e *editTrial) indentedAfterList(nodes []*Node) bool {
	for i, n := range nodes {
		if n.Type == "list-item" && len(n.Nodes) > 0 && n.Nodes[0].Type == "divider" {
			return true // it depends on the marker what is a divider
		}
		if i > 0 && e.isIndented(n) && isList(nodes[i-1]) {
			return true
		}
		if e.indentedAfterList(n.Nodes) || e.indentedAfterList(n.Fragments) {
			return true
		}
	}
	return false
}

// isIndented reports whether a block is code without a fence.
func (e *editTrial) isIndented(n *Node) bool {
	s := e.spans[n]
	return n.Type == "code" && s.Start >= 0 && s.Start < s.End && !strings.Contains("`~", strings.TrimLeft(e.src[s.Start:], " \t")[:1])
}

// containers are the blocks whose blocks can move.
var containers = map[string]bool{
	"blockquote": true, "hint": true, "tabs-item": true, "list-item": true, "column": true, "stepper-step": true, "expandable-body": true,
}

// list makes the edits of the blocks of one container, and of the blocks inside.
func (e *editTrial) list(parent *Node, at *[]*Node) {
	nodes := *at
	if parent != nil && parent.Type == "list-item" {
		e.marked[parent] = true
	}
	if e.marked[parent] && len(nodes) > 0 && nodes[0].Type == "blockquote" {
		e.marked[nodes[0]] = true
	}
	set := func(kind string, changed []*Node, w wanted) {
		*at = changed
		if e.marked[parent] && w.pure == nil {
			// The first block of an item is on the line of its marker.
			for _, first := range e.at(nodes[0], changed[0]) {
				if first.End > first.Start && first.Start >= 0 && w.gone != all {
					line := first.Start + len(strings.SplitN(e.src[first.Start:first.End]+"\n", "\n", 2)[0])
					w.beside = append(w.beside, Span{first.Start, line})
				}
			}
			if w.strip == prefixOnly {
				w.strip = withMarker
			}
		}
		e.try(kind, e.adapted(w))
		*at = nodes
	}
	for i, n := range nodes {
		if parent == nil && !e.written(nodes, i) {
			continue
		}
		e.moves(nodes, i, set)
		e.wraps(nodes, i, set)
		e.texts(nodes, i, set)
		e.links(n)
		if !e.inHTML(n) {
			e.turns(nodes, i, set)
		}
		if isList(n) && !e.inHTML(n) {
			e.items(nodes, i, set)
		}
		if kids := n.Nodes; containers[n.Type] && n.Type != "list-item" {
			w := wanted{touched: e.at(n), strip: prefixOnly}
			if n.Type != "blockquote" {
				w.gone = tagLine
			}
			if s := e.spans[n]; s.Start >= 0 && (w.gone == nil || strings.Count(e.src[s.Start:s.End], "{%")+strings.Count(e.src[s.Start:s.End], "<details") == 2) {
				set("lift", slices.Concat(nodes[:i], kids, nodes[i+1:]), w)
			}
		}
	}
	for i, n := range nodes {
		if parent == nil && !e.written(nodes, i) {
			continue
		}
		switch {
		case isList(n) && !e.inHTML(n):
			for _, item := range n.Nodes {
				e.list(item, &item.Nodes)
			}
		case containers[n.Type]:
			e.list(n, &n.Nodes)
		case n.Type == "tabs" || n.Type == "columns" || n.Type == "stepper":
			for _, k := range n.Nodes {
				e.list(k, &k.Nodes)
			}
		}
		for _, f := range n.Fragments {
			if n.Type == "expandable" && containers[f.Slot()] {
				e.list(f, &f.Nodes)
			}
		}
	}
}

// written reports whether the blocks in a top-level block are written as such.
func (e *editTrial) written(nodes []*Node, i int) bool {
	return len(writtenBlocks(e.src, &Document{Spans: e.old.Spans[i : i+1]}, &Document{Nodes: nodes[i : i+1]})) > 0
}

func (e *editTrial) inHTML(n *Node) bool {
	s := e.spans[n]
	return s.Start < 0 || s.Start >= s.End || e.src[s.Start] == '<'
}

type setBlocks func(kind string, changed []*Node, w wanted)

func (e *editTrial) at(nodes ...*Node) (list []Span) {
	for _, n := range nodes {
		list = append(list, e.spans[n])
	}
	return list
}

// adapted allows other markers of lists that are now side by side.
func (e *editTrial) adapted(w wanted) wanted {
	var walk func(nodes []*Node)
	walk = func(nodes []*Node) {
		for i, n := range nodes {
			if i > 0 && isList(n) && isList(nodes[i-1]) {
				for _, k := range []*Node{nodes[i-1], n} {
					if s, ok := e.spans[k]; ok && s.Start >= 0 && w.strip != nil {
						if w.beside = append(w.beside, s); w.strip == prefixOnly {
							w.strip = withMarker
						}
					}
				}
			}
			walk(n.Nodes)
			for _, f := range n.Fragments {
				walk(f.Nodes)
			}
		}
	}
	if w.gone != all && w.copies == 0 {
		walk(e.doc.Nodes)
	}
	return w
}

func (e *editTrial) moves(nodes []*Node, i int, set setBlocks) {
	n := nodes[i]
	w := wanted{touched: e.at(n), strip: prefixOnly}
	without := slices.Delete(slices.Clone(nodes), i, i+1)
	for _, to := range []int{i - 1, i + 1, 0, len(without)} {
		if to >= 0 && to <= len(without) && to != i {
			set("move", slices.Insert(slices.Clone(without), to, n), w)
		}
	}
	copied := slices.Insert(slices.Clone(nodes), i+1, withoutKeys(n))
	if !isList(n) && n.Type != "blockquote" && n.Type != "divider" && !e.isIndented(n) {
		set("duplicate", copied, wanted{touched: e.at(n), strip: prefixOnly, copies: 2})
	}
}

// withoutKeys returns a copy of a block as an editor makes it.
func withoutKeys(n *Node) *Node {
	c := *n
	c.Key = ""
	c.Nodes, c.Fragments = nil, nil
	for _, k := range n.Nodes {
		c.Nodes = append(c.Nodes, withoutKeys(k))
	}
	for _, k := range n.Fragments {
		c.Fragments = append(c.Fragments, withoutKeys(k))
	}
	return &c
}

func (e *editTrial) wraps(nodes []*Node, i int, set setBlocks) {
	for k := i + 1; k <= min(i+2, len(nodes)); k++ {
		inner := nodes[i:k]
		put := func(n *Node) []*Node { return slices.Concat(nodes[:i], []*Node{n}, nodes[k:]) }
		hint := blockNode("hint", map[string]any{"style": "success"}, inner...)
		w := wanted{touched: e.at(inner...), strip: prefixOnly}
		set("wrap", put(blockNode("blockquote", nil, inner...)), w)
		w.added = []string{`{% hint style="success" %}`, `{% endhint %}`}
		set("wrap", put(hint), w)
	}
	if i+1 < len(nodes) && (nodes[i].Type == "hint" || nodes[i].Type == "blockquote") {
		into := *nodes[i]
		into.Nodes = append(slices.Clone(into.Nodes), nodes[i+1])
		set("move", slices.Concat(nodes[:i], []*Node{&into}, nodes[i+2:]), wanted{touched: e.at(nodes[i+1]), strip: prefixOnly})
	}
}

func (e *editTrial) items(nodes []*Node, i int, set setBlocks) {
	list := nodes[i]
	put := func(items ...*Node) []*Node {
		changed := *list
		changed.Nodes = items
		return slices.Concat(nodes[:i], []*Node{&changed}, nodes[i+1:])
	}
	strip := prefixOnly
	if list.Type == "list-ordered" {
		strip = withMarker
	}
	for k, item := range list.Nodes {
		before, after := list.Nodes[:k], list.Nodes[k+1:]
		w := wanted{touched: e.at(item), strip: strip}
		if k > 0 {
			last := before[k-1]
			nested := *last
			sub := blockNode(list.Type, nil, item)
			if j := len(last.Nodes) - 1; last.Nodes[j].Type == list.Type && list.Type != "list-ordered" {
				was := last.Nodes[j]
				old := *was
				old.Nodes = append(slices.Clone(was.Nodes), item)
				nested.Nodes = slices.Concat(last.Nodes[:j], []*Node{&old})
				w.strip = withMarker
			} else {
				nested.Nodes = append(slices.Clone(last.Nodes), sub)
			}
			set("nest", put(slices.Concat(before[:k-1], []*Node{&nested}, after)...), w)
			w.strip = strip
			swapped := slices.Concat(before[:k-1], []*Node{item, last}, after)
			set("move an item", put(swapped...), wanted{touched: e.at(item, last), strip: strip})
			e.joinItems(before, item, after, put, set)
		}
		w.strip = withMarker
		lifted := slices.Clone(nodes[:i])
		if k > 0 {
			lifted = append(lifted, put(before...)[i])
		}
		lifted = append(lifted, item.Nodes...)
		if len(after) > 0 {
			rest := *list
			rest.Nodes = after
			if k > 0 {
				rest.Key = ""
				w.touched = append(w.touched, e.at(after...)...)
			} else {
				w.touched = append(w.touched, e.at(after[0])...)
				if isList(item.Nodes[len(item.Nodes)-1]) { // the rest needs another mark
					w.touched = append(w.touched, e.at(after...)...)
				}
			}
			lifted = append(lifted, &rest)
		}
		if item.Data["checked"] == nil && !isEmptyParagraph(item.Nodes[0]) {
			set("lift", append(lifted, nodes[i+1:]...), w)
		}
		if len(item.Nodes) > 1 {
			for j, p := range item.Nodes[1:] {
				if p.Type != "paragraph" {
					continue
				}
				less := *item
				less.Nodes = slices.Concat(item.Nodes[:j+1], item.Nodes[j+2:])
				set("delete a paragraph", put(slices.Concat(before, []*Node{&less}, after)...), e.adapted(wanted{touched: e.at(p), strip: all, gone: all}))
			}
		}
		fresh := blockNode("list-item", item.Data, plainParagraph("fresh item"))
		set("add an item", put(slices.Concat(before, []*Node{item, fresh}, after)...), wanted{strip: withMarker, added: []string{"fresh item"}})
		if sub := item.Nodes[len(item.Nodes)-1]; isList(sub) && sub.Type == list.Type {
			e.outdent(list, k, put, set)
		}
	}
}

// outdent makes the last item of a nested list the next item of the outer list.
func (e *editTrial) outdent(list *Node, k int, put func(...*Node) []*Node, set setBlocks) {
	item := list.Nodes[k]
	sub := item.Nodes[len(item.Nodes)-1]
	last := sub.Nodes[len(sub.Nodes)-1]
	less, rest := *item, *sub
	less.Nodes = slices.Clone(item.Nodes[:len(item.Nodes)-1])
	if rest.Nodes = sub.Nodes[:len(sub.Nodes)-1]; len(rest.Nodes) > 0 {
		less.Nodes = append(less.Nodes, &rest)
	}
	if len(less.Nodes) > 0 {
		set("lift", put(slices.Concat(list.Nodes[:k], []*Node{&less, last}, list.Nodes[k+1:])...), wanted{touched: e.at(last), strip: withMarker})
	}
}

func (e *editTrial) joinItems(before []*Node, item *Node, after []*Node, put func(...*Node) []*Node, set setBlocks) {
	last := before[len(before)-1]
	if len(last.Nodes) != 1 || last.Nodes[0].Type != "paragraph" || item.Nodes[0].Type != "paragraph" {
		return
	}
	a, b := last.Nodes[0], item.Nodes[0]
	whole := *last
	text := *a
	if text.Nodes = oneText(a.Nodes, b.Nodes); text.Nodes == nil {
		return
	}
	whole.Nodes = slices.Concat([]*Node{&text}, item.Nodes[1:])
	w := wanted{touched: e.at(last, item), strip: withMarker, flow: true}
	set("join", put(slices.Concat(before[:len(before)-1], []*Node{&whole}, after)...), w)
}

// oneText returns the inlines of two blocks as those of one.
func oneText(a, b []*Node) []*Node {
	if PlainText(a) == "" || PlainText(b) == "" {
		return nil
	}
	var all InlineBuilder
	for _, n := range slices.Concat(a, []*Node{NewText(" ")}, b) {
		if n.Object != ObjectText {
			all.Inline(n)
			continue
		}
		for _, l := range n.Leaves {
			if l.Raw {
				all.Raw(l.Text, l.Marks)
			} else {
				all.Text(l.Text, l.Marks)
			}
		}
	}
	return all.Done()
}

var (
	onlySpace = regexp.MustCompile("^[\\s>`]*$")
	joinGone  = regexp.MustCompile(`^(?:[\s>*_~#=+-]|[0-9]+[.)]|\[[ xX]\]|</?\w+>|<!-- -->)*$`)
	splitCome = regexp.MustCompile("^(?:\\{% (?:end)?raw %\\}|[\\s>*_~=+`\\\\-]|[0-9]+[.)]|\\[[ xX]\\]|<[^<>]*>|&#x20;)*$")
	// literalLine matches a line between which and its end nothing is a tag. It goes with its block.
	literalLine = regexp.MustCompile(`\n\{% (?:end)?raw %\}\n?`)
	joinMarks   = regexp.MustCompile(`^(?:[\s*_~]|&#x20;|</?\w+>|<!-- -->)*$`)
)

func joins(gone, come string) string {
	if strings.HasSuffix(gone, "%") { // in a tag
		gone, come = gone+"}", come+"}"
	}
	gone, come = literalLine.ReplaceAllString(gone, "\n"), literalLine.ReplaceAllString(come, "")
	if x := strings.TrimSpace(come); x != "" && strings.Contains(gone, x) { // the space after it goes too
		a, b, _ := strings.Cut(gone, x)
		gone, come = a+b, ""
	}
	if joinGone.MatchString(gone) && joinMarks.MatchString(come) {
		return ""
	}
	return "more than the space between them"
}

func splits(gone, come string) string {
	come = strings.ReplaceAll(come, "\\", "") // at the beginning of a line, more needs to be escaped
	for gone != "" && come != "" && gone[len(gone)-1] == come[len(come)-1] {
		gone, come = gone[:len(gone)-1], come[:len(come)-1]
	}
	if onlySpace.MatchString(gone) && splitCome.MatchString(come) {
		return ""
	}
	return "more than a space between them"
}

// texts splits a block of text, and joins it with the block before.
func (e *editTrial) texts(nodes []*Node, i int, set setBlocks) {
	n := nodes[i]
	if n.Type != "paragraph" && n.HeadingLevel() == 0 || n.Str(FieldAlign) != "" {
		return
	}
	if i > 0 && nodes[i-1].Type == "paragraph" && n.Type == "paragraph" && nodes[i-1].Str(FieldAlign) == "" {
		whole := *nodes[i-1]
		if whole.Nodes = oneText(nodes[i-1].Nodes, n.Nodes); whole.Nodes != nil {
			set("join", slices.Concat(nodes[:i-1], []*Node{&whole}, nodes[i+1:]), wanted{pure: joins})
		}
	}
	if n.Type != "paragraph" {
		return
	}
	for k, text := range n.Nodes {
		for j, l := range text.Leaves {
			for _, at := range []int{strings.IndexByte(l.Text, ' '), insideWord(l.Text), strings.LastIndexByte(l.Text, ' ')} {
				if l.Raw || at <= 0 || at+1 >= len(l.Text) {
					continue
				}
				left, right := splitAt(n, k, j, at)
				if left == nil {
					continue
				}
				set("split", slices.Concat(nodes[:i], []*Node{left, right}, nodes[i+1:]), wanted{pure: splits})
			}
		}
	}
}

// splitAt splits a paragraph in a leaf. A space at the place goes.
func splitAt(n *Node, k, j, at int) (left, right *Node) {
	text := n.Nodes[k]
	l := text.Leaves[j]
	a, b := l, l
	a.Text, b.Text = strings.TrimRight(l.Text[:at], " "), strings.TrimLeft(l.Text[at:], " ")
	if a.Text == "" || b.Text == "" {
		return nil, nil
	}
	first, second := *n, *n
	second.Key = ""
	first.Nodes = append(slices.Clone(n.Nodes[:k]), textNode(append(slices.Clone(text.Leaves[:j]), a)...))
	second.Nodes = append([]*Node{textNode(append([]Leaf{b}, text.Leaves[j+1:]...)...)}, n.Nodes[k+1:]...)
	return &first, &second
}

// turns makes another kind of block of a block.
func (e *editTrial) turns(nodes []*Node, i int, set setBlocks) {
	n := nodes[i]
	turned := func(change func(n *Node), w wanted) {
		c := *n
		c.Data = maps.Clone(n.Data)
		change(&c)
		set("turn into", slices.Concat(nodes[:i], []*Node{&c}, nodes[i+1:]), w)
	}
	w := wanted{touched: e.at(n), strip: withHashes, flow: true}
	switch {
	case n.Type == "paragraph" && n.Str(FieldAlign) == "" && !strings.Contains(PlainText(n.Nodes), "\n"):
		turned(func(c *Node) { c.Type = "heading-2"; c.Data = map[string]any{} }, w)
		w.strip, w.flow = withMarker, false
		turned(func(c *Node) {
			c.Type, c.Key, c.Data = "list-unordered", "", nil
			c.Nodes = []*Node{blockNode("list-item", nil, n)}
		}, w)
	case len(n.Nodes) == 1 && n.Nodes[0].Type == "inline-image": // alone in a paragraph, it is a block
	case n.HeadingLevel() > 0 && n.Str(FieldID) == "" && n.Str(FieldClass) == "" && n.Str(FieldAlign) == "":
		w.gone = underline
		turned(func(c *Node) { c.Type = "paragraph"; c.Data = nil }, w)
		turned(func(c *Node) { c.Type = headingTypes[n.HeadingLevel()%3+1]; c.Data = map[string]any{} }, w)
	case n.Type == "list-unordered" || n.Type == "list-tasks":
		w.strip, w.flow = withMarker, false
		if !slices.ContainsFunc(n.Nodes, func(k *Node) bool { return k.Data["checked"] != nil }) {
			turned(func(c *Node) { c.Type, c.Data = "list-ordered", map[string]any{} }, w)
			turned(func(c *Node) {
				c.Type, c.Data = "list-tasks", nil
				c.Nodes = nil
				for _, item := range n.Nodes {
					k := *item
					k.Data = map[string]any{"checked": false}
					c.Nodes = append(c.Nodes, &k)
				}
			}, w)
		}
	case n.Type == "list-ordered":
		w.strip, w.flow = withMarker, false
		turned(func(c *Node) { c.Type, c.Data = "list-unordered", nil }, w)
	case n.Type == "blockquote":
		w.strip, w.flow = prefixOnly, false
		w.added = []string{`{% hint style="info" %}`, `{% endhint %}`}
		turned(func(c *Node) { c.Type, c.Data = "hint", map[string]any{"style": "info"} }, w)
	}
}
