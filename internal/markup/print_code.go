package markup

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

func (p *printer) code(n *Node) string {
	if needsPre(n) {
		return p.pre(n)
	}
	var lines []string
	for _, l := range n.Nodes {
		lines = append(lines, strings.Split(cleanLines(codeText(l)), "\n")...)
	}
	info := oneWord(n.Str(FieldSyntax))
	if more := strings.Join(strings.Fields(cleanLines(n.Str(fieldInfo))), " "); more != "" && info != "" {
		info += " " + more
	}
	s := p.fence(info, lines)
	w := openTag("code").strings(n, FieldTitle, FieldOverflow).flags(n, FieldLineNumbers, FieldExpandable, FieldFullWidth)
	if k, ok := n.Num(FieldCollapsedLineCount); ok {
		w.attr("collapsedLineCount", decimal(k))
	}
	w.others(n, FieldSyntax.name, fieldInfo.name, FieldTitle.name, FieldOverflow.name, FieldLineNumbers.name, FieldExpandable.name, FieldFullWidth.name, FieldCollapsedLineCount.name)
	if w.done() == openTag("code").done() {
		return s
	}
	return w.enclose(s)
}

// codeKeys are the known attributes of code blocks.
var codeKeys = map[string]bool{
	"syntax": true, "title": true, "overflow": true, "lineNumbers": true, "expandable": true, "fullWidth": true, "collapsedLineCount": true,
}

// unknownAttr is the prefix of HTML attributes for the attributes that code
// blocks do not know and that a tag would have by their own name.
const unknownAttr = "data-attr-"

var attrName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// attrKey encodes a name without upper case letters, because HTML attribute
// names are not case-sensitive.
func attrKey(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r == '_' || unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// readAttrKey decodes a name that attrKey encoded.
func readAttrKey(key string) string {
	var b strings.Builder
	upper := false
	for _, r := range key {
		switch {
		case r == '_' && !upper:
			upper = true
			continue
		case upper:
			r = unicode.ToUpper(r)
		}
		upper = false
		b.WriteRune(r)
	}
	return b.String()
}

// oneWord joins the words of a language name, because the info string ends it
// at a space.
func oneWord(s string) string { return strings.Join(strings.Fields(cleanLines(s)), "-") }

func codeText(line *Node) string {
	var b strings.Builder
	for _, n := range line.Nodes {
		for _, l := range n.Leaves {
			b.WriteString(l.Text)
		}
	}
	return b.String()
}

// needsPre reports whether a code block has content that a fence cannot
// express.
func needsPre(n *Node) bool {
	for _, l := range n.Nodes {
		if l.Flag(FieldHighlighted) {
			return true
		}
		for _, k := range l.Nodes {
			if k.Object != ObjectText {
				return true
			}
		}
	}
	return false
}

// fence returns code between fences that do not occur in it.
func (p *printer) fence(info string, lines []string) string {
	c := "`"
	if strings.Contains(info, "`") {
		c = "~"
	}
	n := 3
	for _, l := range lines {
		l = strings.TrimLeft(l, " \t")
		if k := syntax.RunLength([]byte(l), c[0]); k >= n {
			n = k + 1
		}
	}
	mark := strings.Repeat(c, n)
	if strings.HasPrefix(info, c) {
		info = " " + info // otherwise it would be part of the fence
	}
	return mark + escapeInfo(info) + "\n" + strings.Join(lines, "\n") + "\n" + mark
}

// escapeInfo escapes an info string so that decode returns the original.
func escapeInfo(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			b.WriteString(`\\`)
		case s[i] == '&':
			b.WriteString("&amp;")
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// pre returns a code block with highlighted lines or notes as HTML.
func (p *printer) pre(n *Node) string {
	var b strings.Builder
	b.WriteString("<pre")
	syntax := oneWord(n.Str(FieldSyntax))
	if syntax != "" {
		b.WriteString(" class=" + quoteAttr("language-"+syntax))
	}
	for _, a := range [...]struct {
		f    TextField
		attr string
	}{{FieldTitle, "data-title"}, {FieldOverflow, "data-overflow"}} {
		if v := n.Str(a.f); v != "" {
			b.WriteString(" " + a.attr + "=" + quoteAttr(v))
		}
	}
	for _, a := range [...]struct {
		f    FlagField
		attr string
	}{{FieldLineNumbers, "data-line-numbers"}, {FieldExpandable, "data-expandable"}, {FieldFullWidth, "data-full-width"}} {
		if v, ok := n.FlagSet(a.f); ok {
			b.WriteString(" " + a.attr)
			if !v {
				b.WriteString(`="false"`)
			}
		}
	}
	if k, ok := n.Num(FieldCollapsedLineCount); ok {
		b.WriteString(" data-collapsed-line-count=" + quoteAttr(decimal(k)))
	}
	for key, v := range sortedPairs(n.Data) {
		if v != nil && !codeKeys[key] && attrName.MatchString(key) {
			b.WriteString(" " + unknownAttr + attrKey(key) + "=" + quoteAttr(valueText(v)))
		}
	}
	b.WriteString("><code")
	if syntax != "" {
		b.WriteString(" class=" + quoteAttr("lang-"+syntax))
	}
	b.WriteString(">")
	for _, l := range n.Nodes {
		marked := l.Flag(FieldHighlighted)
		if marked {
			b.WriteString("<strong>")
		}
		for _, k := range l.Nodes {
			switch {
			case k.Object == ObjectText:
				for _, leaf := range k.Leaves {
					b.WriteString(escapeCode(leaf.Text))
				}
			case k.Type == "annotation" && !p.inRef:
				b.WriteString(p.noteSpan(k, escapeCode(codeText(k))))
			case k.Type == "expression":
				b.WriteString(expressionElement(k.Str(FieldExpression)))
			default:
				b.WriteString(escapeCode(PlainText([]*Node{k})))
			}
		}
		b.WriteString("\n")
		if marked {
			b.WriteString("</strong>")
		}
	}
	b.WriteString("</code></pre>")
	return b.String()
}

func escapeCode(s string) string {
	return codeEscaper.Replace(strings.ReplaceAll(cleanLines(s), "\n", " "))
}

var codeEscaper = strings.NewReplacer("&", "&#x26;", "<", "&#x3C;")
