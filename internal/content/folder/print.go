package folder

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup/inline"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
)

// SummaryBytes returns the SUMMARY.md of the tree. It changes as few lines as possible of
// the SUMMARY.md that was read.
func (t *Tree) SummaryBytes() []byte { return UpdateSummary(t.SummarySource, t) }

// PrintSummary returns a new SUMMARY.md for a tree.
func PrintSummary(t *Tree) []byte {
	p := printer{tree: t, bullet: "*", step: "  ", eol: "\n"}
	var b bytes.Buffer
	b.WriteString("# Table of contents\n")
	inGroup, after := false, Group
	for _, top := range t.Pages {
		switch {
		case top.Type == Group:
			b.WriteString("\n" + p.entry(top, 0, "") + "\n")
		case inGroup:
			b.WriteString("\n***\n\n" + p.entry(top, 0, ""))
		default:
			if after == Group {
				b.WriteString("\n")
			}
			b.WriteString(p.entry(top, 0, ""))
		}
		inGroup, after = top.Type == Group, top.Type
		for _, it := range flatten(top.Children) {
			depth := it.depth + 1
			if inGroup {
				depth--
			}
			b.WriteString(p.entry(it.page, depth, ""))
		}
	}
	return b.Bytes()
}

// printer writes entries in the style of an existing file.
type printer struct {
	tree   *Tree
	bullet string
	step   string // indentation of one level
	eol    string
}

// entry returns the lines of the entry of a page. depth is the depth in the list, not in
// the navigation. was is the visible text of the entry before, if there was one.
func (p *printer) entry(page *Page, depth int, was string) string {
	indent := strings.Repeat(p.step, depth) + p.bullet + " "
	text := inline.Escape(emoji.Join(page.Emoji, strings.TrimLeft(page.Title, " "), was))
	switch page.Type {
	case Group:
		line := "## " + text
		var first *Page
		if len(page.Children) > 0 {
			first = page.Children[0]
		}
		if slug := cleanSlug(page.Slug); slug != "" && slug != groupSlug(page.Title, first) {
			line += ` <a href="#` + slug + `" id="` + slug + `"></a>`
		}
		return line + p.eol
	case Computed:
		source, fence := computedYAML(page.Computed), "```"
		for strings.Contains(source, fence) {
			fence += "`"
		}
		lines := strings.SplitAfter(fence+"yaml\n"+source+fence+"\n", "\n")
		margin := strings.Repeat(" ", width(indent))
		for i, l := range lines {
			if i > 0 && l != "" {
				lines[i] = margin + l
			}
		}
		return strings.ReplaceAll(indent+strings.Join(lines, ""), "\n", p.eol)
	}
	target := page.Target
	if page.Type == Document || schemeless(target) {
		file := target
		if page.Type == Document {
			file = page.File
		}
		target = p.relative(file, page.Type == Link)
	} else {
		target = address(target)
	}
	label := page.LinkTitle
	if page.Type == Document && label != "" && label == page.Head.Meta.LinkTitle {
		label = "" // the front matter of the file already has the link title
	}
	line := indent + "[" + text + "](" + target
	if label != "" {
		line += ` "` + quote(label) + `"`
	}
	return line + ")" + p.eol
}

func schemeless(target string) bool {
	_, ok := schemeOf(target)
	return !ok
}

var (
	pathEscape    = strings.NewReplacer("%", "%25", "#", "%23", "?", "%3F", "&", "%26", "<", "%3C", ">", "%3E", "\\", "%5C")
	addressEscape = strings.NewReplacer("<", "%3C", ">", "%3E", "\\", "%5C", "\n", "%0A", "\r", "%0D", "\t", "%09")
	quoteEscape   = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
)

// relative returns a path relative to the folder of SUMMARY.md, as the destination of a
// link. anchor is set if the path may have a fragment.
func (p *printer) relative(file string, anchor bool) string {
	fragment := ""
	if anchor {
		if before, after, ok := strings.Cut(file, "#"); ok {
			file, fragment = before, "#"+after
		}
	}
	dir := path.Dir(p.tree.summary())
	for dir != "." && !strings.HasPrefix(file, dir+"/") {
		file = "../" + file
		dir = path.Dir(dir)
	}
	if dir != "." {
		file = strings.TrimPrefix(file, dir+"/")
	}
	file = pathEscape.Replace(file)
	if _, ok := schemeOf(file); ok {
		file = "./" + file
	}
	return bracketed(file + plainAddress(fragment))
}

// address returns an address in the form of a link destination.
func address(s string) string { return bracketed(plainAddress(s)) }

func plainAddress(s string) string {
	s = addressEscape.Replace(s)
	if inline.Unescape(s) != s {
		s = strings.ReplaceAll(s, "&", "&amp;")
	}
	return s
}

// bracketed returns a destination, in angle brackets if it contains spaces or
// parentheses, which would end it.
func bracketed(s string) string {
	if !strings.ContainsAny(s, " ()") {
		return s
	}
	return "<" + s + ">"
}

// quote escapes a link title for use between double quotes.
func quote(s string) string {
	s = quoteEscape.Replace(s)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '&' && inline.Unescape(s[i:]) != s[i:] {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// computedYAML returns the YAML of a computed page. The keys type, title, props and
// dependencies come first; the others are sorted by name.
func computedYAML(v map[string]any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	root, err := yamldoc.Parse(raw, len(raw)) // JSON is YAML
	if err != nil {
		return ""
	}
	var block func(n *yaml.Node)
	block = func(n *yaml.Node) {
		n.Style &^= yaml.FlowStyle
		if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
			n.Style = 0
		}
		for _, c := range n.Content {
			block(c)
		}
	}
	block(root)
	order := []string{"type", "title", "props", "dependencies"}
	type pair struct{ key, value *yaml.Node }
	var pairs []pair
	for key, value := range yamldoc.Pairs(root) {
		pairs = append(pairs, pair{key, value})
	}
	sort.SliceStable(pairs, func(i, j int) bool {
		a, b := slices.Index(order, pairs[i].key.Value), slices.Index(order, pairs[j].key.Value)
		return a >= 0 && (b < 0 || a < b)
	})
	root.Content = nil
	for _, p := range pairs {
		root.Content = append(root.Content, p.key, p.value)
	}
	out, _ := yamldoc.Encode(root)
	return string(out)
}
