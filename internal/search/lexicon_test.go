package search

import (
	"bytes"
	"fmt"
	"slices"
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

// A run of a script without blanks is one word, however long it is.
func TestAVeryLongRun(t *testing.T) {
	var b strings.Builder
	for i := range 300_000 {
		b.WriteRune(rune(0x4e00 + i*7919%20_011))
		b.WriteRune(rune(0x4e00 + i*104_729%19_997))
	}
	d := Analyse(Page{Sections: []Section{{Body: b.String()}}})
	terms := make([]string, len(d))
	for i, e := range d {
		terms[i] = e.Term
	}
	if len(d) < 400_000 || !slices.IsSorted(terms) || len(slices.Compact(terms)) != len(d) {
		t.Errorf("%d terms are not in order", len(d))
	}
}
