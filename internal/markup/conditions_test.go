package markup

import "testing"

// A document is looked through for conditions that are left as text where one can begin:
// also one whose first characters are in different leaves, but not because of braces in code.
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
