package pdf

import (
	"golang.org/x/text/unicode/bidi"
)

// hasRTL reports whether a text contains characters of right-to-left scripts.
func hasRTL(in []char) bool {
	for _, c := range in {
		if c.r < 0x590 {
			continue
		}
		p, _ := bidi.LookupRune(c.r)
		switch p.Class() {
		case bidi.R, bidi.AL, bidi.AN:
			return true
		}
	}
	return false
}

// charsOf returns the beginning of a text, which is enough to determine its direction.
func charsOf(s string) []char {
	const enough = 1000
	var out []char
	for _, r := range s {
		if out = append(out, char{r: r}); len(out) == enough {
			break
		}
	}
	return out
}

// startsRTL reports whether the first strong character of a text is right-to-left.
func startsRTL(in []char) bool {
	for _, c := range in {
		p, _ := bidi.LookupRune(c.r)
		switch p.Class() {
		case bidi.R, bidi.AL:
			return true
		case bidi.L:
			return false
		}
	}
	return false
}

// setLevels sets the embedding level of every character; odd levels are right-to-left.
// The bidi library returns only directions. Levels follow from them, because explicit
// embedding characters were removed before.
func setLevels(in []char, rtl bool) {
	runes := make([]rune, len(in))
	for i, c := range in {
		if runes[i] = c.r; c.r == '\n' || c.r == 0x2029 {
			runes[i] = ' ' // a line break would end the paragraph
		}
		if p, _ := bidi.LookupRune(runes[i]); p.Class() == bidi.B {
			runes[i] = ' '
		}
	}
	var p bidi.Paragraph
	way := bidi.LeftToRight
	if rtl {
		way = bidi.RightToLeft
	}
	if _, err := p.SetString(string(runes), bidi.DefaultDirection(way)); err != nil {
		return
	}
	order, err := p.Order()
	if err != nil {
		return
	}
	for i := range order.NumRuns() {
		run := order.Run(i)
		from, to := run.Pos()
		if to = min(to, len(in)-1); i > 0 && !rtl && run.Direction() != bidi.RightToLeft {
			// A number after right-to-left text belongs to that text.
			to = from + numberAt(runes[from:to+1]) - 1
		}
		for k := from; k <= to; k++ {
			switch {
			case run.Direction() == bidi.RightToLeft:
				in[k].level = 1
			case rtl || i > 0:
				in[k].level = 2
			}
		}
	}
}

// numberAt returns the length in runes of the number at the beginning of a text.
func numberAt(in []rune) (n int) {
	for i, r := range in {
		p, _ := bidi.LookupRune(r)
		switch p.Class() {
		case bidi.EN, bidi.AN:
			n = i + 1
		case bidi.ET:
			if n == i && n > 0 {
				n = i + 1
			}
		case bidi.ES, bidi.CS:
			if i == 0 || n != i {
				return n
			}
		default:
			return n
		}
	}
	return n
}

// visual reorders the glyphs of a line from logical to visual order.
func visual(line []glyph) {
	most := uint8(0)
	for _, g := range line {
		most = max(most, g.level)
	}
	for level := most; level > 0; level-- {
		for i := 0; i < len(line); {
			if line[i].level < level {
				i++
				continue
			}
			j := i
			for j < len(line) && line[j].level >= level {
				j++
			}
			for a, b := i, j-1; a < b; a, b = a+1, b-1 {
				line[a], line[b] = line[b], line[a]
			}
			i = j
		}
	}
}

// mirrored returns the mirrored character of a bracket, or r itself.
func mirrored(r rune) rune {
	for _, m := range bidi.ReverseString(string(r)) {
		return m
	}
	return r
}

// steersDirection reports whether r is a control character for isolates, embeddings or
// overrides. Such characters are ignored: the letters determine the order of text.
func steersDirection(r rune) bool {
	switch r {
	case 0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069:
		return true
	}
	return false
}
