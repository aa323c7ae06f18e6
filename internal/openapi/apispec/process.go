package apispec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/store"
)

const (
	// ProcessJob processes the source of a description.
	ProcessJob = "openapi.process"
	// RecheckJob enqueues the processing of URLs that are due.
	RecheckJob   = "openapi.recheck"
	RecheckEvery = 5 * time.Minute

	// RequestJob opens a change request for a new version, or updates the open one.
	// Package apireview handles it.
	RequestJob = "openapi.request"

	recheckBatch = 100
	loadTime     = time.Minute // timeout for checking a description
)

// task is the payload of ProcessJob.
type task struct {
	Spec docs.OpenAPISpecID `json:"spec"`
}

// RequestTask is the payload of RequestJob.
type RequestTask struct {
	Spec docs.OpenAPISpecID `json:"spec"`
}

// Process is the handler of ProcessJob. Problems of a description are stored with it. An
// error is a server error, and the job is retried.
func (s *Service) Process(ctx context.Context, payload []byte) error {
	var t task
	if err := json.Unmarshal(payload, &t); err != nil {
		return err
	}
	spec, exists, err := store.Maybe(s.begin(ctx, t.Spec))
	if err != nil || !exists {
		return err
	}
	done, err := s.prepare(ctx, spec)
	var failed *failure
	if err != nil && !errors.As(err, &failed) {
		return err
	}
	return s.finish(ctx, spec, done, failed)
}

// begin sets the state of a description to in progress and starts a new run.
func (s *Service) begin(ctx context.Context, id docs.OpenAPISpecID) (docs.OpenAPISpec, error) {
	return store.InTx(ctx, s.Store, func(tx *store.Tx) (docs.OpenAPISpec, error) {
		spec, err := tx.OpenAPISpecByID(ctx, id)
		if err != nil {
			return spec, err
		}
		spec.State = docs.OpenAPIProgress
		spec.Run++
		return spec, tx.PutOpenAPISpec(ctx, spec)
	})
}

// prepared is the result of processing a description.
type prepared struct {
	files   []docs.OpenAPIFile
	version *docs.OpenAPIVersion // nil: the newest version is unchanged
}

// prepare fetches and checks a description, and stores its files.
func (s *Service) prepare(ctx context.Context, spec docs.OpenAPISpec) (prepared, error) {
	g, err := s.gather(ctx, spec)
	if err != nil {
		return prepared{}, err
	}
	out := prepared{files: g.files}
	newest, exists, err := store.Maybe(s.Store.OpenAPIVersion(ctx, spec.ID, spec.LastVersion))
	if err != nil {
		return out, err
	}
	hash := g.hash()
	if exists && newest.Hash == hash {
		return out, nil
	}
	b, err := g.bundle(ctx)
	if err != nil {
		return out, err
	}
	if err := g.check(ctx, b); err != nil {
		return out, err
	}
	for _, f := range g.files {
		if _, err := s.Blobs.Put(ctx, bytes.NewReader(b.Files[f.Name])); err != nil {
			return out, err
		}
	}
	v := docs.OpenAPIVersion{Spec: spec.ID, Hash: hash, Root: g.root, Files: withoutValidators(g.files), Document: g.files[0].Blob}
	if len(g.files) > 1 {
		if v.Document, err = g.keepJSON(ctx, func() ([]byte, error) { return openapi.Join(b, maxParsed) }); err != nil {
			return out, err
		}
	}
	if v.Parsed, err = g.keepJSON(ctx, func() ([]byte, error) { return g.parsed(b) }); err != nil {
		return out, err
	}
	out.version = &v
	return out, nil
}

// keepJSON stores the output of build as a blob, and returns its hash.
func (g *gathering) keepJSON(ctx context.Context, build func() ([]byte, error)) (string, error) {
	data, err := build()
	var invalid *openapi.Invalid
	if errors.As(err, &invalid) {
		return "", g.invalid(invalid)
	}
	if err != nil {
		return "", err
	}
	info, err := g.s.Blobs.Put(ctx, bytes.NewReader(data))
	return info.Hash.String(), err
}

// withoutValidators returns the files without their HTTP validators, which versions do
// not store.
func withoutValidators(files []docs.OpenAPIFile) []docs.OpenAPIFile {
	out := slices.Clone(files)
	for i := range out {
		out[i].ETag, out[i].Modified = "", ""
	}
	return out
}

// check loads the whole description. A panic or a timeout of the parser is a failure of
// the description, so that the server continues.
func (g *gathering) check(caller context.Context, b openapi.Bundle) (err error) {
	ctx, cancel := context.WithTimeout(caller, loadTime)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fail(docs.OpenAPIParseError, "the description cannot be read: %s", docs.Clip(fmt.Sprint(p), maxMessage))
		}
	}()
	_, err = openapi.Load(ctx, b)
	var invalid *openapi.Invalid
	switch {
	case errors.As(err, &invalid):
		return g.invalid(invalid)
	case err != nil && caller.Err() == nil && ctx.Err() != nil:
		return fail(docs.OpenAPIParseError, "the description takes longer than %s to be checked; it is too large or refers to itself too often", loadTime)
	}
	return err
}

// finish stores the result of processing. It does nothing if another run began in the
// meantime, because the source was set or another node started: the result of that run
// counts.
func (s *Service) finish(ctx context.Context, began docs.OpenAPISpec, done prepared, failed *failure) error {
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		spec, exists, err := store.Maybe(tx.OpenAPISpecByID(ctx, began.ID))
		if err != nil || !exists || spec.Run != began.Run {
			return err
		}
		spec.State, spec.ProcessedAt = docs.OpenAPIComplete, tx.Now()
		if failed != nil {
			return storeFailure(ctx, tx, spec, failed)
		}
		spec.Error, spec.Problems = "", nil
		if spec.SourceURL != "" {
			spec.Fetched, spec.CheckAt = done.files, tx.Now().Add(checkEvery)
		}
		if done.version == nil {
			return tx.PutOpenAPISpec(ctx, spec)
		}
		v, first := *done.version, spec.LastVersion == ""
		v.ID, v.CreatedAt = store.NewID[docs.OpenAPIVersionID](tx), tx.Now()
		spec.LastVersion, spec.UpdatedAt = v.ID, tx.Now()
		if err := tx.AddOpenAPIVersion(ctx, v); err != nil {
			return err
		}
		if err := tx.PutOpenAPISpec(ctx, spec); err != nil {
			return err
		}
		if spec.RequestSpace != "" && !first {
			if err := jobs.EnqueueDebounced(ctx, tx, jobs.Job{Kind: RequestJob, Key: string(spec.ID), Payload: RequestTask{spec.ID}, RunAt: tx.Now()}, 0); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, authz.System, event(spec, "version", map[string]any{"version": v.ID, "files": len(v.Files)}))
	})
}

// storeFailure stores the reason of a failure; the newest version is kept. Repeated
// fetches with the same failure record only one event.
func storeFailure(ctx context.Context, tx *store.Tx, spec docs.OpenAPISpec, f *failure) error {
	known := spec.Error == f.code && slices.Equal(spec.Problems, f.problems)
	spec.Error, spec.Problems = f.code, f.problems
	if spec.SourceURL != "" {
		spec.CheckAt = tx.Now().Add(checkEvery)
		if f.code != docs.OpenAPIParseError {
			spec.CheckAt = tx.Now().Add(retryAfter)
		}
	}
	if err := tx.PutOpenAPISpec(ctx, spec); err != nil || known {
		return err
	}
	return audit.Record(ctx, tx, authz.System, event(spec, "fail", map[string]any{"code": f.code, "message": f.problems[0].Message}))
}

// Recheck is the handler of RecheckJob. It enqueues the processing of URLs that are due.
func (s *Service) Recheck(ctx context.Context, _ []byte) error {
	due, err := s.Store.DueOpenAPISpecs(ctx, docs.TimeOf(s.Store.Clock()), recheckBatch)
	if err != nil {
		return err
	}
	var failed error
	for _, id := range due {
		failed = errors.Join(failed, s.recheck(ctx, id))
	}
	return failed
}

func (s *Service) recheck(ctx context.Context, id docs.OpenAPISpecID) error {
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		spec, exists, err := store.Maybe(tx.OpenAPISpecByID(ctx, id))
		if err != nil || !exists || spec.CheckAt.IsZero() || spec.CheckAt > tx.Now() {
			return err
		}
		return queue(ctx, tx, &spec)
	})
}

// maxParsed is the maximum size of the files as JSON. YAML aliases are expanded there.
const maxParsed = 4 * openapi.MaxBytes

// entry is a file in the format that renderers of API references read.
type entry struct {
	Dir           string          `json:"dir"`
	IsEntrypoint  bool            `json:"isEntrypoint"`
	References    []string        `json:"references"`
	Filename      string          `json:"filename"`
	Specification json.RawMessage `json:"specification"`
}

// parsed returns the files as JSON, one per line, the root first. A line has the name, a
// tab and the entry.
func (g *gathering) parsed(b openapi.Bundle) ([]byte, error) {
	var out bytes.Buffer
	for _, f := range g.files {
		data, err := openapi.JSON(f.Name, b.Files[f.Name], maxParsed-out.Len())
		if err != nil {
			return nil, err
		}
		name := shownName(g.root, f.Name)
		e := entry{Dir: dirOf(name), IsEntrypoint: f.Name == g.root, References: []string{}, Filename: name, Specification: data}
		for _, ref := range f.References {
			e.References = append(e.References, shownName(g.root, ref))
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		line, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte('\t')
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

func dirOf(name string) string {
	if isURL(name) {
		return name[:max(0, len(name)-len(path.Base(name))-1)]
	}
	return path.Dir(name)
}

// Filesystem returns the files of a version as JSON: an object by name, or a list with
// the root first.
func (s *Service) Filesystem(ctx context.Context, v docs.OpenAPIVersion, asList bool) ([]byte, error) {
	lines, err := s.read(ctx, v.Parsed)
	if err != nil {
		return nil, err
	}
	begin, end := "{", "}"
	if asList {
		begin, end = "[", "]"
	}
	out := bytes.NewBuffer(make([]byte, 0, len(lines)+2))
	out.WriteString(begin)
	for i, line := range bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n")) {
		name, e, ok := bytes.Cut(line, []byte("\t"))
		if !ok {
			return nil, errs.E(errs.Internal, "the files of version %s are damaged", v.ID)
		}
		if i > 0 {
			out.WriteByte(',')
		}
		if !asList {
			out.Write(name)
			out.WriteByte(':')
		}
		out.Write(e)
	}
	out.WriteString(end)
	return out.Bytes(), nil
}
