package openapi

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// Sample is code that sends a request.
type Sample struct {
	Label    string
	Language string // for syntax highlighting, in lower case
	Source   string
}

// Samples returns the samples that are written in the description, or else generated code
// that sends the request.
func (o *Operation) Samples() []Sample {
	if o.HideSample || o.Webhook {
		return nil
	}
	if own, given := o.ownSamples(); given {
		return own
	}
	r := o.request()
	return []Sample{
		{"cURL", "bash", r.curl()},
		{"JavaScript", "javascript", r.javaScript()},
		{"Python", "python", r.python()},
		{"Go", "go", r.golang()},
	}
}

// SampleURL returns the address in generated samples of the operation, and the prefix of
// it that is the address of the server.
func (o *Operation) SampleURL() (address, server string) {
	r := o.request()
	return r.url, r.server
}

// ownSamples returns the samples that are written in the description. given is also true
// if the description disables samples.
func (o *Operation) ownSamples() (out []Sample, given bool) {
	for _, key := range []string{"x-codeSamples", "x-code-samples", "x-custom-examples"} {
		n := o.p.n.get(key)
		if n == nil {
			continue
		}
		if n.kind == boolean && n.text == "false" {
			return nil, true
		}
		for _, s := range n.items() {
			lang := s.str("lang")
			label := s.str("label")
			if label == "" {
				label = lang
			}
			if source := s.str("source"); source != "" {
				out = append(out, Sample{label, sampleLanguage(lang), docs.ClipBytes(source, maxExample)})
			}
		}
		if len(out) > 0 {
			return out, true
		}
	}
	return nil, false
}

func sampleLanguage(lang string) string {
	lang = strings.ToLower(lang)
	switch lang {
	case "curl", "shell", "sh":
		return "bash"
	case "node", "nodejs", "node.js", "js":
		return "javascript"
	case "c#":
		return "csharp"
	case "c++":
		return "cpp"
	}
	return lang
}

// request is a request with example values.
type request struct {
	method  string
	url     string
	server  string // prefix of url
	headers []pair
	json    string // the body as JSON, or ""
	value   *node  // the value of json
	body    string // another body, or ""
	form    []pair // fields of a form
	upload  bool   // the form is sent as multipart/form-data
	file    bool   // the body is the content of a file
}

type pair struct{ name, value string }

// isFile reports whether a field of a form that is sent as multipart/form-data is a file.
// Its content has no example.
func (p pair) isFile() bool { return p.value == formats["binary"] }

// placeholder is the address of an API whose description has no absolute address.
const placeholder = "https://api.example.com"

func (o *Operation) request() request {
	r := request{method: o.Method, url: placeholder}
	if servers := o.Servers(); len(servers) > 0 && servers[0].URL != "" {
		if r.url = servers[0].URL; strings.HasPrefix(r.url, "/") {
			r.url = placeholder + r.url
		}
	}
	r.server = r.url
	path := o.Path
	query := url.Values{}
	var order []string
	for _, p := range o.Parameters() {
		value := p.value()
		switch p.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", pathValue(value, p.Name))
		case "query":
			if p.Required || p.example != nil {
				query.Set(p.Name, value)
				order = append(order, p.Name)
			}
		case "header":
			if p.Required {
				r.headers = append(r.headers, pair{p.Name, value})
			}
		}
	}
	r.url += clipURL(path)
	order = r.authenticate(o, query, order)
	for i, name := range order {
		r.url += map[bool]string{true: "?", false: "&"}[i == 0] + url.QueryEscape(name) + "=" + url.QueryEscape(query.Get(name))
	}
	r.content(o.Body())
	return r
}

// pathValue returns an example value for a path. A parameter without an example is shown
// by its name in braces.
func pathValue(value, name string) string {
	if value == "text" {
		return "{" + name + "}"
	}
	return url.PathEscape(value)
}

// value returns an example of a parameter, or "text" if there is none.
func (p Parameter) value() string {
	if p.example != nil {
		return docs.ClipBytes(p.example.short(), 200)
	}
	if n := p.Schema.example(InRequest); n != nil && n.kind != object {
		if n.kind == list && len(n.kids) > 0 {
			n = n.kids[0]
		}
		return docs.ClipBytes(n.short(), 200)
	}
	return "text"
}

// Example returns the example that is written in a parameter, or "".
func (p Parameter) Example() string {
	if p.example == nil {
		return ""
	}
	return p.example.short()
}

// authenticate adds the credentials of the first requirement that is not empty.
func (r *request) authenticate(o *Operation, query url.Values, order []string) []string {
	for _, alternative := range o.Security() {
		for _, need := range alternative {
			token := need.Scheme.Token
			if need.Scheme.HTTP == "basic" {
				token = userPassword
			}
			switch in, name, value := need.Scheme.credential(token); in {
			case "query":
				query.Set(name, value)
				order = append(order, name)
			case "cookie":
				r.headers = append(r.headers, pair{"Cookie", name + "=" + value})
			case "header":
				r.headers = append(r.headers, pair{name, value})
			}
		}
		if len(alternative) > 0 {
			break
		}
	}
	return order
}

// content adds the body in its first JSON media type, or else in its first media type.
func (r *request) content(b *Body) {
	if b == nil || len(b.Content) == 0 {
		return
	}
	m := b.Content[0]
	for _, other := range b.Content {
		if other.isJSON() {
			m = other
			break
		}
	}
	examples := m.Examples(InRequest)
	switch {
	case m.isForm():
		if len(examples) > 0 && examples[0].value.kind == object {
			v := examples[0].value
			for i, k := range v.keys {
				value := v.kids[i]
				if value.kind == list && len(value.kids) == 1 && value.kids[0].isBinary() { // each file is a field
					value = value.kids[0]
				}
				r.form = append(r.form, pair{k, docs.ClipBytes(value.short(), 500)})
			}
		}
		r.upload = strings.HasPrefix(m.Type, "multipart/")
		if !r.upload {
			r.headers = append(r.headers, pair{"Content-Type", m.Type})
		}
	case m.isFile():
		t := m.Type
		if t == "*/*" {
			t = "application/octet-stream"
		}
		r.headers, r.file = append(r.headers, pair{"Content-Type", t}), true
	case m.isJSON():
		t := m.Type
		if t == "*/*" {
			t = "application/json"
		}
		r.headers = append(r.headers, pair{"Content-Type", t})
		if len(examples) > 0 {
			r.json, r.value = docs.ClipBytes(examples[0].JSON(), maxExample), examples[0].value
		}
	default:
		r.headers = append(r.headers, pair{"Content-Type", m.Type})
		if len(examples) > 0 {
			r.body = examples[0].Body(m.Type)
		}
	}
}

// isBinary reports whether an example is the one of the format "binary".
func (n *node) isBinary() bool { return n.kind == text && n.text == formats["binary"] }

// isFile reports whether a body is the content of a file, of which the description has no
// example.
func (m Media) isFile() bool {
	if len(m.examples) > 0 {
		return false
	}
	if !m.Schema.IsZero() && m.Schema.View().Format == "binary" {
		return true
	}
	switch kind, of, _ := strings.Cut(m.Type, "/"); kind {
	case "image", "audio", "video":
		return true
	default:
		return kind == "application" && slices.Contains([]string{"octet-stream", "zip", "gzip", "pdf"}, of)
	}
}

// query returns the fields of a form as a URL-encoded string.
func (r *request) query() string {
	parts := make([]string, len(r.form))
	for i, f := range r.form {
		parts[i] = url.QueryEscape(f.name) + "=" + url.QueryEscape(f.value)
	}
	return strings.Join(parts, "&")
}

// shellQuote quotes a string for a shell. It omits control characters, which a terminal could take for
// the end of what is pasted.
func shellQuote(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// curlField returns a field of a form as an argument of curl. The option -F reads files, and has a
// syntax for types, so other fields that could be taken for these have an option without it.
func (r *request) curlField(f pair) string {
	switch {
	case !r.upload:
		return "--data-urlencode " + shellQuote(f.name+"="+f.value)
	case f.isFile() && !strings.Contains(f.name, "="):
		return "-F " + shellQuote(f.name+"=@file")
	case strings.Contains(f.name, "=") || strings.ContainsAny(f.value, `@<;"`):
		return "--form-string " + shellQuote(f.name+"="+f.value)
	}
	return "-F " + shellQuote(f.name+"="+f.value)
}

func (r *request) curl() string {
	lines := []string{"curl"}
	if r.method != "GET" {
		lines[0] += " -X " + r.method
	}
	lines[0] += " " + shellQuote(r.url)
	for _, h := range r.headers {
		lines = append(lines, "-H "+shellQuote(h.name+": "+h.value))
	}
	for _, f := range r.form {
		lines = append(lines, r.curlField(f))
	}
	if body := r.json + r.body; strings.HasPrefix(body, "@") {
		lines = append(lines, "--data-raw "+shellQuote(body)) // the option -d reads a file
	} else if body != "" {
		lines = append(lines, "-d "+shellQuote(body))
	}
	if r.file {
		lines = append(lines, "--data-binary '@file'")
	}
	return strings.Join(lines, " \\\n  ")
}

// quote quotes a string for JavaScript or Python. Both read the strings of JSON; those of Go
// have escape sequences that JavaScript does not know, such as \a.
func quote(s string) string { return string(jsontext.AppendString(nil, s)) }

func indent(s, by string) string { return strings.ReplaceAll(s, "\n", "\n"+by) }

func (r *request) javaScript() string {
	var b strings.Builder
	if r.file || r.upload && slices.ContainsFunc(r.form, pair.isFile) {
		b.WriteString("import { openAsBlob } from \"node:fs\";\n\n")
	}
	if r.upload {
		b.WriteString("const form = new FormData();\n")
		for _, f := range r.form {
			value := quote(f.value)
			if f.isFile() {
				value = `await openAsBlob("file"), "file"`
			}
			b.WriteString("form.append(" + quote(f.name) + ", " + value + ");\n")
		}
		b.WriteString("\n")
	}
	b.WriteString("const response = await fetch(" + quote(r.url) + ", {\n  method: " + quote(r.method) + ",\n")
	if len(r.headers) > 0 {
		b.WriteString("  headers: {\n")
		for _, h := range r.headers {
			b.WriteString("    " + quote(h.name) + ": " + quote(h.value) + ",\n")
		}
		b.WriteString("  },\n")
	}
	switch {
	case r.upload:
		b.WriteString("  body: form,\n")
	case len(r.form) > 0:
		b.WriteString("  body: new URLSearchParams({\n")
		for _, f := range r.form {
			b.WriteString("    " + quote(f.name) + ": " + quote(f.value) + ",\n")
		}
		b.WriteString("  }),\n")
	case r.json != "":
		b.WriteString("  body: JSON.stringify(" + indent(r.json, "  ") + "),\n")
	case r.body != "":
		b.WriteString("  body: " + quote(r.body) + ",\n")
	case r.file:
		b.WriteString("  body: await openAsBlob(\"file\"),\n")
	}
	b.WriteString("});\n\nconst data = await response.json();")
	return b.String()
}

// pythonFile is the content of a file in samples for Python.
const pythonFile = `open("file", "rb")`

func (r *request) python() string {
	var b strings.Builder
	b.WriteString("import requests\n\nresponse = requests." + strings.ToLower(r.method) + "(\n    " + quote(r.url) + ",\n")
	dict := func(name string, pairs []pair, value func(pair) string) {
		b.WriteString("    " + name + "={\n")
		for _, p := range pairs {
			b.WriteString("        " + quote(p.name) + ": " + value(p) + ",\n")
		}
		b.WriteString("    },\n")
	}
	plain := func(p pair) string { return quote(p.value) }
	if len(r.headers) > 0 {
		dict("headers", r.headers, plain)
	}
	switch {
	case r.upload:
		dict("files", r.form, func(p pair) string {
			if p.isFile() {
				return pythonFile
			}
			return "(None, " + quote(p.value) + ")" // without a name of a file, it is a plain field
		})
	case len(r.form) > 0:
		dict("data", r.form, plain)
	case r.json != "":
		b.WriteString("    json=" + indent(docs.ClipBytes(forPython(r.value, 0).indented(), maxExample), "    ") + ",\n")
	case r.body != "":
		b.WriteString("    data=" + quote(r.body) + ",\n")
	case r.file:
		b.WriteString("    data=" + pythonFile + ",\n")
	}
	b.WriteString(")\n\nprint(response.json())")
	return b.String()
}

// forPython returns a copy of a value with the literals None, True and False of Python.
func forPython(n *node, depth int) *node {
	switch {
	case n.kind == null:
		return &node{kind: number, text: "None"}
	case n.kind == boolean && n.text == "true":
		return &node{kind: number, text: "True"}
	case n.kind == boolean:
		return &node{kind: number, text: "False"}
	case n.kind != list && n.kind != object || depth > maxDepth:
		return n
	}
	out := &node{kind: n.kind, keys: n.keys}
	for _, kid := range n.kids {
		out.kids = append(out.kids, forPython(kid, depth+1))
	}
	return out
}

// goCheck is the handling of an error in samples for Go.
const goCheck = "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n"

func (r *request) golang() string {
	packages := []string{"fmt", "io", "log", "net/http"}
	setup, body := "", "nil"
	text := r.json + r.body
	if len(r.form) > 0 && !r.upload {
		text = r.query()
	}
	switch {
	case r.upload:
		setup, body = r.goForm(), "&body"
		packages = append(packages, "bytes", "mime/multipart")
		if strings.Contains(setup, "os.ReadFile") {
			packages = append(packages, "os")
		}
	case r.file:
		setup, body = "\tbody, err := os.Open(\"file\")\n"+goCheck+"\tdefer body.Close()\n\n", "body"
		packages = append(packages, "os")
	case text != "":
		quoted := "`" + text + "`"
		if strings.Contains(text, "`") || r.json == "" {
			quoted = strconv.Quote(text)
		}
		setup, body = "\tbody := strings.NewReader("+quoted+")\n", "body"
		packages = append(packages, "strings")
	}
	slices.Sort(packages)
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for _, name := range packages {
		b.WriteString("\t" + strconv.Quote(name) + "\n")
	}
	b.WriteString(")\n\nfunc main() {\n" + setup)
	b.WriteString("\treq, err := http.NewRequest(" + strconv.Quote(r.method) + ", " + strconv.Quote(r.url) + ", " + body + ")\n")
	b.WriteString(goCheck)
	if r.upload {
		b.WriteString("\treq.Header.Set(\"Content-Type\", form.FormDataContentType())\n")
	}
	for _, h := range r.headers {
		b.WriteString("\treq.Header.Set(" + strconv.Quote(h.name) + ", " + strconv.Quote(h.value) + ")\n")
	}
	b.WriteString("\n\tres, err := http.DefaultClient.Do(req)\n" + goCheck + "\tdefer res.Body.Close()\n\n")
	b.WriteString("\tanswer, err := io.ReadAll(res.Body)\n" + goCheck + "\tfmt.Println(res.Status, string(answer))\n}")
	return b.String()
}

// goForm returns the statements of a sample for Go that write the fields of a form to the
// variable body.
func (r *request) goForm() string {
	var b strings.Builder
	b.WriteString("\tvar body bytes.Buffer\n\tform := multipart.NewWriter(&body)\n")
	var files []string
	for _, f := range r.form {
		if f.isFile() {
			files = append(files, strconv.Quote(f.name))
			continue
		}
		b.WriteString("\tform.WriteField(" + strconv.Quote(f.name) + ", " + strconv.Quote(f.value) + ")\n")
	}
	if len(files) > 0 {
		check := indent("\t"+strings.TrimSuffix(goCheck, "\n"), "\t") + "\n"
		b.WriteString("\tfor _, name := range []string{" + strings.Join(files, ", ") + "} {\n")
		b.WriteString("\t\tdata, err := os.ReadFile(\"file\")\n" + check)
		b.WriteString("\t\tpart, err := form.CreateFormFile(name, \"file\")\n" + check)
		b.WriteString("\t\tpart.Write(data)\n\t}\n")
	}
	b.WriteString("\tform.Close()\n\n")
	return b.String()
}
