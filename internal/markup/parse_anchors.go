package markup

import (
	"strconv"
	"strings"
	"unicode"
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

// nameAnchors gives every block that can be linked to its anchor, each one
// once. The ones that a writer fixed come first.
func nameAnchors(nodes []*Node) {
	used := map[string]bool{}
	next := map[string]int{}
	var open []*Node
	eachBlock(nodes, func(n *Node) {
		id := ""
		switch {
		case strings.HasPrefix(n.Type, "heading-"):
			id = str(n.Data, "id")
		case n.Type == "tabs-item":
			id = str(n.Data, "slug")
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

func anchorText(n *Node) string {
	switch {
	case n.Type == "tabs-item":
		return str(n.Data, "title")
	case n.Type == "expandable":
		if len(n.Fragments) > 0 && len(n.Fragments[0].Nodes) > 0 {
			return plainOf(n.Fragments[0].Nodes[0].Nodes)
		}
		return ""
	case n.Type == "openapi-schemas":
		return strings.Join(texts(n.Data["schemas"]), " ")
	case n.Type == "swagger" || strings.HasPrefix(n.Type, "openapi-"):
		return str(n.Data, "method") + " " + strings.ReplaceAll(str(n.Data, "path")+str(n.Data, "name"), "/", " ")
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
