package searchrows

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/search"
)

// Pages that have no word in common take much memory, however few they are.
func TestTheMemoryOfABulkIndexIsBounded(t *testing.T) {
	f := NewBulk("l")
	for page := range 20 {
		var words strings.Builder
		for n := range 100_000 {
			fmt.Fprintf(&words, "w%dx%d ", page, n)
		}
		var a search.Analyser
		f.add(entryTerms{int64(page + 1), a.Encoded(search.Page{Sections: []search.Section{{Body: words.String()}}})})
		if f.Full() {
			if page < 2 {
				t.Errorf("%d pages are enough", page+1)
			}
			return
		}
	}
	t.Error("two million words are not enough for a segment")
}
