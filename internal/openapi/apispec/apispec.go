// Package apispec stores descriptions of APIs for organizations: their sources, the
// results of processing them, and all of their versions.
//
// A description has a source, which is a URL or a text. A job processes the source later
// (process.go): it fetches the files (gather.go) and checks them with internal/openapi.
// They become a version if they differ from the newest one. Any failure leaves the newest
// version unchanged. The files of versions are in the blob store.
//
// Where a change goes:
//   - OpenAPI specifications of organizations: what is fetched in gather.go, the job in
//     process.go; how they are read in openapi
package apispec

import (
	"context"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/store"
)

// MaxText is the maximum size in bytes of a description that is sent as text.
const MaxText = openapi.MaxBytes

const (
	maxSpecs = 1000 // per organization

	checkEvery = 6 * time.Hour    // interval between fetches of a URL
	retryAfter = 30 * time.Minute // interval after a failed fetch
)

// Service manages descriptions of APIs.
type Service struct {
	Store    *store.Store
	Blobs    blob.Store
	Outbound outbound.Policy
	Timeout  time.Duration // for one file; 0 means 30 seconds

	described described
	addresses addresses
}

// Source is the source of a description: either a URL or a text.
type Source struct {
	URL  string
	Text string
}

// Specs lists the descriptions of an organization.
func (s *Service) Specs(org docs.OrgID) store.List[docs.OpenAPISpec] {
	return store.List[docs.OpenAPISpec]{
		Page: func(ctx context.Context, p store.Page) ([]docs.OpenAPISpec, store.Key, error) {
			return s.Store.OpenAPISpecs(ctx, org, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountOpenAPISpecs(ctx, org) },
	}
}

// Spec returns a description of an organization.
func (s *Service) Spec(ctx context.Context, org docs.OrgID, slug docs.OpenAPISlug) (docs.OpenAPISpec, error) {
	return s.Store.OpenAPISpec(ctx, org, slug)
}

// Versions lists the versions of a description, newest first.
func (s *Service) Versions(ctx context.Context, org docs.OrgID, slug docs.OpenAPISlug) (docs.OpenAPISpec, store.List[docs.OpenAPIVersion], error) {
	spec, err := s.Store.OpenAPISpec(ctx, org, slug)
	return spec, store.List[docs.OpenAPIVersion]{
		Page: func(ctx context.Context, p store.Page) ([]docs.OpenAPIVersion, store.Key, error) {
			return s.Store.OpenAPIVersions(ctx, spec.ID, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountOpenAPIVersions(ctx, spec.ID) },
	}, err
}

// Latest can be used instead of the id of the newest version.
const Latest docs.OpenAPIVersionID = "latest"

// Version returns a version of a description. id can be Latest.
func (s *Service) Version(ctx context.Context, org docs.OrgID, slug docs.OpenAPISlug, id docs.OpenAPIVersionID) (docs.OpenAPISpec, docs.OpenAPIVersion, error) {
	spec, err := s.Store.OpenAPISpec(ctx, org, slug)
	if err != nil {
		return spec, docs.OpenAPIVersion{}, err
	}
	if id == Latest {
		id = spec.LastVersion
	}
	v, err := s.Store.OpenAPIVersion(ctx, spec.ID, id)
	return spec, v, err
}

// Published returns the newest version of a public description. The error is NotFound if
// the description is not public.
func (s *Service) Published(ctx context.Context, org docs.OrgID, slug docs.OpenAPISlug) (docs.OpenAPISpec, docs.OpenAPIVersion, error) {
	spec, v, err := s.Version(ctx, org, slug, Latest)
	if err == nil && spec.Visibility != docs.OpenAPIPublic {
		err = errs.Missing("OpenAPI specification")
	}
	if err != nil {
		return docs.OpenAPISpec{}, docs.OpenAPIVersion{}, err
	}
	return spec, v, nil
}

// Open opens a version as a single file.
func (s *Service) Open(ctx context.Context, v docs.OpenAPIVersion) (blob.Object, error) {
	return blob.OpenNamed(ctx, s.Blobs, v.Document)
}

// Raw returns the root file of a version as it was sent or fetched.
func (s *Service) Raw(ctx context.Context, v docs.OpenAPIVersion) ([]byte, error) {
	i := slices.IndexFunc(v.Files, func(f docs.OpenAPIFile) bool { return f.Name == v.Root })
	if i < 0 {
		return nil, errs.Missing("source of the version")
	}
	o, err := blob.OpenNamed(ctx, s.Blobs, v.Files[i].Blob)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return io.ReadAll(io.LimitReader(o, openapi.MaxBytes))
}

// Create adds a description with an unused slug.
func (s *Service) Create(ctx context.Context, g *authz.Grant, slug docs.OpenAPISlug, src Source) (docs.OpenAPISpec, error) {
	at, err := s.accept(ctx, src)
	if err != nil {
		return docs.OpenAPISpec{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.OpenAPISpec, error) {
		_, exists, err := store.Maybe(tx.OpenAPISpec(ctx, g.Access.Org, slug))
		if err == nil && exists {
			err = errs.Taken("slug", "is the slug of another OpenAPI specification of the organization; PUT replaces its source")
		}
		if err != nil {
			return docs.OpenAPISpec{}, err
		}
		return create(ctx, tx, g, slug, at)
	})
}

// Put sets the source of a description, and reports whether it created the description.
// The source is processed again even if it did not change.
func (s *Service) Put(ctx context.Context, g *authz.Grant, slug docs.OpenAPISlug, src Source) (docs.OpenAPISpec, bool, error) {
	at, err := s.accept(ctx, src)
	if err != nil {
		return docs.OpenAPISpec{}, false, err
	}
	type result struct {
		docs.OpenAPISpec
		created bool
	}
	out, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (result, error) {
		spec, exists, err := store.Maybe(tx.OpenAPISpec(ctx, g.Access.Org, slug))
		if err != nil {
			return result{}, err
		}
		if !exists {
			spec, err = create(ctx, tx, g, slug, at)
			return result{spec, true}, err
		}
		if spec.SourceURL != at.url || spec.SourceBlob != at.blob {
			spec.SourceURL, spec.SourceBlob, spec.Fetched = at.url, at.blob, nil
			spec.UpdatedAt = tx.Now()
		}
		spec.Error, spec.Problems = "", nil
		if err := queue(ctx, tx, &spec); err != nil {
			return result{}, err
		}
		return result{spec, false}, audit.Record(ctx, tx, g.Actor, event(spec, "update", nil))
	})
	return out.OpenAPISpec, out.created, err
}

// Patch is the input of Update. Absent fields are not changed.
type Patch struct {
	Visibility opt.Val[docs.OpenAPIVisibility]
	// RequestSpace is the space in which new versions open change requests, in the name
	// of the caller. Null disables that.
	RequestSpace opt.Val[docs.SpaceID]
}

// Update changes the visibility of a description, and whether new versions open change
// requests.
func (s *Service) Update(ctx context.Context, g *authz.Grant, slug docs.OpenAPISlug, p Patch) (docs.OpenAPISpec, error) {
	if !p.Visibility.IsSet() && !p.RequestSpace.IsSet() {
		return docs.OpenAPISpec{}, errs.Field("", "must have visibility or changeRequestSpace")
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.OpenAPISpec, error) {
		before, err := tx.OpenAPISpec(ctx, g.Access.Org, slug)
		if err != nil {
			return before, err
		}
		spec := before
		spec.Visibility = p.Visibility.Or(spec.Visibility)
		if space, set := p.RequestSpace.Get(); set {
			at, _, err := authz.NewChecker(tx.Reader).Space(ctx, g.Actor, authz.EditSpace, space)
			if errs.Is(err, errs.NotFound) || err == nil && at.Space.Org != spec.Org {
				err = errs.Field("changeRequestSpace", "is not a space of the organization: %q", space)
			}
			if err != nil {
				return before, err
			}
			spec.RequestSpace, spec.RequestBy = space, g.Actor.User
		} else if p.RequestSpace.IsNull() {
			spec.RequestSpace, spec.RequestBy = "", ""
		}
		if spec.Visibility == before.Visibility && spec.RequestSpace == before.RequestSpace && spec.RequestBy == before.RequestBy {
			return spec, nil
		}
		spec.UpdatedAt = tx.Now()
		if err := tx.PutOpenAPISpec(ctx, spec); err != nil {
			return spec, err
		}
		return spec, audit.Record(ctx, tx, g.Actor, event(spec, "update", nil).Changed(before, spec))
	})
}

// Delete deletes a description with its versions.
func (s *Service) Delete(ctx context.Context, g *authz.Grant, slug docs.OpenAPISlug) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		spec, err := tx.OpenAPISpec(ctx, g.Access.Org, slug)
		if err != nil {
			return err
		}
		if err := tx.DropOpenAPISpec(ctx, spec.ID); err != nil {
			return err
		}
		if _, err := tx.DropJob(ctx, ProcessJob, string(spec.ID)); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, event(spec, "delete", nil))
	})
}

// create adds a description and queues its processing.
func create(ctx context.Context, tx *store.Tx, g *authz.Grant, slug docs.OpenAPISlug, at source) (docs.OpenAPISpec, error) {
	spec := docs.OpenAPISpec{
		ID: store.NewID[docs.OpenAPISpecID](tx), Org: g.Access.Org, Slug: slug, SourceURL: at.url, SourceBlob: at.blob,
		Visibility: docs.OpenAPIPrivate, State: docs.OpenAPIPending, CreatedBy: g.Actor.User, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	n, err := tx.CountOpenAPISpecs(ctx, spec.Org)
	if err == nil && n >= maxSpecs {
		err = errs.E(errs.Precondition, "an organization can have %d OpenAPI specifications; delete one first", maxSpecs)
	}
	if err == nil {
		err = tx.AddOpenAPISpec(ctx, spec)
	}
	if err == nil {
		err = queue(ctx, tx, &spec)
	}
	if err != nil {
		return spec, err
	}
	return spec, audit.Record(ctx, tx, g.Actor, event(spec, "create", nil))
}

// queue enqueues the job that processes a description. If a job is running, it is for the
// previous source, and the job runs again.
func queue(ctx context.Context, tx *store.Tx, spec *docs.OpenAPISpec) error {
	spec.State, spec.CheckAt = docs.OpenAPIPending, 0
	spec.Run++
	if spec.SourceURL != "" {
		spec.CheckAt = tx.Now().Add(checkEvery)
	}
	if err := tx.PutOpenAPISpec(ctx, *spec); err != nil {
		return err
	}
	return jobs.EnqueueDebounced(ctx, tx, jobs.Job{Kind: ProcessJob, Key: string(spec.ID), Payload: task{spec.ID}, RunAt: tx.Now()}, 0)
}

// source is a checked source.
type source struct {
	url  string
	blob string // hash of the stored text
}

// accept checks a source and stores its text. The content is checked later by the job.
func (s *Service) accept(ctx context.Context, src Source) (source, error) {
	if (src.URL == "") == (src.Text == "") {
		return source{}, errs.Field("source", "must contain either url or text")
	}
	if src.URL != "" {
		u, err := s.checkURL(ctx, src.URL)
		return source{url: u}, err
	}
	switch {
	case len(src.Text) > MaxText:
		return source{}, errs.Field("source.text", "must not be larger than %s", errs.Size(MaxText))
	case strings.TrimSpace(src.Text) == "":
		return source{}, errs.Field("source.text", "must not be blank")
	case !utf8.ValidString(src.Text):
		return source{}, errs.Field("source.text", "must be UTF-8")
	}
	info, err := s.Blobs.Put(ctx, strings.NewReader(src.Text))
	return source{blob: info.Hash.String()}, err
}

// checkURL returns an error for a URL that can never be fetched. Host names are not
// resolved here, only when the URL is fetched.
func (s *Service) checkURL(ctx context.Context, raw string) (string, error) {
	u, err := outbound.CheckURL(raw)
	if err == nil {
		if _, literal := netip.ParseAddr(u.Hostname()); literal == nil {
			_, err = s.Outbound.Resolve(ctx, u.Hostname())
		}
	}
	if err != nil {
		return "", errs.Field("source.url", "cannot be used: %s", errs.Message(err))
	}
	return u.String(), nil
}

// event returns the audit event of a change. It has only the host of the URL, because the
// path and the query often contain secrets.
func event(spec docs.OpenAPISpec, action string, more map[string]any) audit.Event {
	data := map[string]any{"slug": spec.Slug}
	if u, err := url.Parse(spec.SourceURL); err == nil && u.Host != "" {
		data["host"] = u.Host
	}
	for k, v := range more {
		data[k] = v
	}
	return audit.Event{Org: spec.Org, Action: "openapi_spec." + action, Kind: "openapi-spec", ID: string(spec.ID), Data: data}
}
