package apidoc

import (
	"html"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// Fields have anchors, so that a link can lead to each of them. An anchor is made of what the
// field is, and not of where it is on the page, so that links stay valid when a description
// changes elsewhere: the anchor of the operation, the place of the field in a request or a
// response, and the names of the fields that lead to it, such as
//
//	post-orders--body.address.street
//	get-orders--query.limit
//	get-orders--response.200.items.id
//	model-address--field.street
//
// No heading has such an anchor: theirs have either no two dashes or no dot. Of two fields whose
// names differ only in case or punctuation, the second one gets a number.

// Places of fields in anchors; those of parameters are path, query, header and cookie.
const (
	placeBody     = "body"
	placeResponse = "response"
	placeCallback = "callback"
	placeModel    = "field"
)

// anyName is the name in anchors of fields that may have any name. It does not depend on the
// language of the reader.
const anyName = "any"

// maxAnchor is the maximum length of the anchor of a field in bytes. Fields with long names that
// are nested deep have none, because each anchor contains those around it.
const maxAnchor = 240

// unused returns an anchor that the page does not have yet: base, or base with a number.
func (p *Page) unused(base string) string {
	id := base
	for i := 1; p.used[id]; i++ {
		id = base + "-" + strconv.Itoa(i)
	}
	p.used[id] = true
	return id
}

// blockAnchor returns what the anchors of the fields of an operation begin with. It is the anchor
// of the block, as package markup derives it from the method and the path.
func (p *Page) blockAnchor(o *openapi.Operation) string {
	return p.unused(markup.Slug(strings.ToLower(o.Method) + " " + o.Path))
}

// under sets what the anchors of the fields that inner writes begin with.
func (w *writer) under(anchor string, inner func()) {
	before := w.at
	w.at = anchor
	inner()
	w.at = before
}

// place calls inner for the fields in a place of the operation, or of a callback of it.
func (w *writer) place(place string, inner func()) {
	if w.at == "" {
		w.under(w.block+"--"+place, inner)
		return
	}
	w.inside(place, inner)
}

// inside calls inner for the fields of something with a name, such as one of several options.
func (w *writer) inside(name string, inner func()) { w.under(w.at+"."+part(name), inner) }

// part returns a name as a part of an anchor. Unlike a whole anchor it may begin with a digit.
func part(name string) string {
	s := markup.Slug(name)
	if rest, ok := strings.CutPrefix(s, "id-"); ok && !strings.HasPrefix(strings.ToLower(name), "id") {
		return rest
	}
	return s
}

// field writes the item of a list of fields. It passes the anchor of the field, which is empty
// if the field has none.
func (w *writer) field(name string, inner func(anchor string)) {
	at, anchor := w.at+"."+part(name), ""
	w.b.WriteString(`<li class="api-field"`)
	if !w.o.NoAnchors && len(at) <= maxAnchor {
		at = w.unused(at)
		anchor = at
		w.b.WriteString(` id="` + html.EscapeString(anchor) + `"`)
	}
	w.b.WriteString(">")
	w.under(at, func() { inner(anchor) })
	w.b.WriteString("</li>")
}

// anchorLink writes the link of a field to itself.
func (w *writer) anchorLink(anchor, name string) {
	if anchor == "" {
		return
	}
	w.b.WriteString(`<a class="anchor" href="#` + html.EscapeString(anchor) + `" aria-label="`)
	w.escape(w.labels().Anchor + ": " + name)
	w.b.WriteString(`"></a>`)
}
