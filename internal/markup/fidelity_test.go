package markup

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// page is a Markdown source that edits are tested on. The sources are those of
// the project and of the folder in docsVariable:
//
//	OCTAVO_TEST_DOCS=~/docs go test ./internal/markup -run TestAnEdit -v
type page struct {
	name string
	body []byte
}

// everyVariable is set to n to test only one of n edits of such a folder.
const everyVariable = "OCTAVO_TEST_EVERY"

func pages(t *testing.T) (list []page) {
	t.Helper()
	roots := []string{"testdata/everything.md", "../../docs", "../../e2e/fixtures", "../content/templates"}
	if dir := os.Getenv(docsVariable); dir != "" {
		roots = append(roots, dir)
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(path), ".md") || d.Name() == "SUMMARY.md" {
				return err
			}
			src, err := os.ReadFile(path)
			if err == nil {
				list = append(list, cutPage(page{path, src[ParseHead(src).Body:]})...)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// cutPage splits a long page at its headings, because each edit parses its whole
// page.
func cutPage(p page) (list []page) {
	const long = 4 << 10
	doc, from := Parse(p.body, Refs{}), 0
	for i, n := range doc.Nodes {
		if at := doc.Spans[i].Start; at-from > long && n.HeadingLevel() > 0 {
			list = append(list, page{p.name, p.body[from:at]})
			from = at
		}
	}
	return append(list, page{p.name, p.body[from:]})
}

// sampled reports whether an edit is tested. All edits are tested with
// docsVariable; otherwise so few that a slow machine needs only seconds.
func sampled(name string, i int) bool {
	every := uint32(29)
	if os.Getenv(docsVariable) != "" {
		n, _ := strconv.Atoi(os.Getenv(everyVariable))
		every = uint32(max(n, 1))
	}
	h := fnv.New32a()
	fmt.Fprint(h, name, i)
	return h.Sum32()%every == 0
}

// tally counts edits by kind. It reports the first failures of each kind at once,
// because a run over many pages takes long.
type tally struct {
	t            *testing.T
	tried, wrong map[string]int
}

func newTally(t *testing.T) *tally {
	return &tally{t: t, tried: map[string]int{}, wrong: map[string]int{}}
}

func (c *tally) add(kind string, ok bool, format string, args ...any) {
	c.tried[kind]++
	if ok {
		return
	}
	if c.wrong[kind]++; c.wrong[kind] <= 10 {
		c.t.Errorf(kind+": "+format, args...)
	}
}

func (c *tally) print(what string) {
	tried, wrong := 0, 0
	for _, kind := range slices.Sorted(maps.Keys(c.tried)) {
		c.t.Logf("%-28s %6d, %s %d", kind, c.tried[kind], what, c.wrong[kind])
		tried, wrong = tried+c.tried[kind], wrong+c.wrong[kind]
	}
	c.t.Logf("%-28s %6d, %s %d", "all", tried, what, wrong)
}

// textEdit is an edit of a leaf. leaf is its new value.
type textEdit struct {
	kind string
	leaf Leaf
	// added is the only text that is added to the source; empty if it is not
	// known.
	added string
}

// textEdits returns the edits that a person may make to one leaf.
func textEdits(l Leaf, parent *Node) (edits []textEdit) {
	if l.Raw || strings.TrimSpace(l.Text) == "" {
		return nil
	}
	with := func(at int, s string) Leaf {
		changed := l
		changed.Text = l.Text[:at] + s + l.Text[at:]
		return changed
	}
	if at := strings.Index(strings.TrimLeft(l.Text, " "), " "); at > 0 && strings.TrimSpace(l.Text[at:]) != "" {
		at += len(l.Text) - len(strings.TrimLeft(l.Text, " "))
		edits = append(edits, textEdit{"a word at a space", with(at, " new"), " new"})
	}
	if at := insideWord(l.Text); at > 0 {
		edits = append(edits, textEdit{"a letter in a word", with(at, "X"), "X"})
	}
	if parent.Type == "link" {
		changed := l
		changed.Text = "Other text"
		edits = append(edits, textEdit{"the text of a link", changed, ""})
	}
	if parent.Type != "code-line" && parent.Type != "annotation" {
		changed := l
		bold := Mark{Type: "bold"}
		if hasMark(l.Marks, bold) {
			changed.Marks = slices.DeleteFunc(slices.Clone(l.Marks), func(m Mark) bool { return m.Type == "bold" })
		} else {
			changed.Marks = addMark(l.Marks, bold)
		}
		edits = append(edits, textEdit{"a mark", changed, ""})
	}
	return edits
}

// insideWord returns an offset between two letters, or 0 if there is none.
func insideWord(s string) int {
	letters, middle := 0, len(s)/2
	for i, c := range s {
		if c >= utf8.RuneSelf || !unicode.IsLetter(c) {
			letters = 0
			continue
		}
		if letters++; letters > 1 && i >= middle/2 {
			return i
		}
	}
	return 0
}

// diffRange returns the parts that differ between two sources.
func diffRange(a, b string) (gone, come string) {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	k := 0
	for k < len(a)-i && k < len(b)-i && a[len(a)-1-k] == b[len(b)-1-k] {
		k++
	}
	return a[i : len(a)-k], b[i : len(b)-k]
}

var markTags = regexp.MustCompile(`</?(?:strong|b|em|i|del|s|code)>|&#?\w+;`)

// lettersOf returns the letters and digits of a piece of source without the tags
// of marks.
func lettersOf(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, markTags.ReplaceAllString(s, ""))
}

func withoutMarks(s string) string {
	return strings.NewReplacer("*", "", "_", "", "~", "").Replace(markTags.ReplaceAllString(s, ""))
}

// staysInside reports whether an edit of a leaf changed nothing outside of it.
func (e textEdit) staysInside(src, out string, was Leaf) bool {
	gone, come := diffRange(src, out)
	if e.added != "" && gone == "" && len(come) == len(e.added) {
		return true
	}
	if e.added != "" && !strings.HasPrefix(was.Text, "http") && !strings.HasPrefix(was.Text, "www.") && !strings.Contains(was.Text, "@") {
		return false // only an address that is a link has to be written in another form
	}
	if e.kind == "a mark" && withoutMarks(gone) == withoutMarks(come) {
		return true // the text between the delimiters of the mark is unchanged
	}
	return strings.Contains(lettersOf(was.Text), lettersOf(gone))
}

// Law: after an edit of one inline, everything else keeps its bytes.
func TestAnEditOfAnInlineLeavesTheRest(t *testing.T) {
	c := newTally(t)
	number := 0
	for _, p := range pages(t) {
		old, doc := Parse(p.body, Refs{}), Parse(p.body, Refs{})
		doc.Spans = nil
		src := string(p.body)
		var walk func(n *Node)
		walk = func(n *Node) {
			for _, k := range n.Nodes {
				for i, l := range k.Leaves {
					for _, e := range textEdits(l, n) {
						if number++; !sampled(p.name, number) {
							continue
						}
						k.Leaves[i] = e.leaf
						back := sameTitles(doc.Nodes)
						out := string(Reprint(p.body, old, doc, Refs{}))
						k.Leaves[i] = l
						back()
						gone, come := diffRange(src, out)
						ok := out != src && e.staysInside(src, out, l) || e.kind == "a mark" && strings.HasPrefix(gone, "![") // a title has no marks
						c.add(e.kind, ok, "%s: %q in a %s: %q became %q", p.name, l.Text, n.Type, gone, come)
					}
				}
				walk(k)
			}
			for _, k := range n.Fragments {
				walk(k)
			}
		}
		walk(&Node{Nodes: writtenBlocks(src, old, doc)})
	}
	c.print("changed more:")
}

// writtenBlocks returns the blocks whose text is text in the source. The text of
// the older API descriptions is partly in attributes and labels.
func writtenBlocks(src string, old, doc *Document) (nodes []*Node) {
	for i, n := range doc.Nodes {
		if t, ok := syntax.ReadTag([]byte(src[old.Spans[i].Start:])); !ok || !apiTags[t.Name] {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// sameTitles sets the plain titles of tables to the text of their rich titles, as
// clients that support both do. back undoes it.
func sameTitles(nodes []*Node) (back func()) {
	var undo []func()
	eachNode(nodes, func(n *Node) {
		definition, _ := n.Data["definition"].(map[string]any)
		for id, v := range definition {
			for _, f := range n.Fragments {
				if def := v.(map[string]any); f.Fragment == TitleFragment(id) && def["title"] != PlainText(f.Nodes[0].Nodes) {
					was := def["title"]
					undo = append(undo, func() { def["title"] = was })
					def["title"] = PlainText(f.Nodes[0].Nodes)
				}
			}
		}
	})
	return func() {
		for _, f := range undo {
			f()
		}
	}
}

// Law: after a change of one item or one row, all others keep their bytes.
func TestAnEditOfAnItemOrARowLeavesTheRest(t *testing.T) {
	c := newTally(t)
	number := 0
	for _, p := range pages(t) {
		old, doc := Parse(p.body, Refs{}), Parse(p.body, Refs{})
		doc.Spans = nil
		src := string(p.body)
		try := func(kind string, pure func(gone, come string) bool) {
			out := string(Reprint(p.body, old, doc, Refs{}))
			gone, come := diffRange(src, out)
			c.add(kind, pure(gone, come), "%s: %q became %q", p.name, gone, come)
		}
		out := func(gone, come string) bool { return gone != "" && come == "" }
		in := func(gone, come string) bool { return gone == "" && come != "" }
		eachNode(writtenBlocks(src, old, doc), func(n *Node) {
			nodes, data, fragments := n.Nodes, n.Data, n.Fragments
			for i := range nodes {
				if !isList(n) {
					break
				}
				if number++; !sampled(p.name, number) {
					continue
				}
				if len(nodes) > 1 {
					n.Nodes = slices.Delete(slices.Clone(nodes), i, i+1)
					try("an item goes", out)
				}
				n.Nodes = slices.Insert(slices.Clone(nodes), i+1, blockNode("list-item", nodes[i].Data, plainParagraph("fresh item")))
				try("an item comes", in)
				n.Nodes = nodes
			}
			for i := range ReadTableData(n).Rows {
				if number++; !sampled(p.name, number) || n.Data["cellMerges"] != nil {
					continue
				}
				if len(ReadTableData(n).Rows) > 1 {
					n.Data, n.Fragments = withoutRow(n, i)
					try("a row goes", out)
					n.Data, n.Fragments = data, fragments
				}
				n.Data, n.Fragments = withRow(n, i)
				try("a row comes", in)
				n.Data, n.Fragments = data, fragments
			}
		})
	}
	c.print("changed more:")
}

// withRecords returns the data of a table with changed rows.
func withRecords(n *Node, change func(records map[string]any)) map[string]any {
	data := maps.Clone(n.Data)
	records := maps.Clone(data["records"].(map[string]any))
	change(records)
	data["records"] = records
	return data
}

func withoutRow(n *Node, i int) (map[string]any, []*Node) {
	id := ReadTableData(n).Rows[i].ID
	return withRecords(n, func(records map[string]any) { delete(records, id) }), n.Fragments
}

// withRow returns a table's data and fragments with an additional row that has
// texts in its text columns.
func withRow(n *Node, after int) (map[string]any, []*Node) {
	view := ReadTableData(n)
	fragments := slices.Clone(n.Fragments)
	values, text := map[string]any{}, "fresh"
	for _, c := range view.InOrder() {
		if c.Kind == "text" {
			values[c.ID] = "new" + c.ID
			fragments = append(fragments, fragmentNode("new"+c.ID, "", []*Node{plainParagraph(text)}))
			text = "more"
		}
	}
	return withRecords(n, func(records map[string]any) {
		records["new"] = map[string]any{"orderIndex": view.Rows[after].order + "5", "values": values}
	}), fragments
}
