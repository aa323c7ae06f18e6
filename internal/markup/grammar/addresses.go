package grammar

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// addressParser converts addresses in text to links: http://a.bc, www.a.bc and
// a@b.cd. The rules are those of GitHub's Markdown.
type addressParser struct{}

// Trigger returns the bytes that may precede an address. A space represents every
// white space, and the position after another inline.
func (addressParser) Trigger() []byte { return []byte{' ', '*', '_', '~', '('} }

func (addressParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if pc.IsInLinkLabel() {
		return nil
	}
	line, seg := block.PeekLine()
	if seg.Padding > 0 {
		return nil
	}
	skip := 0
	switch line[0] {
	case ' ', '\t', '*', '_', '~', '(':
		skip = 1
	}
	rest := line[skip:]
	if len(rest) == 0 || !IsWordByte(rest[0]) {
		return nil
	}
	// This code runs for every word, so the first character is checked first.
	n, kind, protocol := 0, ast.AutoLinkType(ast.AutoLinkURL), ""
	switch rest[0] {
	case 'h', 'f':
		n = urlLength(rest)
	case 'w':
		if bytes.HasPrefix(rest, []byte("www.")) {
			n, protocol = addressLength(rest, 0), "http"
		}
	}
	if n == 0 && scanOf(pc).mails {
		n, kind = mailLength(rest), ast.AutoLinkEmail
	}
	if n == 0 {
		return nil
	}
	if skip > 0 {
		ast.MergeOrAppendTextSegment(parent, seg.WithStop(seg.Start+1))
	}
	block.Advance(skip + n)
	link := ast.NewAutoLink(kind, ast.NewTextSegment(text.NewSegment(seg.Start+skip, seg.Start+skip+n)))
	if protocol != "" {
		link.Protocol = []byte(protocol)
	}
	return link
}

// schemeParser is addressParser for sources without mail addresses and "www.": it
// checks the text before a colon instead of every word.
type schemeParser struct{}

func (schemeParser) Trigger() []byte { return []byte{':'} }

func (schemeParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, seg := block.PeekLine()
	before, ok := parent.LastChild().(*ast.Text)
	if !ok || before.Segment.Stop != seg.Start || !bytes.HasPrefix(line, []byte("://")) || pc.IsInLinkLabel() {
		return nil
	}
	source := block.Source()
	word := source[before.Segment.Start:before.Segment.Stop]
	for _, scheme := range []string{"https", "http", "ftp"} {
		rest, ok := bytes.CutSuffix(word, []byte(scheme))
		if !ok || !endsBeforeAddress(rest) {
			continue
		}
		start := seg.Start - len(scheme)
		n := urlLength(source[start:seg.Stop])
		if n == 0 {
			return nil
		}
		if len(rest) == 0 {
			parent.RemoveChild(parent, before)
		} else {
			before.Segment = before.Segment.WithStop(start)
		}
		block.Advance(n - len(scheme))
		return ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(start, start+n)))
	}
	return nil
}

// endsBeforeAddress reports whether an address can begin after a text: at the
// start, after a trigger of addressParser, and after backticks that do not begin
// code.
func endsBeforeAddress(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	switch b[len(b)-1] {
	case ' ', '\t':
		return true
	case '*', '_', '~', '(', '`':
		b = b[:len(b)-1]
		return (len(b)-len(bytes.TrimRight(b, `\`)))%2 == 0 // otherwise the character is escaped
	}
	return false
}

// urlLength returns the length of the address at the start of b, or 0 if there is
// none.
func urlLength(b []byte) int {
	for _, scheme := range []string{"https://", "http://", "ftp://"} {
		if bytes.HasPrefix(b, []byte(scheme)) {
			return addressLength(b, len(scheme))
		}
	}
	return 0
}

// maxAddress is the maximum length of an address in text.
const maxAddress = 2 << 10

// addressLength returns the length of an address whose host begins at a position
// of b, or 0. The host must have a dot. The address extends to the next space,
// without the punctuation at the end of a sentence.
func addressLength(b []byte, host int) int {
	b = b[:min(len(b), maxAddress)]
	i := host
	dot := -1
	for i < len(b) && (IsWordByte(b[i]) || b[i] == '-' || b[i] == '_' || b[i] == '.') {
		if b[i] == '.' {
			dot = i
		}
		i++
	}
	for i > host && b[i-1] == '.' {
		i--
	}
	if dot <= host || dot >= i-1 && bytes.IndexByte(b[host:max(i-1, host)], '.') <= 0 {
		return 0
	}
	if i < len(b) && b[i] == ':' {
		k := i + 1
		for k < len(b) && b[k] >= '0' && b[k] <= '9' {
			k++
		}
		if k > i+1 {
			i = k
		}
	}
	if i < len(b) && (b[i] == '/' || b[i] == '?' || b[i] == '#') {
		for i < len(b) && b[i] > ' ' && b[i] < 0x7f && b[i] != '<' && b[i] != '`' && b[i] != '\\' {
			i++
		}
		i = trimAddress(b[:i])
	}
	return i
}

// trimAddress returns the length of an address without trailing characters that
// more likely belong to the sentence.
func trimAddress(b []byte) int {
	i := len(b)
	open, closed := bytes.Count(b, []byte("(")), bytes.Count(b, []byte(")"))
	for i > 0 {
		switch b[i-1] {
		case '?', '!', '.', ',', ':', ';', '*', '_', '~', '\'', '"', ']', '}', '|':
			i--
			continue
		case ')':
			if closed > open {
				closed--
				i--
				continue
			}
		}
		break
	}
	return i
}

// mailLength returns the length of the mail address at the start of b, or 0 if
// there is none.
func mailLength(b []byte) int {
	const longest = 64 // of the part before the @
	i := 0
	for i < len(b) && i < longest && (IsWordByte(b[i]) || b[i] == '.' || b[i] == '-' || b[i] == '_' || b[i] == '+') {
		i++
	}
	if i == 0 || !IsWordByte(b[0]) || i >= len(b) || b[i] != '@' {
		return 0
	}
	at := i + 1
	i = at
	dot := -1
	for i < len(b) && i < at+255 && (IsWordByte(b[i]) || b[i] == '-' || b[i] == '.' || b[i] == '_') {
		if b[i] == '.' {
			dot = i
		}
		i++
	}
	for i > at && b[i-1] == '.' {
		i--
	}
	if dot <= at || i == at || b[i-1] == '-' || b[i-1] == '_' || bytes.IndexByte(b[at:i], '.') <= 0 {
		return 0
	}
	return i
}

// IsWordByte reports whether c is a letter, a digit or a byte of another script: an address
// does not begin after it.
func IsWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
