package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

var idRE = regexp.MustCompile(`^[0-9A-Za-z]{25}$`)

func TestIDsAreOpaqueAndSortByTime(t *testing.T) {
	var ids []string
	now := time.Now()
	for i := range 1000 {
		id := NewID[string](now.Add(time.Duration(i)))
		if !idRE.MatchString(id) {
			t.Fatalf("%q", id)
		}
		ids = append(ids, id)
	}
	if !slices.IsSorted(ids) {
		t.Error("ids of later moments sort before earlier ones")
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 1000 {
		t.Error("an id was given twice")
	}
}

func TestSecretsAreLongAndOnlyTheirHashIsKept(t *testing.T) {
	a, b := NewSecret(), NewSecret()
	if a == b || !strings.HasPrefix(a, TokenPrefix) || len(a) < 40 {
		t.Fatalf("%q %q", a, b)
	}
	if HashSecret(a) == HashSecret(b) {
		t.Error("two secrets have one hash")
	}
}

// A new rank is between its neighbours, at any position.
func TestRankBetweenKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := []Rank{RankAtEnd(time.Now())}
		for range rapid.IntRange(1, 200).Draw(t, "n") {
			i := rapid.IntRange(0, len(ranks)).Draw(t, "at")
			var lo, hi Rank
			if i > 0 {
				lo = ranks[i-1]
			}
			if i < len(ranks) {
				hi = ranks[i]
			}
			r := RankBetween(lo, hi)
			if r <= lo || (hi != "" && r >= hi) {
				t.Fatalf("%q is not between %q and %q", r, lo, hi)
			}
			ranks = slices.Insert(ranks, i, r)
		}
		if end := RankAtEnd(time.Now().Add(time.Second)); end <= ranks[0] {
			t.Fatalf("the end %q is before %q", end, ranks[0])
		}
	})
}

func TestRolesAreOrderedByMeaning(t *testing.T) {
	order := []Role{Guest, Read, Comment, Edit, Review, Create, Admin}
	for i, r := range order {
		if r.Rank() != i || RoleOfRank(i) != r {
			t.Errorf("%q has rank %d", r, r.Rank())
		}
	}
	if Role("owner").Valid() || !Review.AtLeast(Edit) || Edit.AtLeast(Review) {
		t.Error("roles are compared wrongly")
	}
}

func TestEmails(t *testing.T) {
	for in, want := range map[string]Email{
		"Ada@Example.COM":                   "ada@example.com",
		" bob+tag@mail.example.org ":        "bob+tag@mail.example.org",
		"x@xn--bcher-kva.example":           "x@xn--bcher-kva.example",
		"Ada <ada@example.com>":             "",
		"ada@localhost":                     "",
		"ada@bücher.example":                "",
		"ada@exa mple.com":                  "",
		"ada@example.com\r\nBcc: x@y.z":     "",
		"mar\u212a@acme.test":               "",
		"ada":                               "",
		"@example.com":                      "",
		"a@b@example.com":                   "",
		strings.Repeat("a", 300) + "@x.com": "",
		"admin@a.com\x00.evil.com":          "",
	} {
		got, err := ParseEmail(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%.50q: %q, %v", in, got, err)
		}
	}
	if Email("x@evilexample.com").Domain() == "example.com" {
		t.Error("a suffix passes for a domain")
	}
}

func TestWebURLs(t *testing.T) {
	for in, ok := range map[string]bool{
		"https://example.com/a.png":  true,
		"http://example.com":         true,
		"javascript:alert(1)":        false,
		"JaVaScRiPt:alert(1)":        false,
		"java\tscript:alert(1)":      false,
		"\x0ejavascript:alert(1)":    false,
		"vbscript:x":                 false,
		"data:text/html,x":           false,
		"data:image/svg+xml,<svg/>":  false,
		"https://good@evil.example/": false,
		"https:///host":              false,
		"//example.com":              false,
		"/relative":                  false,
		"https://x/\r\nSet-Cookie:1": false,
		"file:///etc/passwd":         false,
	} {
		if err := CheckWebURL("x", in); (err == nil) != ok {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestMergeRules(t *testing.T) {
	for name, c := range map[string]struct {
		rules MergeRules
		space bool
		path  string // of the error; empty if valid
	}{
		"none":                        {MergeRules{Type: MergeNone}, false, ""},
		"space inherits":              {MergeRules{Type: MergeInherit}, true, ""},
		"organization cannot inherit": {MergeRules{Type: MergeInherit}, false, "r.type"},
		"unknown type":                {MergeRules{Type: "all"}, true, "r.type"},
		"rules are required":          {MergeRules{Type: MergeOwn}, true, "r.rules"},
		"no rules is fine":            {MergeRules{Type: MergeOwn, Rules: []MergeRule{}}, true, ""},
		"unknown rule":                {MergeRules{Type: MergeOwn, Rules: []MergeRule{{Rule: "x"}}}, true, "r.rules[0].rule"},
		"users are required":          {MergeRules{Type: MergeOwn, Rules: []MergeRule{{Rule: "allow_bypass"}}}, true, "r.rules[0].users"},
		"users do not belong":         {MergeRules{Type: MergeOwn, Rules: []MergeRule{{Rule: "require_agent_review", Users: []UserID{"u"}}}}, true, "r.rules[0].users"},
		"expression is required":      {MergeRules{Type: MergeOwn, Rules: []MergeRule{{Rule: "custom"}}}, true, "r.rules[0].expression"},
		"expression too long":         {MergeRules{Type: MergeOwn, Rules: []MergeRule{{Rule: "custom", Expression: strings.Repeat("x", 1025)}}}, true, "r.rules[0].expression"},
		"expression does not parse":   {MergeRules{Type: MergeOwn, Rules: []MergeRule{{Rule: "custom", Expression: "reviews.length >"}}}, true, "r.rules[0].expression"},
		"rules with none":             {MergeRules{Type: MergeNone, Rules: []MergeRule{{Rule: "custom", Expression: "true"}}}, true, "r.rules"},
	} {
		err := c.rules.Check("r", c.space)
		if (err == nil) != (c.path == "") || err != nil && !strings.HasPrefix(err.Error(), c.path+" ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A site cannot impersonate the server or its operator.
func TestBasenames(t *testing.T) {
	for name, want := range map[string]bool{
		"acme": true, "acme-docs": true, "a": true, "s": false, "v1": false, "www": false, "api": false, "healthz": false, "wpad": false, "support": false,
		"xn--80ak6aa92e": false, "ab--c": false, "a--b": true, "~": false, "~octavo": false, "a.b": false, "site_1": false, "A": false, "": false, "-a": false,
	} {
		if ValidBasename(name) != want {
			t.Errorf("%q is valid: %v", name, !want)
		}
	}
}

// The UUID of an id has the form that clients check, and leads back to the time of the id.
func TestUUID(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for i := range 1000 {
		id := NewID[string](time.Unix(0, int64(i)*9_000_000_000_000_007))
		uuid := UUID(id)
		prefix, ok := UUIDPrefix(uuid)
		if !form.MatchString(uuid) || !ok || !strings.HasPrefix(id, prefix) || seen[uuid] {
			t.Fatalf("%s: %s, %q, %v", id, uuid, prefix, ok)
		}
		seen[uuid] = true
	}
	for _, bad := range []string{"", "x", strings.Repeat("z", 36), "ffffffff-ffff-8fff-bfff-ffffffffffff", strings.Repeat("-", 36)} {
		if prefix, ok := UUIDPrefix(bad); ok {
			t.Errorf("%s begins with %s", bad, prefix)
		}
	}
}
