package search

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// What an Analyser remembers of other pages decides nothing, also when it
// forgets: pages have words of their own and words of all.
func TestAnalyserForgets(t *testing.T) {
	var a Analyser
	const words = 1000
	known, fell := 0, false
	for i := range 3 * maxTerms / 2 / words {
		var b strings.Builder
		for k := range words {
			fmt.Fprintf(&b, "%dx ", i*words+k) // too short for a stem
		}
		b.WriteString("running Tests")
		p := Page{Title: "Common words", Language: "en", Sections: []Section{{Title: "Installing", Body: b.String()}}}
		if got := a.Encoded(p); i%10 == 0 && !bytes.Equal(got, Analyse(p).Encode()) {
			t.Fatalf("page %d is another one by itself", i)
		}
		now := len(a.languages["en"].terms)
		fell = fell || now < known
		if known = now; known > maxTerms+2*words {
			t.Fatalf("%d terms", known)
		}
	}
	if !fell {
		t.Fatal("nothing was forgotten")
	}
}
