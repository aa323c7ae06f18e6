package fonts

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/octavo-docs/octavo/internal/site/customization"
)

// Every font that a customization can name is here, whole.
func TestFamilies(t *testing.T) {
	weights, ranges := regexp.MustCompile(`^[1-9]00( [1-9]00)?$`), regexp.MustCompile(`^[U+0-9A-F?,-]+$`)
	for _, names := range [][]string{customization.TextFonts, customization.CodeFonts} {
		for _, name := range names {
			latin := false
			for _, f := range Family(name) {
				b, ok := Read(f.Name)
				if !ok || !bytes.HasPrefix(b, []byte("wOF2")) || !weights.MatchString(f.Weights) || !ranges.MatchString(f.Range) {
					t.Errorf("%s: %+v, %d bytes", name, f, len(b))
				}
				latin = latin || bytes.Contains([]byte(f.Range), []byte("U+0000-00FF"))
			}
			if !latin {
				t.Errorf("%s has no letters", name)
			}
		}
	}
	for _, name := range []string{"", "Comic", "../fonts.json"} {
		if _, ok := Read(name); ok || Family(name) != nil {
			t.Errorf("%q is a font", name)
		}
	}
}
