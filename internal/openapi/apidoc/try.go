package apidoc

import (
	"html"

	"github.com/octavo-docs/octavo/internal/openapi"
)

// Trials adds forms to try operations; at is the URL that sends the requests. The forms
// are hidden until a script shows them, because they need a script to send a request.
func (p *Page) Trials(at string) { p.tryAt = at }

// trial writes the form that sends a request, in a dialog that a script opens. The form for the
// server is moved into the dialog.
func (w *writer) trial(b *beside) {
	t, o := b.trial, b.o
	w.b.WriteString(`<dialog class="api-try" aria-label="`)
	w.escape(w.l.Try + ": " + o.Title())
	w.b.WriteString(`" data-from="` + html.EscapeString(printable(t.Servers[0].URL)) + `">`)
	w.tag("div", "api-bar", func() {
		w.method(o)
		w.tag("code", "api-path", func() {
			w.textElement("span", "api-server", t.Servers[0].URL)
			w.path(o.Path)
		})
	})
	w.b.WriteString(`<div class="api-sending"><div class="api-fill">`)
	w.b.WriteString(`<form action="` + html.EscapeString(w.tryAt) + `" data-spec="` + html.EscapeString(b.spec) + `" data-method="` + html.EscapeString(o.Method) + `" data-path="` + html.EscapeString(printable(o.Path)) + `">`)
	titles := map[string]string{openapi.Credentials: w.l.Authentication, "path": w.l.PathParameters, "query": w.l.QueryParameters, "header": w.l.HeaderParameters}
	for inputs := t.Inputs; len(inputs) > 0; {
		n := 1
		for n < len(inputs) && inputs[n].In == inputs[0].In {
			n++
		}
		group := inputs[:n]
		inputs = inputs[n:]
		w.tag("fieldset", "", func() {
			w.textElement("legend", "", titles[group[0].In])
			for _, in := range group {
				w.input(in)
			}
			if group[0].In == openapi.Credentials {
				w.textElement("small", "", w.l.Kept)
			}
		})
	}
	if t.Media != "" {
		w.tag("label", "", func() {
			w.textElement("span", "", w.l.Body+" ("+t.Media+")")
			w.b.WriteString(`<textarea name="body" rows="8" spellcheck="false">`)
			w.escape("\n" + t.Body)
			w.b.WriteString("</textarea>")
		})
	}
	w.b.WriteString(`<button type="submit">`)
	w.escape(w.l.Send)
	w.b.WriteString(`</button></form></div><div class="api-answer"><p role="status"></p></div></div></dialog>`)
}

// input writes the input of a value. The example of a required value is filled in. The
// example of an optional one is only a placeholder, so that it is not sent by default.
func (w *writer) input(in openapi.Input) {
	w.tag("label", "", func() {
		w.tag("span", "", func() {
			w.textElement("code", "", in.Name)
			if in.Required {
				w.b.WriteString(" ")
				w.textElement("small", "api-required", w.l.Required)
			}
		})
		kind, value, hint := "text", "", in.Example
		if in.In == openapi.Credentials {
			kind, hint = "password", in.Hint
		} else if in.Required {
			value, hint = in.Example, ""
		}
		if in.Choices != nil {
			w.selection(in)
			return
		}
		w.b.WriteString(`<input type="` + kind + `" name="` + html.EscapeString(printable(in.Key)) + `" value="` + html.EscapeString(printable(value)) + `" placeholder="` + html.EscapeString(printable(hint)) + `" autocomplete="off" spellcheck="false"`)
		if in.Required {
			w.b.WriteString(" required")
		}
		w.b.WriteString(">")
	})
}

// selection writes the list of the values of an input. An optional value is not sent unless
// the reader chooses one.
func (w *writer) selection(in openapi.Input) {
	required := ""
	if in.Required {
		required = " required"
	}
	w.b.WriteString(`<select name="` + html.EscapeString(printable(in.Key)) + `" autocomplete="off"` + required + `>`)
	if !in.Required {
		w.b.WriteString(`<option value=""></option>`)
	}
	for _, choice := range in.Choices {
		selected := ""
		if in.Required && choice == in.Example {
			selected = " selected"
		}
		w.b.WriteString(`<option value="` + html.EscapeString(printable(choice)) + `"` + selected + ">")
		w.escape(choice)
		w.b.WriteString("</option>")
	}
	w.b.WriteString("</select>")
}
