package acceptlanguage_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/site/publish/acceptlanguage"
)

func TestParse(t *testing.T) {
	for header, want := range map[string][]string{
		"":                                  {},
		"fr":                                {"fr"},
		"de, fr-CA;q=0.8, en;q=0.7":         {"de", "fr-ca", "en"},
		"en;q=0.5, FR ; q=0.9,pt":           {"pt", "fr", "en"},
		"en;q=0.5, fr;q=0.5":                {"en", "fr"},
		"fr;q=0, *, ,en;q=x, ;q=1,de":       {"de"},
		strings.Repeat("x,", 10_000) + "fr": slices.Repeat([]string{"x"}, 20),
	} {
		if got := acceptlanguage.Parse(header); !slices.Equal(got, want) {
			t.Errorf("%.40q is %q, want %q", header, got, want)
		}
	}
}

func TestBest(t *testing.T) {
	there := []string{"en", "pt-br", "pt", "fr"}
	for wanted, want := range map[string]int{
		"": -1, "de": -1, "fr": 3, "fr-ca": 3, "pt": 2, "pt-br": 1, "pt-pt": 1, "de pt-pt fr": 1, "en-gb fr": 0, "p": -1,
	} {
		if got := acceptlanguage.Best(there, strings.Split(wanted, " ")); got != want {
			t.Errorf("of %q for %q: %d, want %d", there, wanted, got, want)
		}
	}
}
