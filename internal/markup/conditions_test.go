package markup

import "testing"

// A tag can also begin if its first characters are in different leaves. Braces in
// code do not begin one.
func TestMayHaveTags(t *testing.T) {
	for src, want := range map[string]bool{
		"text {% if visitor.claims.x %} more\n":                       true,
		"text {**% if visitor.claims.x %}** more\n":                   true,
		"* a\n\n  > {% else %}\n":                                     true,
		"| a |\n|---|\n| {% if x %} |\n":                              true,
		"text { and } and % {a: b}\n":                                 false,
		"```go\nfunc f() {\n}\n```\n\nText.\n":                        false,
		"```\n{% if x %}\n```\n":                                      false,
		"text `{a}` and\n\n| a |\n|---|\n| {b} |\n":                   false,
		"<details><summary>{% if x %}</summary>\n\na\n\n</details>\n": true,
	} {
		if got := mayHaveTags(Parse([]byte(src), Refs{}).Nodes); got != want {
			t.Errorf("%q: %t, want %t", src, got, want)
		}
	}
}
