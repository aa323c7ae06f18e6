package authz

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/store"
)

// Visitor is an actor who reads a published site and can do nothing else. A content token
// identifies a visitor; the web pages of a site create one for each request.
type Visitor struct {
	Org  docs.OrgID
	Site docs.SiteID
	// Link is the share link that the visitor used; empty if there was none.
	Link docs.ShareLinkID
	// Key is the version of the private key of the site with which its owner signed the
	// token of the visitor; 0 if there is no signed token.
	Key int
	// Preview allows the visitor to read the site before it is published, and to read
	// unpublished revisions.
	Preview bool
	// Live limits the preview to the parts of the site that are not drafts.
	Live bool
	// By is the member who created the preview. The preview shows nothing that the member
	// does not see.
	By docs.UserID
	// Draft is what the preview shows; the zero Draft is everything that the member sees.
	Draft Draft
	// Ends is the time at which the preview expires, in seconds since 1970.
	Ends int64
	// Claims are the claims of the visitor that conditions can read, already validated.
	Claims map[string]any
}

// Draft is a change request or a revision of a space that is not published.
type Draft struct {
	Space    docs.SpaceID
	Request  docs.ChangeRequestID
	Revision docs.RevisionID
}

// Includes reports whether a preview of d shows another draft.
func (d Draft) Includes(other Draft) bool { return d == Draft{} || d == other }

// Readable returns a space as the visitor may see it: if the space is published on
// another site, its address there is removed.
func (v Visitor) Readable(sp docs.Space) docs.Space {
	if sp.Published != nil && sp.Published.Site != v.Site {
		sp.Published = nil
	}
	return sp
}

// VisitorAccess is what a site shows to a visitor.
type VisitorAccess struct {
	Site    docs.Site
	Spaces  map[docs.SpaceID]bool
	Reader  *reading.Visitor
	Preview bool
	Draft   Draft // what a preview shows
}

// Sites reports what visitors see. Package site/audience implements it, because it depends
// on the structure of a site, which this package does not have.
type Sites interface {
	// Recognise returns the visitor that a content token identifies.
	Recognise(ctx context.Context, token string, now time.Time) (Visitor, error)
	// VisitorAccess returns what a site shows to a visitor at this moment. It returns
	// NotFound if that is nothing, such as when the site is not published or the share
	// link was revoked.
	VisitorAccess(ctx context.Context, r store.Reader, v Visitor) (*VisitorAccess, error)
}

// forVisitors reports whether visitors may perform the action on what a site shows them.
func (a Action) forVisitors() bool {
	return a == ReadContent || a == ReadSite || a == ReadOpenAPISpec
}

// visit checks a rule for a visitor. What the site does not show is absent. Of the rest,
// a visitor can read what is published.
func (c Checker) visit(ctx context.Context, actor Actor, rule Rule, param func(string) string) (*Grant, store.Stamp, error) {
	v := *actor.Visitor
	shown, err := c.sites.VisitorAccess(ctx, c.r, v)
	if err != nil {
		return nil, store.Stamp{}, err
	}
	g := &Grant{Actor: actor, Site: shown.Site, Role: docs.Read, visitorAccess: shown}
	org := docs.OrgID(param("organizationId"))
	var stamp store.Stamp
	switch rule.subject {
	case onOrg, onOrgOrSelf, onOrgOrLeaving, onTeam:
		if org != v.Org {
			return nil, stamp, errs.Missing("organization")
		}
	case otherUser:
		return nil, stamp, errs.Missing("user")
	case onCollection:
		return nil, stamp, errs.Missing("collection")
	case onSite:
		if org != v.Org || docs.SiteID(param("siteId")) != v.Site {
			return nil, stamp, errs.Missing("site")
		}
	case onSpace, onTrashedSpace:
		id := docs.SpaceID(param("spaceId"))
		if !shown.Spaces[id] {
			return nil, stamp, errs.Missing("space")
		}
		sp, err := c.r.Space(ctx, id)
		if err != nil {
			return nil, stamp, err
		}
		if !sp.It.DeletedAt.IsZero() {
			return nil, stamp, errs.Missing("space")
		}
		g.Space, stamp = v.Readable(sp.It), sp.Stamp
	}
	if rule.action == ReadRequest {
		if !v.Preview { // what is not published does not exist
			return nil, stamp, errs.Missing("change request")
		}
		cr, err := c.r.ChangeRequest(ctx, g.Space.ID, param("changeRequestId"))
		if err == nil && !v.Draft.Includes(Draft{Space: g.Space.ID, Request: cr.ID}) {
			err = errs.Missing("change request")
		}
		return g, stamp, err
	}
	if !rule.action.forVisitors() {
		return nil, stamp, errs.E(errs.Forbidden, "a visitor of a site cannot %s; use a token of a member", rule.action.Name)
	}
	return g, stamp, nil
}

// ReadsRevision returns NotFound unless the caller of a grant may read a revision of its
// space. A visitor can read the newest one. In a preview a visitor can also read others:
// all of them, or only the one that the preview shows.
func (c Checker) ReadsRevision(ctx context.Context, g *Grant, id docs.RevisionID) error {
	s := g.visitorAccess
	if s == nil || id == g.Space.Revision {
		return nil
	}
	if !s.Preview {
		return errs.Missing("revision")
	}
	d := Draft{Space: g.Space.ID, Revision: id}
	if s.Draft.Request != "" && s.Draft.Space == g.Space.ID {
		cr, err := c.r.ChangeRequest(ctx, g.Space.ID, string(s.Draft.Request))
		if err != nil {
			return err
		}
		if cr.Revision == id {
			d = s.Draft
		}
	}
	if !s.Draft.Includes(d) {
		return errs.Missing("revision")
	}
	return nil
}

// Visitor returns the visitor for reading content; nil for a member, who sees everything.
func (g *Grant) Visitor() *reading.Visitor {
	if g.visitorAccess == nil {
		return nil
	}
	return g.visitorAccess.Reader
}

// VisitorAccess returns what the site shows to the visitor; nil for a member.
func (g *Grant) VisitorAccess() *VisitorAccess { return g.visitorAccess }

// Readable returns another space if the caller of a grant, a member or a visitor, may
// read its content.
func (c Checker) Readable(ctx context.Context, g *Grant, id docs.SpaceID) (docs.Space, error) {
	other, _, err := c.check(ctx, g.Actor, Space(ReadContent), func(string) string { return string(id) })
	if err != nil {
		return docs.Space{}, err
	}
	return other.Space, nil
}
