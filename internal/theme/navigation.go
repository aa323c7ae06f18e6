package theme

import (
	"html"
	"html/template"
	"strings"
	"sync"

	"github.com/octavo-docs/octavo/internal/icons"
)

// navigation writes the entries of a navigation. Every page has it whole and a
// template takes longer for it than for all the rest, so it is written by hand. What
// is in links is escaped here as a template does.
type navigation struct {
	strings.Builder
	style icons.Style
}

func navigationOf(links []*Link, style icons.Style) template.HTML {
	n := navigation{style: style}
	n.Grow(len(links) << 7)
	n.entries(links)
	return template.HTML(n.String()) //nolint:gosec // every text and address in it is escaped
}

func (n *navigation) entries(links []*Link) {
	n.WriteString("<ul>\n")
	for _, l := range links {
		n.WriteString("<li>")
		if l.Group {
			n.group(l)
		} else {
			n.entry(l)
		}
		n.WriteString("</li>\n")
	}
	n.WriteString("</ul>")
}

func (n *navigation) group(l *Link) {
	n.WriteString(`<p class="group">`)
	n.label(l)
	n.WriteString("</p>")
	if len(l.Children) > 0 {
		n.WriteByte('\n')
		n.entries(l.Children)
	}
}

func (n *navigation) entry(l *Link) {
	if l.Href == "" {
		n.WriteString(`<span class="nowhere">`)
		n.label(l)
		n.WriteString("</span>")
	} else {
		n.WriteString(`<a href="` + attribute(l.Href) + `"`)
		if l.Current {
			n.WriteString(` aria-current="page"`)
		}
		if l.External {
			n.WriteString(` rel="noreferrer"`)
		}
		n.WriteByte('>')
		n.label(l)
		if l.External {
			n.WriteString(string(ourIcon("arrow-up-right-from-square")))
		}
		n.WriteString("</a>")
	}
	if len(l.Children) > 0 {
		n.WriteString("<details")
		if l.Open {
			n.WriteString(" open")
		}
		n.WriteString(`><summary aria-label="` + html.EscapeString(l.Title) + "\"></summary>\n")
		n.entries(l.Children)
		n.WriteString("</details>")
	}
}

func (n *navigation) label(l *Link) {
	switch {
	case l.Emoji != "":
		n.WriteString(`<span class="emoji">` + html.EscapeString(l.Emoji) + "</span> ")
	case l.Icon != "":
		n.WriteString(string(icon(l.Icon, n.style)))
	}
	n.WriteString(html.EscapeString(l.Title))
}

// addresses escapes an address as html/template does, for those that are not plain.
var addresses = template.Must(template.New("").Parse(`<a href="{{.}}">`))

// attribute returns an address as the value of an attribute.
func attribute(href string) string {
	if isPlainAddress(href) {
		return href
	}
	var b strings.Builder
	_ = addresses.Execute(&b, href) // into memory
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `<a href="`), `">`)
}

// isPlainAddress reports whether an address needs no escaping, because it is a path
// of letters that mean nothing to HTML.
func isPlainAddress(href string) bool {
	if !strings.HasPrefix(href, "/") || strings.HasPrefix(href, "//") {
		return false
	}
	for i := range len(href) {
		switch c := href[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '/', c == '-', c == '_', c == '.', c == '~':
		default:
			return false
		}
	}
	return true
}

// ours are the icons that templates name, drawn once.
var ours sync.Map

// ourIcon returns an icon of the frame. The names are those of templates, so there
// are few.
func ourIcon(name string) template.HTML {
	if drawn, ok := ours.Load(name); ok {
		return drawn.(template.HTML)
	}
	drawn := icon(name, icons.Filled)
	ours.Store(name, drawn)
	return drawn
}
