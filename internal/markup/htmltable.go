package markup

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Limits of displayed tables.
const (
	maxShownCells  = 200_000 // rows times columns
	maxShownRating = 20
)

func (h *htmlWriter) table(n *Node) {
	t := readTable(n)
	if len(t.columns) > 0 && len(t.rows) > maxShownCells/len(t.columns) {
		t.rows = t.rows[:maxShownCells/len(t.columns)]
	}
	if t.cards {
		h.cards(&t)
		return
	}
	h.open("div", "class", joined("table", fullWidth(n)), "tabindex", "0")
	h.open("table", attrs("class", joined(when(truth(t.view, "stickyHeader"), "sticky-header"), when(truth(t.view, "stickyFirstColumn"), "sticky-first-column")))...)
	h.columnWidths(&t)
	h.open("thead", attrs("class", when(t.hideHeader, "visually-hidden"))...)
	h.open("tr")
	for _, c := range t.columns {
		h.element("th", c.title, attrs("scope", "col", "class", c.class())...)
	}
	h.close("tr")
	h.close("thead")
	h.open("tbody")
	merges := readMerges(&t)
	for y, r := range t.rows {
		h.open("tr")
		for x, c := range t.columns {
			m := merges[[2]int{y, x}]
			if m.covered {
				continue
			}
			h.open("td", attrs("class", c.class(), "rowspan", when(m.rows > 1, strconv.Itoa(m.rows)), "colspan", when(m.columns > 1, strconv.Itoa(m.columns)))...)
			h.cell(&t, c, r)
			h.close("td")
		}
		h.close("tr")
	}
	h.close("tbody")
	h.close("table")
	h.close("div")
}

// columnWidths writes the widths of columns: pixels if useNewSizing is set,
// percents otherwise.
func (h *htmlWriter) columnWidths(t *tableView) {
	widths, _ := t.view["columnWidths"].(map[string]any)
	if len(widths) == 0 {
		return
	}
	h.open("colgroup")
	for _, c := range t.columns {
		if truth(t.view, "useNewSizing") {
			h.open("col", attrs("width", pixels(widths[c.id]))...)
		} else {
			percent, _ := num(widths[c.id])
			h.open("col", attrs("class", percentClass(percent))...)
		}
	}
	h.close("colgroup")
}

func (c *tableColumn) class() string {
	align, valign := str(c.def, "textAlignment"), str(c.def, "verticalAlignment")
	return joined(when(align == "center" || align == "right", "align-"+align), when(valign == "middle" || valign == "bottom", "valign-"+valign))
}

// cellSpan is the number of rows and columns that a cell spans. covered is true
// if another cell spans it.
type cellSpan struct {
	rows, columns int
	covered       bool
}

// readMerges returns the cells that span others and the cells that are covered,
// by row and column. A span that would extend beyond the table or overlap with
// another one is ignored.
func readMerges(t *tableView) map[[2]int]cellSpan {
	merges, _ := t.node.value(FieldCellMerges).([]any)
	if len(merges) == 0 {
		return nil
	}
	rows := make(map[string]int, len(t.rows))
	for i, r := range t.rows {
		rows[r.id] = i
	}
	out := map[[2]int]cellSpan{}
	for _, v := range merges {
		m, _ := v.(map[string]any)
		at, _ := m["anchor"].(map[string]any)
		y, ok := rows[str(at, "record")]
		x, known := t.place[str(at, "column")]
		if !ok || !known {
			continue
		}
		height, width := spanOf(m["rowSpan"]), spanOf(m["colSpan"])
		if y+height > len(t.rows) || x+width > len(t.columns) || anyCell(out, y, x, height, width) {
			continue
		}
		for dy := range height {
			for dx := range width {
				out[[2]int{y + dy, x + dx}] = cellSpan{covered: true}
			}
		}
		out[[2]int{y, x}] = cellSpan{rows: height, columns: width}
	}
	return out
}

func spanOf(v any) int {
	f, ok := num(v)
	if !ok || f < 1 {
		return 1
	}
	return int(min(f, maxSpan))
}

func anyCell(taken map[[2]int]cellSpan, y, x, height, width int) bool {
	for dy := range height {
		for dx := range width {
			if _, ok := taken[[2]int{y + dy, x + dx}]; ok {
				return true
			}
		}
	}
	return false
}

func (h *htmlWriter) cards(t *tableView) {
	size := when(str(t.view, "cardSize") == "large", "cards-large")
	h.open("ul", "class", joined("cards", size, fullWidth(t.node)))
	for _, r := range t.rows {
		h.open("li", "class", "card")
		h.cover(t, r)
		for _, c := range t.columns {
			if r.values[c.id] == nil {
				continue
			}
			h.open("div", "class", "card-field")
			if !t.hideHeader && c.title != "" {
				h.element("span", c.title, "class", "card-field-title")
			}
			h.cell(t, c, r)
			h.close("div")
		}
		if target := r.values[str(t.view, "targetDefinition")]; target != nil {
			// The whole card is a link: the style sheet stretches it.
			name := t.name(r)
			if ref, ok := refOf(target); ok && name == "" {
				name = h.title(ref)
			}
			h.link(target, "card-target", func() { h.text(name) })
		}
		h.close("li")
	}
	h.close("ul")
}

func (h *htmlWriter) cover(t *tableView, r tableRow) {
	light, alt, ok := coverOf(r.values[str(t.view, "coverDefinition")])
	dark, _, hasDark := coverOf(r.values[str(t.view, "coverDefinitionDark")])
	if !ok {
		return
	}
	n := &Node{Data: map[string]any{"ref": light, "alt": alt}}
	if hasDark {
		n.set(FieldRefDark, dark)
	}
	fit := ""
	if m, ok := r.values[str(t.view, "coverDefinition")].(map[string]any); ok && slices.Contains(objectFits, str(m, "objectFit")) {
		fit = "fit-" + str(m, "objectFit")
	}
	h.image(n, joined("card-cover", fit))
}

// coverOf returns the cover image in a cell of an image column or a files column.
func coverOf(v any) (docs.Ref, string, bool) {
	if files := texts(v); len(files) > 0 {
		return docs.Ref{Kind: docs.RefFile, File: files[0]}, "", true
	}
	return imageOf(v)
}

func (h *htmlWriter) cell(t *tableView, c tableColumn, r tableRow) {
	v := r.values[c.id]
	if v == nil {
		return
	}
	switch c.kind {
	case "text":
		h.blocks(t.cell(v))
	case "number":
		if f, ok := num(v); ok {
			h.text(decimal(f))
		}
	case "rating":
		h.rating(c, v)
	case "checkbox":
		if v == true {
			h.open("input", "type", "checkbox", "disabled", noValue, "checked", noValue, "aria-label", h.o.Labels.Yes)
		} else {
			h.open("input", "type", "checkbox", "disabled", noValue, "aria-label", h.o.Labels.No)
		}
	case "select":
		for _, option := range texts(v) {
			h.element("span", c.label(option), "class", joined("option", colourClass("color", str(c.options[option], "color"))))
		}
	case "files":
		for _, file := range texts(v) {
			h.link(docs.Ref{Kind: docs.RefFile, File: file}, "file", nil)
		}
	case "users":
		for _, user := range texts(v) {
			h.link(docs.Ref{Kind: docs.RefUser, User: user}, "mention", nil)
		}
	case "content-ref":
		h.link(v, "", nil)
	case "image":
		if ref, alt, ok := imageOf(v); ok {
			h.image(&Node{Data: map[string]any{"ref": ref, "alt": alt}}, "")
		}
	}
}

func (h *htmlWriter) rating(c tableColumn, v any) {
	f, ok := num(v)
	if !ok {
		return
	}
	most, ok := num(c.def["max"])
	if !ok || most < 1 || most > maxShownRating {
		most = 5
	}
	stars := int(min(max(f, 0), most))
	h.element("span", strings.Repeat("★", stars)+strings.Repeat("☆", int(most)-stars), "class", "rating", "role", "img",
		"aria-label", fmt.Sprintf(h.o.Labels.Rating, decimal(f), decimal(most)))
}
