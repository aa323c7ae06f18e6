package names

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"same", "same", 0}, {"ab", "ba", 1}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%s to %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNear(t *testing.T) {
	pages := map[string]string{"install": "1", "guide/install": "2", "guide/instal-windows": "3", "api": "4", strings.Repeat("x", 4000): "5"}
	for at, want := range map[string]string{"/instal": "12", "Install.md": "12", "guides/install/": "12", "apis": "4", "zebra": "", "": "", strings.Repeat("x", 3000): "5"} {
		got := Near(at, 3, maps.All(pages))
		slices.Sort(got)
		if strings.Join(got, "") != want {
			t.Errorf("near %.20q are %v, want %s", at, got, want)
		}
	}
	if got := Near("instal", 1, maps.All(pages)); len(got) != 1 {
		t.Errorf("%d of one", len(got))
	}
}
