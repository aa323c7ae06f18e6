package markup

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// Slug makes an anchor of a text: its letters and digits in lower case, with
// dashes for what is between words.
func Slug(text string) string {
	const longest = 100
	var b strings.Builder
	dash := false
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && b.Len() > 0:
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsSpace(r) || unicode.Is(unicode.Pd, r):
			dash = true
		}
		if b.Len() >= longest {
			break
		}
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}

// nameAnchors returns every block that can be linked to its anchor, each one
// once. The ones that a writer fixed come first.
func nameAnchors(nodes []*Node) {
	used := map[string]bool{}
	next := map[string]int{}
	var open []*Node
	eachBlock(nodes, func(n *Node) {
		id := ""
		switch {
		case strings.HasPrefix(n.Type, "heading-"):
			id = n.Str("id")
		case n.Type == "tabs-item":
			id = n.Str("slug")
		case n.Type == "expandable", n.Type == "swagger", strings.HasPrefix(n.Type, "openapi-"):
		default:
			return
		}
		if id != "" && !used[id] {
			used[id] = true
			n.Meta = map[string]any{"id": id}
			return
		}
		open = append(open, n)
	})
	for _, n := range open {
		base := Slug(anchorText(n))
		id := base
		for used[id] {
			next[base]++
			id = base + "-" + strconv.Itoa(next[base])
		}
		used[id] = true
		n.Meta = map[string]any{"id": id}
	}
}

// HasAnchor reports whether a link with an anchor leads to one of those that has
// knows: as it is written, as an address decodes it, or in lower case, as the
// anchors of headings are.
func HasAnchor(anchor string, has func(string) bool) bool {
	if has(anchor) {
		return true
	}
	if plain, err := url.PathUnescape(anchor); err == nil {
		anchor = plain
	}
	return has(anchor) || has(strings.ToLower(anchor))
}

// rawAnchors adds the ids in a piece of HTML, whether or not it is well
// formed.
func rawAnchors(out []string, source string) []string {
	if !strings.Contains(source, "<") {
		return out
	}
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			link := string(name) == "a"
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				if (string(key) == "id" || link && string(key) == "name") && anchorForm.Match(value) {
					out = append(out, string(value))
				}
			}
		}
	}
}

func anchorText(n *Node) string {
	switch {
	case n.Type == "tabs-item":
		return n.Str("title")
	case n.Type == "expandable":
		if len(n.Fragments) > 0 && len(n.Fragments[0].Nodes) > 0 {
			return plainOf(n.Fragments[0].Nodes[0].Nodes)
		}
		return ""
	case n.Type == "openapi-schemas":
		return strings.Join(n.Strings("schemas"), " ")
	case n.Type == "swagger" || strings.HasPrefix(n.Type, "openapi-"):
		return n.Str("method") + " " + strings.ReplaceAll(n.Str("path")+n.Str("name"), "/", " ")
	}
	return plainOf(n.Nodes)
}

// eachBlock visits blocks in the order of readers, with what is inside.
func eachBlock(nodes []*Node, f func(*Node)) {
	for _, n := range nodes {
		if n.Object == ObjectText {
			continue
		}
		if n.Object == ObjectBlock {
			f(n)
		}
		eachBlock(n.Nodes, f)
		eachBlock(n.Fragments, f)
	}
}
