package sites

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/site/sites/rison"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// maxShareLinks is the maximum number of share links of a site.
const maxShareLinks = 1000

// previewTime is the time until the address of a preview expires.
const previewTime = time.Hour

// hashKey returns the hash that a share link is looked up by. With a hash, the time of a
// lookup reveals nothing about other keys.
func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// ShareLinkByKey returns the active share link of a site with a key. It queries the database
// each time, so that a revoked link stops working at once.
func (s *Service) ShareLinkByKey(ctx context.Context, site docs.SiteID, key string) (docs.ShareLink, error) {
	v, err := s.Store.ShareLinkByHash(ctx, site, hashKey(key))
	if err == nil && !v.Active {
		err = errs.Missing("share link")
	}
	return v.ShareLink, err
}

// ShareLinkActive reports whether visitors of a share link may still read the site.
func (s *Service) ShareLinkActive(ctx context.Context, site docs.SiteID, id docs.ShareLinkID) (bool, error) {
	v, err := s.Store.ShareLink(ctx, site, id)
	if errs.Is(err, errs.NotFound) {
		return false, nil
	}
	return v.Active, err
}

// AddressKey returns the share key that the addresses of a site contain for a caller: the
// given key, which comes from the caller, if it is the key of an active link of the site, and
// otherwise the key with which the caller came as a visitor. A key that was revoked or never
// was one counts as none, so that no answer contains it. The result is empty for a site that
// is not read by share links.
func (s *Service) AddressKey(ctx context.Context, g *authz.Grant, p docs.Publication, key string) (string, error) {
	if p.Visibility != docs.VisibilityLink {
		return "", nil
	}
	if key != "" {
		_, err := s.ShareLinkByKey(ctx, p.Site, key)
		if err == nil || !errs.Is(err, errs.NotFound) {
			return key, err
		}
	}
	v := g.Actor.Visitor
	if v == nil || v.Link == "" || v.Site != p.Site {
		return "", nil
	}
	link, err := s.Store.ShareLink(ctx, v.Site, v.Link)
	if err != nil {
		return "", err
	}
	opened, err := openLink(ctx, s.Store.Reader, link)
	return string(opened.Key), err
}

// ShareLinks lists the share links of the site of a grant whose name contains a text, with
// their keys.
func (s *Service) ShareLinks(g *authz.Grant, name string) store.List[docs.ShareLink] {
	return store.List[docs.ShareLink]{
		Page: func(ctx context.Context, p store.Page) ([]docs.ShareLink, store.Key, error) {
			rows, next, err := s.Store.ShareLinks(ctx, g.Site.ID, name, p)
			if err != nil {
				return nil, nil, err
			}
			out := make([]docs.ShareLink, len(rows))
			for i, v := range rows {
				if out[i], err = openLink(ctx, s.Store.Reader, v); err != nil {
					return nil, nil, err
				}
			}
			return out, next, nil
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountShareLinks(ctx, g.Site.ID, name) },
	}
}

func openLink(ctx context.Context, r store.Reader, v store.SealedShareLink) (docs.ShareLink, error) {
	key, err := seal.Open(ctx, r, seal.ShareLink, string(v.ID), v.Sealed)
	v.Key = docs.Secret(key)
	return v.ShareLink, err
}

// ShareURL returns the address of a share link. It is empty if the link cannot be used.
func (s *Service) ShareURL(site docs.Site, l docs.ShareLink) string {
	if !site.Published || !l.Active || site.Visibility != docs.VisibilityLink {
		return ""
	}
	return s.Hosts.URL(site.Publication(), string(l.Key))
}

func linkEvent(action string, l docs.ShareLink) audit.Event {
	return audit.Event{Action: "site.share_link." + action, Data: map[string]any{"link": l.ID, "name": l.Name, "active": l.Active}}
}

// AddShareLink creates a share link.
func (s *Service) AddShareLink(ctx context.Context, g *authz.Grant, name string) (docs.ShareLink, error) {
	var link docs.ShareLink
	_, err := s.editSite(ctx, g, func(c *change) (audit.Event, error) {
		n, err := c.tx.CountShareLinks(ctx, c.site.ID, "")
		if err == nil && n >= maxShareLinks {
			err = errs.E(errs.Precondition, "a site can have %d share links; delete one first", maxShareLinks)
		}
		if err != nil {
			return audit.Event{}, err
		}
		link = docs.ShareLink{
			ID: store.NewID[docs.ShareLinkID](c.tx), Site: c.site.ID, Name: name, Active: true, CreatedAt: c.tx.Now(),
			Key: docs.Secret(strings.ToLower(rand.Text())), // 130 bits
		}
		sealed, err := seal.Seal(ctx, c.tx.Reader, seal.ShareLink, string(link.ID), string(link.Key))
		if err != nil {
			return audit.Event{}, err
		}
		c.touch = true
		return linkEvent("create", link), c.tx.AddShareLink(ctx, store.SealedShareLink{ShareLink: link, Hash: hashKey(string(link.Key)), Sealed: sealed})
	})
	return link, err
}

// UpdateShareLink renames a share link, revokes it or activates it again.
func (s *Service) UpdateShareLink(ctx context.Context, g *authz.Grant, id docs.ShareLinkID, name opt.Val[string], active opt.Val[bool]) (docs.ShareLink, error) {
	var link docs.ShareLink
	_, err := s.editSite(ctx, g, func(c *change) (audit.Event, error) {
		v, err := c.tx.ShareLink(ctx, c.site.ID, id)
		if err != nil {
			return audit.Event{}, err
		}
		if link, err = openLink(ctx, c.tx.Reader, v); err != nil {
			return audit.Event{}, err
		}
		before := link
		link.Name, link.Active = name.Or(link.Name), active.Or(link.Active)
		if audit.Same(before, link) {
			return audit.Event{}, nil
		}
		c.touch = true
		return linkEvent("update", link).Changed(before, link), c.tx.PutShareLink(ctx, link)
	})
	return link, err
}

// DeleteShareLink deletes a share link.
func (s *Service) DeleteShareLink(ctx context.Context, g *authz.Grant, id docs.ShareLinkID) error {
	_, err := s.editSite(ctx, g, func(c *change) (audit.Event, error) {
		c.touch = true
		return linkEvent("delete", docs.ShareLink{ID: id}), c.tx.DropShareLink(ctx, c.site.ID, id)
	})
	return err
}

// Auth holds how visitors of a site sign in, with the private key that signs their tokens.
type Auth struct {
	docs.SiteAuth
	PrivateKey string
}

// Auth returns how visitors of a site sign in.
func (s *Service) Auth(ctx context.Context, site docs.SiteID) (Auth, error) {
	v, err := s.Store.SiteSettings(ctx, site)
	if err != nil {
		return Auth{}, err
	}
	return s.openAuth(ctx, site, v.Auth)
}

func (s *Service) openAuth(ctx context.Context, site docs.SiteID, a docs.SiteAuth) (Auth, error) {
	key, err := seal.Open(ctx, s.Store.Reader, seal.VisitorKey, string(site), a.Sealed)
	return Auth{a, key}, err
}

// setKey sets a new private key of a site.
func setKey(ctx context.Context, r store.Reader, site docs.SiteID, a *docs.SiteAuth) (err error) {
	a.KeyVersion++
	a.Sealed, err = seal.Seal(ctx, r, seal.VisitorKey, string(site), visitor.NewPrivateKey())
	return err
}

// AuthPatch is the input of UpdateAuth.
type AuthPatch struct {
	Backend     string // empty if unchanged
	FallbackURL opt.Val[string]
	LogoutURL   opt.Val[string]
}

// UpdateAuth changes how visitors of a site sign in.
func (s *Service) UpdateAuth(ctx context.Context, g *authz.Grant, p AuthPatch) (Auth, error) {
	wrong := errs.Mistakes{}
	if p.Backend != "" && p.Backend != docs.AuthCustom {
		wrong.Field("body.backend", "must be %s: this server has no integrations that sign visitors in", docs.AuthCustom)
	}
	wrong.Add(checkAddress("body.fallbackURL", p.FallbackURL), checkAddress("body.logoutURL", p.LogoutURL))
	if err := wrong.Err(); err != nil {
		return Auth{}, err
	}
	v, err := s.configure(ctx, g, "site.auth.update", func(v *docs.SiteSettings) error {
		v.Auth.Backend = cmp.Or(p.Backend, v.Auth.Backend)
		v.Auth.FallbackURL, v.Auth.LogoutURL = p.FallbackURL.Or(v.Auth.FallbackURL), p.LogoutURL.Or(v.Auth.LogoutURL)
		return nil
	})
	if err != nil {
		return Auth{}, err
	}
	return s.openAuth(ctx, g.Site.ID, v.Auth)
}

func checkAddress(field string, v opt.Val[string]) error {
	if address, ok := v.Get(); ok {
		return docs.CheckWebURL(field, address)
	}
	return nil
}

// ReplaceKey sets a new private key of a site. Tokens that were signed with the old key become
// invalid.
func (s *Service) ReplaceKey(ctx context.Context, g *authz.Grant) (Auth, error) {
	v, err := s.configure(ctx, g, "site.auth.regenerate", func(v *docs.SiteSettings) error {
		return setKey(ctx, s.Store.Reader, g.Site.ID, &v.Auth)
	})
	if err != nil {
		return Auth{}, err
	}
	return s.openAuth(ctx, g.Site.ID, v.Auth)
}

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
	tree, err := s.previewStructure(ctx, s.Store.Reader, g.Site, who)
	if err != nil {
		return "", err
	}
	it, err := tree.previewStart(start.Space)
	if err != nil {
		return "", err
	}
	section, _ := tree.Item(docs.SiteSection, it.Parent) // the zero item in a site without sections
	token, err := s.token(ctx, who, tree.first(), section, it, who.Ends)
	address := s.Hosts.ServerURL(g.Site.Publication())
	if it.Address != "" {
		address += escapePath(it.Address) + "/"
	}
	return address + "?" + url.Values{"token": {token}}.Encode(), err
}

// PreviewBy returns the visitor of a preview that the member of a grant creates now.
func (s *Service) PreviewBy(g *authz.Grant) authz.Visitor {
	return authz.Visitor{Org: g.Site.Org, Site: g.Site.ID, Preview: true, By: g.Actor.User, Ends: s.Store.Clock().Add(previewTime).Unix()}
}

// previewStart returns the site space at which a preview begins.
func (s *Structure) previewStart(id docs.SiteItemID) (docs.SiteItem, error) {
	if id != "" {
		it, err := s.Item(docs.SiteSpace, id)
		if errs.Is(err, errs.NotFound) {
			err = errs.E(errs.NotFound, "query.siteSpace: there is no site space %q on the site", id)
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
			return nil, errs.Field("query.claims", `must be an object in JSON or Rison, such as {"plan": "pro"} or (plan:pro)`)
		}
	} else {
		v, err := rison.Parse(text)
		if err != nil {
			return nil, errs.Field("query.claims", "is not Rison, such as (plan:pro,beta:!t): %v", err)
		}
		var ok bool
		if claims, ok = v.(map[string]any); !ok {
			return nil, errs.Field("query.claims", "must be an object, such as (plan:pro)")
		}
	}
	schema, _, err := s.Schema(ctx, site)
	if err != nil {
		return nil, err
	}
	unsigned, _ := claims["unsigned"].(map[string]any)
	return schema.Claims(claims, unsigned), nil
}
