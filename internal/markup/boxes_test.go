package markup_test

import (
	"strings"
	"testing"

	. "github.com/octavo-docs/octavo/internal/markup"
)

// A box of MkDocs and a hint of docsify are hints, expandables and tabs for
// readers, and their content is content of the page.
func TestBoxes(t *testing.T) {
	for source, want := range map[string][]string{
		"!!! note\n    a *b*\n\n    c\n\nd":                                 {`hint hint-info`, `<p>a <em>b</em></p>`, "<p>c</p>", "</aside><p>d</p>"},
		"!!! Warning \"T `x`\"\n    ## a":                                   {`hint hint-warning`, `<strong>T </strong><strong><code>x</code></strong>`, `id="a"`},
		"!!! example inline end\n\tb":                                       {`hint hint-info`, `<strong>Example</strong>`, `<p>b</p>`},
		"??? note\n    a":                                                   {`<details class="expandable">`, `<strong>Note</strong>`, `<p>a</p>`},
		"???+ \"Open\"\n    a":                                              {`<details class="expandable" open`, `<strong>Open</strong>`},
		"=== \"A\"\n\n    a\n\n=== \"B\"\n\n    ```\n    b\n    ```\n\nc":   {`tab-title">A</p>`, `tab-title">B</p>`, `<p>c</p>`},
		"* a\n\n    !!! tip\n        b\n\n        ??? bug\n            c\n": {`<li>`, `hint hint-success`, `<details class="expandable">`, `<p>c</p>`},
		"text\n!!! note\n    a":                                             {`<p>text</p>`, `hint hint-info`},
		"!> **a**, and `b`\nc":                                              {`hint hint-warning`, `<p><strong>a</strong>, and <code>b</code> c</p>`},
		"?> a":                                                              {`hint hint-info`, `<p>a</p>`},
		"!!! wow, this":                                                     {`<p>!!! wow, this</p>`},
		"!!! note that this is prose":                                       {`<p>!!! note that`},
		"??? what":                                                          {`<p>??? what</p>`},
		"\\!!! note\n\n`!!! note`\n\n\\?> a":                                {`<p>!!! note</p>`, `<code>!!! note</code>`},
		"a\n=== b":                                                          {`<p>a === b</p>`},
	} {
		got := strings.NewReplacer("\n", "", "> <", "><").Replace(shownHTML(t, source))
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%q is shown as\n%s, without\n%s", source, got, w)
			}
		}
		CheckLaws(t, []byte(source), Refs{})
	}
}
