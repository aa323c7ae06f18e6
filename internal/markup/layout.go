package markup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// This file is what a writer of another form than HTML needs to know: one
// that sets pages of paper, for example.

// CodeSpan is a run of code, in bytes, with the class of its meaning.
type CodeSpan struct {
	Length int
	Class  string
}

// Spans returns the runs of a code; nil when it is to be displayed plain.
func (h *Highlighter) Spans(language, code string) []CodeSpan {
	found := h.spans(language, code)
	if found == nil {
		return nil
	}
	out := make([]CodeSpan, len(found))
	for i, s := range found {
		out[i] = CodeSpan{s.length, s.class}
	}
	return out
}

// MaxHighlightPage is how many bytes of code one document should colour.
const MaxHighlightPage = maxHighlightPage

// EmojiText makes the emoji of a code such as 1f1eb-1f1f7. Another code is a
// name.
func EmojiText(code string) string { return emojiText(code) }

// VisibleText is what a reader sees of raw HTML.
func VisibleText(raw string) string { return visibleText(raw) }

// FormatDate writes the date of an update in the form of its list: numeric,
// short or full. What is not a date stays.
func FormatDate(date, form string) string {
	if t, ok := parseDate(date); ok {
		return t.Format(cmp.Or(dateForms[form], dateForms["full"]))
	}
	return date
}

// Table is a table in the order that readers see.
type Table struct {
	Cards, Large bool
	HideHeader   bool
	Columns      []TableColumn
	Rows         []TableRow

	view   tableView
	merges map[[2]int]cellSpan
}

// TableColumn is a column that readers see.
type TableColumn struct {
	Title  []*Node // inlines
	Kind   string
	Align  string  // left, center or right
	Valign string  // top, middle or bottom
	Width  float64 // a share of 1, or 0 for none
	Pixels float64 // the width of one whose neighbours have none, or 0
}

// TableRow is a row, by its place.
type TableRow int

// TableCell is what one cell shows. Which fields it has depends on the kind
// of its column.
type TableCell struct {
	Nodes   []*Node    // blocks of a text
	Text    string     // of a number
	Refs    []docs.Ref // of files, people and other things
	Image   *docs.Ref
	Alt     string
	Options []TableOption
	Check   *bool
	Stars   int
	OfStars int
}

// TableOption is a value of a select column.
type TableOption struct{ Label, Color string }

// ReadTable reads a table block. It has no more cells than can be displayed.
func ReadTable(n *Node) *Table {
	t := &Table{view: readTable(n)}
	v := &t.view
	if len(v.columns) > 0 && len(v.rows) > maxShownCells/len(v.columns) {
		v.rows = v.rows[:maxShownCells/len(v.columns)]
	}
	t.merges = readMerges(v)
	t.Cards, t.Large, t.HideHeader = v.cards, str(v.view, "cardSize") == "large", v.hideHeader
	widths, _ := v.view["columnWidths"].(map[string]any)
	sum := 0.0
	for _, c := range v.columns {
		if f, ok := num(widths[c.id]); ok && f > 0 {
			sum += f
		}
	}
	for _, c := range v.columns {
		col := TableColumn{Kind: c.kind, Align: str(c.def, "textAlignment"), Valign: str(c.def, "verticalAlignment")}
		if f := v.cells[titleFragment(c.id)]; f != nil {
			for _, p := range f.Nodes {
				col.Title = append(col.Title, p.Nodes...)
			}
		} else if c.title != "" {
			col.Title = []*Node{{Object: ObjectText, Leaves: []Leaf{{Text: c.title}}}}
		}
		if f, ok := num(widths[c.id]); ok && f > 0 && sum > 0 && len(widths) >= len(v.columns) {
			col.Width = f / sum
		} else if ok && f > 0 && truth(v.view, "useNewSizing") {
			col.Pixels = f
		}
		t.Columns = append(t.Columns, col)
	}
	for i := range v.rows {
		t.Rows = append(t.Rows, TableRow(i))
	}
	return t
}

// Span returns over how many columns and rows a cell reaches; covered is a cell
// that another one reaches over.
func (t *Table) Span(r TableRow, column int) (columns, rows int, covered bool) {
	m, ok := t.merges[[2]int{int(r), column}]
	if !ok {
		return 1, 1, false
	}
	return max(m.columns, 1), max(m.rows, 1), m.covered
}

// Cell returns what a cell shows; ok is false when it shows nothing.
func (t *Table) Cell(r TableRow, column int) (out TableCell, ok bool) {
	c := t.view.columns[column]
	v := t.view.rows[r].values[c.id]
	if v == nil {
		return out, false
	}
	switch c.kind {
	case "text":
		out.Nodes = t.view.cell(v)
	case "number":
		if f, isNumber := num(v); isNumber {
			out.Text = decimal(f)
		}
	case "rating":
		f, isNumber := num(v)
		if !isNumber {
			return out, false
		}
		most, given := num(c.def["max"])
		if !given || most < 1 || most > maxShownRating {
			most = 5
		}
		out.Stars, out.OfStars = int(min(max(f, 0), most)), int(most)
	case "checkbox":
		yes := v == true
		out.Check = &yes
	case "select":
		for _, option := range texts(v) {
			colour := str(c.options[option], "color")
			if !slices.Contains(colours, colour) {
				colour = ""
			}
			out.Options = append(out.Options, TableOption{c.label(option), colour})
		}
	case "files":
		for _, file := range texts(v) {
			out.Refs = append(out.Refs, docs.Ref{Kind: docs.RefFile, File: file})
		}
	case "users":
		for _, user := range texts(v) {
			out.Refs = append(out.Refs, docs.Ref{Kind: docs.RefUser, User: user})
		}
	case "content-ref":
		if ref, isRef := refOf(v); isRef {
			out.Refs = []docs.Ref{ref}
		}
	case "image":
		if ref, alt, isImage := imageOf(v); isImage {
			out.Image, out.Alt = &ref, alt
		}
	}
	return out, true
}

// Cover returns the picture of a card.
func (t *Table) Cover(r TableRow) (docs.Ref, bool) {
	ref, _, ok := coverOf(t.view.rows[r].values[str(t.view.view, "coverDefinition")])
	return ref, ok
}

// Target returns where a card leads.
func (t *Table) Target(r TableRow) (docs.Ref, bool) {
	return refOf(t.view.rows[r].values[str(t.view.view, "targetDefinition")])
}

// CodeText returns the code of a block, line by line, each with its end.
func CodeText(n *Node) string {
	var b strings.Builder
	for _, line := range n.Nodes {
		codePieces(line, &b)
		b.WriteByte('\n')
	}
	return b.String()
}
