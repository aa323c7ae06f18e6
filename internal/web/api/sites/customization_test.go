package sites

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

const manySettings = `{"title":"Acme","localizedTitle":{"fr":"Acmé"},
"styling":{"theme":"gradient","primaryColor":{"light":"#123456","dark":"#abc"},"tint":{"color":{"light":"#111111","dark":"#222222"}},
"font":{"id":"f1","custom":true,"fontFamily":"Acme Sans","fontFaces":[{"weight":400,"sources":[{"url":"https://a.test/f.woff2","format":"woff2"}]}]},
"headingFont":"Lato","codeTheme":{"default":{"light":"github-light","dark":"dracula"}},"sidebar":{"background":"filled"}},
"favicon":{"emoji":"1f600"},
"header":{"logo":{"light":"https://a.test/l.png","dark":"https://a.test/d.png"},"primaryLink":{"kind":"url","url":"https://a.test"},
"links":[{"title":"Docs","style":"link","to":{"kind":"page","page":"p1"},"links":[{"title":"A","to":{"kind":"space","space":"s1"}}],"condition":"true"}]},
"footer":{"groups":[{"title":"More","links":[{"title":"A","to":{"kind":"url","url":"http://a.test"}}]}],"copyright":"© Acme"},
"announcement":{"enabled":true,"message":"New","style":"success"},"ai":{"mode":"assistant","suggestions":["How?"]},
"pageActions":{"items":["assistant","pdf"]},"privacyPolicy":{"url":"https://a.test/p"},
"socialAccounts":[{"platform":"github","handle":"acme","display":{"footer":true,"header":false}}]}`

// Two programs read the tags of the settings: the one that checks requests, and
// customization.Patch, for everybody who does not send a request yet.
func TestPatchesAreRefusedAsRequestsAre(t *testing.T) {
	schemas := kernel.NewSchemas()
	schema := customizationPatch{}.Schema(schemas)
	allowed := func(v any) bool {
		found := &huma.ValidateResult{}
		huma.Validate(schemas, schema, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, v, found)
		return len(found.Errors) == 0
	}
	var whole any
	if err := json.Unmarshal([]byte(manySettings), &whole); err != nil || !allowed(whole) {
		t.Fatal(err)
	}
	tried, refused := 0, 0
	change(whole, "", func(what string) {
		tried++
		b, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		var p customization.Patch
		shape := p.UnmarshalJSON(b)
		switch {
		case !allowed(whole):
			refused++
			if shape == nil && customization.Default("Docs").Replace("Docs", p).Check() == nil {
				t.Errorf("%s: only the API refuses it", what)
			}
		case shape != nil && !strings.HasSuffix(shape.Error(), "must not be null"): // a schema cannot tell it from a missing key
			t.Errorf("%s: the API allows it, but %v", what, shape)
		}
	})
	if refused < 200 || tried == refused {
		t.Errorf("%d of %d are refused", refused, tried)
	}
}

// change calls try with each value in v replaced by others, and with each key
// missing.
func change(v any, path string, try func(what string)) {
	others := []any{nil, "", "x", strings.Repeat("é", 20_000), 5.0, 1.5, -1.0, true, []any{}, map[string]any{}, map[string]any{"nope": 1.0}, slices.Repeat([]any{"pdf"}, 60)}
	replace := func(at string, old any, set func(any)) {
		for _, other := range others {
			if !reflect.DeepEqual(other, old) {
				set(other)
				try(fmt.Sprintf("%s = %.40v", at, other))
			}
		}
		set(old)
		change(old, at, try)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			old := v[key]
			delete(v, key)
			try(path + "." + key + " is missing")
			replace(path+"."+key, old, func(other any) { v[key] = other })
		}
		v["unknown"] = 1.0
		try(path + ".unknown")
		delete(v, "unknown")
	case []any:
		for i := range v {
			replace(fmt.Sprintf("%s[%d]", path, i), v[i], func(other any) { v[i] = other })
		}
	}
}
