package theme

import (
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/icons"
)

// Results is the page of the results of a search.
type Results struct {
	Query string
	Found
	Scopes []*Link // the same search in all sections and in one; nil if there is only one
	In     string  // value of the parameter in of the search
}

// Found is what a search found. The script receives it as JSON.
type Found struct {
	Hits      []Hit `json:"hits"`
	Suggested []Hit `json:"suggested,omitempty"` // pages to begin with; only if there are no hits
}

// Hit is a page, or a heading or an operation on it.
type Hit struct {
	Title   Marked `json:"title"`             // of the page
	Heading Marked `json:"heading,omitempty"` // what Href leads to on the page; empty: to its beginning
	Method  string `json:"method,omitempty"`  // of the operation that Href leads to
	Where   string `json:"where,omitempty"`   // titles of the ancestors of the page
	Text    Marked `json:"text,omitempty"`
	Href    string `json:"href"`
	Emoji   string `json:"emoji,omitempty"` // of the page
	Icon    *Shape `json:"icon,omitempty"`  // of the page
}

// Name returns the title of what a hit leads to.
func (h Hit) Name() Marked {
	if len(h.Heading) > 0 {
		return h.Heading
	}
	return h.Title
}

// Path returns the titles of what the target of a hit is part of.
func (h Hit) Path() string {
	path := h.Where
	if len(h.Heading) > 0 {
		path = Above(path, h.Title.String())
	}
	return path
}

// Above joins the titles of what something is part of, from the top down. Empty titles are left out.
func Above(titles ...string) string {
	var out []string
	for _, t := range titles {
		if t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, " › ")
}

// Tone returns the class of the colour of the method.
func (h Hit) Tone() string { return "api-" + strings.ToLower(h.Method) }

// Marked is a text in parts. Every second part is marked, beginning with the second one.
type Marked []string

// Plain returns a text without marks.
func Plain(text string) Marked {
	if text == "" {
		return nil
	}
	return Marked{text}
}

// Mark returns a text with marks at places, which must be sorted and apart.
func Mark(text string, places [][2]int) Marked {
	if text == "" {
		return nil
	}
	out := make(Marked, 0, 2*len(places)+1)
	at := 0
	for _, p := range places {
		out = append(out, text[at:p[0]], text[p[0]:p[1]])
		at = p[1]
	}
	if at < len(text) || len(out) == 0 {
		out = append(out, text[at:])
	}
	return out
}

// String returns the text without its marks.
func (m Marked) String() string { return strings.Join(m, "") }

// IsMarked reports whether the text has a mark.
func (m Marked) IsMarked() bool { return len(m) > 1 }

// Shape is the drawing of an icon, for the script.
type Shape struct {
	Box  string `json:"box"` // the view box
	Path string `json:"path"`
}

// Draw returns an icon by its name, or nil for no name.
func Draw(name string, style icons.Style) *Shape {
	if name == "" {
		return nil
	}
	i := icons.Find(name, style)
	return &Shape{fmt.Sprintf("0 0 %d %d", i.Width, i.Height), i.Path}
}
