package sites

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// maxShareLinks is the maximum number of share links of a site.
const maxShareLinks = 1000

// ShareLinks reads and changes the links by which people read a site with the visibility
// share-link.
type ShareLinks struct {
	Store *store.Store
	hosts Hosts
}

// hashKey returns the hash that a share link is looked up by. With a hash, the time of a
// lookup reveals nothing about other keys.
func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// ByKey returns the active share link of a site with a key. It queries the database
// each time, so that a revoked link stops working at once.
func (s *ShareLinks) ByKey(ctx context.Context, site docs.SiteID, key string) (docs.ShareLink, error) {
	v, err := s.Store.ShareLinkByHash(ctx, site, hashKey(key))
	if err == nil && !v.Active {
		err = errs.Missing("share link")
	}
	return v.ShareLink, err
}

// AddressKey returns the share key that the addresses of a site contain for a caller: the
// given key, which comes from the caller, if it is the key of an active link of the site, and
// otherwise the key with which the caller came as a visitor. A key that was revoked or never
// was one counts as none, so that no answer contains it. The result is empty for a site that
// is not read by share links.
func (s *ShareLinks) AddressKey(ctx context.Context, g *authz.Grant, p docs.Publication, key string) (string, error) {
	if p.Visibility != docs.VisibilityLink {
		return "", nil
	}
	if key != "" {
		_, err := s.ByKey(ctx, p.Site, key)
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

// List lists the share links of the site of a grant whose name contains a text, with
// their keys.
func (s *ShareLinks) List(g *authz.Grant, name string) store.List[docs.ShareLink] {
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

// URL returns the address of a share link. It is empty if the link cannot be used.
func (s *ShareLinks) URL(site docs.Site, l docs.ShareLink) string {
	if !site.Published || !l.Active || site.Visibility != docs.VisibilityLink {
		return ""
	}
	return s.hosts.URL(site.Publication(), string(l.Key))
}

func linkEvent(action string, l docs.ShareLink) audit.Event {
	return audit.Event{Action: "site.share_link." + action, Data: map[string]any{"link": l.ID, "name": l.Name, "active": l.Active}}
}

// Add creates a share link.
func (s *ShareLinks) Add(ctx context.Context, g *authz.Grant, name string) (docs.ShareLink, error) {
	var link docs.ShareLink
	_, err := editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
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

// Update renames a share link, revokes it or activates it again.
func (s *ShareLinks) Update(ctx context.Context, g *authz.Grant, id docs.ShareLinkID, name opt.Val[string], active opt.Val[bool]) (docs.ShareLink, error) {
	var link docs.ShareLink
	_, err := editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
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

// Delete deletes a share link.
func (s *ShareLinks) Delete(ctx context.Context, g *authz.Grant, id docs.ShareLinkID) error {
	_, err := editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
		c.touch = true
		return linkEvent("delete", docs.ShareLink{ID: id}), c.tx.DropShareLink(ctx, c.site.ID, id)
	})
	return err
}
