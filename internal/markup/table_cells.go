package markup

import (
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// tableCell reads a cell by the type of its column. If the content does not
// have that type, it adds the column to asText.
func (h *htmlReader) tableCell(t *tableBuilder, row string, values map[string]any, column string, td *syntax.Element) {
	def := t.definition[column].(map[string]any)
	text := strings.TrimSpace(td.Plain())
	bare := !slices.ContainsFunc(td.Kids, func(k *syntax.Element) bool { return k.Name != "" })
	if text == "null" && bare && def["type"] != "text" {
		return // exporters write this for an empty cell
	}
	switch def["type"] {
	case "text":
		t.cell(row, values, column, h.blocks(td.Kids))
	case "number", "rating":
		if f, err := strconv.ParseFloat(text, 64); err == nil && !strings.ContainsAny(text, "xXpPnN_iI") {
			values[column] = f
		}
	case "checkbox":
		if text == "true" || text == "false" {
			values[column] = text == "true"
		}
	case "select":
		if picked := pickedOptions(td, def); picked != nil {
			values[column] = picked
		}
	case "files", "users":
		h.listCell(t, values, column, td, def["type"] == "files")
	case "content-ref":
		if a := firstElement(td, "a"); a != nil && a.Has("href") {
			dest := syntax.Valid(a.Attr("href"))
			values[column] = t.reference(h.c.resolve(dest, UseLink), dest, UseLink)
		}
	case "image":
		h.imageCell(t, values, column, td)
	}
	if _, set := values[column]; !set && (text != "" || firstElement(td, "img", "a") != nil) {
		t.asText[column] = true
	}
}

// reference records how a reference of a cell is written, and returns the
// reference.
func (t *tableBuilder) reference(ref docs.Ref, dest string, use Use) docs.Ref {
	t.node.addWritten(ref, use, dest)
	return ref
}

func pickedOptions(td *syntax.Element, def map[string]any) []any {
	var picked []any
	walkElements(td, func(e *syntax.Element) {
		if v := syntax.Valid(e.Attr("data-option")); e.Name == "span" && v != "" {
			picked = append(picked, v)
		}
	})
	if picked != nil {
		return picked
	}
	// Handwritten cells have labels or values, separated by commas.
	options, _ := def["options"].([]any)
	for _, s := range strings.Split(td.Plain(), ",") {
		s = strings.TrimSpace(s)
		for _, o := range options {
			if m := o.(map[string]any); s != "" && (m["value"] == s || m["label"] == s) {
				picked = append(picked, m["value"])
				break
			}
		}
	}
	return picked
}

func walkElements(e *syntax.Element, f func(*syntax.Element)) {
	for _, k := range e.Kids {
		f(k)
		walkElements(k, f)
	}
}

func firstElement(e *syntax.Element, names ...string) (found *syntax.Element) {
	walkElements(e, func(k *syntax.Element) {
		if found == nil && slices.Contains(names, k.Name) {
			found = k
		}
	})
	return found
}

// listCell reads links to files or people into a list of their ids. A
// destination that is not resolved to one is in the list as it is written.
func (h *htmlReader) listCell(t *tableBuilder, values map[string]any, column string, td *syntax.Element, files bool) {
	var list []any
	use, kind := UseLink, docs.RefUser
	if files {
		use, kind = UseFile, docs.RefFile
	}
	walkElements(td, func(e *syntax.Element) {
		dest := e.Attr("href")
		if e.Name == "img" {
			dest = e.Attr("src")
		}
		if dest == "" || e.Name != "a" && e.Name != "img" {
			return
		}
		dest = syntax.Valid(dest)
		ref := t.reference(h.c.resolve(dest, use), dest, use)
		if ref.Kind == kind && ref.Space == "" {
			list = append(list, ref.Target())
		} else {
			list = append(list, dest)
		}
	})
	if list != nil {
		values[column] = list
	}
}

// imageCell reads an image: a link to the image, or an `<img>` with its
// alternative text.
func (h *htmlReader) imageCell(t *tableBuilder, values map[string]any, column string, td *syntax.Element) {
	e := firstElement(td, "img", "a")
	if e == nil {
		return
	}
	dest := e.Attr("href")
	if e.Name == "img" {
		dest = e.Attr("src")
	}
	if dest == "" {
		return
	}
	dest = syntax.Valid(dest)
	ref := t.reference(h.c.resolve(dest, UseImage), dest, UseImage)
	fit, alt := td.Attr("data-object-fit"), ""
	if e.Name == "img" {
		alt = syntax.Valid(e.Attr("alt"))
	}
	if !slices.Contains(ObjectFits, fit) {
		fit = ""
	}
	if fit == "" && alt == "" {
		values[column] = ref
		return
	}
	m := map[string]any{"ref": ref}
	if fit != "" {
		m["objectFit"] = fit
	}
	if alt != "" {
		m["alt"] = alt
	}
	values[column] = m
}
