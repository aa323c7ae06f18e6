package theme

import (
	"html/template"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/icons"
)

// entriesTemplate is what a navigation means.
var entriesTemplate = template.Must(template.New("").Funcs(template.FuncMap{
	"icon":     func(name string) template.HTML { return icon(name, icons.Filled) },
	"pageIcon": func(name string) template.HTML { return icon(name, icons.Outlined) },
}).Parse(`{{define "entries"}}<ul>
{{range .}}<li>{{if .Group}}<p class="group">{{template "label" .}}</p>{{with .Children}}
{{template "entries" .}}{{end}}
{{- else}}{{if .Href}}<a href="{{.Href}}"{{if .Current}} aria-current="page"{{end}}{{if .External}} rel="noreferrer"{{end}}>{{template "label" .}}{{if .External}}{{icon "arrow-up-right-from-square"}}{{end}}</a>
{{- else}}<span class="nowhere">{{template "label" .}}</span>{{end}}
{{- if .Children}}<details{{if .Open}} open{{end}}><summary aria-label="{{.Title}}"></summary>
{{template "entries" .Children}}</details>{{end}}{{end}}</li>
{{end}}</ul>{{end}}
{{define "label"}}{{with .Emoji}}<span class="emoji">{{.}}</span> {{else}}{{with .Icon}}{{pageIcon .}}{{end}}{{end}}{{.Title}}{{end}}`))

// A navigation that is written by hand is what a template, which escapes by itself,
// would make of the same links.
func TestNavigationIsEscaped(t *testing.T) {
	const hostile = `"><script>alert(1)</script>&amp;'`
	links := []*Link{
		{Title: "Home", Href: "/", Current: true},
		{Title: hostile, Icon: hostile, Href: "/a b/" + hostile + "?x=y&z#é"},
		{Title: "Script", Emoji: "🙂" + hostile, Href: "javascript:alert(1)"},
		{Title: "Other", Icon: "rocket", Href: "https://example.com/?a=b&c", External: true},
		{Title: "Host", Href: "//example.com/"},
		{Title: "Mail", Href: "mailto:a@b.test", External: true},
		{Title: "Nowhere", Children: []*Link{{Title: "Below", Href: "/below", Open: true, Children: []*Link{{Title: "Deep", Href: "/below/deep.md"}}}}},
		{Title: "Group", Group: true, Children: []*Link{{Title: hostile, Group: true}, {Title: "In " + hostile, Href: "/%22%3E", Children: []*Link{{Title: hostile}}}}},
	}
	var want strings.Builder
	if err := entriesTemplate.ExecuteTemplate(&want, "entries", links); err != nil {
		t.Fatal(err)
	}
	if got := string(navigationOf(links, icons.Outlined)); got != want.String() {
		t.Errorf("by hand:\n%s\nby a template:\n%s", got, want.String())
	}
}
