package audit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
)

func TestSame(t *testing.T) {
	type opaque struct{ X struct{ inner int } }
	var a, b opaque
	b.X.inner = 1
	for name, c := range map[string]struct {
		before, after any
		want          bool
	}{
		"nothing":              {docs.Space{Title: "a"}, docs.Space{Title: "a"}, true},
		"the clock":            {docs.Space{UpdatedAt: 1}, docs.Space{UpdatedAt: 2}, true},
		"a title":              {docs.Space{Title: "a"}, docs.Space{Title: "b"}, false},
		"a secret":             {docs.Webhook{Sealed: "abc"}, docs.Webhook{Sealed: "def"}, false},
		"an empty list":        {docs.Webhook{}, docs.Webhook{Events: []string{}}, true},
		"a list":               {docs.Webhook{}, docs.Webhook{Events: []string{"a"}}, false},
		"an empty map":         {docs.MCPServer{}, docs.MCPServer{Headers: map[string]string{}}, true},
		"what is not exported": {a, b, false},
		"a claim of a name":    {docs.SiteSettings{Customization: `{"version":1}`}, docs.SiteSettings{Customization: `{"version":2}`}, false},
		"a deep field":         {docs.Space{MergeRules: docs.MergeRules{Rules: []docs.MergeRule{{Rule: "a"}}}}, docs.Space{MergeRules: docs.MergeRules{Rules: []docs.MergeRule{{Rule: "b"}}}}, false},
	} {
		if got := Same(c.before, c.after); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestChanged(t *testing.T) {
	before := docs.Space{Title: "Guide", Level: docs.LevelInherit, UpdatedAt: 1}
	after := before
	after.Title, after.IconURL, after.UpdatedAt = strings.Repeat("é", 1000), "https://x.test/a.png", 2
	for name, c := range map[string]struct {
		before, after any
		want          string
	}{
		"nothing":   {before, before, ``},
		"the clock": {docs.Space{UpdatedAt: 1}, docs.Space{UpdatedAt: 2}, ``},
		"a level":   {before, docs.Space{Title: "Guide", Level: docs.LevelNone}, `"level":{"from":"inherit"`},
		"a title":   {docs.Space{Title: "a"}, docs.Space{Title: "b"}, `{"title":{"from":"a","to":"b"}}`},
		"cleared":   {docs.Space{Emoji: "a"}, docs.Space{}, `{"emoji":{"from":"a"}}`},
		"a flag":    {docs.Webhook{Enabled: true}, docs.Webhook{}, `{"enabled":{"from":true,"to":false}}`},
		"a secret":  {docs.Webhook{Sealed: "abc"}, docs.Webhook{Sealed: "def"}, `{"sealed":{"secret":true}}`},
		"a hook":    {docs.GitConnection{HookSealed: "abc"}, docs.GitConnection{HookSealed: "def"}, `{"hookSealed":{"secret":true}}`},
		"JSON":      {docs.SiteSettings{Customization: `{"a":{"b":1,"c":2}}`}, docs.SiteSettings{Customization: `{"a":{"b":1,"c":3}}`}, `{"customization.a.c":{"from":2,"to":3}}`},
		"a map":     {docs.MCPServer{Headers: map[string]string{"A": "b"}}, docs.MCPServer{}, `{"headers":{"secret":true}}`},
	} {
		got := ""
		if data := (Event{}).Changed(c.before, c.after).Data; data != nil {
			b, err := json.Marshal(data["changes"])
			if err != nil {
				t.Fatal(err)
			}
			got = string(b)
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	e := Event{Data: map[string]any{"title": "x"}}.Changed(before, after)
	if b, err := json.Marshal(e.Data); err != nil || len(b) > 1500 || !strings.Contains(string(b), `"iconURL":{"to":"https://x.test/a.png"}`) {
		t.Errorf("%s, %v", b, err)
	}
}
