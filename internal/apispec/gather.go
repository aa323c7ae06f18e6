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
	fetchTime  = 30 * time.Second // of one file
	gatherTime = 2 * time.Minute  // of all files
)

// failure is why a description cannot be processed. It is for people.
type failure struct {
	code     docs.OpenAPIError
	problems []docs.OpenAPIProblem
}

func (f *failure) Error() string { return string(f.code) + ": " + f.problems[0].Message }

func fail(code docs.OpenAPIError, format string, args ...any) *failure {
	return &failure{code, []docs.OpenAPIProblem{{Message: fmt.Sprintf(format, args...), Code: string(code)}}}
}

// gathering follows the references of a description from its root.
type gathering struct {
	s     *Service
	spec  docs.OpenAPISpec
	root  string
	known map[string]docs.OpenAPIFile // of the newest version
	files []docs.OpenAPIFile
	data  map[string][]byte // of files that differ from those that are known
	left  int64             // bytes
}

// gather returns the files of a description.
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

// fromText takes the root from the text that was sent.
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

// follow fetches files and those that they refer to. from says which file has the
// first reference to another.
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

// explain turns what went wrong with a file into a failure.
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

// fetch gets a file, or finds that it is the one that is known. Private addresses
// that the operator allows are for the URL that a member has set: what a file of
// somebody else refers to on other hosts must be public.
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
		return old, fail(docs.OpenAPIParseError, "the files of the description are larger than %d MB", openapi.MaxBytes>>20)
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

// keep adds a file with its bytes.
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

// invalid is the failure of a description that can be fetched but not used.
func (g *gathering) invalid(e *openapi.Invalid) *failure {
	out := &failure{code: docs.OpenAPIParseError}
	for _, p := range e.Problems {
		p.File = shownName(g.root, p.File)
		out.problems = append(out.problems, docs.OpenAPIProblem{Message: clip(p.String()), Code: p.Code})
	}
	return out
}

// maxMessage bounds the message of a problem, in characters.
const maxMessage = 1000

func clip(s string) string {
	if r := []rune(s); len(r) > maxMessage {
		return string(r[:maxMessage]) + "…"
	}
	return s
}

// hash names everything that a description is made of.
func (g *gathering) hash() string {
	lines := make([]string, len(g.files))
	for i, f := range g.files {
		lines[i] = fmt.Sprintf("%q %s\n", f.Name, f.Blob)
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q\n", g.root) + strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}

// bundle returns the files with their bytes. Those that did not change are in the
// store of files.
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
			return b, fail(docs.OpenAPIParseError, "the files of the description are larger than %d MB", openapi.MaxBytes>>20)
		}
		b.Files[f.Name] = data
	}
	return b, nil
}

// read returns the bytes of a file of a description.
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

// shownName returns what a file is called where people see it: its path from the
// folder of the root, or its address if it is on another host, without the query,
// which may hold secrets.
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

// relative returns a path as it is named from a folder.
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
