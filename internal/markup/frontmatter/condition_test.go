package frontmatter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
)

// A condition that is not valid YAML or cannot be read must not show the page to
// everybody.
func TestAConditionIsReadOrHidesThePage(t *testing.T) {
	for src, want := range map[string]string{
		"if: visitor.claims.a":            "visitor.claims.a",
		"if: !visitor.claims.a":           "!visitor.claims.a",
		"if: \"!visitor.claims.a\"":       "!visitor.claims.a",
		"if: !(a)":                        "!(a)",
		"if: true":                        "true",
		"if: >\n  a\n  && b":              "a && b",
		"if:\n  a":                        "a",
		"{if: a, description: x}":         "a",
		"if:":                             "", // no condition
		"if: # later":                     "",
		"if: [a]":                         "false",
		"if: {a: b}":                      "false",
		"if: !a && !b":                    "false", // not YAML
		"title: x\nif : !a || b\nicon: y": "false",
		"title: [":                        "",
		"title: x\ndescription: a: if":    "",
		"description: |\n  if: not a key": "",
		"vars:\n  if: x":                  "",

		"if: a\ndescription: Note: prices":         "false",
		"if: a\ndescription: \"oops":               "false",
		"if: a\n\tdescription: x":                  "false",
		"if: a\n  description: x":                  "false",
		"if: a\ndescription: @x":                   "false",
		"if: a\ndescription: `x`":                  "false",
		"if: a\ndescription: *a":                   "false",
		"if: a\n<<: *a":                            "false",
		"%YAML 1.2\nif: a":                         "false",
		"if: a\nx: " + strings.Repeat("[", 2000):   "false",
		"if: a\nx: " + strings.Repeat("x", 200000): "false",
		"- if: a":                      "false",
		"{if: a, description: @x}":     "false",
		"if: a\n&& b":                  "false",
		"? if\n: a\nx: @":              "false",
		"if:\u00a0a":                   "false",
		"if:a":                         "false",
		"title: x\nif:a":               "false",
		"if: a\nif: b":                 "false",
		"if: \nif: b":                  "false",
		"If: a":                        "false",
		"\"if \": a":                   "false",
		"if\u200b: a":                  "false",
		"\ufeffif: a\ndescription: @x": "false",
	} {
		checkCondition(t, "---\n"+src+"\n---\n\n# T\n", want)
	}
}

// Neither must a condition in text that was intended as front matter but is not.
func TestAConditionWithoutFrontMatterHidesThePage(t *testing.T) {
	for src, want := range map[string]string{
		"---\nif: a\n# T\n\nText\n":                      "false",
		"---\ntitle: x\nif: a\n":                         "false",
		"---\n\nif: a\n\n# T\n":                          "false",
		"---\nif: a\n...\n# T\n":                         "false",
		"---\nif: a\n----\n# T\n":                        "false",
		"----\nif: a\n----\n# T\n":                       "false",
		"\n---\nif: a\n---\n# T\n":                       "false",
		" ---\nif: a\n---\n# T\n":                        "false",
		"\ufeff\n---\r\nif: a\r\n---\r\n":                "false",
		"\u200b---\nif: a\n---\n# T\n":                   "false",
		"---\u00a0\nif:\u00a0a\n---\n# T\n":              "false",
		"---\n  \"if\": a\n":                             "false",
		"---\n- if: a\n":                                 "false",
		"---\n\nA divider, and what if: nothing\n":       "",
		"---\n\n```yaml\nif: github.event\n```\n":        "",
		"---\n\nText\n\n----\n\nif: a\n":                 "",
		"# T\n\n---\n\nif: a\n":                          "",
		"---\n" + strings.Repeat("x\n", 500) + "if: a\n": "",
		"":      "",
		"---":   "",
		"\n\n ": "",
	} {
		checkCondition(t, src, want)
	}
}

func checkCondition(t *testing.T, src, want string) {
	t.Helper()
	h := markup.ParseHead([]byte(src))
	name := src[:min(len(src), 60)]
	if h.Meta.If != want {
		t.Errorf("%q: %q, want %q", name, h.Meta.If, want)
	}
	if want == "false" && (!slices.Contains(h.Meta.Keys, "if") || len(h.Problems) == 0) {
		t.Errorf("%q: keys %q and problems %v", name, h.Meta.Keys, h.Problems)
	}
	if out := frontmatter.Rewrite([]byte(src), markup.InlineText, h.Meta, h.Title, h.Emoji); string(out) != src {
		t.Errorf("%q: rewritten to %q", name, out)
	}
}

// A condition that is no expression hides the page, which authors must hear of.
func TestConditionsThatAreNoExpressions(t *testing.T) {
	h := markup.ParseHead([]byte("---\ndescription: a\nif: visitor.claims.(\n---\n\ntext\n"))
	if h.Meta.If != "visitor.claims.(" || len(h.Problems) != 1 || h.Problems[0].Line != 3 || !strings.Contains(h.Problems[0].Message, "cannot be read") {
		t.Errorf("the condition is %q with the problems %v", h.Meta.If, h.Problems)
	}
}
