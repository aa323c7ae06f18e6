package search

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"Hello": "hello", "hello": "hello", "résumé": "resume", "RÉSUMÉ": "resume", "re\u0301sume\u0301": "resume",
		"Straße": "strasse", "ÆSIR": "aesir", "Øre": "ore", "Łódź": "lodz", "çığ": "cig", "İstanbul": "istanbul",
		"naïve": "naive", "Ångström": "angstrom", "đặng": "dang", "Nguyễn": "nguyen", "tiếng": "tieng", "ơn": "on",
		"Ελληνικά": "ελληνικα", "λόγος": "λογοσ", "ΛΌΓΟΣ": "λογοσ", "ἄνθρωπος": "ανθρωποσ",
		"Ёлка": "елка", "Москва": "москва", "Й": "й",
		"ＡＢＣ１２": "abc12", "ｶﾀｶﾅ": "カタカナ", "ﬁle": "file",
		"שָׁלוֹם": "שלום", "مُحَمَّد": "محمد", "co\u00ADop": "coop",
		"žluťoučký": "zlutoucky", "ķ": "k", "ĸ": "k", "ŋ": "n", "ž": "z", "ŀ": "l", "ÿ": "y", "Ÿ": "y", "Đ": "d", "ſ": "s",
	} {
		if got := fold(in); got != want {
			t.Errorf("fold(%q) = %q, want %q", in, got, want)
		}
	}
}

// Every letter of the tables folds to something that folds to itself, and
// upper case folds as lower case does.
func TestFoldIsStable(t *testing.T) {
	for r := rune(0xC0); r < 0x2000; r++ {
		if !unicode.IsLetter(r) {
			continue
		}
		once := fold(string(r))
		if twice := fold(once); once != twice {
			t.Errorf("%q folds to %q, which folds to %q", r, once, twice)
		}
		if low := fold(string(unicode.ToLower(r))); low != once && unicode.ToUpper(unicode.ToLower(r)) == r {
			t.Errorf("%q folds to %q, its lower case to %q", r, once, low)
		}
	}
}

func TestFoldIsBoundedAndValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "in")
		got := fold(in)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 3*maxTermRunes {
			t.Fatalf("fold(%q) = %q", in, got)
		}
	})
}
