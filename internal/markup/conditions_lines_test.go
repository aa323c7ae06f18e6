package markup_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
)

// Tags that hide more than was intended are reported with their lines.
func TestStrayConditionsHaveLines(t *testing.T) {
	for src, want := range map[string]string{
		"a\n\n{% if x %}\n\nb\n":                                    "3 not closed",
		"a\n\n{% endif %}\n\nb\n":                                   "3 closes nothing",
		"a {% if x %} b {% endif %}\n":                              "1 alone",
		"{% if x %}\nb\n{% endif %}\n":                              "",
		"{% if x %}\nb\n{% endif %}\n\n{% if y %}\n\nc\n":           "5 not closed",
		"{% if x %}\nb\n{% else %}\nc\n{% endif %}\n":               "3 alone",
		"```\n{% if x %}\n```\n\n`{% endif %}`\n":                   "",
		"```\n{% if x %}\n```\n\n> q\n\n{%- if y -%}\n\nc\n":        "7 alone",
		"a\n\n{% if 1 + %}\nb\n{% endif %}\n":                       "3 condition cannot be read",
		"a <code class=\"expression\">1 +</code> b\n":               "1 expression cannot be read",
		"a <code class=\"expression\">1 + 2</code> b\n":             "",
		"`<code class=\"expression\">1 +</code>` b\n":               "",
		"{% hint style=\"info\" %}\n{% if x %}\nb\n{% endhint %}\n": "2 not closed",
	} {
		var got []string
		doc := markup.Parse([]byte(src), markup.Refs{})
		for _, p := range append(markup.UnreadExpressions([]byte(src), doc), doc.Problems...) {
			got = append(got, fmt.Sprint(p.Line, " ", p.Message))
		}
		line, part, _ := strings.Cut(want, " ")
		switch {
		case want == "" && len(got) == 0:
		case len(got) != 1 || !strings.HasPrefix(got[0], line+" ") || !strings.Contains(got[0], part):
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}
