package grammar

import (
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// DelimiterParser parses marks such as `**` as CommonMark does, except beside Chinese,
// Japanese and Korean characters. CommonMark expects a space beside a mark whose text begins
// or ends with punctuation, and these scripts have none there, so that the end of
// `**粗体：**文` would not be an end.
//
// The rules are those of https://github.com/tats-u/markdown-cjk-friendly, which other
// parsers have too: punctuation of these scripts counts as a letter, and beside a
// character of these scripts all other punctuation may begin or end a marked text. Every
// mark of CommonMark remains one.
type DelimiterParser struct{ parser.InlineParser }

func (p DelimiterParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, _ := block.PeekLine()
	n := p.InlineParser.Parse(parent, block, pc)
	if d, ok := n.(*parser.Delimiter); ok {
		after := ' '
		if rest := line[d.OriginalLength:]; len(rest) > 0 {
			after, _ = utf8.DecodeRune(rest)
		}
		if before >= firstAsian || after >= firstAsian {
			d.CanOpen, d.CanClose = Flanking(before, after, d.Char == '_')
		}
	}
	return n
}

// Flanking reports whether a delimiter between two characters can open and close a mark.
// An underscore does neither within a word.
func Flanking(before, after rune, underscore bool) (opens, closes bool) {
	beside := IsAsian(before) || IsAsian(after)
	opens = !util.IsSpaceRune(after) && (!isPlainPunct(after) || util.IsSpaceRune(before) || isPlainPunct(before) || beside)
	closes = !util.IsSpaceRune(before) && (!isPlainPunct(before) || util.IsSpaceRune(after) || isPlainPunct(after) || beside)
	if underscore {
		return opens && (!closes || util.IsPunctRune(before)), closes && (!opens || util.IsPunctRune(after))
	}
	return opens, closes
}

// isPlainPunct reports whether a character is punctuation, but not of an Asian script.
func isPlainPunct(r rune) bool { return util.IsPunctRune(r) && !IsAsian(r) }

// firstAsian is the first character for which isAsian may be true.
const firstAsian = 0x1100

// asian are the blocks of Chinese, Japanese and Korean letters and punctuation.
var asian = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: firstAsian, Hi: 0x11FF, Stride: 1}, // Hangul Jamo
		{Lo: 0x2E80, Hi: 0xA4CF, Stride: 1},     // radicals and punctuation, kana, ideographs, Yi
		{Lo: 0xA960, Hi: 0xA97F, Stride: 1},     // Hangul Jamo
		{Lo: 0xAC00, Hi: 0xD7FF, Stride: 1},     // Hangul syllables
		{Lo: 0xF900, Hi: 0xFAFF, Stride: 1},     // compatible ideographs
		{Lo: 0xFE10, Hi: 0xFE1F, Stride: 1},     // vertical punctuation
		{Lo: 0xFE30, Hi: 0xFE6F, Stride: 1},     // compatible and small punctuation
		{Lo: 0xFF00, Hi: 0xFFEF, Stride: 1},     // characters in other widths
	},
	R32: []unicode.Range32{
		{Lo: 0x16FE0, Hi: 0x18DFF, Stride: 1}, // Tangut
		{Lo: 0x1AFF0, Hi: 0x1B2FF, Stride: 1}, // more kana
		{Lo: 0x20000, Hi: 0x3FFFF, Stride: 1}, // more ideographs
		{Lo: 0xE0100, Hi: 0xE01EF, Stride: 1}, // variants of ideographs
	},
}

// IsAsian reports whether a character is a letter or punctuation of Chinese, Japanese or
// Korean. Emoji, which are as wide, are not.
func IsAsian(r rune) bool { return r >= firstAsian && unicode.Is(asian, r) }
