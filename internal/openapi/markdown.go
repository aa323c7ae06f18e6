package openapi

import (
	"fmt"
	"strings"
)

// Limits of schemas in Markdown: the depth to which they are expanded, and the lines of
// one place. A deeper schema is shown by its name or type only.
const (
	markdownDepth = 4
	markdownLines = 300
)

// maxMarkdown is the maximum number of bytes of Markdown for an operation, or for a list
// of schemas. Text that would exceed it is omitted.
const maxMarkdown = 1 << 20

// Markdown returns an operation as compact Markdown, with a heading of the given
// level.
func (o *Operation) Markdown(level int) string {
	w := &markdownWriter{}
	w.heading(level, o.Title())
	w.operation(level+1, o)
	return w.b.String()
}

// UntitledMarkdown returns an operation as Markdown without its title. Headings of the
// sections have the given level.
func (o *Operation) UntitledMarkdown(level int) string {
	w := &markdownWriter{}
	w.operation(level, o)
	return w.b.String()
}

// operation writes the parts of an operation after its title.
func (w *markdownWriter) operation(level int, o *Operation) {
	kind := ""
	if o.Webhook {
		kind = "Webhook: "
	}
	w.block(kind + "`" + o.Method + " " + codeText(o.Path) + "`")
	switch {
	case o.Deprecated && o.Sunset != "":
		w.block("**Deprecated**, until " + inlineText(o.Sunset) + ".")
	case o.Deprecated:
		w.block("**Deprecated**")
	case o.Stability != "":
		w.block("**" + inlineText(strings.ToUpper(o.Stability[:1])+o.Stability[1:]) + "**")
	}
	w.text(o.Text)
	if servers := o.Servers(); len(servers) > 0 && !o.Webhook {
		var list []string
		for _, s := range servers {
			if s.URL != "" {
				list = append(list, "`"+codeText(s.URL)+"`")
			}
		}
		if len(list) > 0 {
			w.block("Servers: " + strings.Join(list, ", "))
		}
	}
	w.security(o.Security())
	w.parameters(level, o.Parameters())
	if b := o.Body(); b != nil {
		title := "Request body"
		if b.Required {
			title += " (required)"
		}
		w.heading(level, title)
		w.text(b.Text)
		w.content(b.Content, InRequest)
	}
	if rs := o.Responses(); len(rs) > 0 {
		w.heading(level, "Responses")
		for _, r := range rs[:min(len(rs), maxResponses)] {
			w.response(level+1, r)
		}
	}
	if samples := o.Samples(); len(samples) > 0 {
		w.heading(level, "Example request")
		w.code(samples[0].Language, samples[0].Source)
	}
}

// SchemaMarkdown returns the schemas with the given names as compact Markdown, each with
// a heading of the given level. Without names it returns all schemas.
func (d *Description) SchemaMarkdown(names []string, level int) string {
	w := &markdownWriter{}
	list := d.Schemas
	if len(names) > 0 {
		list = nil
		for _, name := range names {
			if s, ok := d.Schema(name); ok {
				list = append(list, s)
			}
		}
	}
	for _, s := range list {
		if w.full {
			break
		}
		v := s.View()
		w.heading(level, s.Name())
		w.text(v.Text)
		w.lines = 0
		w.schemaList(s, 0, map[SchemaID]bool{})
		w.end()
	}
	return w.b.String()
}

// markdownWriter writes blocks with an empty line between them.
type markdownWriter struct {
	b     strings.Builder
	lines int
	full  bool // text was omitted because of maxMarkdown
}

func (w *markdownWriter) write(s string) {
	if w.full = w.full || w.b.Len()+len(s) > maxMarkdown; !w.full {
		w.b.WriteString(s)
	}
}

func (w *markdownWriter) end() {
	if s := w.b.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		w.write("\n")
	}
}

func (w *markdownWriter) block(s string) {
	if s = strings.TrimSpace(s); s != "" {
		w.write(s + "\n\n")
	}
}

func (w *markdownWriter) heading(level int, s string) {
	w.block(strings.Repeat("#", min(level, 6)) + " " + inlineText(s))
}

// text writes Markdown of the description, with its headings replaced: they would become
// headings of the page.
func (w *markdownWriter) text(s string) { w.block(WithoutHeadings(s)) }

func (w *markdownWriter) code(language, source string) { w.block(Fenced(language, source)) }

// Fenced returns code as a fenced code block. The fence is longer than any run of
// backticks in the code.
func Fenced(language, source string) string {
	run, longest := 0, 2
	for i := range len(source) {
		if run++; source[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + source + "\n" + fence
}

func (w *markdownWriter) security(all []Requirement) {
	var ways []string
	for _, r := range all {
		var parts []string
		for _, n := range r {
			part := n.Scheme.Label()
			if len(n.Scopes) > 0 {
				part += " (`" + codeText(strings.Join(n.Scopes, "`, `")) + "`)"
			}
			parts = append(parts, part)
		}
		if len(parts) == 0 {
			parts = []string{"none"}
		}
		ways = append(ways, strings.Join(parts, " and "))
	}
	if len(ways) > 0 {
		w.block("Authentication: " + strings.Join(ways, "; or "))
	}
}

// Label returns a short description of the scheme in Markdown.
func (s *Scheme) Label() string {
	switch {
	case s.Type == "apiKey":
		return "API key in the " + s.In + " `" + codeText(s.Key) + "`"
	case s.Type == "oauth2":
		return "OAuth 2"
	case s.Type == "openIdConnect":
		return "OpenID Connect"
	case s.Type == "mutualTLS":
		return "a TLS certificate of the client"
	case s.HTTP == "basic":
		return "HTTP Basic"
	case s.HTTP == "bearer":
		return "bearer token"
	}
	return "HTTP " + inlineText(s.HTTP)
}

func (w *markdownWriter) parameters(level int, all []Parameter) {
	place := ""
	for _, p := range all {
		if p.In != place {
			place = p.In
			w.end()
			w.heading(level, strings.ToUpper(place[:1])+place[1:]+" parameters")
		}
		w.parameter(p)
	}
	w.end()
}

func (w *markdownWriter) parameter(p Parameter) {
	v := p.Schema.View()
	about := p.Text
	if about == "" {
		about = v.Text
	}
	w.line(0, p.Name, p.Schema, v, p.Required, p.Deprecated || v.Deprecated, about)
	if !isPlain(v) {
		w.schemaList(p.Schema, 1, map[SchemaID]bool{})
	}
}

// isPlain reports whether a schema has no nested schemas.
func isPlain(v *View) bool {
	return len(v.Properties) == 0 && len(v.Options) == 0 && v.Items.IsZero() && v.Additional.IsZero()
}

func (w *markdownWriter) content(all []Media, d Direction) {
	for _, m := range all {
		w.block("`" + codeText(m.Type) + "`" + when(!m.Schema.IsZero(), ": "+inlineText(m.Schema.inner(0))))
		if !m.Schema.IsZero() {
			w.lines = 0
			w.schemaList(m.Schema, 0, map[SchemaID]bool{})
			w.end()
		}
		for _, e := range m.Examples(d) {
			if e.Name != "" {
				name := e.Summary
				if name == "" {
					name = e.Name
				}
				w.block("Example: " + inlineText(name))
			}
			w.code(ExampleLanguage(m.Type), e.Body(m.Type))
			break
		}
	}
}

// ExampleLanguage returns the language for syntax highlighting of examples of a media
// type.
func ExampleLanguage(mediaType string) string {
	for _, name := range []string{"json", "xml", "html", "yaml", "csv"} {
		if strings.Contains(mediaType, name) {
			return name
		}
	}
	if mediaType == "*/*" || strings.Contains(mediaType, "form") {
		return "json"
	}
	return ""
}

func (w *markdownWriter) response(level int, r Response) {
	w.heading(level, r.Status)
	w.text(r.Text)
	for _, h := range r.Headers {
		w.parameter(h)
	}
	w.end()
	w.content(r.Content, InResponse)
}

// line writes one item of a list.
func (w *markdownWriter) line(depth int, name string, s Schema, v *View, required, deprecated bool, about string) {
	w.lines++
	facts := []string{inlineText(s.inner(0))}
	if s.IsZero() || s.Name() != "" && v.Name != "" && isPlain(v) {
		facts = []string{inlineText(v.Label())}
	}
	add := func(ok bool, s string) {
		if ok {
			facts = append(facts, s)
		}
	}
	add(required, "required")
	add(deprecated, "deprecated")
	add(v.ReadOnly, "read-only")
	add(v.WriteOnly, "write-only")
	for _, c := range v.Constraints {
		facts = append(facts, strings.TrimSpace(c.Name+" "+when(c.Value != "", "`"+codeText(c.Value)+"`")))
	}
	add(v.Default != "", "default `"+codeText(v.Default)+"`")
	add(v.Const != "", "always `"+codeText(v.Const)+"`")
	if len(v.Enum) > 0 {
		var values []string
		for _, e := range v.Enum {
			values = append(values, "`"+codeText(e.Text)+"`")
		}
		if v.MoreEnum > 0 {
			values = append(values, fmt.Sprintf("and %d more", v.MoreEnum))
		}
		facts = append(facts, "one of "+strings.Join(values, ", "))
	}
	line := "* "
	if name != "" {
		line += "`" + codeText(name) + "` "
	}
	line += "(" + strings.Join(facts, ", ") + ")"
	if about = strings.Join(strings.Fields(WithoutHeadings(about)), " "); about != "" {
		line += ": " + about
	}
	w.write(strings.Repeat("  ", depth) + line + "\n")
}

// schemaList writes the properties and options of a schema as a list. above holds the
// ancestors of the schema.
func (w *markdownWriter) schemaList(s Schema, depth int, above map[SchemaID]bool) {
	id := s.ID()
	if s.IsZero() || above[id] || depth >= markdownDepth || w.lines >= markdownLines {
		return
	}
	above[id] = true
	defer delete(above, id)
	v := s.View()
	if depth == 0 && isPlain(v) {
		w.line(0, "", Schema{}, v, false, v.Deprecated, v.Text)
		return
	}
	for _, p := range v.Properties {
		if w.lines >= markdownLines {
			return
		}
		pv := p.Schema.View()
		w.line(depth, p.Name, p.Schema, pv, p.Required, pv.Deprecated, pv.Text)
		w.schemaList(p.Schema, depth+1, above)
	}
	for _, o := range v.Options {
		if w.lines >= markdownLines {
			return
		}
		ov := o.Schema.View()
		w.line(depth, "", o.Schema, &View{}, false, ov.Deprecated, when(o.Value != "", v.Discriminator+" is `"+codeText(o.Value)+"`. ")+ov.Text)
		w.schemaList(o.Schema, depth+1, above)
	}
	for _, inner := range []Schema{v.Items, v.Additional} {
		w.schemaList(inner, depth, above)
	}
}

// codeText returns a text for use in a code span.
func codeText(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "`", "'")), " ")
}

var inlineEscapes = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, "`", "\\`", "{%", `{\%`, "{{", `{\{`, "#", `\#`)

// inlineText returns a text with the characters escaped that have a meaning in Markdown.
func inlineText(s string) string { return inlineEscapes.Replace(strings.Join(strings.Fields(s), " ")) }

func when(ok bool, s string) string {
	if ok {
		return s
	}
	return ""
}

// WithoutHeadings returns Markdown with headings replaced by bold text, because text of a
// description is shown below a heading of the page.
func WithoutHeadings(s string) string {
	if !strings.Contains(s, "#") {
		return s
	}
	lines := strings.Split(s, "\n")
	code := ""
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		for _, fence := range []string{"```", "~~~"} {
			if !strings.HasPrefix(trimmed, fence) {
				continue
			}
			switch code {
			case "":
				code = fence
			case fence:
				code = ""
			}
		}
		title := strings.TrimLeft(trimmed, "#")
		if code != "" || len(title) == len(trimmed) || len(trimmed)-len(title) > 6 || !strings.HasPrefix(title, " ") {
			continue
		}
		if title = strings.Trim(title, " #"); title != "" {
			lines[i] = "**" + strings.ReplaceAll(title, "**", "") + "**\n"
		}
	}
	return strings.Join(lines, "\n")
}
