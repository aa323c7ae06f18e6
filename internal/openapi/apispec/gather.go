package apispec

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/outbound"
)

const (
	fetchTime  = 30 * time.Second // for one file
	gatherTime = 2 * time.Minute  // for all files
)

// failure is the reason why a description cannot be processed, for display.
type failure struct {
	code     docs.OpenAPIError
	problems []docs.OpenAPIProblem
}

func (f *failure) Error() string { return string(f.code) + ": " + f.problems[0].Message }

func fail(code docs.OpenAPIError, format string, args ...any) *failure {
	return &failure{code, []docs.OpenAPIProblem{{Message: fmt.Sprintf(format, args...), Code: string(code)}}}
}

// gathering collects the files of a description by following references from its root.
type gathering struct {
	s     *Service
	spec  docs.OpenAPISpec
	root  string
	known map[string]docs.OpenAPIFile // files of the last successful fetch
	files []docs.OpenAPIFile
	data  map[string][]byte // content of the files that were downloaded
	left  int64             // bytes that may still be fetched
}

// gather fetches the files of a description.
func (s *Service) gather(ctx context.Context, spec docs.OpenAPISpec) (*gathering, error) {
	g := &gathering{s: s, spec: spec, root: spec.SourceURL, known: map[string]docs.OpenAPIFile{}, data: map[string][]byte{}, left: openapi.MaxBytes}
	if spec.SourceURL == "" {
		return g, g.fromText(ctx)
	}
	for _, f := range spec.Fetched {
		g.known[f.Name] = f
	}
	return g, g.follow(ctx, []string{g.root}, map[string]string{})
}

// fromText uses the text of the source as the root.
func (g *gathering) fromText(ctx context.Context) error {
	text, err := g.s.read(ctx, g.spec.SourceBlob)
	if err != nil {
		return err
	}
	g.root = "openapi.yaml"
	if json.Valid(text) {
		g.root = "openapi.json"
	}
	g.left -= int64(len(text))
	f, err := g.keep(g.root, text, outbound.Validators{})
	if err != nil {
		return err
	}
	for _, ref := range f.References {
		if !isURL(ref) {
			return fail(docs.OpenAPIParseError, "%s refers to the file %s, which was not sent: a description that is sent as text is one file. Put the parts into one file, or set the URL of the description", g.root, ref)
		}
	}
	return g.follow(ctx, f.References, map[string]string{})
}

// follow fetches files and the files that they refer to. from maps a file to the first
// file that refers to it.
func (g *gathering) follow(caller context.Context, next []string, from map[string]string) error {
	ctx, cancel := context.WithTimeout(caller, gatherTime)
	defer cancel()
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if g.has(name) {
			continue
		}
		if len(g.files) >= openapi.MaxFiles {
			return fail(docs.OpenAPIParseError, "the description has more than %d files", openapi.MaxFiles)
		}
		f, err := g.fetch(ctx, name)
		if err := caller.Err(); err != nil {
			return err
		}
		if err != nil {
			return g.explain(err, name, from[name])
		}
		for _, ref := range f.References {
			if _, seen := from[ref]; !seen {
				from[ref] = name
			}
		}
		next = append(next, f.References...)
	}
	return nil
}

func (g *gathering) has(name string) bool {
	return slices.ContainsFunc(g.files, func(f docs.OpenAPIFile) bool { return f.Name == name })
}

// explain converts an error of fetching a file to a failure, if the source is the cause.
func (g *gathering) explain(err error, name, from string) error {
	var known *failure
	if errors.As(err, &known) {
		return known
	}
	where := ""
	if from != "" {
		where = fmt.Sprintf("%s, to which %s refers: ", shownName(g.root, name), shownName(g.root, from))
	}
	switch {
	case outbound.IsTimeout(err):
		return fail(docs.OpenAPIFetchTimeout, "%sthe server takes too long to answer", where)
	case errs.Is(err, errs.Invalid):
		return fail(docs.OpenAPIFetchError, "%s%s", where, errs.Message(err))
	}
	return err
}

// fetch fetches a file, or reuses the known one if it is not modified. Private addresses
// that the operator allows are only for the host of the URL that a member set. References
// to other hosts must be public, because the file can be written by somebody else.
func (g *gathering) fetch(ctx context.Context, name string) (docs.OpenAPIFile, error) {
	policy := outbound.Policy{}
	if sameHost(name, g.spec.SourceURL) {
		policy = g.s.Outbound
	}
	old, has := g.known[name]
	limits := outbound.Limits{MaxBytes: g.left, Timeout: cmp.Or(g.s.Timeout, fetchTime)}
	if has {
		limits.Known = outbound.Validators{ETag: old.ETag, Modified: old.Modified}
	}
	if g.left <= 0 {
		return old, fail(docs.OpenAPIParseError, "the files of the description are larger than %s", errs.Size(openapi.MaxBytes))
	}
	got, err := policy.Fetch(ctx, name, limits)
	if err != nil {
		return old, err
	}
	defer got.Body.Close()
	if got.NotModified {
		g.files = append(g.files, old)
		return old, nil
	}
	data, err := io.ReadAll(got.Body)
	if err != nil {
		return old, err
	}
	g.left -= int64(len(data))
	return g.keep(name, data, got.Validators)
}

// keep adds a file with its content.
func (g *gathering) keep(name string, data []byte, v outbound.Validators) (docs.OpenAPIFile, error) {
	refs, err := openapi.References(name, data)
	var invalid *openapi.Invalid
	if errors.As(err, &invalid) {
		return docs.OpenAPIFile{}, g.invalid(invalid)
	}
	sum := sha256.Sum256(data)
	f := docs.OpenAPIFile{Name: name, Blob: hex.EncodeToString(sum[:]), References: refs, ETag: v.ETag, Modified: v.Modified}
	g.files, g.data[name] = append(g.files, f), data
	return f, err
}

// invalid returns the failure for an invalid description.
func (g *gathering) invalid(e *openapi.Invalid) *failure {
	out := &failure{code: docs.OpenAPIParseError}
	for _, p := range e.Problems {
		p.File = shownName(g.root, p.File)
		out.problems = append(out.problems, docs.OpenAPIProblem{Message: docs.Clip(p.String(), maxMessage), Code: p.Code})
	}
	return out
}

// maxMessage is the maximum length of a problem's message, in characters.
const maxMessage = 1000

// hash returns a hash of the names and the contents of all files.
func (g *gathering) hash() string {
	lines := make([]string, len(g.files))
	for i, f := range g.files {
		lines[i] = fmt.Sprintf("%q %s\n", f.Name, f.Blob)
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q\n", g.root) + strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}

// bundle returns the files with their content. Unmodified files are read from the blob
// store.
func (g *gathering) bundle(ctx context.Context) (openapi.Bundle, error) {
	b := openapi.Bundle{Root: g.root, Files: map[string][]byte{}}
	left := int64(openapi.MaxBytes)
	for _, f := range g.files {
		data, has := g.data[f.Name]
		if !has {
			var err error
			if data, err = g.s.read(ctx, f.Blob); err != nil {
				return b, err
			}
		}
		if left -= int64(len(data)); left < 0 {
			return b, fail(docs.OpenAPIParseError, "the files of the description are larger than %s", errs.Size(openapi.MaxBytes))
		}
		b.Files[f.Name] = data
	}
	return b, nil
}

// read returns the content of a stored file.
func (s *Service) read(ctx context.Context, hash string) ([]byte, error) {
	o, err := blob.OpenNamed(ctx, s.Blobs, hash)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return io.ReadAll(o)
}

func isURL(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

func sameHost(a, b string) bool {
	x, err1 := url.Parse(a)
	y, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && x.Host != "" && strings.EqualFold(x.Host, y.Host)
}

// shownName returns the displayed name of a file: its path relative to the folder of the
// root, or its URL if it is on another host. It omits the query, which may contain
// secrets.
func shownName(root, name string) string {
	u, err := url.Parse(name)
	if err != nil || u.Host == "" {
		return name
	}
	u.RawQuery, u.ForceQuery, u.User = "", false, nil
	at, err := url.Parse(root)
	if err != nil || at.Host != u.Host || at.Scheme != u.Scheme {
		return u.String()
	}
	return relative(path.Dir(at.EscapedPath()), u.EscapedPath())
}

// relative returns the path of a file relative to a folder.
func relative(dir, file string) string {
	from, to := strings.Split(strings.Trim(dir, "/"), "/"), strings.Split(strings.TrimPrefix(file, "/"), "/")
	if from[0] == "" || from[0] == "." {
		from = nil
	}
	for len(from) > 0 && len(to) > 1 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	out := strings.Repeat("../", len(from)) + strings.Join(to, "/")
	if out == "" {
		return "openapi"
	}
	return out
}
