package markup

import (
	"os"
	"testing"
	"time"
)

// fuzzSeeds are pieces of every syntax; the corpus under testdata has more.
func fuzzSeeds(f *testing.F) {
	for _, c := range syntaxCases {
		f.Add([]byte(c.source))
	}
	if b, err := os.ReadFile("testdata/everything.md"); err == nil {
		f.Add(b)
	}
}

// maxFuzzTime is far above what any input of the fuzzer may take.
const maxFuzzTime = 5 * time.Second

func FuzzParse(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<16 {
			t.Skip()
		}
		begin := time.Now()
		doc := Parse(src, Refs{})
		if d := time.Since(begin); d > maxFuzzTime {
			t.Fatalf("%d bytes took %v", len(src), d)
		}
		checkSpans(t, src, doc)
		checkKeys(t, doc)
	})
}

func FuzzRoundTrip(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<12 {
			t.Skip()
		}
		checkLaws(t, src, Refs{})
	})
}
