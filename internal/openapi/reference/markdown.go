package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Folder is the folder of the pages of the reference.
const Folder = "reference/"

// A Page is one file of Markdown.
type Page struct {
	File, Title string
	Text        string
}

// Markdown returns the reference as pages: one that lists all operations, and one for each
// section. Example requests use the URL base.
func Markdown(base string, sections []Section) []Page {
	list := Page{File: Folder + "README.md", Title: "All operations"}
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n\nWhat programs read is [openapi.json](%s/v1/openapi.json): a description of the same operations in OpenAPI 3.1.\n", list.Title, base)
	pages := []Page{list}
	for _, s := range sections {
		file := slug(s.Tag) + ".md"
		fmt.Fprintf(&out, "\n## %s\n\n| operation | |\n|---|---|\n", s.Tag)
		for _, o := range s.Ops {
			fmt.Fprintf(&out, "| `%s %s` | [%s](%s#%s) |\n", o.Method, o.route(), cell(o.heading()), file, o.anchor())
		}
		pages = append(pages, Page{Folder + file, s.Tag, s.markdown(base)})
	}
	pages[0].Text = out.String()
	return pages
}

func (s Section) markdown(base string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n", s.Tag)
	for _, o := range s.Ops {
		o.write(&out, base)
	}
	return out.String()
}

// heading returns the summary without its full stop.
func (o Operation) heading() string { return strings.TrimSuffix(o.Summary, ".") }

func (o Operation) anchor() string { return strings.ToLower(o.ID) }

// route returns the path without the prefix of the server.
func (o Operation) route() string {
	if i := strings.Index(o.Path, "/v1"); i >= 0 {
		return o.Path[i:]
	}
	return o.Path
}

func (o Operation) write(out *strings.Builder, base string) {
	fmt.Fprintf(out, "\n## %s <a href=\"#%s\" id=\"%[2]s\"></a>\n\n`%s %s`\n", o.heading(), o.anchor(), o.Method, o.route())
	if o.Deprecated {
		out.WriteString("\n{% hint style=\"warning\" %}\nDeprecated: it keeps working, and new programs have no need of it.\n{% endhint %}\n")
	}
	if o.About != "" {
		fmt.Fprintf(out, "\n%s\n", text(o.About))
	}
	o.writeExample(out, base)
	writeFields(out, "Parameters", o.Params)
	writeFields(out, "Body", o.Body)
	out.WriteString("\n<details>\n\n<summary>Answers</summary>\n\n")
	for _, a := range o.Answers {
		status, about, _ := strings.Cut(a, " ")
		fmt.Fprintf(out, "* `%s` %s\n", status, text(about))
	}
	out.WriteString("\n</details>\n")
}

func (o Operation) writeExample(out *strings.Builder, base string) {
	fmt.Fprintf(out, "\n{%% tabs %%}\n{%% tab title=\"Request\" %%}\n```sh\ncurl")
	if o.Method != "GET" {
		fmt.Fprintf(out, " -X %s", o.Method)
	}
	fmt.Fprintf(out, " '%s%s'", base, o.route())
	out.WriteString(" \\\n  -H \"Authorization: Bearer $TOKEN\"")
	if len(o.Request) > 0 {
		fmt.Fprintf(out, " -H 'Content-Type: application/json' \\\n  -d '%s'", strings.ReplaceAll(indented(o.Request), "'", `'\''`))
	}
	out.WriteString("\n```\n{% endtab %}\n")
	title := "Answer"
	if o.Status != "" {
		title += " " + o.Status
	}
	fmt.Fprintf(out, "\n{%% tab title=\"%s\" %%}\n", title)
	if len(o.Answer) > 0 {
		fmt.Fprintf(out, "{%% code expandable=\"true\" %%}\n```json\n%s\n```\n{%% endcode %%}\n", indented(o.Answer))
	} else {
		out.WriteString("No JSON: the status says it, or the body is a file.\n")
	}
	out.WriteString("{% endtab %}\n{% endtabs %}\n")
}

func writeFields(out *strings.Builder, title string, fields []Field) {
	if len(fields) == 0 {
		return
	}
	fmt.Fprintf(out, "\n**%s**\n\n| name | type | about |\n|---|---|---|\n", title)
	for _, f := range fields {
		name := "`" + f.Name + "`"
		if f.Required {
			name += " \\*"
		}
		about := f.About
		if f.In == "header" || f.In == "query" {
			about = strings.TrimSpace(strings.ToUpper(f.In[:1]) + f.In[1:] + ". " + about)
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", name, cell(f.Type), cell(about))
	}
}

func indented(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// slug returns the file name for a title, without its extension.
func slug(title string) string { return strings.ReplaceAll(strings.ToLower(title), " ", "-") }

// text escapes a text of the description for Markdown, except for code in backticks.
func text(s string) string {
	parts := strings.Split(s, "`")
	for i := range parts {
		if i%2 == 0 {
			parts[i] = plain.Replace(parts[i])
		}
	}
	return strings.Join(parts, "`")
}

var plain = strings.NewReplacer("<", "\\<", "*", "\\*", "_", "\\_", "[", "\\[", "{%", "{\\%", "$", "\\$")

// cell escapes a text for a cell of a table.
func cell(s string) string {
	s = text(strings.Join(strings.Fields(s), " "))
	return strings.ReplaceAll(s, "|", "\\|")
}
