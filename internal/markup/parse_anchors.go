package markup

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// Slug returns the anchor of a text as GitBook derives it: letters and digits
// in lower case, dots and underscores, and a dash for each run of other
// characters between them. A slug that would begin with a digit gets the prefix
// "id-".
func Slug(text string) string {
	s := slugOf(text, func(r rune) rune {
		switch {
		case r == '.' || r == '_':
			return r
		case strings.ContainsRune("'’‘\"“”`", r):
			return -1 // part of the word
		}
		return '-'
	})
	if s == "" || strings.Trim(s, "._") == "" {
		return "section"
	}
	if s[0] >= '0' && s[0] <= '9' {
		return "id-" + s
	}
	return s
}

// slugOf returns an anchor of a text. Characters that are neither letters nor
// digits are replaced by the result of other; -1 removes the character. Spaces
// and dashes in that result become "-". Runs of dashes are written once, and
// only between other characters.
func slugOf(text string, other func(rune) rune) string {
	const longest = 100
	var b strings.Builder
	b.Grow(min(len(text), longest))
	dash := false
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !(unicode.IsMark(r) && b.Len() > 0) {
			if r = other(r); unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) {
				r = '-'
			}
		}
		switch {
		case r < 0:
			continue
		case r == '-':
			dash = true
			continue
		case dash && b.Len() > 0:
			b.WriteByte('-')
		}
		dash = false
		b.WriteRune(unicode.ToLower(r))
		if b.Len() >= longest {
			break
		}
	}
	return b.String()
}

// aliases returns the other anchors that links use for a heading with a text
// and a slug: the slug without the prefix "id-", the words without punctuation,
// and the anchor of GitHub, which has a dash for each space.
func aliases(text, slug string) [3]string {
	plain := slugOf(text, func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) {
			return '-'
		}
		return -1
	})
	github := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_' || r == '-':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(text))
	return [...]string{strings.TrimPrefix(slug, "id-"), plain, github}
}

// nameAnchors sets a unique anchor for every block that can be linked to.
// Anchors that the author wrote have precedence.
func nameAnchors(nodes []*Node) {
	used := map[string]bool{}
	next := map[string]int{}
	type unnamed struct {
		*Node
		text, slug string
	}
	var open []unnamed
	eachBlock(nodes, func(n *Node) {
		t := blockTypes[n.Type]
		if t == nil || t.anchor == nil {
			return
		}
		id, text := t.anchor(n)
		if id != "" && !used[id] {
			used[id] = true
			n.Meta = map[string]any{"id": id}
			return
		}
		open = append(open, unnamed{n, text, Slug(text)})
	})
	for _, n := range open {
		id := n.slug
		for used[id] {
			next[n.slug]++
			id = n.slug + "-" + strconv.Itoa(next[n.slug])
		}
		used[id] = true
		n.Meta = map[string]any{"id": id}
	}
	for _, n := range open {
		if n.HeadingLevel() > 0 {
			if list := freeAliases(n.text, n.slug, used); list != nil {
				n.setExtra(func(e *extras) { e.aliases = list })
			}
		}
	}
}

// freeAliases returns the aliases of a heading that are not in use, and adds
// them to used.
func freeAliases(text, slug string, used map[string]bool) (list []string) {
	for _, a := range aliases(text, slug) {
		if a != "" && !used[a] && IsAnchor(a) {
			used[a] = true
			list = append(list, a)
		}
	}
	return list
}

// Aliases returns the other anchors that lead to a heading. They exist because
// other programs derive other anchors from the same text.
func (n *Node) Aliases() []string { return n.extra().aliases }

// HasAnchor reports whether has accepts an anchor of a link in one of three
// forms: as it is written, with percent-encoding decoded, or decoded and in
// lower case, as the anchors of headings are.
func HasAnchor(anchor string, has func(string) bool) bool {
	if has(anchor) {
		return true
	}
	if plain, err := url.PathUnescape(anchor); err == nil {
		anchor = plain
	}
	return has(anchor) || has(strings.ToLower(anchor))
}

// rawAnchors appends the ids in a piece of HTML to out. The HTML need not be
// well formed.
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
				if (string(key) == "id" || link && string(key) == "name") && IsAnchor(string(value)) {
					out = append(out, string(value))
				}
			}
		}
	}
}

func headingAnchor(n *Node) (id, text string) { return n.Str(FieldID), PlainText(n.Nodes) }
func tabAnchor(n *Node) (id, text string)     { return n.Str(FieldSlug), n.Str(FieldTitle) }

func expandableAnchor(n *Node) (id, text string) {
	if len(n.Fragments) > 0 && len(n.Fragments[0].Nodes) > 0 {
		text = PlainText(n.Fragments[0].Nodes[0].Nodes)
	}
	return "", text
}

func schemasAnchor(n *Node) (id, text string) { return "", strings.Join(n.Strings(FieldSchemas), " ") }

func operationAnchor(n *Node) (id, text string) {
	return "", n.Str(FieldMethod) + " " + strings.ReplaceAll(n.Str(FieldPath)+n.Str(FieldName), "/", " ")
}

// eachBlock calls f for all blocks and their descendants in reading order.
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
