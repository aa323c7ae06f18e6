package openapi

import (
	"fmt"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Gather follows references from the root of a description and returns all of its files.
// read returns a file by its path in the bundle. Files at http and https addresses are
// skipped; Load reports references to them.
func Gather(root string, read func(name string) ([]byte, error)) (Bundle, error) {
	b := Bundle{Root: root, Files: map[string][]byte{}}
	size := 0
	for next := []string{root}; len(next) > 0; next = next[1:] {
		name := next[0]
		if b.Files[name] != nil || isAddress(name) {
			continue
		}
		if len(b.Files) >= MaxFiles {
			return b, &Invalid{[]Problem{{Code: CodeLimit, File: root, Message: fmt.Sprintf("the description has more than %d files", MaxFiles)}}}
		}
		data, err := read(name)
		if err != nil {
			return b, err
		}
		if size += len(data); size > MaxBytes {
			return b, &Invalid{[]Problem{{Code: CodeLimit, File: root, Message: "the files of the description are larger than " + errs.Size(MaxBytes)}}}
		}
		b.Files[name] = data
		refs, err := References(name, data)
		if err != nil {
			return b, err
		}
		next = append(next, refs...)
	}
	return b, nil
}
