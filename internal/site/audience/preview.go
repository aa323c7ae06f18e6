package audience

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/audience/rison"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// previewTime is the time until the address of a preview expires.
const previewTime = time.Hour

// PreviewStart is what a preview shows first, and to whom.
type PreviewStart struct {
	Space  docs.SiteItemID // empty: the default
	Claims string          // of the visitor, in Rison or JSON
	Live   bool            // leave out the parts of the site that are drafts
}

// PreviewURL returns the address of a preview of the site of a grant. Until it expires, everybody with the address can read what the member who made it
// sees of the site, published or not.
func (s *Service) PreviewURL(ctx context.Context, g *authz.Grant, start PreviewStart) (string, error) {
	known, err := s.previewClaims(ctx, g.Site.ID, start.Claims)
	if err != nil {
		return "", err
	}
	who := s.PreviewBy(g)
	who.Claims, who.Live = known, start.Live
	tree, err := s.previewStructure(ctx, s.store.Reader, g.Site, who)
	if err != nil {
		return "", err
	}
	it, err := previewStart(tree, start.Space)
	if err != nil {
		return "", err
	}
	section, _ := tree.Item(docs.SiteSection, it.Parent) // the zero item in a site without sections
	token, err := s.token(ctx, who, firstSpaces(tree), section, it, who.Ends)
	address := s.sites.Hosts.ServerURL(g.Site.Publication())
	if it.Address != "" {
		address += sites.EscapePath(it.Address) + "/"
	}
	return address + "?" + url.Values{"token": {token}}.Encode(), err
}

// PreviewBy returns the visitor of a preview that the member of a grant creates now.
func (s *Service) PreviewBy(g *authz.Grant) authz.Visitor {
	return authz.Visitor{Org: g.Site.Org, Site: g.Site.ID, Preview: true, By: g.Actor.User, Ends: s.store.Clock().Add(previewTime).Unix()}
}

// previewStart returns the site space at which a preview begins.
func previewStart(s *sites.Structure, id docs.SiteItemID) (docs.SiteItem, error) {
	if id != "" {
		it, err := s.Item(docs.SiteSpace, id)
		if errs.Is(err, errs.NotFound) {
			err = errs.At(errs.NotFound, "siteSpace", "there is no site space %q on the site", id)
		}
		return it, err
	}
	if t, ok := s.Paths().Resolve("", false); ok {
		return t.Space, nil
	}
	return docs.SiteItem{}, errs.E(errs.Precondition, "the site has no content; add a space to it first")
}

// previewClaims parses the claims of the visitor of a preview.
func (s *Service) previewClaims(ctx context.Context, site docs.SiteID, text string) (map[string]any, error) {
	if text == "" {
		return nil, nil
	}
	var claims map[string]any
	if strings.HasPrefix(text, "{") { // JSON, the form of the explain operation
		if json.Unmarshal([]byte(text), &claims) != nil {
			return nil, errs.Field("claims", `must be an object in JSON or Rison, such as {"plan": "pro"} or (plan:pro)`)
		}
	} else {
		v, err := rison.Parse(text)
		if err != nil {
			return nil, errs.Field("claims", "is not Rison, such as (plan:pro,beta:!t): %v", err)
		}
		var ok bool
		if claims, ok = v.(map[string]any); !ok {
			return nil, errs.Field("claims", "must be an object, such as (plan:pro)")
		}
	}
	schema, _, err := s.sites.Settings.Schema(ctx, site)
	if err != nil {
		return nil, err
	}
	unsigned, _ := claims["unsigned"].(map[string]any)
	return schema.Claims(claims, unsigned), nil
}
