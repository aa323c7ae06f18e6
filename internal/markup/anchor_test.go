package markup

import (
	"strings"
	"testing"
)

func TestAnchorsHaveAForm(t *testing.T) {
	for s, want := range map[string]bool{
		"getting-started": true, "v1.2+beta_3": true, "größe": true, "e\u0301": true, "第一章": true, "½": true,
		"": false, "two words": false, "a#b": false, "a\"": false, "a\n": false, "a\xff": false, "😀": false,
		strings.Repeat("ä", maxAnchor): true, strings.Repeat("ä", maxAnchor+1): false,
	} {
		if got := IsAnchor(s); got != want {
			t.Errorf("%.20q: %v, want %v", s, got, want)
		}
	}
}
