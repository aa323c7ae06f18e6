package searchrows

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// MaxPlace is the number of results behind which no place has a key: they are too
// far behind the best results.
const MaxPlace = 1000

// Place is the place in the results of a search behind all results that were
// returned so far. Whatever is written changes the order of the others, because the weight
// of a word depends on how many pages have it. So a place is not a number or a score: it
// holds what was returned, and what follows are the best of all other results. A result
// that is there all the time is returned once. The zero Place is in front of all.
type Place struct {
	step  searchStep
	pages int             // number of pages that were returned
	sent  map[uint64]bool // hashes of the results that were returned
	width int             // bytes of a hash; 0: maxHash
}

const (
	// maxHash and minHash are the number of bytes of the hash of a result in a key. A
	// key with many results has shorter hashes.
	maxHash, minHash = 6, 4
	// maxHashes is the maximum size of the hashes of a key in bytes.
	maxHashes = MaxPlace * minHash
)

// Has reports whether a result was returned. The names identify it.
func (p *Place) Has(names ...string) bool {
	return p != nil && len(p.sent) > 0 && p.sent[p.hash(names)]
}

// Add moves the place behind a result.
func (p *Place) Add(names ...string) {
	if p == nil {
		return
	}
	if p.sent == nil {
		p.sent = map[uint64]bool{}
	}
	p.sent[p.hash(names)] = true
}

// AddPage counts a page, and returns its rank.
func (p *Place) AddPage() int {
	p.pages++
	return p.pages
}

// Len returns the number of results that were returned.
func (p *Place) Len() int {
	if p == nil {
		return 0
	}
	return len(p.sent)
}

func (p *Place) hash(names []string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	width := p.width
	if width == 0 {
		width = maxHash
	}
	return binary.BigEndian.Uint64(sum[:]) >> (64 - 8*width)
}

// Key returns the place as a key, or nil if it is behind too many results.
func (p *Place) Key() engine.Key {
	if len(p.sent) > MaxPlace {
		return nil
	}
	had := p.width
	if had == 0 {
		had = maxHash
	}
	width := max(minHash, min(had, maxHashes/max(len(p.sent), 1)))
	b := make([]byte, 0, len(p.sent)*width)
	for _, h := range slices.Sorted(maps.Keys(p.sent)) {
		var full [8]byte
		binary.BigEndian.PutUint64(full[:], h<<(64-8*had))
		b = append(b, full[:width]...)
	}
	return engine.Key{strconv.Itoa(int(p.step)), strconv.Itoa(p.pages), strconv.Itoa(width), base64.RawURLEncoding.EncodeToString(b)}
}

// PlaceOf returns the place of a key of Place.Key. Without a key, it is the place in
// front of all results.
func PlaceOf(k engine.Key) (*Place, error) {
	p := &Place{}
	if len(k) == 0 {
		return p, nil
	}
	bad := errs.Field("page", "is not a cursor of this list; start again without it")
	if len(k) != 4 {
		return nil, bad
	}
	var numbers [3]int
	for i := range numbers {
		n, err := strconv.Atoi(k[i])
		if err != nil || n < 0 {
			return nil, bad
		}
		numbers[i] = n
	}
	p.step, p.pages, p.width = searchStep(numbers[0]), numbers[1], numbers[2]
	b, err := base64.RawURLEncoding.DecodeString(k[3])
	if err != nil || int(p.step) > len(searchSteps) || p.width < minHash || p.width > maxHash || len(b)%p.width != 0 || len(b) > maxHashes {
		return nil, bad
	}
	p.sent = make(map[uint64]bool, len(b)/p.width)
	for h := range slices.Chunk(b, p.width) {
		var full [8]byte
		copy(full[8-p.width:], h)
		p.sent[binary.BigEndian.Uint64(full[:])] = true
	}
	return p, nil
}
