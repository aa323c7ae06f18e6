package apidoc

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"strconv"

	"github.com/octavo-docs/octavo/internal/openapi"
)

// serversKey returns the key of the servers of an operation, by which a browser remembers what a
// reader has chosen of them. It is empty if there is nothing to choose.
func serversKey(o *openapi.Operation) string {
	list := o.Callable()
	if o.Webhook || len(list) == 0 || len(list) == 1 && len(list[0].Variables) == 0 {
		return ""
	}
	h := sha256.New()
	for _, s := range list {
		fmt.Fprintf(h, "%q %q\n", s.Template, s.Variables)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// base writes the address that the paths of operations are appended to, and the servers of the
// operation, unless a block above this one has shown the same.
func (w *writer) base(o *openapi.Operation) {
	list := o.Servers()
	if o.Webhook || len(list) == 0 || list[0].URL == "" {
		return
	}
	h := sha256.New()
	for _, s := range list {
		fmt.Fprintf(h, "%q %q\n", s.URL, s.Text)
	}
	callable := o.Callable()
	for _, s := range callable {
		fmt.Fprintf(h, "%q %q\n", s.Template, s.Variables)
	}
	shown := string(h.Sum(nil))
	if w.servers[shown] {
		return
	}
	w.servers[shown] = true
	w.tag("div", "api-base", func() {
		w.tag("p", "", func() {
			w.textElement("span", "api-label", w.l.BaseURL)
			w.b.WriteString(" ")
			w.textElement("code", "api-server", list[0].URL)
		})
		if len(list) > 1 {
			w.serverList(list)
		}
		if key := serversKey(o); key != "" {
			w.choices(callable, key)
		}
	})
}

// serverList writes all servers, for readers without a script.
func (w *writer) serverList(list []openapi.Server) {
	w.tag("details", "api-servers", func() {
		w.textElement("summary", "", w.l.Servers)
		w.tag("ul", "", func() {
			for _, s := range list {
				w.tag("li", "", func() {
					w.textElement("code", "", s.URL)
					w.escape(" " + s.Text)
				})
			}
		})
	})
}

// choices writes the form for the server of samples and requests, and its variables. A script shows
// the form instead of the list of servers, updates the samples of all operations with the same
// servers, and shows the form where a request is sent.
func (w *writer) choices(servers []openapi.TrialServer, key string) {
	w.b.WriteString(`<form class="api-choose" data-servers="` + key + `" autocomplete="off" hidden>`)
	if len(servers) > 1 {
		w.tag("label", "", func() {
			w.textElement("span", "", w.l.BaseURL)
			w.b.WriteString(`<select name="server">`)
			for i, s := range servers {
				w.b.WriteString(`<option value="` + strconv.Itoa(i) + `" data-url="` + html.EscapeString(printable(s.Template)) + `">`)
				w.escape(s.URL)
				if s.Text != "" {
					w.escape(" · " + s.Text)
				}
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
		w.textElement("legend", "visually-hidden", w.l.BaseURL)
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
