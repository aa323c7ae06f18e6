package search

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// eachWord calls fn for every word of a text, in order, until fn returns false. Words
// are those of Unicode (UAX #29). An unspaced word is a run of a script without
// spaces between words.
func eachWord(text string, fn func(start, end int, unspaced bool) bool) {
	for i := 0; i < len(text); {
		var more bool
		if i, more = wordsAt(text, i, fn); !more {
			return
		}
	}
}

// wordsAt calls fn for the word at i, or for all words up to the next space if they
// are not ASCII. It returns the position after them and the last result of fn.
func wordsAt(text string, i int, fn func(start, end int, unspaced bool) bool) (next int, more bool) {
	if c := text[i]; c < utf8.RuneSelf && !isWordByte(c) {
		return i + 1, true
	}
	// Most texts are ASCII, for which the rules are short.
	end, ascii := asciiWord(text, i)
	if ascii {
		return end, fn(i, end, false)
	}
	for end < len(text) && !isSpaceByte(text[end]) {
		end++
	}
	return end, eachUnicodeWord(text, i, end, fn)
}

func isWordByte(c byte) bool { return wordBytes[c] }

var wordBytes = func() (out [256]bool) {
	for c := range 256 {
		out[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
	}
	return out
}()

// isSmallByte reports whether a byte is a small letter or a digit, which never
// starts a new part of a word.
func isSmallByte(c byte) bool { return smallBytes[c] }

var smallBytes = func() (out [256]bool) {
	for c := range 256 {
		out[c] = 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
	}
	return out
}()

func isSpaceByte(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// asciiWord returns the end of the word that starts at i. It returns false if the
// word is followed by a character that is not ASCII.
func asciiWord(text string, i int) (end int, ok bool) {
	for end = i; end < len(text); end++ {
		c := text[end]
		if isWordByte(c) {
			continue
		}
		if c >= utf8.RuneSelf {
			return end, false
		}
		// A dot or an apostrophe inside a word is part of it.
		if (c == '.' || c == '\'') && end > i && end+1 < len(text) && isWordByte(text[end+1]) {
			continue
		}
		break
	}
	return end, true
}

// eachUnicodeWord is eachWord for a part of a text without ASCII spaces.
func eachUnicodeWord(text string, from, to int, fn func(start, end int, unspaced bool) bool) bool {
	for i := from; i < to; {
		r, n := utf8.DecodeRuneInString(text[i:to])
		if isUnspaced(r) {
			end := i + n
			for end < to {
				r, n := utf8.DecodeRuneInString(text[end:to])
				if !isUnspaced(r) && !(unicode.IsMark(r) && r != utf8.RuneError) {
					break
				}
				end += n
			}
			if !fn(i, end, true) {
				return false
			}
			i = end
			continue
		}
		end := i + n
		for end < to {
			r, n := utf8.DecodeRuneInString(text[end:to])
			if isUnspaced(r) {
				break
			}
			end += n
		}
		it := words.FromString(text[i:end])
		for it.Next() {
			w := it.Value()
			if !hasAlphanumeric(w) {
				continue
			}
			if !fn(i+it.Start(), i+it.End(), false) {
				return false
			}
		}
		i = end
	}
	return true
}

func hasAlphanumeric(w string) bool {
	for _, r := range w {
		if isAlphanumeric(r) {
			return true
		}
	}
	return false
}

func isAlphanumeric(r rune) bool {
	if r < utf8.RuneSelf {
		return isWordByte(byte(r)) && r != '_'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

// isUnspaced reports whether a character belongs to a script without spaces between
// words. Korean has spaces, but it is included because it appends particles to words,
// so that parts of words have to be found.
func isUnspaced(r rune) bool {
	switch {
	case r < 0xE00:
		return false
	case r <= 0xEFF, // Thai, Lao
		r >= 0x1000 && r <= 0x109F, // Myanmar
		r >= 0x1780 && r <= 0x17FF, // Khmer
		r >= 0x3005 && r <= 0x3007,
		r >= 0x3041 && r <= 0x30FF && r != 0x30FB, // kana
		r >= 0x31F0 && r <= 0x31FF,
		r >= 0x3400 && r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF, // Han
		r >= 0xAC00 && r <= 0xD7AF, // Hangul
		r >= 0xFF66 && r <= 0xFF9F,
		r >= 0x20000 && r <= 0x323AF:
		return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
	}
	return false
}

// eachPiece calls fn for the overlapping pairs of characters of a run of a script
// without spaces, including their marks, and for the last character. So every
// character starts a piece, and a query for a single character finds it as a prefix.
func eachPiece(text string, start, end int, fn func(start, end int) bool) {
	prev := -1
	for i := start; i < end; {
		next := i
		_, n := utf8.DecodeRuneInString(text[next:end])
		next += n
		for next < end {
			r, n := utf8.DecodeRuneInString(text[next:end])
			if !unicode.IsMark(r) {
				break
			}
			next += n
		}
		if prev >= 0 && !fn(prev, next) {
			return
		}
		prev, i = i, next
	}
	if prev >= 0 {
		fn(prev, end)
	}
}
