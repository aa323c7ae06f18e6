package markup

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// This file has what several output formats need, such as HTML and paged layout.

// BytesText returns a number of bytes with a unit, such as 1.5 MB.
func BytesText(n int64) string {
	units := []string{"B", "KB", "MB", "GB"}
	size := float64(n)
	for size >= 1000 && len(units) > 1 {
		size, units = size/1000, units[1:]
	}
	if size >= 10 || units[0] == "B" {
		return fmt.Sprintf("%.0f %s", size, units[0])
	}
	return fmt.Sprintf("%.1f %s", size, units[0])
}

// FormatDate formats the date of an update in the form of its list: numeric,
// short or full. A text that is not a date is returned unchanged.
func FormatDate(date, form string) string {
	if text, _, ok := EnglishDates.Format(date, form); ok {
		return text
	}
	return date
}

// Table is a table with its columns and rows in display order.
type Table struct {
	Cards, Large      bool
	HideHeader        bool
	StickyHeader      bool
	StickyFirstColumn bool
	Sized             bool // columns have widths
	Columns           []TableColumn
	Rows              []TableRow

	view   TableData
	merges map[[2]int]cellSpan
}

// TableColumn is a displayed column.
type TableColumn struct {
	Name   string  // the title without styles
	Title  []*Node // inlines
	Kind   string
	Align  string  // left, center or right
	Valign string  // top, middle or bottom
	Width  float64 // fraction of the width of the table, or 0 for none
	Pixels float64 // width of a column if not all columns have one, or 0
	// Size is the width as the author set it: in pixels if InPixels is set, in percent
	// of the width of the table otherwise.
	Size     float64
	InPixels bool
}

// TableRow is the index of a row.
type TableRow int

// TableCell is the content of a cell. The kind of its column determines which
// fields are set.
type TableCell struct {
	Nodes   []*Node    // blocks of a text
	Text    string     // of a number
	Refs    []docs.Ref // of files, people and links
	Image   *docs.Ref
	Alt     string
	Options []TableOption
	Check   *bool
	Stars   int
	OfStars int
	Rating  float64 // what Stars and OfStars show
	Most    float64
}

// TableCover is the image of a card. Dark and Fit may be empty.
type TableCover struct {
	Ref, Dark docs.Ref
	Alt       string
	Fit       string // one of the values of objectFit
}

// TableOption is a value of a select column.
type TableOption struct{ Label, Color string }

// ReadTable reads a table block. Rows beyond the limit of displayed cells are
// omitted.
func ReadTable(n *Node) *Table {
	t := &Table{view: ReadTableData(n)}
	v := &t.view
	if len(v.columns) > 0 && len(v.Rows) > maxShownCells/len(v.columns) {
		v.Rows = v.Rows[:maxShownCells/len(v.columns)]
	}
	t.merges = readMerges(v)
	t.Cards, t.Large, t.HideHeader = v.cards, str(v.view, "cardSize") == "large", v.hideHeader
	widths, _ := v.view["columnWidths"].(map[string]any)
	t.StickyHeader, t.StickyFirstColumn, t.Sized = truth(v.view, "stickyHeader"), truth(v.view, "stickyFirstColumn"), len(widths) > 0
	sum := 0.0
	for _, c := range v.columns {
		if f, ok := num(widths[c.ID]); ok && f > 0 {
			sum += f
		}
	}
	for _, c := range v.columns {
		col := TableColumn{Name: c.Title, Kind: c.Kind, Align: str(c.Def, "textAlignment"), Valign: str(c.Def, "verticalAlignment")}
		col.Size, _ = num(widths[c.ID])
		col.InPixels = truth(v.view, "useNewSizing")
		if f := v.Cells[TitleFragment(c.ID)]; f != nil {
			for _, p := range f.Nodes {
				col.Title = append(col.Title, p.Nodes...)
			}
		} else if c.Title != "" {
			col.Title = []*Node{{Object: ObjectText, Leaves: []Leaf{{Text: c.Title}}}}
		}
		if f, ok := num(widths[c.ID]); ok && f > 0 && sum > 0 && len(widths) >= len(v.columns) {
			col.Width = f / sum
		} else if ok && f > 0 && truth(v.view, "useNewSizing") {
			col.Pixels = f
		}
		t.Columns = append(t.Columns, col)
	}
	for i := range v.Rows {
		t.Rows = append(t.Rows, TableRow(i))
	}
	return t
}

// Span returns the number of columns and rows that a cell spans. covered is true
// if another cell spans this one.
func (t *Table) Span(r TableRow, column int) (columns, rows int, covered bool) {
	m, ok := t.merges[[2]int{int(r), column}]
	if !ok {
		return 1, 1, false
	}
	return max(m.columns, 1), max(m.rows, 1), m.covered
}

// Cell returns the content of a cell; ok is false if the cell is empty.
func (t *Table) Cell(r TableRow, column int) (out TableCell, ok bool) {
	c := t.view.columns[column]
	v := t.view.Rows[r].Values[c.ID]
	if v == nil {
		return out, false
	}
	switch c.Kind {
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
		most, given := num(c.Def["max"])
		if !given || most < 1 || most > maxShownRating {
			most = 5
		}
		out.Rating, out.Most = f, most
		out.Stars, out.OfStars = int(min(max(f, 0), most)), int(most)
	case "checkbox":
		yes := v == true
		out.Check = &yes
	case "select":
		for _, option := range texts(v) {
			colour := str(c.options[option], "color")
			if !slices.Contains(Colours, colour) {
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

// Cover returns the cover image of a card.
func (t *Table) Cover(r TableRow) (c TableCover, ok bool) {
	values := t.view.Rows[r].Values
	light := values[str(t.view.view, "coverDefinition")]
	c.Ref, c.Alt, ok = coverOf(light)
	c.Dark, _, _ = coverOf(values[str(t.view.view, "coverDefinitionDark")])
	if m, isMap := light.(map[string]any); isMap && slices.Contains(ObjectFits, str(m, "objectFit")) {
		c.Fit = str(m, "objectFit")
	}
	return c, ok
}

// Target returns the target of the link of a card.
func (t *Table) Target(r TableRow) (docs.Ref, bool) {
	return refOf(t.view.Rows[r].Values[str(t.view.view, "targetDefinition")])
}

// Name returns the name of a row for readers, which is its first text.
func (t *Table) Name(r TableRow) string { return t.view.name(t.view.Rows[r]) }

// CodeText returns the code of a block, with a line break after each line.
func CodeText(n *Node) string {
	var b strings.Builder
	for _, line := range n.Nodes {
		for _, n := range line.Nodes {
			switch {
			case n.Object == ObjectText:
				for _, l := range n.Leaves {
					b.WriteString(l.Text)
				}
			case n.Type == "annotation":
				b.WriteString(Text(n.Nodes))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// unsafeFormula matches commands that load resources, add links or relax the rules of a
// renderer. Strict renderers refuse them; they are never passed to a renderer at all.
var unsafeFormula = regexp.MustCompile(`\\(href|url|includegraphics|html[A-Za-z]*|def|gdef|edef|xdef|let|futurelet|newcommand|renewcommand|providecommand|global|long)\b`)

// SafeFormula reports whether a formula may be passed to a renderer: it loads nothing, has no
// addresses and defines no commands.
func SafeFormula(formula string) bool { return !unsafeFormula.MatchString(formula) }
