package theme

import (
	"regexp"
	"testing"

	"github.com/octavo-docs/octavo/internal/site/customization"
)

// Every name that a customization accepts has a palette, which is readable on its background.
func TestCodeThemes(t *testing.T) {
	if len(palettes) != len(customization.CodeThemeNames) {
		t.Errorf("%d palettes for %d names", len(palettes), len(customization.CodeThemeNames))
	}
	declared := regexp.MustCompile(`--([a-z-]+):light-dark\((#[0-9a-f]{6}),(#[0-9a-f]{6})\);`)
	for _, name := range customization.CodeThemeNames {
		found := map[string][]string{}
		for _, m := range declared.FindAllStringSubmatch((CodeTheme{string(name), string(name)}).style(), -1) {
			found[m[1]] = m[2:]
		}
		if len(found) != 8 {
			t.Errorf("%s: %v", name, found)
			continue
		}
		for part, colors := range found {
			for i, c := range colors {
				ink, _ := parseColor(c)
				paper, ok := parseColor(found["code-paper"][i])
				if !ok || part != "code-paper" && contrast(ink, paper) < minContrast-0.1 {
					t.Errorf("%s: %s is %s on %s: %.2f", name, part, c, paper, contrast(ink, paper))
				}
			}
		}
	}
	if css := ownCode.style(); css != "" {
		t.Errorf("without a choice: %s", css)
	}
	if css := (CodeTheme{"github-light", "default-dark"}).style(); css == "" {
		t.Error("a choice for light pages alone does nothing")
	}
}
