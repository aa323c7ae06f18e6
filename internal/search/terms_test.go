package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func termsOf(text, language string) string {
	var out []string
	for _, t := range Terms(text, language) {
		out = append(out, t.Term)
	}
	return strings.Join(out, " ")
}

func TestTerms(t *testing.T) {
	for _, tt := range []struct{ language, text, want string }{
		{"", "Hello, World!", "hello world"},
		{"en", "Installing the packages", "installing instal the packages packag"},
		{"xx", "Installing", "installing"},
		{"de", "Häuser", "hauser haus"},
		{"fr", "l'avion résumé", "l avion lavion resume resum"},
		{"en", "don't user's", "don user"},
		{"en", "user’s", "user"},
		{"", "fooBar foo_bar FooBar", "foo bar foobar foo bar foobar foo bar foobar"},
		{"", "HTTPServer URLs APIs parseURL", "http server httpserver urls apis parse url parseurl"},
		{"", "v1.2.3 1.23 10.0.0.1", "v1 2 3 v1.2.3 1 23 1.23 10 0 0 1 10.0.0.1"},
		{"", "/path/to/x.go", "path to x go xgo"},
		{"", "C++ C# F# .NET a+b c++11", "c c++ c c# f f# net .net a b c 11"},
		{"", "--dry-run $HOME @scope/pkg", "dry run home scope pkg"},
		{"", "__init__", "init"},
		{"", "os.path.join", "os path join ospathjoin"},
		{"zh", "中文搜索", "中文 文搜 搜索 索"},
		{"ja", "東京タワーです", "東京 京タ タワ ワー ーで です す"},
		{"ja", "東", "東"},
		{"th", "ภาษาไทย", "ภา าษ ษา าไ ไท ทย ย"},
		{"ko", "문서를 찾기", "문서 서를 를 찾기 기"},
		{"", "使用API接口", "使用 用 api 接口 口"},
		{"", "Łódź Ёлка", "lodz елка"},
		{"ru", "Документация", "документация документац"},
		{"", "ＡＢＣ", "abc"},
		{"", "😀 👍🏽 — …", ""},
		{"", "a\x00b \xff\xfe", "a b"},
		{"", "", ""},
	} {
		if got := termsOf(tt.text, tt.language); got != tt.want {
			t.Errorf("Terms(%q, %q)\n got %q\nwant %q", tt.text, tt.language, got, tt.want)
		}
	}
}

// Whatever the text is, its terms are valid, short, and where they say.
func checkTerms(t interface{ Fatalf(string, ...any) }, text, language string) {
	for _, tok := range Terms(text, language) {
		switch {
		case tok.Term == "" || !utf8.ValidString(tok.Term) || utf8.RuneCountInString(tok.Term) > 3*maxTermRunes+2:
			t.Fatalf("Terms(%q) has %q", text, tok.Term)
		case tok.Start < 0 || tok.Start >= tok.End || tok.End > len(text):
			t.Fatalf("Terms(%q): %q is at %d:%d", text, tok.Term, tok.Start, tok.End)
		case strings.ContainsAny(tok.Term, "\x00 \n"):
			t.Fatalf("Terms(%q) has %q", text, tok.Term)
		}
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"", "fooBar v1.2.3 C++ .NET", "中文搜索 ภาษาไทย 문서를", "a\u0301\u0301\u0301", "\xff'\xff", "l’été", strings.Repeat("aB", 300), "É.É_É’s"} {
		f.Add(s, "en")
		f.Add(s, "fr-CA")
	}
	f.Fuzz(func(t *testing.T, text, language string) {
		checkTerms(t, text, language)
		checkTerms(t, text, "tr")
	})
}

// A word is found whatever its case.
func TestCaseDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.StringMatching(`[a-z]{1,20}`).Draw(t, "word")
		lower, upper := Terms(w, "en"), Terms(strings.ToUpper(w), "en")
		if !slices.Equal(lower, upper) {
			t.Fatalf("%v, %v", lower, upper)
		}
	})
}

// The stemmers are generated code of others: whatever the word is, they must
// not fail.
func TestStemmersTakeEverything(t *testing.T) {
	for language := range stemmers {
		s := newStemmer(language)
		rapid.Check(t, func(t *rapid.T) {
			word := fold(rapid.OneOf(rapid.StringMatching(`[a-zäöüßéèàçñıșąа-яё\x{0621}-\x{064a}\x{05d0}-\x{05ea}']{1,40}`), rapid.String()).Draw(t, "word"))
			if got := s.stem(word); word != "" && (got == "" || !utf8.ValidString(got)) {
				t.Fatalf("the stem of %q is %q", word, got)
			}
		})
	}
}

func BenchmarkTerms(b *testing.B) {
	text := strings.Repeat("The installation of packages requires a configured registry; see fooBar and v1.2.3 for details. ", 40)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Terms(text, "en")
	}
}
