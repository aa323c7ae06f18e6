// Package apispec keeps descriptions of APIs for organizations: where each comes
// from, whether it could be read, and all of its versions.
//
// A description is set with a source, a URL or a text, and processed by a job
// afterwards (process.go): its files are gathered (gather.go), checked by
// internal/openapi, and become a version if they differ from the newest one.
// Whatever fails leaves the newest version as it is. The files of versions are in
// the store of files.
package apispec

import (
	"context"
	"net/netip"
	"net/url"
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

// MaxText is how many bytes a description has that is sent as text.
const MaxText = openapi.MaxBytes

const (
	maxSpecs = 1000 // of an organization

	checkEvery = 6 * time.Hour    // how often a URL is fetched
	retryAfter = 30 * time.Minute // when it is fetched again after it could not be
)

// Service keeps descriptions.
type Service struct {
	Store    *store.Store
	Blobs    blob.Store
	Outbound outbound.Policy
	Timeout  time.Duration // of fetching one file; 0 is 30 seconds

	described described
	addresses addresses
}

// Source is where a description comes from: one of both.
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

// Latest names the newest version where the id of one is expected.
const Latest docs.OpenAPIVersionID = "latest"

// Version returns a version of a description, or its newest one.
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

// Published returns the newest version of a description that everybody may read.
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

// Open opens a version as one file.
func (s *Service) Open(ctx context.Context, v docs.OpenAPIVersion) (blob.Object, error) {
	return blob.OpenNamed(ctx, s.Blobs, v.Document)
}

// Create adds a description under a slug that is free.
func (s *Service) Create(ctx context.Context, g *authz.Grant, slug docs.OpenAPISlug, src Source) (docs.OpenAPISpec, error) {
	at, err := s.accept(ctx, src)
	if err != nil {
		return docs.OpenAPISpec{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.OpenAPISpec, error) {
		_, exists, err := store.Maybe(tx.OpenAPISpec(ctx, g.Access.Org, slug))
		if err == nil && exists {
			err = errs.Field("body.slug", "is the slug of another OpenAPI specification of the organization; PUT replaces its source")
		}
		if err != nil {
			return docs.OpenAPISpec{}, err
		}
		return create(ctx, tx, g, slug, at)
	})
}

// Put sets the source of a description, which is added if it does not exist. It
// reports whether it was. The source is processed also if it is the same as before.
func (s *Service) Put(ctx context.Context, g *authz.Grant, slug docs.OpenAPISlug, src Source) (spec docs.OpenAPISpec, created bool, err error) {
	at, err := s.accept(ctx, src)
	if err != nil {
		return docs.OpenAPISpec{}, false, err
	}
	spec, err = authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.OpenAPISpec, error) {
		spec, exists, err := store.Maybe(tx.OpenAPISpec(ctx, g.Access.Org, slug))
		if err != nil {
			return spec, err
		}
		if created = !exists; created {
			return create(ctx, tx, g, slug, at)
		}
		if spec.SourceURL != at.url || spec.SourceBlob != at.blob {
			spec.SourceURL, spec.SourceBlob, spec.Fetched = at.url, at.blob, nil
			spec.UpdatedAt = tx.Now()
		}
		spec.Error, spec.Problems = "", nil
		if err := queue(ctx, tx, &spec); err != nil {
			return spec, err
		}
		return spec, audit.Record(ctx, tx, g.Actor, event(spec, "update", nil))
	})
	return spec, created, err
}

// Patch is the input of Update; absent fields stay.
type Patch struct {
	Visibility opt.Val[docs.OpenAPIVisibility]
	// RequestSpace is where a new version opens a change request, in the name of the caller;
	// null is nowhere.
	RequestSpace opt.Val[docs.SpaceID]
}

// Update changes who may read a description, and whether new versions open change requests.
func (s *Service) Update(ctx context.Context, g *authz.Grant, slug docs.OpenAPISlug, p Patch) (docs.OpenAPISpec, error) {
	if !p.Visibility.IsSet() && !p.RequestSpace.IsSet() {
		return docs.OpenAPISpec{}, errs.Field("body", "must have visibility or changeRequestSpace")
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
				err = errs.Field("body.changeRequestSpace", "is not a space of the organization: %q", space)
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

// create adds a description.
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

// queue lets a job process the source of a description. A job that runs already is
// for the source before, and runs again.
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

// source is a source that was accepted.
type source struct {
	url  string
	blob string // hash of a text
}

// accept checks a source and stores a text. Whether it is a description is found
// out later.
func (s *Service) accept(ctx context.Context, src Source) (source, error) {
	if (src.URL == "") == (src.Text == "") {
		return source{}, errs.Field("body.source", "must contain either url or text")
	}
	if src.URL != "" {
		u, err := s.checkURL(ctx, src.URL)
		return source{url: u}, err
	}
	switch {
	case len(src.Text) > MaxText:
		return source{}, errs.Field("body.source.text", "must not be larger than %d MB", MaxText>>20)
	case strings.TrimSpace(src.Text) == "":
		return source{}, errs.Field("body.source.text", "must not be blank")
	case !utf8.ValidString(src.Text):
		return source{}, errs.Field("body.source.text", "must be UTF-8")
	}
	info, err := s.Blobs.Put(ctx, strings.NewReader(src.Text))
	return source{blob: info.Hash.String()}, err
}

// checkURL refuses what could never be fetched. A name is looked up only when it
// is.
func (s *Service) checkURL(ctx context.Context, raw string) (string, error) {
	u, err := outbound.CheckURL(raw)
	if err == nil {
		if _, literal := netip.ParseAddr(u.Hostname()); literal == nil {
			_, err = s.Outbound.Resolve(ctx, u.Hostname())
		}
	}
	if err != nil {
		return "", errs.Field("body.source.url", "cannot be used: %s", errs.Message(err))
	}
	return u.String(), nil
}

// event returns the event of a change, without the path and the query of the URL,
// which hold secrets often enough.
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
