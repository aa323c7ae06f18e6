package markup

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// In sources with no other addresses than those with a scheme, addressParser and
// schemeParser have the same result.
func TestSchemesAreFoundAsWords(t *testing.T) {
	read := func(source string, words bool) *Document {
		if words {
			defer func() { readGrammar = grammar.Read }()
			readGrammar = grammar.ReadByWords
		}
		return Parse([]byte(source), Refs{})
	}
	pieces := rapid.SampledFrom([]string{
		"http", "https", "ftp", "sftp", "://", "://a", ".bc", "http://a.bc", "https://x.yz/a_b?c=(d)", "ftp://a.b", "<http://a.bc>",
		" ", "  ", "\t", "\n", "  \n", " \t\n", "    \n", "\r\n", "\\", "\\\n", "*", "**", "_", "~", "~~", "(", ")", "[", "]", "](", "![", "`", "``",
		"a", "1", ".", ":", ":smile:", "|", "| - |\n", "<b>", "</b>", "<", "é", "&amp;", "- ", "# ", "$",
	})
	rapid.Check(t, func(t *rapid.T) {
		source := ""
		for _, s := range rapid.SliceOfN(pieces, 1, 24).Draw(t, "pieces") {
			source += s
		}
		if a, b := read(source, false), read(source, true); !reflect.DeepEqual(a, b) {
			t.Fatalf("%q:\n%s\n%s", source, Print(a, Refs{}), Print(b, Refs{}))
		}
	})
}
