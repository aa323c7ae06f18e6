package markup

import (
	"testing"
	"time"
)

// fuzzSeeds adds every syntax case. The corpus in testdata has inputs that
// failed before.
func fuzzSeeds(f *testing.F) {
	for _, c := range syntaxCases(f) {
		f.Add([]byte(c.source))
	}
}

// maxFuzzTime is far above what any input of the fuzzer may take.
const maxFuzzTime = 20 * time.Second

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
		if len(src) > 1<<10 { // small inputs find more
			t.Skip()
		}
		checkLaws(t, src, Refs{})
	})
}
