package formula

import (
	"slices"
	"strings"
)

// alphabet is a mathematical alphabet of Unicode: where its letters and digits begin. Zero is an
// alphabet without them.
type alphabet struct {
	upper, lower, digits, greekUpper, greekLower rune
	others                                       string // pairs of a letter and its form, which was in Unicode before
}

// alphabets are the values of mathvariant. Browsers know of them only "normal", by MathML Core:
// letters of the others are written as the characters that Unicode has for them.
var alphabets = map[string]alphabet{
	"bold":                   {0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8, 0x1D6C2, ""},
	"italic":                 {0x1D434, 0x1D44E, 0, 0x1D6E2, 0x1D6FC, "hℎı𝚤ȷ𝚥"},
	"bold-italic":            {0x1D468, 0x1D482, 0, 0x1D71C, 0x1D736, ""},
	"script":                 {0x1D49C, 0x1D4B6, 0, 0, 0, "BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ"},
	"bold-script":            {0x1D4D0, 0x1D4EA, 0, 0, 0, ""},
	"fraktur":                {0x1D504, 0x1D51E, 0, 0, 0, "CℭHℌIℑRℜZℨ"},
	"bold-fraktur":           {0x1D56C, 0x1D586, 0, 0, 0, ""},
	"double-struck":          {0x1D538, 0x1D552, 0x1D7D8, 0, 0, "CℂHℍNℕPℙQℚRℝZℤ"},
	"sans-serif":             {0x1D5A0, 0x1D5BA, 0x1D7E2, 0, 0, ""},
	"bold-sans-serif":        {0x1D5D4, 0x1D5EE, 0x1D7EC, 0x1D756, 0x1D770, ""},
	"sans-serif-italic":      {0x1D608, 0x1D622, 0, 0, 0, ""},
	"sans-serif-bold-italic": {0x1D63C, 0x1D656, 0, 0x1D790, 0x1D7AA, ""},
	"monospace":              {0x1D670, 0x1D68A, 0x1D7F6, 0, 0, ""},
}

// symbols are the Greek symbols that follow the small letters of an alphabet.
const symbols = "∂ϵϑϰϕϱϖ"

// in returns a text in the characters of an alphabet. What the alphabet lacks is unchanged.
func (a alphabet) in(text string) string {
	return strings.Map(func(r rune) rune {
		others := []rune(a.others)
		for i := 0; i+1 < len(others); i += 2 {
			if others[i] == r {
				return others[i+1]
			}
		}
		for _, of := range []struct{ from, to, begins rune }{
			{'A', 'Z', a.upper}, {'a', 'z', a.lower}, {'0', '9', a.digits}, {'Α', 'Ω', a.greekUpper}, {'α', 'ω', a.greekLower},
		} {
			if of.begins != 0 && r >= of.from && r <= of.to {
				return of.begins + r - of.from
			}
		}
		if a.greekLower != 0 {
			if i := slices.Index([]rune(symbols), r); i >= 0 {
				return a.greekLower + 'ω' - 'α' + 1 + rune(i)
			}
		}
		return r
	}, text)
}
