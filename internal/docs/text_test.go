package docs

import "testing"

func TestPartsOfTexts(t *testing.T) {
	for _, c := range []struct {
		s                  string
		n                  int
		runes, bytes, clip string
	}{
		{"", 3, "", "", ""},
		{"abc", 3, "abc", "abc", "abc"},
		{"abcd", 3, "abc", "abc", "ab…"},
		{"äöüß", 3, "äöü", "ä", "äö…"},
		{"äöü", 3, "äöü", "ä", "äöü"},
		{"a bcd", 3, "a b", "a b", "a…"},
		{"abcd", 1, "a", "a", "…"},
		{"日本語", 4, "日本語", "日", "日本語"},
		{"a\xffb", 3, "a\xffb", "ab", "a\xffb"},
	} {
		if runes, bytes, clip := FirstRunes(c.s, c.n), FirstBytes(c.s, c.n), Clip(c.s, c.n); runes != c.runes || bytes != c.bytes || clip != c.clip {
			t.Errorf("%q, %d: %q %q %q", c.s, c.n, runes, bytes, clip)
		}
	}
}
