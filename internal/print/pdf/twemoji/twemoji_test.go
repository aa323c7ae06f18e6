package twemoji

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/print/svg"
)

func TestEveryPictureCanBeDrawn(t *testing.T) {
	all := elements()
	if len(all) < 1800 {
		t.Errorf("%d pictures", len(all))
	}
	for _, code := range slices.Sorted(maps.Keys(all)) {
		d, err := svg.Parse(strings.NewReader(`<svg viewBox="0 0 36 36">` + all[code] + `</svg>`))
		if err != nil || len(d.Items) == 0 {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestPictures(t *testing.T) {
	for _, emoji := range []string{"🎉", "❤️", "👩‍💻", "🇫🇷", "1️⃣", "👍🏽", "👩🏿‍🚀", "🏴‍☠️", "☎️", "👁️‍🗨️"} {
		if _, ok := SVG(emoji); !ok {
			t.Errorf("%s (%+q) has no picture", emoji, emoji)
		}
	}
	for _, other := range []string{"", "a", "🎉🎉", "\x00"} {
		if s, ok := SVG(other); ok {
			t.Errorf("%q is %s", other, s)
		}
	}
	plain, _ := SVG("👍")
	toned, _ := SVG("👍🏿")
	if plain == toned || len(toned) != len(plain) || strings.Contains(toned, "#FFDB5E") {
		t.Errorf("the tone changes %q to %q", plain, toned)
	}
}
