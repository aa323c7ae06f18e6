package audience

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// DraftPrefix begins the part of a path that names unpublished content. Below the address of
// a site space, that is ~/changes/NUMBER/ or ~/revisions/ID/.
const DraftPrefix = "~/"

// namesDraft reports whether a path names unpublished content.
func namesDraft(path string) bool {
	return slices.Contains(sites.SplitPath(path), strings.TrimSuffix(DraftPrefix, "/"))
}

// Draft returns the change request or revision that a path below the address of a space
// names, the revision to read, and the rest of the path. The error is NotFound if there is
// no such draft.
func (s *Service) Draft(ctx context.Context, space docs.SpaceID, path string) (d authz.Draft, read docs.RevisionID, rest string, err error) {
	parts := sites.SplitPath(strings.TrimPrefix(path, DraftPrefix))
	if len(parts) < 2 {
		return d, "", "", errs.Missing("page")
	}
	d.Space, rest = space, strings.Join(parts[2:], "/")
	switch kind, name := parts[0], parts[1]; kind {
	case "changes":
		cr, err := s.store.ChangeRequest(ctx, space, name)
		d.Request = cr.ID
		return d, cr.Revision, rest, err
	case "revisions":
		r, err := s.store.Revision(ctx, space, docs.RevisionID(name))
		d.Revision = r.ID
		return d, r.ID, rest, err
	}
	return d, "", "", errs.Missing("page")
}

// resolvePreview is Resolve for the visitor of a preview. The addresses are those of the site
// on this server, without share keys, whether the site is published or not.
func (s *Service) resolvePreview(ctx context.Context, site docs.Site, path string, v authz.Visitor) (*Resolved, error) {
	out := &Resolved{Site: site.ID, Visitor: v}
	var err error
	if out.View, err = s.VisitorViewOf(ctx, site, v); err != nil {
		return nil, err
	}
	var ok bool
	if out.Target, ok = out.View.Paths.Resolve(path, false); !ok {
		return nil, errs.Missing("site")
	}
	prefix := ""
	if strings.HasPrefix(out.Target.Rest, DraftPrefix) {
		d, _, rest, err := s.Draft(ctx, out.Target.Space.Space, out.Target.Rest)
		if err == nil && !v.Draft.Includes(d) {
			err = errs.Missing("page")
		}
		if err != nil {
			return nil, err
		}
		prefix = strings.TrimSuffix(out.Target.Rest, rest)
		if !strings.HasSuffix(prefix, "/") {
			prefix += "/"
		}
		out.Visitor.Draft, out.Target.Rest, out.Target.Complete = d, rest, true
	}
	root := s.sites.Hosts.ServerURL(site.Publication())
	home := root
	if at := out.Target.Space.Address; at != "" {
		home += sites.EscapePath(at) + "/"
	}
	out.SiteBase, out.Base = pathOf(root), pathOf(home)+prefix
	out.Canonical = home + out.Target.Rest
	if !out.Target.Canonical() {
		out.Redirect = home + prefix + out.Target.Rest
	}
	if len(v.Claims) > 0 {
		out.Context = out.View.Reader.Key()
	}
	return out, nil
}
