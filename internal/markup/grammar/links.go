package grammar

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Other tools write addresses that CommonMark does not accept: with spaces, with
// quotes in the title, or with an expression such as `{{< relref "page.md" >}}`.
// Readers of these tools see a link, and so do readers here.

// looseLinkParser parses links and images, also those with such addresses.
type looseLinkParser struct{ parser.InlineParser }

func (p looseLinkParser) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := p.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

func (p looseLinkParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if len(line) < 4 || line[0] != ']' || line[1] != '(' {
		return p.InlineParser.Parse(parent, block, pc)
	}
	strict, length := looseTarget(string(line[1:min(len(line), maxLooseTarget)]))
	if length == 0 {
		return p.InlineParser.Parse(parent, block, pc)
	}
	n := p.InlineParser.Parse(parent, text.NewReader([]byte("]"+strict)), pc)
	if n != nil {
		block.Advance(1 + length)
	}
	return n
}

// maxLooseTarget is the maximum length of the address and the title of a link
// that is not written as CommonMark wants it, in bytes.
const maxLooseTarget = 1 << 10

// looseTarget returns the target of a link at the start of s in the form of
// CommonMark, and its length in s. The length is 0 if there is none, or if
// CommonMark accepts it.
func looseTarget(s string) (strict string, length int) {
	end := targetEnd(s)
	if end < 0 {
		return "", 0
	}
	dest, title := strings.TrimSpace(s[1:end]), ""
	if !strings.ContainsAny(dest, " \t") || strictTarget.MatchString(s) { // most links
		return "", 0
	}
	if m := looseTitle.FindStringSubmatchIndex(dest); m != nil {
		dest, title = dest[:m[0]], dest[m[2]:m[3]]
		if dest == "" {
			return "", 0
		}
	}
	switch {
	case strictTitle.MatchString(dest):
		return "", 0
	case !strings.ContainsAny(dest, " \t"):
		if !strings.Contains(title, `"`) || strings.Contains(title, `\"`) {
			return "", 0
		}
	case !looseAddress.MatchString(dest) && !HasExpression(dest):
		return "", 0
	}
	strict = "(<" + looseEscape.Replace(dest) + ">"
	if title != "" {
		strict += ` "` + strings.ReplaceAll(title, `"`, `\"`) + `"`
	}
	return strict + ")", end + 1
}

// targetEnd returns the offset of the parenthesis that ends the target of a link,
// or -1.
func targetEnd(s string) int {
	depth := 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n', '`', '[', ']':
			return -1
		case '<':
			if depth == 0 && strings.TrimLeft(s[1:i], " \t") == "" {
				return -1 // the form of CommonMark for addresses with spaces
			}
		case '{':
			if n := expressionLength(s[i:]); n > 0 {
				i += n - 1
			}
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// expressionLength returns the length of the expression or the tag at the start
// of s, or 0.
func expressionLength(s string) int {
	stop := "}}"
	switch {
	case strings.HasPrefix(s, "{%"):
		stop = "%}"
	case !strings.HasPrefix(s, "{{"):
		return 0
	}
	end := strings.Index(s[2:], stop)
	if end < 0 || strings.Contains(s[2:2+end], "\n") {
		return 0
	}
	return end + 4
}

var (
	// strictTarget matches a target whose title may have parentheses.
	strictTarget = regexp.MustCompile(`^\([ \t]*(?:[^ \t\n<>()"']|\([^ \t\n()]*\))+[ \t]+(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')[ \t]*\)`)
	// strictTitle matches an address and a title that CommonMark accepts.
	strictTitle = regexp.MustCompile(`^[^ \t]+[ \t]+(?:'[^']*'|\([^()]*\))$`)
	looseTitle  = regexp.MustCompile(`[ \t]+"(.+)"$`)
	// looseAddress matches a text with spaces that is an address and no remark in
	// parentheses.
	looseAddress = regexp.MustCompile(`^(?:https?://|mailto:|#|/|\.\.? ?/)|^[^?#]*\.(?i:md|html?|png|jpe?g|gif|svg|webp|pdf|zip|txt|ya?ml|json)(?:[?#].*)?$`)
	looseEscape  = strings.NewReplacer("<", `\<`, ">", `\>`)
)

// HasExpression reports whether an address has an expression or a tag of another tool.
func HasExpression(dest string) bool {
	return strings.Contains(dest, "{{") || strings.Contains(dest, "{%")
}

var (
	// pathExpression matches an expression or a tag that means the address of
	// the page or file that it names.
	pathExpression = regexp.MustCompile("^\\{(?:\\{[<%][ \t]*(?:relref|ref)|%-?[ \t]*(?:link|post_url))[ \t]+[\"'`]?([^\"'`%>{}]+?)[\"'`]?[ \t]*-?(?:[%>]\\}|%)\\}")
	// filterExpression matches a path that a filter makes an address.
	filterExpression = regexp.MustCompile(`^\{\{-?[ \t]*["']([^"']+)["'][ \t]*\|[ \t]*(?:relative_url|absolute_url|relURL|absURL|url)[ \t]*-?\}\}`)
	// rootExpression matches the address of the site.
	rootExpression = regexp.MustCompile(`^\{\{-?[ \t]*(?:site\.(?:baseurl|url|base_url)|\.Site\.BaseURL|base_url|page\.baseurl)[ \t]*-?\}\}`)
)

// ExpressionPaths returns the paths that an address with an expression may name,
// best first, or nil if nobody knows what it names.
func ExpressionPaths(dest string) []string {
	for range 2 { // the address of the site, as url and baseurl
		if m := rootExpression.FindString(dest); m != "" {
			dest = dest[len(m):]
		}
	}
	var out []string
	if m := pathExpression.FindStringSubmatch(dest); m != nil {
		path := m[1]
		out = []string{path + dest[len(m[0]):]}
		if !strings.HasPrefix(path, "/") {
			out = append(out, "/"+out[0])
		}
	} else if m := filterExpression.FindStringSubmatch(dest); m != nil {
		out = []string{m[1] + dest[len(m[0]):]}
	} else if strings.HasPrefix(dest, "/") {
		out = []string{dest}
	}
	for _, path := range out {
		if HasExpression(path) {
			return nil
		}
		file, anchor, _ := strings.Cut(path, "#")
		if file = strings.TrimSuffix(file, "/"); !strings.HasSuffix(file, ".md") && file != "" {
			if anchor != "" {
				anchor = "#" + anchor
			}
			out = append(out, file+".md"+anchor, file+"/README.md"+anchor)
		}
	}
	return out
}
