package main

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/icons"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// framed holds the Hugo layouts of pages that are compared with pages of a site. These have
// the same parts, elements, texts and icons as a page of Octavo.
//
//go:embed framed
var framed embed.FS

// hugoFrame returns the files of the layouts, by their paths in Hugo's site. Parts that are
// the same on all pages are cut out of a page of Octavo, so that Hugo renders them once.
func hugoFrame() (map[string]string, error) {
	files := map[string]string{}
	for at, name := range map[string]string{
		"index.html": "single", "_default/single.html": "single", "_default/list.html": "single", "_default/_markup/render-heading.html": "heading",
		"partials/navigation.html": "navigation", "partials/branch.html": "branch", "shortcodes/hint.html": "hint",
	} {
		b, err := fs.ReadFile(framed, "framed/"+name+".html")
		if err != nil {
			return nil, err
		}
		files["framed/"+at] = drawn.ReplaceAllStringFunc(strings.TrimSuffix(string(b), "\n"), func(s string) string {
			m := drawn.FindStringSubmatch(s)
			return icons.Find(m[2], icons.Style(m[1] != "")).SVG("icon")
		})
	}
	page, err := theme.Render(emptyFrame(), &theme.Page{Title: "TITLE", Body: "BODY"})
	if err != nil {
		return nil, err
	}
	text := string(page)
	open, text, ok := strings.Cut(text, "<title>TITLE · Manual</title>\n")
	header, text, found := strings.Cut(text, "<ul>\n<li>")
	_, foot, ends := strings.Cut(text, "</main>\n")
	if !ok || !found || !ends {
		return nil, fmt.Errorf("a page of ours has no header, navigation or foot: %s", page)
	}
	for name, text := range map[string]string{"open": open, "header": header, "foot": foot} {
		files["framed/partials/"+name+".html"] = text
	}
	return files, nil
}

// sections converts sources of a manual to sources of Hugo's sections, which a navigation
// needs. The first page of a folder has another name there, and hints are shortcodes.
var sections = strings.NewReplacer("README.md", "_index.md", "{% hint ", "{{% hint ", "{% endhint %}", "{{% /hint %}}", "\" %}", "\" %}}")

// drawn matches the placeholder of an icon in a layout. Icons with "page" are outlined if
// they have an outlined form.
var drawn = regexp.MustCompile(`\[(page )?icon ([a-z-]+)\]`)

// emptyFrame returns the frame of a site without customization.
func emptyFrame() *theme.Frame {
	const assets = "/~octavo/assets/"
	return &theme.Frame{
		Lang: "en", Title: "Manual", Home: "/", Style: assets + theme.Style.Name, Script: assets + theme.Script.Name, Diagrams: assets + theme.Diagrams.Name,
		Fonts:  theme.Fonts{Text: theme.FontFamily("Inter", assets), Code: theme.FontFamily("IBMPlexMono", assets)},
		Colors: theme.Colors{Primary: theme.Tone{Light: "#346ddb"}, Info: theme.Tone{Light: "#787878"}, Success: theme.Tone{Light: "#00c950"}, Warning: theme.Tone{Light: "#fe9a00"}, Danger: theme.Tone{Light: "#fb2c36"}},
		Scheme: theme.Light, Switch: true, Search: theme.Search{Action: "/~octavo/search", Live: "/~octavo/found"}, Navigation: []*theme.Link{{Title: "NAVIGATION"}},
		Looks: []theme.Look{
			{Name: "theme", Value: "clean"}, {Name: "corners", Value: "rounded"}, {Name: "depth", Value: "subtle"}, {Name: "links", Value: "default"}, {Name: "sidebar", Value: "default"},
			{Name: "list", Value: "default"}, {Name: "search", Value: "prominent"}, {Name: "backdrop", Value: "plain"}, {Name: "icons", Value: "regular"}, {Name: "header", Value: "default"},
		},
	}
}
