package theme

import (
	"regexp"
	"strings"
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
		if len(found) != 12 {
			t.Errorf("%s: %v", name, found)
			continue
		}
		for part, colors := range found {
			on := found["code-paper"]
			if changed := found[part+"-paper"]; changed != nil {
				on = changed
			}
			for i, c := range colors {
				ink, _ := parseColor(c)
				paper, ok := parseColor(on[i])
				if !ok || !strings.HasSuffix(part, "-paper") && contrast(ink, paper) < minContrast-0.1 {
					t.Errorf("%s: %s is %s on %s: %.2f", name, part, c, paper, contrast(ink, paper))
				}
			}
		}
	}
	// The style sheet has the same colours for the default.
	for _, m := range declared.FindAllString(ownCode.colors(), -1) {
		if name := m[:strings.Index(m, ":")]; strings.Contains(name, "ed-code") && !strings.Contains(string(Style.Data), strings.ReplaceAll(strings.ReplaceAll(m, ":light", ": light"), ",", ", ")) {
			t.Errorf("the style sheet lacks %s", m)
		}
	}
	if css := ownCode.style(); css != "" {
		t.Errorf("without a choice: %s", css)
	}
	if css := (CodeTheme{"github-light", "default-dark"}).style(); css == "" {
		t.Error("a choice for light pages alone does nothing")
	}
}
