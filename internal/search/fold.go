package search

import (
	"unicode"
	"unicode/utf8"
)

// Tables of letters without case and accents, one character for each code point from
// the start of the range. A space means that the code point does not change.
const (
	latin = "aaaaaa ceeeeiiii nooooo  uuuuy  aaaaaa ceeeeiiii nooooo  uuuuy y" + // U+00C0
		"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii  jjkkklllllllllln" + // U+0100
		"nnnnn   oooooo  rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs" // U+0144
	latinMore = "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrrssssssssss" +
		"ttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwy s    aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooo" +
		"uuuuuuuuuuuuuuyyyyyyyy" // U+1E00
	greek     = "α εηι ο υωιαβγδεζηθικλμνξοπρ στυφχψωιυαεηιυαβγδεζηθικλμνξοπρσστυφχψωιυουω" // U+0386
	greekMore = "ααααααααααααααααεεεεεε  εεεεεε  ηηηηηηηηηηηηηηηηιιιιιιιιιιιιιιιιοοοοοο  οοοοοο  υυυυυυυυ υ υ υ υωωωωωωωωωωωωωωωω" +
		"ααεεηηιιοουυωω  ααααααααααααααααηηηηηηηηηηηηηηηηωωωωωωωωωωωωωωωωααααα ααααααα     ηηη ηηεεηηη   ιιιι  ιιιιιι    υυυυρρυυυυυυρ     ωωω ωωοοωωω" // U+1F00
	halfKana = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン" // U+FF66
)

var foldRanges = func() []foldRange {
	out := []foldRange{
		{first: 0xC0, to: []rune(latin)},
		{first: 0x386, to: []rune(greek)},
		{first: 0x1E00, to: []rune(latinMore)},
		{first: 0x1F00, to: []rune(greekMore)},
		{first: 0xFF66, to: []rune(halfKana)},
	}
	return out
}()

type foldRange struct {
	first rune
	to    []rune
}

// ligatures are letters that fold to several letters, or are outside of the tables.
var ligatures = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe", 'ĳ': "ij", 'Ĳ': "ij",
	'þ': "th", 'Þ': "th", 'ð': "d", 'Ð': "d", 'ø': "o", 'Ø': "o", 'ŉ': "n", 'ŋ': "n", 'Ŋ': "n",
	'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st",
	'ơ': "o", 'Ơ': "o", 'ư': "u", 'Ư': "u",
	'ё': "е", 'Ё': "е",
	'أ': "ا", 'إ': "ا", 'آ': "ا", 'ى': "ي", 'ة': "ه",
}

// isDropped reports whether folding removes a character: accents, vowel points, and
// format characters. Marks of other scripts are vowels, which stay.
func isDropped(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, // soft hyphen
		r >= 0x300 && r <= 0x36F,                              // accents
		r >= 0x591 && r <= 0x5C7 && unicode.Is(unicode.Mn, r), // Hebrew points
		r == 0x640, r >= 0x64B && r <= 0x65F, r == 0x670, // Arabic vowel signs
		r >= 0x200B && r <= 0x200F, r == 0x2060, r == 0xFEFF,
		r >= 0xFE00 && r <= 0xFE0F: // variation selectors
		return true
	}
	return false
}

// Fold returns a word in lower case, without accents and wide forms, truncated to
// maxTermRunes characters.
func Fold(word string) string { return fold(word) }

func fold(word string) string {
	if isFolded(word) {
		return word
	}
	return string(appendFolded(make([]byte, 0, min(len(word), 4*maxTermRunes)), word))
}

// isFolded reports whether folding does not change a word. It returns false for some
// of these words, but never true for others.
func isFolded(word string) bool {
	if len(word) > maxTermRunes {
		return false
	}
	for i := 0; i < len(word); i++ {
		if c := word[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

func appendFolded(b []byte, word string) []byte {
	n := 0
	for _, r := range word {
		if n >= maxTermRunes {
			break
		}
		switch {
		case r < utf8.RuneSelf:
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			b = append(b, byte(r))
		case isDropped(r):
			continue
		default:
			if s, ok := ligatures[r]; ok {
				b = append(b, s...)
			} else {
				b = utf8.AppendRune(b, foldRune(r))
			}
		}
		n++
	}
	return b
}

func foldRune(r rune) rune {
	if r >= 0xFF01 && r <= 0xFF5E { // wide forms of ASCII
		r -= 0xFF01 - '!'
	}
	for _, f := range foldRanges {
		if i := int(r - f.first); i >= 0 && i < len(f.to) {
			if f.to[i] != ' ' {
				return f.to[i]
			}
			break
		}
	}
	return unicode.ToLower(r)
}
