package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
)

func (h *writer) table(n *markup.Node) {
	t := markup.ReadTable(n)
	if t.Cards {
		h.cards(t, fullWidth(n))
		return
	}
	h.open("div", "class", classes("table", fullWidth(n)), "tabindex", "0")
	h.open("table", attrs("class", classes(when(t.StickyHeader, "sticky-header"), when(t.StickyFirstColumn, "sticky-first-column"), when(pinned(t), "pinned")))...)
	h.columnWidths(t)
	h.open("thead", attrs("class", when(t.HideHeader, "visually-hidden"))...)
	h.open("tr")
	for _, c := range t.Columns {
		h.element("th", c.Name, attrs("scope", "col", "class", columnClass(c))...)
	}
	h.close("tr")
	h.close("thead")
	h.open("tbody")
	for _, r := range t.Rows {
		h.open("tr")
		for x, c := range t.Columns {
			columns, rows, covered := t.Span(r, x)
			if covered {
				continue
			}
			h.open("td", attrs("class", columnClass(c), "rowspan", when(rows > 1, strconv.Itoa(rows)), "colspan", when(columns > 1, strconv.Itoa(columns)))...)
			if cell, ok := t.Cell(r, x); ok {
				h.cell(c.Kind, cell)
			}
			h.close("td")
		}
		h.close("tr")
	}
	h.close("tbody")
	h.close("table")
	h.close("div")
}

// pinned reports whether the first column of a table stays in sight on small screens, where the
// others are scrolled: it names what the others tell about, and none of its cells is merged.
func pinned(t *markup.Table) bool {
	return len(t.Columns) > 2 && !slices.ContainsFunc(t.Rows, func(r markup.TableRow) bool {
		columns, rows, covered := t.Span(r, 0)
		return columns > 1 || rows > 1 || covered
	})
}

// columnWidths writes the widths of columns.
func (h *writer) columnWidths(t *markup.Table) {
	if !t.Sized {
		return
	}
	h.open("colgroup")
	for _, c := range t.Columns {
		if c.InPixels {
			h.open("col", attrs("width", pixels(c.Size, "px"))...)
		} else {
			h.open("col", attrs("class", percentClass(c.Size))...)
		}
	}
	h.close("colgroup")
}

func columnClass(c markup.TableColumn) string {
	return classes(when(c.Align == "center" || c.Align == "right", "align-"+c.Align), when(c.Valign == "middle" || c.Valign == "bottom", "valign-"+c.Valign))
}

func (h *writer) cards(t *markup.Table, width string) {
	h.open("ul", "class", classes("cards", when(t.Large, "cards-large"), width))
	for _, r := range t.Rows {
		h.open("li", "class", "card")
		h.cover(t, r)
		for x, c := range t.Columns {
			cell, ok := t.Cell(r, x)
			if !ok {
				continue
			}
			h.open("div", "class", "card-field")
			if !t.HideHeader && c.Name != "" {
				h.element("span", c.Name, "class", "card-field-title")
			}
			h.cell(c.Kind, cell)
			h.close("div")
		}
		if target, ok := t.Target(r); ok {
			// The whole card is a link: the style sheet stretches it.
			h.link(target, "card-target", func() { h.text(cmp.Or(t.Name(r), h.title(target))) })
		}
		h.close("li")
	}
	h.close("ul")
}

func (h *writer) cover(t *markup.Table, r markup.TableRow) {
	cover, ok := t.Cover(r)
	if !ok {
		return
	}
	n := &markup.Node{Data: map[string]any{"ref": cover.Ref, "alt": cover.Alt}}
	if cover.Dark.Kind != "" {
		n.Data["refDark"] = cover.Dark
	}
	h.image(n, classes("card-cover", when(cover.Fit != "", "fit-"+cover.Fit)), cardWidth)
}

// cell writes the content of a cell of a column.
func (h *writer) cell(kind string, c markup.TableCell) {
	switch kind {
	case "text":
		h.blocks(c.Nodes)
	case "number":
		h.text(c.Text)
	case "rating":
		h.element("span", strings.Repeat("★", c.Stars)+strings.Repeat("☆", c.OfStars-c.Stars), "class", "rating", "role", "img",
			"aria-label", fmt.Sprintf(h.o.Labels.Rating, number(c.Rating), number(c.Most)))
	case "checkbox":
		if *c.Check {
			h.open("input", "type", "checkbox", "disabled", noValue, "checked", noValue, "aria-label", h.o.Labels.Yes)
		} else {
			h.open("input", "type", "checkbox", "disabled", noValue, "aria-label", h.o.Labels.No)
		}
	case "select":
		for _, option := range c.Options {
			h.element("span", option.Label, "class", classes("option", colourClass("color", option.Color)))
		}
	case "files":
		for _, file := range c.Refs {
			h.link(file, "file", nil)
		}
	case "users":
		for _, user := range c.Refs {
			h.link(user, "mention", nil)
		}
	case "content-ref":
		for _, ref := range c.Refs {
			h.link(ref, "", nil)
		}
	case "image":
		if c.Image != nil {
			h.image(&markup.Node{Data: map[string]any{"ref": *c.Image, "alt": c.Alt}}, "", cardWidth)
		}
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
