package publish_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// looks maps enumerations to the attribute of the page that has their value. The style sheet
// has a rule for each value.
var looks = map[string]string{
	"styling.theme": "theme", "styling.corners": "corners", "styling.depth": "depth", "styling.links": "links", "styling.background": "backdrop",
	"styling.icons": "icons", "styling.sidebar.background": "sidebar", "styling.sidebar.list": "list", "styling.search": "search", "header.preset": "header",
}

// elsewhere lists fields that other tests cover, or that have no effect.
var elsewhere = map[string]string{
	"internationalization.locale": "TestLanguages", "themes.default": "data-scheme", "externalLinks.target": "how links open",
	"ai.mode": "there is no assistant", "pageActions.items": "TestPageActions", "embeds.providers": "TestEmbeds",
}

// enums calls fn for each value of each field of settings that has an enumeration.
func enums(v reflect.Value, prefix string, fn func(path, value, set string)) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		path := strings.TrimPrefix(prefix+"."+name, ".")
		if tag := field.Tag.Get("enum"); tag != "" {
			for _, value := range strings.Split(tag, ",") {
				fn(path, value, fmt.Sprint(v.Field(i)))
			}
		} else if field.Type.Kind() == reflect.Struct {
			enums(v.Field(i), path, fn)
		}
	}
}

// Every value of every enumeration changes how pages look, or is listed in elsewhere.
func TestEveryChoiceShows(t *testing.T) {
	w := newWorld(t)
	w.acme()
	css := string(theme.Style.Data)
	enums(reflect.ValueOf(customization.Default("")), "", func(path, value, set string) {
		look, ok := looks[path]
		if !ok {
			if elsewhere[path] == "" {
				t.Errorf("nothing shows %s: %s", path, value)
			}
			return
		}
		part := fmt.Sprintf("%q", value)
		for names := strings.Split(path, "."); len(names) > 0; names = names[:len(names)-1] {
			part = fmt.Sprintf("{%q:%s}", names[len(names)-1], part)
		}
		w.customize(part)
		_, page := w.get(root)
		if !strings.Contains(page, fmt.Sprintf(` data-%s="%s"`, look, value)) {
			t.Errorf("%s: %s is no attribute of the page", path, value)
		}
		alike := map[string]string{"styling.icons=solid": "drawn filled", "styling.icons=regular": ""}
		if _, drawn := alike[path+"="+value]; value != set && !drawn && !strings.Contains(css, fmt.Sprintf("[data-%s=%s]", look, value)) {
			t.Errorf("the style sheet has no rule for %s: %s", path, value)
		}
		w.customize(strings.Replace(part, fmt.Sprintf("%q", value), fmt.Sprintf("%q", set), 1))
	})
}

// Settings that are not enumerations have an effect too.
func TestTextsAndColorsShow(t *testing.T) {
	w := newWorld(t)
	w.acme()
	for part, want := range map[string]string{
		`{"styling":{"tint":{"color":{"light":"#102030","dark":"#405060"}}}}`:                                        `(?s)data-tint="on".*--tint:light-dark\(#102030,#405060\)`,
		`{"header":{"preset":"custom","backgroundColor":{"light":"#000000","dark":"#ffffff"}}}`:                      `--bar:light-dark\(#000000,#ffffff\);--on-bar:light-dark\(#ffffff,#000000\)`,
		`{"styling":{"codeTheme":{"default":{"light":"github-light","dark":"nord"}}}}`:                               `--code-paper:light-dark\(#ffffff,#2e3440\)`,
		`{"trademark":{"enabled":true}}`:                                                                             `Published with Octavo`,
		`{"privacyPolicy":{"url":"https://a.test/privacy"}}`:                                                         `<a href="https://a.test/privacy">Privacy policy</a>`,
		`{"socialAccounts":[{"platform":"github","handle":"a/\"><b>","display":{"footer":true,"header":true}}]}`:     `<a class="tool" href="https://github.com/a%2F%22%3E%3Cb%3E"`,
		`{"socialAccounts":[{"platform":"youtube","handle":"@acme","display":{"footer":true,"header":false}}]}`:      `href="https://www.youtube.com/@acme"`,
		`{"socialAccounts":[{"platform":"github","handle":"~acme","display":{"footer":true,"header":false}}]}`:       `href="https://github.com/~acme"`,
		`{"socialAccounts":[{"platform":"tiktok","handle":"~a@b","display":{"footer":true,"header":false}}]}`:        `href="https://www.tiktok.com/@~a@b"`,
		`{"localizedTitle":{"en":"In English"}}`:                                                                     `<title>Welcome · In English</title>`,
		`{"announcement":{"enabled":true,"message":"News","localizedMessage":{"en":"English news"},"style":"info"}}`: `English news`,
	} {
		w.customize(part)
		if _, page := w.get(root); !regexp.MustCompile(want).MatchString(page) {
			t.Errorf("%s: no %s in\n%s", part, want, page)
		}
	}
	if _, page := w.get(root + "install"); !strings.Contains(page, `class="turn"`) {
		t.Error("no previous and next page")
	}
	w.customize(`{"pagination":{"enabled":false}}`)
	if _, page := w.get(root + "install"); strings.Contains(page, `class="turn"`) {
		t.Error("previous and next page though nobody wants them")
	}
}
