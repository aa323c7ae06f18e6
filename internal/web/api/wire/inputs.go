package wire

import (
	"net/url"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// OrgIn names an organization.
type OrgIn struct {
	Org docs.OrgID `path:"organizationId"`
}

// SpaceIn names a space.
type SpaceIn struct {
	Space docs.SpaceID `path:"spaceId"`
}

// UserIn names a user.
type UserIn struct {
	User docs.UserID `path:"userId"`
}

// SiteIn names a site.
type SiteIn struct {
	OrgIn
	Site docs.SiteID `path:"siteId"`
}

// RequestIn names a change request by its id or its number.
type RequestIn struct {
	SpaceIn
	Request string `path:"changeRequestId" maxLength:"100"`
}

// ShareKeyIn is the key of a share link.
type ShareKeyIn struct {
	ShareKey string `query:"shareKey" maxLength:"256" doc:"Key of a share link; published addresses of a site with the visibility share-link contain it."`
}

// SignedAddress is part of the input of operations that a signed address authorizes.
type SignedAddress struct {
	Signature string `query:"signature" required:"true" doc:"Part of the address that the server returned; clients cannot compute it."`
}

// UserOf returns the user id of a filter, in which "me" is the caller.
func UserOf(g *authz.Grant, id docs.UserID) docs.UserID {
	if id == "me" {
		return g.Actor.User
	}
	return id
}

// ParseTime parses an RFC 3339 time; the empty text is the zero time. at is the path of
// the field, for error messages.
func ParseTime(at, text string) (docs.Time, error) {
	if text == "" {
		return 0, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, errs.Field(at, "must be a date and time such as 2026-01-31T08:00:00Z")
	}
	return docs.TimeOf(t), nil
}

// WebAddress parses an absolute http or https address in a field of the request.
func WebAddress(field, address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return nil, errs.Field(field, "must be an absolute address, such as https://docs.example.com/guides")
	}
	return u, nil
}

// SiteRoute is the path of a site.
const SiteRoute = "/orgs/{organizationId}/sites/{siteId}"
