package theme

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/site/customization"
)

// words returns every text by the name of its field.
func words(v reflect.Value, prefix string, out map[string]string) map[string]string {
	for i := range v.NumField() {
		name := prefix + v.Type().Field(i).Name
		if f := v.Field(i); f.Kind() == reflect.Struct {
			words(f, name+".", out)
		} else {
			out[name] = f.String()
		}
	}
	return out
}

func TestLanguagesAreComplete(t *testing.T) {
	field, _ := reflect.TypeFor[customization.Internationalization]().FieldByName("Locale")
	names := strings.Split(field.Tag.Get("enum"), ",")
	if len(names) != len(languages) {
		t.Errorf("a customization names %d languages, and there are texts in %d", len(names), len(languages))
	}
	inEnglish := words(reflect.ValueOf(english), "", map[string]string{})
	for _, name := range names {
		texts, ok := languages[name]
		if !ok {
			t.Errorf("there are no texts in %s", name)
			continue
		}
		same := 0
		for field, s := range words(reflect.ValueOf(*texts), "", map[string]string{}) {
			if s == "" || s != strings.TrimSpace(s) {
				t.Errorf("%s: %s is %q", name, field, s)
			}
			if s == inEnglish[field] {
				same++
			}
		}
		if name != "en" && same > len(inEnglish)/2 {
			t.Errorf("%s: %d of %d texts are English", name, same, len(inEnglish))
		}
		if s := fmt.Sprintf(texts.Labels.Rating, "3", "5"); strings.Contains(s, "%") || strings.Index(s, "3") > strings.Index(s, "5") {
			t.Errorf("%s: a rating is %s", name, s)
		}
	}
}

// Dates of updates are in the language of the reader.
func TestDatesOfUpdates(t *testing.T) {
	for lang, want := range map[string][2]string{
		"en": {"March 1, 2026", "Mar 1, 2026"}, "de": {"1. März 2026", "1. März 2026"}, "fr": {"1 mars 2026", "1 mars 2026"},
		"es": {"1 de marzo de 2026", "1 mar 2026"}, "nl": {"1 maart 2026", "1 mrt 2026"}, "no": {"1. mars 2026", "1. mars 2026"},
		"pt": {"1 de março de 2026", "1 de mar. de 2026"}, "ru": {"1 марта 2026 г.", "1 мар. 2026 г."},
		"ja": {"2026年3月1日", "2026年3月1日"}, "zh": {"2026年3月1日", "2026年3月1日"},
	} {
		for form, date := range map[string]string{"full": want[0], "short": want[1], "numeric": "2026-03-01"} {
			doc := markup.Parse([]byte("{% updates format=\""+form+"\" %}\n{% update date=\"2026-03-01\" %}\nNew.\n{% endupdate %}\n{% endupdates %}\n"), markup.Refs{})
			var b strings.Builder
			if err := html.Write(&b, doc, html.Options{Labels: &TextsIn(lang).Labels}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), `<time datetime="2026-03-01">`+date+"</time>") {
				t.Errorf("%s, %s: %s", lang, form, b.String())
			}
		}
	}
}

func TestTextsIn(t *testing.T) {
	for lang, want := range map[string]*Texts{
		"": &english, "en": &english, "en-GB": &english, "it": &english, "ar": &english, "x": &english, "-": &english,
		"de": &german, "de-AT": &german, "DE_ch": &german, "pt": &portuguese, "pt-BR": &portuguese, "pt-PT": &portuguese,
		"no": &norwegian, "nb": &norwegian, "nb-NO": &norwegian, "nn": &norwegian, "zh": &chinese, "zh-TW": &chinese, "zh-Hant-HK": &chinese,
	} {
		if got := TextsIn(lang); got != want {
			t.Errorf("%q: %s", lang, got.Search)
		}
	}
}

func TestTheFrameIsInItsLanguage(t *testing.T) {
	for lang, want := range map[string][]string{
		"de": {`<html lang="de" data-`, `>Zum Inhalt springen</a>`, `aria-label="Auf dieser Seite"`, `<small>Weiter</small>`, `&#34;copy&#34;:&#34;Kopieren&#34;`},
		"ja": {`<html lang="ja" data-`, `>本文へスキップ</a>`},
		"ar": {`<html lang="ar" dir="rtl" data-`, `>Skip to the text</a>`}, // no texts, but a direction
	} {
		f := full()
		f.Lang, f.Search.Hint = lang, ""
		b, err := Render(f, page())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range want {
			if !strings.Contains(string(b), s) {
				t.Errorf("%s: no %s in\n%s", lang, s, b)
			}
		}
	}
}
