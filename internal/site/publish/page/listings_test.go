package page

import (
	"strings"
	"testing"
)

// The first part has the name of the whole file, and no part has two names.
func TestFullParts(t *testing.T) {
	for name, want := range map[string]int{
		"llms-full.txt": 1, "llms-full.txt/2": 2, "llms-full.txt/10": 10,
		"llms-full.txt/1": 0, "llms-full.txt/0": 0, "llms-full.txt/": 0, "llms-full.txt/+2": 0, "llms-full.txt/2/": 0, "llms-full.txt/999999999": 0, "llms.txt": 0,
	} {
		if part, ok := FullPart(name); ok != (want > 0) || ok && part != want {
			t.Errorf("%s is part %d, %t", name, part, ok)
		}
	}
}

func TestSitemapsEscape(t *testing.T) {
	m := newSitemap("urlset")
	m.add("url", "https://a.test/?a&b<c>", 0)
	if got := string(m.end()); !strings.Contains(got, "<url><loc>https://a.test/?a&amp;b&lt;c&gt;</loc></url>") {
		t.Error(got)
	}
}
