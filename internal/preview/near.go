package preview

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/names"
)

const (
	maxNear   = 5   // pages that are proposed
	maxLetter = 120 // bytes of an address that are compared
)

// near returns the pages that an address may have meant, the likeliest first:
// those with the same last part, then those that are written alike.
func (s *site) near(at string) []*folder.Page {
	at = names.Fold(strings.TrimSuffix(strings.Trim(at, "/"), ".md"))
	at = at[:min(len(at), maxLetter)]
	last, most := path.Base(at), max(2, len(at)/3)
	type guess struct {
		page *folder.Page
		far  int
	}
	var found []guess
	for _, p := range s.menu.Order() {
		to := names.Fold(s.index.Address(p))
		to = to[:min(len(to), maxLetter)]
		far := most + 1
		if diff := len(at) - len(to); diff <= most && -diff <= most { // otherwise they differ by more
			far = distance(at, to)
		}
		switch d := distance(last, path.Base(to)); {
		case d == 0:
			far = min(far, 1)
		case d <= len(last)/3:
			far = min(far, d*2)
		}
		if far <= most {
			found = append(found, guess{p, far})
		}
	}
	slices.SortStableFunc(found, func(a, b guess) int { return cmp.Compare(a.far, b.far) })
	var out []*folder.Page
	for _, g := range found[:min(len(found), maxNear)] {
		out = append(out, g.page)
	}
	return out
}

// distance is how many letters must be put in, taken out or replaced to make
// one text of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := last
			if a[i] != b[j] {
				change++
			}
			last = row[j+1]
			row[j+1] = min(change, row[j]+1, last+1)
		}
	}
	return row[len(b)]
}
