package markup

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/markup/inline"
)

func TestInlineTextReadsWhatEscapeWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := frontmatter.CleanTitle(rapid.OneOf(rapid.String(), rapid.StringMatching("[a_*`\\\\<>&;#\\[\\]()!~ amp文，（]{0,20}")).Draw(t, "text"))
		if got := frontmatter.CleanTitle(InlineText(inline.Escape(s))); got != s {
			t.Fatalf("%q was written as %q and read as %q", s, inline.Escape(s), got)
		}
	})
}
