// Package openapi reads descriptions of HTTP APIs: OpenAPI 3.0 and 3.1, and Swagger 2.0,
// in JSON or YAML, in one file or several. It checks them, and returns the content of an
// API reference: operations, schemas, examples and code samples, also as Markdown.
//
// The package does no input or output: a Bundle has all files. Nothing in a description
// is executed or fetched. Work is bounded by the limits in limits.go for any input.
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

	"github.com/octavo-docs/octavo/internal/errs"
)

// Bundle is the files of a description by path. A file that was fetched from another
// place than the root has its whole address as its path.
type Bundle struct {
	Root  string
	Files map[string][]byte
}

// Hash returns a hash of the names and the content of all files.
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
	// CodeParse is the code of a syntax error or of a violation of the OpenAPI
	// specification.
	CodeParse = "PARSE_ERROR"
	// CodeReference is the code of a reference that has no target, or a target outside of
	// the bundle.
	CodeReference = "REFERENCE_ERROR"
	// CodeUnsupported is the code of a file that is not a description of a supported
	// version.
	CodeUnsupported = "UNSUPPORTED"
	// CodeLimit is the code of a description that is too large.
	CodeLimit = "LIMIT_EXCEEDED"
)

// Problem is an error in a description, with its location.
type Problem struct {
	Code    string
	File    string
	Line    int    // from 1; 0 for the whole file
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

// problems collects problems, at most maxProblems.
type problems []Problem

func (ps *problems) add(p Problem) {
	if len(*ps) < maxProblems {
		*ps = append(*ps, p)
	}
}

func (ps *problems) full() bool { return len(*ps) >= maxProblems }

// err returns the problems as an error sorted by location, or nil if there are none.
func (ps problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return &Invalid{ps}
}

// Load parses and checks a description. It returns an *Invalid if the description cannot
// be used; other errors are those of the context.
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

// bounded returns an error for a bundle without a root, or one that is too large to be
// parsed.
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
		return one(CodeLimit, "the files of the description are larger than "+errs.Size(MaxBytes))
	}
	return nil
}
