// Package openapi reads descriptions of HTTP APIs: OpenAPI 3.0 and 3.1, and
// Swagger 2.0, in JSON or YAML, in one file or several. It checks them, and
// answers what a reference of the API shows: operations, schemas, examples,
// samples of code, all of it also as Markdown.
//
// The package does no input or output: a Bundle has all files. Nothing in it is
// executed or fetched, and work is bounded by the limits in limits.go, whatever a
// description contains.
package openapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bundle is a description as it was fetched: its files by path, all of one root.
// A file that was fetched from another place has its whole address as its path.
type Bundle struct {
	Root  string
	Files map[string][]byte
}

// Hash returns a hash of everything in the bundle.
func (b Bundle) Hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", b.Root)
	for _, name := range slices.Sorted(maps.Keys(b.Files)) {
		fmt.Fprintf(h, "%q %d\n", name, len(b.Files[name]))
		h.Write(b.Files[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// The codes of problems.
const (
	// CodeParse is the code of everything that is wrong with the text of a
	// description: it cannot be read, or breaks a rule of OpenAPI.
	CodeParse = "PARSE_ERROR"
	// CodeReference is the code of a reference that leads to nothing, or out of
	// the bundle.
	CodeReference = "REFERENCE_ERROR"
	// CodeUnsupported is the code of a text that is something else than a
	// description of a supported version.
	CodeUnsupported = "UNSUPPORTED"
	// CodeLimit is the code of a description that is too large.
	CodeLimit = "LIMIT_EXCEEDED"
)

// Problem is something wrong in a description, at a place that a person finds.
type Problem struct {
	Code    string
	File    string
	Line    int    // from 1; 0 for the file as a whole
	Path    string // a JSON pointer into the file, such as /paths/~1pets/get
	Message string
}

func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message)
	return b.String()
}

// Invalid is the error of a description that cannot be used.
type Invalid struct {
	Problems []Problem // at least one
}

func (e *Invalid) Error() string {
	if len(e.Problems) == 1 {
		return e.Problems[0].String()
	}
	return fmt.Sprintf("%s (and %d more problems)", e.Problems[0], len(e.Problems)-1)
}

// problems collects what is wrong, up to a limit.
type problems []Problem

func (ps *problems) add(p Problem) {
	if len(*ps) < maxProblems {
		*ps = append(*ps, p)
	}
}

func (ps *problems) full() bool { return len(*ps) >= maxProblems }

// err returns the problems as an error, or nil without any.
func (ps problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return &Invalid{ps}
}

// Load reads and checks a description. A description that cannot be used is an
// *Invalid; other errors are those of the context.
func Load(ctx context.Context, b Bundle) (*Description, error) {
	if err := bounded(b); err != nil {
		return nil, err
	}
	s := &source{root: b.Root, files: map[string]*file{}}
	if err := s.parse(ctx, b); err != nil {
		return nil, err
	}
	version, err := s.version()
	if err != nil {
		return nil, err
	}
	if err := s.check(ctx, version); err != nil {
		return nil, err
	}
	return describe(b.Hash(), s, version)
}

// bounded refuses a bundle that is too large to be looked at.
func bounded(b Bundle) error {
	one := func(code, message string) error {
		return &Invalid{[]Problem{{Code: code, File: b.Root, Message: message}}}
	}
	size := 0
	for _, data := range b.Files {
		size += len(data)
	}
	switch {
	case b.Files[b.Root] == nil:
		return one(CodeParse, "the file is missing or empty")
	case len(b.Files) > MaxFiles:
		return one(CodeLimit, fmt.Sprintf("the description has %d files; at most %d are read", len(b.Files), MaxFiles))
	case size > MaxBytes:
		return one(CodeLimit, fmt.Sprintf("the description has %d KB; at most %d KB are read", size>>10, MaxBytes>>10))
	}
	return nil
}
