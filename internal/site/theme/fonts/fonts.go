// Package fonts has the fonts that a site can choose by name, and the font of formulas, so that
// pages load them from their own host and from nowhere else.
//
// The files are subsets for browsers in WOFF2, each with the characters that it is
// for; their licences are beside them. A font that may not be copied has another
// of the same kind in its place.
package fonts

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

//go:generate go run generate.go ../../../../e2e/node_modules
//go:generate go run generate_math.go 5.3.0

//go:embed fonts.json
var list []byte

//go:embed files/*.woff2
var files embed.FS

// File is a part of a font.
type File struct {
	Name    string `json:"name"`
	Weights string `json:"weights"` // one, or the first and the last
	Range   string `json:"range"`   // of characters, as a style sheet has it
}

// others replace fonts that may not be copied.
var others = map[string]string{"ABCFavorit": "Inter"}

var families = sync.OnceValue(func() map[string][]File {
	var out map[string][]File
	if err := json.Unmarshal(list, &out); err != nil {
		panic(fmt.Errorf("the fonts of the program: %w", err))
	}
	for name, other := range others {
		out[name] = out[other]
	}
	return out
})

// Family returns the files of the font that a customization names; nil if there is
// none of that name.
func Family(name string) []File { return families()[name] }

// Read returns a file by its name and reports whether there is one.
func Read(name string) ([]byte, bool) {
	if !strings.HasSuffix(name, ".woff2") {
		return nil, false
	}
	b, err := files.ReadFile("files/" + name)
	return b, err == nil
}
