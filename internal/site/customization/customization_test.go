package customization_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/customization"
)

func patch(t testing.TB, text string) customization.Patch {
	t.Helper()
	var p customization.Patch
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

func replace(t testing.TB, text string) customization.Settings {
	t.Helper()
	return customization.Default("Docs").Replace("Docs", patch(t, text))
}

func TestDefaultIsCompleteAndValid(t *testing.T) {
	s := customization.Default("Docs")
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "null") {
		t.Errorf("a part is null: %s", b)
	}
	for _, empty := range findEmpty("", decode(t, b)) {
		if !slices.Contains([]string{".favicon", ".privacyPolicy", ".socialPreview"}, empty) {
			t.Errorf("%s is an empty object", empty)
		}
	}
}

// findEmpty returns the paths of objects without members.
func findEmpty(at string, v any) []string {
	object, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	if len(object) == 0 {
		return []string{at}
	}
	var out []string
	for key, v := range object {
		out = append(out, findEmpty(at+"."+key, v)...)
	}
	return out
}

func decode(t testing.TB, b []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWhatClientsReadTheyCanSend(t *testing.T) {
	full := replace(t, everything)
	if err := full.Check(); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	if again := full.Replace("Docs", patch(t, string(b))); !reflect.DeepEqual(again, full) {
		after, _ := json.Marshal(again)
		t.Errorf("sent   %s\nstored %s", b, after)
	}
}

func TestMissingPartsHaveDefaults(t *testing.T) {
	want := customization.Default("Docs")
	for _, body := range []string{
		`{}`, `{"styling":{}}`, `{"styling":null,"header":null,"favicon":null}`, `{"styling":{"font":null,"sidebar":null}}`,
		`{"header":{"preset":"default"}}`, `{"updatedAt":"2026-01-01T00:00:00Z"}`,
	} {
		if got := replace(t, body); !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives %+v", body, got)
		}
	}
	got := replace(t, `{"header":{"links":[{"title":"Menu","to":null}]},"footer":{"groups":[{"title":"More"}]}}`)
	if got.Header.Links[0].Links == nil || got.Footer.Groups[0].Links == nil {
		t.Error("links inside of links are missing instead of empty")
	}
}

func TestPageActionsAgreeForClientsOfEveryAge(t *testing.T) {
	current := customization.Default("Docs").Replace("Docs", patch(t, `{"pageActions":{"items":["assistant","markdown","pdf"]}}`))
	for _, test := range []struct{ name, body, items string }{
		{"newer client, items", `{"pageActions":{"items":["mcp","git","mcp"]}}`, "mcp git"},
		{"newer client, no items", `{"pageActions":{"items":[]}}`, ""},
		{"older client, switches only", `{"pageActions":{"externalAI":true,"markdown":false,"mcp":false},"pdf":{"enabled":true},"git":{"showEditLink":false}}`, "assistant pdf external-ai"},
		{"older client that returns what it read", `{"pageActions":{"externalAI":false,"markdown":false,"mcp":true,"items":["assistant","markdown","pdf"]},"pdf":{"enabled":false},"git":{"showEditLink":true}}`, "assistant mcp git"},
		{"both changed, items decide", `{"pageActions":{"markdown":true,"items":["mcp"]},"pdf":{"enabled":true}}`, "mcp"},
		{"neither", `{}`, "external-ai markdown pdf"},
		{"only pdf", `{"pdf":{"enabled":false}}`, "external-ai markdown"},
	} {
		got := current.Replace("Docs", patch(t, test.body))
		if items := strings.Join(got.PageActions.Items, " "); items != test.items {
			t.Errorf("%s: items %q, want %q", test.name, items, test.items)
		}
		has := func(item string) bool { return slices.Contains(got.PageActions.Items, item) }
		if got.PDF.Enabled != has("pdf") || got.Git.ShowEditLink != has("git") || got.PageActions.ExternalAI != has("external-ai") ||
			got.PageActions.Markdown != has("markdown") || got.PageActions.MCP != has("mcp") {
			t.Errorf("%s: switches and items differ: %+v %+v %+v", test.name, got.PageActions, got.PDF, got.Git)
		}
	}
}

func TestOverrideReplacesAndDrops(t *testing.T) {
	site := replace(t, everything)
	var o customization.Override
	if !o.IsEmpty() || !reflect.DeepEqual(site.With(o), site) {
		t.Error("no override changes the settings")
	}
	o = o.With(patch(t, `{"title":"Old docs","styling":{"theme":"bold","sidebar":{"list":"pill"},"primaryColor":{"light":"#000","dark":"#fff"}},"favicon":{"emoji":"1f600"},"header":{"links":[]},"pdf":{"enabled":false}}`))
	got := site.With(o)
	switch {
	case got.Title != "Old docs", got.Styling.Theme != "bold", got.Styling.PrimaryColor.Light != "#000", len(got.Header.Links) != 0, got.PDF.Enabled:
		t.Errorf("an override is missing: %+v", got)
	case got.Styling.Sidebar != customization.Sidebar{Background: site.Styling.Sidebar.Background, List: "pill"}:
		t.Errorf("sidebar %+v", got.Styling.Sidebar)
	case got.Favicon.Icon != nil:
		t.Error("the icon of the site is left beside the emoji")
	case got.Header.Logo == nil || got.Styling.Corners != site.Styling.Corners:
		t.Error("what was not overridden is lost")
	}

	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var stored customization.Override
	if err := json.Unmarshal(b, &stored); err != nil || !reflect.DeepEqual(site.With(stored), got) {
		t.Errorf("a stored override differs: %v", err)
	}

	o = o.With(patch(t, `{"title":null,"styling":{"theme":null,"sidebar":{"list":null},"primaryColor":null},"header":null,"favicon":null}`))
	if o.IsEmpty() {
		t.Error("the override of pdf is lost")
	}
	if o = o.With(patch(t, `{"pdf":{"enabled":null}}`)); !o.IsEmpty() {
		t.Errorf("%+v is left", o)
	}
}

func TestATitleThatIsTheSitesFollowsIt(t *testing.T) {
	for sent, want := range map[string]string{`{}`: "New", `{"title":"Docs"}`: "New", `{"title":"Other"}`: "Other"} {
		b, err := replace(t, sent).Encode("Docs")
		if err != nil {
			t.Fatal(err)
		}
		if s, err := customization.Decode("New", b); err != nil || s.Title != want {
			t.Errorf("%s: %q, %v", sent, s.Title, err)
		}
	}
}

func TestPartsThatDoNotExist(t *testing.T) {
	for _, body := range []string{
		`[]`, `null`, `"x"`, `{"nope":1}`, `{"styling":{"nope":1}}`, `{"header":{"links":[{"title":"x","nope":1}]}}`, `{"title":5}`,
		`{"styling":{"font":5}}`, `{"header":{"links":{}}}`, `{"title":"` + strings.Repeat("x", customization.MaxBytes) + `"}`,
	} {
		var p customization.Patch
		if err := json.Unmarshal([]byte(body), &p); !errs.Is(err, errs.Invalid) {
			t.Errorf("%.60s: %v", body, err)
		}
	}
}

func TestCheckNamesThePlace(t *testing.T) {
	url := func(s string) string { return `{"kind":"url","url":"` + s + `"}` }
	for body, place := range map[string]string{
		`{"header":{"logo":{"light":"javascript:alert(1)","dark":"https://a.test/x.png"}}}`:                                    "header.logo.light",
		`{"header":{"logo":{"light":"https://a.test/x.png","dark":"//a.test/x.png"}}}`:                                         "header.logo.dark",
		`{"favicon":{"icon":{"light":"data:image/png;base64,x","dark":"https://a.test"}}}`:                                     "favicon.icon.light",
		`{"favicon":{"emoji":"1f600","icon":{"light":"https://a.test","dark":"https://a.test"}}}`:                              "favicon",
		`{"header":{"primaryLink":` + url("/relative") + `}}`:                                                                  "header.primaryLink.url",
		`{"header":{"links":[{"title":"x","to":` + url("https://u:p@a.test") + `,"links":[]}]}}`:                               "header.links[0].to.url",
		`{"header":{"links":[{"title":"x","to":null,"links":[{"title":"y","to":{"kind":"nope"}}]}]}}`:                          "header.links[0].links[0].to.kind",
		`{"header":{"links":[{"title":"x","to":{"kind":"page"},"links":[]}]}}`:                                                 "header.links[0].to.page",
		`{"header":{"links":[{"title":"x","to":{"kind":"page","page":"p","url":"https://a.test"},"links":[]}]}}`:               "header.links[0].to",
		`{"header":{"links":[{"title":"x","to":null,"links":[],"condition":"while(1){}"}]}}`:                                   "header.links[0].condition",
		`{"footer":{"groups":[{"title":"x","links":[{"title":"y","to":` + url("vbscript:x") + `}]}]}}`:                         "footer.groups[0].links[0].to.url",
		`{"announcement":{"enabled":true,"message":"hi","style":"info","link":{"title":"y","to":` + url("file:///etc") + `}}}`: "announcement.link.to.url",
		`{"localizedTitle":{"xx":"y"}}`:                                          "localizedTitle",
		`{"localizedTitle":{"fr":"` + strings.Repeat("é", 129) + `"}}`:           "localizedTitle.fr",
		`{"ai":{"suggestions":["ab"]}}`:                                          "ai.suggestions[0]",
		`{"ai":{"localizedGreeting":{"fr":"` + strings.Repeat("é", 257) + `"}}}`: "ai.localizedGreeting.fr",
		`{"styling":{"headingFont":{"id":"f","custom":true,"fontFamily":"F","fontFaces":[{"weight":1,"sources":[{"url":"x"}]}]}}}`: "styling.headingFont.fontFaces[0].sources[0].url",
		`{"privacyPolicy":{"url":"javascript:x"}}`: "privacyPolicy.url",
		`{"socialPreview":{"url":"ftp://a.test"}}`: "socialPreview.url",
	} {
		var e *errs.Error
		if err := replace(t, body).Check(); !errors.As(err, &e) || e.Kind != errs.Invalid || len(e.Details) != 1 || e.Details[0].Path != place {
			t.Errorf("%s: %v, want an error at %s", body, err, place)
		}
	}
}

// A text in another language may be as long as the text itself.
func TestLimitsOfLocalizedTexts(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	body := `{"localizedTitle":{"fr":"` + long(128) + `"},"announcement":{"enabled":true,"message":"hi","style":"info","localizedMessage":{"fr":"` + long(128) + `"}},
		"ai":{"mode":"assistant","greeting":"` + long(256) + `","localizedGreeting":{"fr":"` + long(256) + `"}},
		"header":{"links":[{"title":"x","localizedTitle":{"fr":"` + long(256) + `"},"to":null,"links":[]}]}}`
	if err := replace(t, body).Check(); err != nil {
		t.Error(err)
	}
}

func TestVisitorsSeeWhatTheirConditionsAllow(t *testing.T) {
	s := replace(t, `{"header":{"links":[
		{"title":"All","to":null,"links":[]},
		{"title":"Beta","to":null,"links":[{"title":"Secret","to":{"kind":"url","url":"https://a.test/s"}}],"condition":"visitor.claims.beta"},
		{"title":"Staff","to":null,"links":[],"condition":"visitor.claims.staff"}]},
		"ai":{"mode":"assistant","instructions":"never mention Project Apollo"}}`)
	before, _ := json.Marshal(s)
	b, err := json.Marshal(s.ForVisitor(func(c string) bool { return c == "visitor.claims.staff" }))
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"Beta", "Secret", "visitor.claims", "condition", "Apollo"} {
		if strings.Contains(string(b), hidden) {
			t.Errorf("visitors receive %q: %s", hidden, b)
		}
	}
	if !strings.Contains(string(b), "Staff") || !strings.Contains(string(b), "All") {
		t.Errorf("visitors miss a link: %s", b)
	}
	if after, _ := json.Marshal(s); string(after) != string(before) {
		t.Error("For changed the settings that it was called on")
	}
}

// Settings with any valid part are complete, and do not change when they are stored and read.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{`{}`, `{"styling":null}`, `{"header":{"links":[null,{"title":"x"}]}}`, `{"pageActions":{"items":null,"mcp":true}}`, everything} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var p customization.Patch
		if json.Unmarshal(b, &p) != nil {
			return
		}
		var o customization.Override
		for _, s := range []customization.Settings{customization.Default("Docs").Replace("Docs", p), customization.Default("Docs").With(o.With(p))} {
			s.Check() // must not panic
			if s.Header.Links == nil || s.Footer.Groups == nil || s.SocialAccounts == nil || s.PageActions.Items == nil {
				t.Errorf("an array is missing: %+v", s)
			}
			stored, err := s.Encode("Docs")
			if err != nil {
				t.Fatal(err)
			}
			if len(stored) > customization.MaxBytes {
				continue
			}
			again, err := customization.Decode("Docs", stored)
			if err != nil {
				t.Fatalf("%s: %v", stored, err)
			}
			if after, _ := again.Encode("Docs"); string(after) != string(stored) {
				t.Errorf("stored %s\nread   %s", stored, after)
			}
		}
	})
}

const everything = `{"title":"Acme","localizedTitle":{"fr":"Acmé"},
"styling":{"theme":"gradient","primaryColor":{"light":"#123456","dark":"#abc"},"tint":{"color":{"light":"#111111","dark":"#222222"}},
"infoColor":{"light":"#111111","dark":"#222222"},"successColor":{"light":"#111111","dark":"#222222"},"warningColor":{"light":"#111111","dark":"#222222"},"dangerColor":{"light":"#111111","dark":"#222222"},
"corners":"circular","depth":"flat","links":"accent","font":{"id":"f1","custom":true,"fontFamily":"Acme Sans","fontFaces":[{"weight":400,"sources":[{"url":"https://a.test/f.woff2","format":"woff2"}]}]},
"headingFont":"Lato","monospaceFont":"FiraCode","background":"match","icons":"thin","codeTheme":{"default":{"light":"github-light","dark":"dracula"},"openapi":{"light":"nord","dark":"nord"}},
"sidebar":{"background":"filled","list":"line"},"search":"subtle"},
"internationalization":{"locale":"pt-br"},"favicon":{"icon":{"light":"https://a.test/l.png","dark":"https://a.test/d.png"}},
"header":{"preset":"custom","logo":{"light":"https://a.test/l.png","dark":"https://a.test/d.png"},"primaryLink":{"kind":"url","url":"https://a.test"},"backgroundColor":{"light":"#111111","dark":"#222222"},"linkColor":{"light":"#111111","dark":"#222222"},
"links":[{"title":"Docs","localizedTitle":{"de":"Doku"},"style":"button-primary","to":{"kind":"page","page":"p1","space":"s1"},"links":[{"title":"A","to":{"kind":"space","space":"s1"}}],"condition":"visitor.claims.beta === true"},{"title":"Menu","to":null,"links":[]}]},
"footer":{"logo":{"light":"https://a.test/l.png","dark":"https://a.test/d.png"},"groups":[{"title":"More","links":[{"title":"A","to":{"kind":"url","url":"http://a.test"}}]}],"copyright":"© Acme"},
"announcement":{"enabled":true,"message":"New","localizedMessage":{"ja":"新しい"},"link":{"title":"See","to":{"kind":"url","url":"https://a.test"}},"style":"success"},
"themes":{"default":"system","toggeable":false},"pdf":{"enabled":true},"feedback":{"enabled":false},"ai":{"mode":"assistant","greeting":"Hi","localizedGreeting":{"fr":"Salut"},"suggestions":["How?"],"instructions":"Be brief."},
"advancedCustomization":{"enabled":true},"git":{"showEditLink":true},"pageActions":{"externalAI":true,"markdown":true,"mcp":true,"items":["assistant","pdf","git","markdown","mcp","external-ai"]},
"mcp":{"enabled":false},"externalLinks":{"target":"blank"},"pagination":{"enabled":false},"trademark":{"enabled":true},"privacyPolicy":{"url":"https://a.test/p"},"socialPreview":{"url":"https://a.test/s.png"},
"socialAccounts":[{"platform":"github","handle":"acme","display":{"footer":true,"header":false}}],"insights":{"trackingCookie":false}}`
