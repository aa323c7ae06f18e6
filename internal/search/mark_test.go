package search

import (
	"strings"
	"testing"
)

func TestMarks(t *testing.T) {
	for _, c := range []struct{ query, language, text, want string }{
		{"in", "en", "Install in a container", "Install [in] a container"}, // not a part of another word
		{"install", "en", "Install, installing, installed: uninstall", "[Install], [installing], [installed]: uninstall"},
		{"in", "en", "Install it", "[Install] it"},
		{"inst", "en", "Install it", "[Install] it"}, // still being typed
		{"inst ", "en", "Install it", "Install it"},  // not typed any more
		{"quick start", "en", "A quick-start", "A [quick]-[start]"},
		{"café", "fr", "CAFE Café", "[CAFE] [Café]"},
		{"strasse", "de", "Die Straße", "Die [Straße]"},
		{"bar", "", "fooBar foo_bar rebar", "foo[Bar] foo_[bar] rebar"},
		{"foobar", "", "call fooBar now", "call [fooBar] now"},
		{"索引", "ja", "全文索引を作る", "全文[索引]を作る"},
		{"全文索引", "ja", "全文索引を作る", "[全文索引]を作る"},
		{"C++", "", "C and C++", "[C] and [C++]"},
		{"bowlime", "en", "A bowline", "A [bowline]"},
		{"bowlime", "en", "A bowlime, not a bowline", "A [bowlime], not a bowline"},
		{"bowlime knot", "en", "A bowline knot", "A [bowline] [knot]"},
		{"", "en", "text", "text"},
		{"!?", "en", "text!?", "text!?"},
	} {
		if got := bracketed(c.text, NewMarker(c.query, c.language).For(c.text).In(c.text)); got != c.want {
			t.Errorf("%q in %q: %s", c.query, c.text, got)
		}
	}
	m := NewMarker("in", "en")
	if got := m.For("Install", "in it").In("Install"); len(got) > 0 {
		t.Errorf("another text has the word itself: %v", got)
	}
}

// bracketed returns a text with brackets around its marks.
func bracketed(text string, marks [][2]int) string {
	var b strings.Builder
	at := 0
	for _, m := range marks {
		b.WriteString(text[at:m[0]] + "[" + text[m[0]:m[1]] + "]")
		at = m[1]
	}
	return b.String() + text[at:]
}

func TestTitlesOfAQuery(t *testing.T) {
	for _, c := range []struct {
		query, title string
		is, has      bool
	}{
		{"quick start", "Quick start", true, true},
		{"Quick-Start ", "quick start!", true, true},
		{"quick", "Quick start", false, true},
		{"start quick", "Quick start", false, true},
		{"quick starts", "Quick start", false, true}, // another form
		{"quick stop", "Quick start", false, false},
		{"クイック", "クイック", true, true},
		{"", "", false, false},
	} {
		m := NewMarker(c.query, "en")
		if is, has := m.Is(c.title), m.HasAll(c.title); is != c.is || has != c.has {
			t.Errorf("%q, %q: is %t, has %t", c.query, c.title, is, has)
		}
	}
}

// The marks of any text are sorted, inside of it, and apart.
func FuzzMarks(f *testing.F) {
	f.Add("quick star", "A quick-start of fooBar and C++")
	f.Add("索引 を", "全文索引を作る")
	f.Add("\xff a", "a\xff\xffa")
	f.Fuzz(func(t *testing.T, query, text string) {
		m := NewMarker(query, "en")
		last := 0
		marks := m.For(text).In(text)
		for i, p := range marks {
			if p[0] < last || i > 0 && p[0] == last || p[1] <= p[0] || p[1] > len(text) {
				t.Fatalf("%q in %q: %v", query, text, marks)
			}
			last = p[1]
		}
	})
}
