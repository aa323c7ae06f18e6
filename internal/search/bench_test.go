package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// benchPages returns pages of 200 words that are as unevenly frequent as those of
// a language are.
func benchPages(n int) (out []Page) {
	r := rand.New(rand.NewPCG(5, 6))
	syllables := strings.Fields("ba ce di fo gu ha le mi no pu ra se ti sto tra ple gri cho nea lio tion ment ring")
	words := make([]string, 20_000)
	for i := range words {
		for range 1 + r.IntN(4) {
			words[i] += syllables[r.IntN(len(syllables))]
		}
	}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[int(math.Exp(r.Float64()*math.Log(float64(len(words)))))-1] + " ")
		}
		return b.String()
	}
	for i := range n {
		p := Page{Title: fmt.Sprint(text(2), i), Language: "en"}
		for range 3 {
			p.Sections = append(p.Sections, Section{Title: text(3), Body: text(67)})
		}
		out = append(out, p)
	}
	return out
}

// BenchmarkEncoded is what the analysis of one page costs.
func BenchmarkEncoded(b *testing.B) {
	pages := benchPages(2000)
	var a Analyser
	for _, p := range pages {
		a.Encoded(p)
	}
	for i := 0; b.Loop(); i++ {
		a.Encoded(pages[i%len(pages)])
	}
}

// BenchmarkFoldDocs is what a segment of the pages that waited costs.
func BenchmarkFoldDocs(b *testing.B) {
	var a Analyser
	var ids []int64
	var docs [][]byte
	for i, p := range benchPages(32) {
		ids, docs = append(ids, int64(100_000+i)), append(docs, a.Encoded(p))
	}
	for b.Loop() {
		FoldDocs(ids, docs)
	}
}

// BenchmarkMerge is what merging four segments of 128 pages costs.
func BenchmarkMerge(b *testing.B) {
	var a Analyser
	var segments [][]Row
	for k, pages := 0, benchPages(512); k < len(pages); k += 128 {
		s := NewSegment()
		for i, p := range pages[k : k+128] {
			s.AddEncoded(int64(100_000+k+i), a.Encoded(p))
		}
		segments = append(segments, s.Rows())
	}
	for b.Loop() {
		if _, err := Merge(segments, func(int64) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}
