package apidoc

import (
	"html"
	"strconv"

	"github.com/octavo-docs/octavo/internal/openapi"
)

// Trials adds forms to try operations; at is the URL that sends the requests. The forms
// are hidden until a script shows them, because they need a script to send a request.
func (p *Page) Trials(at string) { p.tryAt = at }

// trial writes the form that sends a request. spec is the slug of the description.
func (w *writer) trial(o *openapi.Operation, spec string) {
	t := o.Trial()
	if w.tryAt == "" || spec == "" || t == nil {
		return
	}
	w.b.WriteString(`<details class="api-try" hidden>`)
	w.textElement("summary", "", w.l.Try)
	w.b.WriteString(`<form action="` + html.EscapeString(w.tryAt) + `" data-spec="` + html.EscapeString(spec) + `" data-method="` + html.EscapeString(o.Method) + `" data-path="` + html.EscapeString(printable(o.Path)) + `">`)
	titles := map[string]string{"credentials": w.l.Authentication, "path": w.l.PathParameters, "query": w.l.QueryParameters, "header": w.l.HeaderParameters}
	for len(t.Inputs) > 0 {
		n := 1
		for n < len(t.Inputs) && t.Inputs[n].In == t.Inputs[0].In {
			n++
		}
		group := t.Inputs[:n]
		t.Inputs = t.Inputs[n:]
		w.tag("fieldset", "", func() {
			w.textElement("legend", "", titles[group[0].In])
			for _, in := range group {
				w.input(in)
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
	w.b.WriteString(`</button><div class="api-answer" role="status"></div></form></details>`)
}

// choices writes the form for the server of samples and requests, and its variables. A
// script shows the form and updates the samples.
func (w *writer) choices(o *openapi.Operation) {
	servers := o.Callable()
	if o.Webhook || len(servers) == 0 || len(servers) == 1 && len(servers[0].Variables) == 0 {
		return
	}
	if o.HideSample && (w.tryAt == "" || o.Trial() == nil) {
		return
	}
	sample, server := o.SampleURL()
	w.b.WriteString(`<form class="api-choose" data-sample="` + html.EscapeString(printable(sample)) + `" data-from="` + html.EscapeString(printable(server)) + `" autocomplete="off" hidden>`)
	if len(servers) > 1 {
		w.tag("label", "", func() {
			w.textElement("span", "", w.l.Servers)
			w.b.WriteString(`<select name="server">`)
			for i, s := range servers {
				w.b.WriteString(`<option value="` + strconv.Itoa(i) + `" data-url="` + html.EscapeString(printable(s.Template)) + `">`)
				w.escape(s.URL)
				w.b.WriteString("</option>")
			}
			w.b.WriteString("</select>")
		})
	}
	w.variables(servers)
	w.b.WriteString("</form>")
}

// variables writes the inputs of server variables. A script shows those of the selected
// server.
func (w *writer) variables(servers []openapi.TrialServer) {
	for at, s := range servers {
		if len(s.Variables) == 0 {
			continue
		}
		hidden := ""
		if at > 0 {
			hidden = " hidden"
		}
		w.b.WriteString(`<fieldset data-server="` + strconv.Itoa(at) + `" data-url="` + html.EscapeString(printable(s.Template)) + `"` + hidden + `>`)
		w.textElement("legend", "", w.l.Servers)
		for _, v := range s.Variables {
			w.tag("label", "", func() {
				w.tag("span", "", func() { w.textElement("code", "", v.Name) })
				w.variable(openapi.VariableKey(at, v.Name), v)
			})
		}
		w.b.WriteString("</fieldset>")
	}
}

// variable writes the input of a variable: a list of its choices, or a text input.
func (w *writer) variable(key string, v openapi.Variable) {
	name := ` name="` + html.EscapeString(printable(key)) + `"`
	if v.Choices == nil {
		w.b.WriteString(`<input type="text"` + name + ` value="` + html.EscapeString(printable(v.Default)) + `" autocomplete="off" spellcheck="false">`)
		return
	}
	w.b.WriteString("<select" + name + ">")
	for _, choice := range v.Choices {
		selected := ""
		if choice == v.Default {
			selected = " selected"
		}
		w.b.WriteString(`<option value="` + html.EscapeString(choice) + `"` + selected + ">")
		w.escape(choice)
		w.b.WriteString("</option>")
	}
	w.b.WriteString("</select>")
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
		if in.In == "credentials" {
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
