package wire

import (
	"net/url"
	"strconv"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
)

// Bearer is the holder of an address of a file: a member, a visitor of a site, or both
// for a preview of the site by a member. The rights of the bearer are checked again when
// the file is downloaded.
type Bearer struct {
	User    docs.UserID
	Visitor *authz.Visitor
}

// BearerOf returns the caller as a bearer.
func BearerOf(g *authz.Grant) Bearer {
	if v := g.Actor.Visitor; v != nil {
		return Bearer{User: v.By, Visitor: v}
	}
	return Bearer{User: g.Actor.User}
}

// Signed returns the values that identify the bearer in the signature of an address.
func (b Bearer) Signed() []string {
	out := []string{string(b.User)}
	if b.Visitor != nil {
		out = append(out, string(b.Visitor.Site), string(b.Visitor.Link), strconv.Itoa(b.Visitor.Key))
	}
	return out
}

// Query returns the parameters that identify the bearer in an address.
func (b Bearer) Query() string {
	out := ""
	if b.User != "" {
		out = "&user=" + url.QueryEscape(string(b.User))
	}
	if b.Visitor != nil {
		out += "&site=" + url.QueryEscape(string(b.Visitor.Site)) + "&link=" + url.QueryEscape(string(b.Visitor.Link)) + "&key=" + strconv.Itoa(b.Visitor.Key)
	}
	return out
}

// Addresses of files change once a day and are valid for one to two days, so that
// responses that contain one can be cached.
const downloadDay = 24 * time.Hour

// DownloadEnd returns the time at which an address that is issued now expires. It is the
// Same all day, so that browsers find a cached file under its address.
func (v *Views) DownloadEnd() time.Time { return v.Clock().Truncate(downloadDay).Add(2 * downloadDay) }
