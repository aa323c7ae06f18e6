// Package icons provides the icons that documentation refers to, from Font Awesome Free
// (CC BY 4.0), by their current and former names.
//
// An icon that is not in the free set is replaced by one with a similar meaning, so that
// a page never lacks an icon. The mark of a company is drawn only for its own name: elsewhere it
// would say something that nobody meant.
package icons

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/octavo-docs/octavo/internal/markup/packed"
)

//go:generate go run generate.go ../../../e2e/node_modules/@fortawesome/fontawesome-free

//go:embed icons.tsv.gz
var file []byte

// Icon is an icon with a single path. Its view box starts at 0, 0.
type Icon struct {
	Name          string
	Width, Height int
	Path          string
}

// SVG returns the icon as an HTML element with classes, which must not need escaping. The
// icon has the size and the colour of the surrounding text.
func (i Icon) SVG(class string) string {
	return fmt.Sprintf(`<svg class="%s" viewBox="0 0 %d %d" aria-hidden="true"><path d="%s"></path></svg>`, class, i.Width, i.Height, i.Path)
}

// Style is the style of an icon.
type Style bool

// The styles. An icon without an outlined form is drawn filled.
const (
	Filled   Style = false
	Outlined Style = true
)

// fallback is the icon for a name that matches no icon.
const fallback = "circle"

// meanings maps common names to icons, where the words of the name alone would mislead.
var meanings = map[string]string{
	"sparkles": "wand-magic-sparkles", "sparkle": "wand-magic-sparkles", "rectangle-terminal": "terminal", "rectangle-code": "code",
	"file-lines-circle-check": "file-circle-check", "rectangle-history": "clock-rotate-left", "memo": "file-lines", "memo-pad": "clipboard-list",
	"grid-2": "table-cells-large", "grid": "table-cells", "brackets-curly": "code", "brackets-square": "code", "chart-mixed": "chart-column",
	"messages": "comments", "message-bot": "robot", "head-side-brain": "brain", "party-horn": "champagne-glasses", "hand-wave": "hand",
	"shield-check": "shield-halved", "badge-check": "circle-check", "circle-bolt": "bolt", "pen-swirl": "pen-nib", "window": "window-maximize",
	"chart-network": "circle-nodes", "lightbulb-on": "lightbulb", "rocket-launch": "rocket", "webhook": "link", "api": "code",
}

// mark stands in the place of search terms for the marks of companies.
const mark = "-"

// set holds all icons.
type set struct {
	filled, outlined []Icon         // with the same names at the same indexes
	byName           map[string]int // includes former names
	byWord           map[string][]int
}

var all = sync.OnceValue(func() *set {
	s, err := read(packed.Unpack(file))
	if err != nil {
		panic(fmt.Errorf("the icons of the program: %w", err))
	}
	return s
})

func read(list []byte) (*set, error) {
	s := &set{byName: map[string]int{}, byWord: map[string][]int{}}
	for line := range strings.Lines(string(list)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 5 {
			return nil, fmt.Errorf("%d fields of %q", len(fields), fields[0])
		}
		name, at := fields[0], len(s.filled)
		filled, err := readIcon(name, fields[3])
		if err != nil {
			return nil, err
		}
		outlined := filled
		if fields[4] != "" {
			if outlined, err = readIcon(name, fields[4]); err != nil {
				return nil, err
			}
		}
		s.filled, s.outlined = append(s.filled, filled), append(s.outlined, outlined)
		s.byName[name] = at
		for alias := range strings.FieldsSeq(fields[1]) {
			if _, taken := s.byName[alias]; !taken {
				s.byName[alias] = at
			}
		}
		if fields[2] == mark {
			continue
		}
		for word := range strings.FieldsSeq(strings.ReplaceAll(name, "-", " ") + " " + fields[2]) {
			if list := s.byWord[word]; len(list) == 0 || list[len(list)-1] != at {
				s.byWord[word] = append(list, at)
			}
		}
	}
	return s, nil
}

func readIcon(name, field string) (i Icon, err error) {
	parts := strings.SplitN(field, " ", 3)
	if len(parts) != 3 {
		return i, fmt.Errorf("%s has no drawing", name)
	}
	i = Icon{Name: name, Path: parts[2]}
	if i.Width, err = strconv.Atoi(parts[0]); err == nil {
		i.Height, err = strconv.Atoi(parts[1])
	}
	return i, err
}

// Find returns the icon with a name, or else the one with the most similar name.
func Find(name string, style Style) Icon {
	s := all()
	name = strings.TrimPrefix(name, "fa-")
	if other := meanings[name]; other != "" {
		name = other
	}
	at, ok := s.byName[name]
	if !ok {
		at = s.nearest(name)
	}
	if style == Outlined {
		return s.outlined[at]
	}
	return s.filled[at]
}

// nearest returns the index of the icon that shares most words with a name, or the
// fallback. It prefers icons with short names.
func (s *set) nearest(name string) int {
	words := strings.Split(name, "-")
	points := map[int]int{}
	for i, word := range words[:min(len(words), 8)] {
		if len(word) < 3 {
			continue
		}
		for _, form := range []string{word, strings.TrimSuffix(word, "s"), word + "s"} {
			for _, at := range s.byWord[form] {
				points[at] += 8 - i // the first words of a name matter most
				if slices.Contains(strings.Split(s.filled[at].Name, "-"), form) {
					points[at] += 8
				}
			}
		}
	}
	best, most := s.byName[fallback], 0
	for at, n := range points {
		n = n*16 - len(s.filled[at].Name)
		if n > most || n == most && at < best {
			best, most = at, n
		}
	}
	return best
}
