package theme

import (
	"strings"
	"unicode"
)

// rightToLeft is the set of languages that are written from right to left.
var rightToLeft = map[string]bool{
	"ar": true, "arc": true, "azb": true, "ckb": true, "dv": true, "fa": true, "he": true, "iw": true, "ks": true, "nqo": true,
	"pnb": true, "ps": true, "sd": true, "syr": true, "ug": true, "ur": true, "yi": true,
}

// rightToLeftScripts is the set of their scripts, as in language tags.
var rightToLeftScripts = map[string]bool{"arab": true, "hebr": true, "syrc": true, "thaa": true, "nkoo": true, "adlm": true, "rohg": true}

// Direction returns the direction of the texts: rtl, or an empty string for left to right.
func (f *Frame) Direction() string {
	parts := strings.FieldsFunc(strings.ToLower(f.Lang), func(r rune) bool { return r == '-' || r == '_' })
	is := f.RightToLeft
	for i, part := range parts {
		switch {
		case i == 0:
			is = rightToLeft[part]
		case len(part) == 4: // a script takes precedence over the language
			is = rightToLeftScripts[part]
		}
	}
	if is {
		return "rtl"
	}
	return ""
}

// ReadsRightToLeft reports whether most letters of the titles of links belong to scripts that
// are written from right to left.
func ReadsRightToLeft(links []*Link) bool { return lean(links) > 0 }

// lean returns the number of right-to-left letters minus the number of other letters.
func lean(links []*Link) int {
	n := 0
	for _, l := range links {
		for _, r := range l.Title {
			switch {
			case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam, unicode.Hanifi_Rohingya):
				n++
			case unicode.IsLetter(r):
				n--
			}
		}
		n += lean(l.Children)
	}
	return n
}
