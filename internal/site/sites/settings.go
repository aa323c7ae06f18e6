package sites

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/site/adaptive"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/store"
)

// Settings reads and changes what a site has besides its structure: how it looks, how its
// visitors sign in, and which of their claims it knows.
type Settings struct {
	Store *store.Store
	hosts Hosts
	views *Views
}

// attempts is how often a change is retried after a concurrent change of the same settings.
const attempts = 5

var errBusy = errs.E(errs.Conflict, "the settings of the site are being changed by others; try again")

// configure changes the settings of the site of a grant. The function fn prepares the change
// outside of the transaction. It is called again if the settings have changed meanwhile.
// The checks run inside of the transaction.
func (s *Settings) configure(ctx context.Context, g *authz.Grant, action string, fn func(v *docs.SiteSettings) error, checks ...func(*store.Tx) error) (docs.SiteSettings, error) {
	for range attempts {
		before, err := s.Store.SiteSettings(ctx, g.Site.ID)
		if err != nil {
			return before, err
		}
		after := before
		if err := fn(&after); err != nil || after == before {
			return after, err
		}
		event := audit.Event{Action: action, Data: map[string]any{"title": g.Site.Title}}.Changed(before, after)
		stale := false
		_, err = editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
			now, err := c.tx.SiteSettings(ctx, c.site.ID)
			if stale = err == nil && now != before; stale {
				return audit.Event{}, errBusy
			}
			if after.Customization != before.Customization {
				after.CustomizedAt = c.tx.Now()
			}
			if after.Schema != before.Schema {
				after.SchemaAt = c.tx.Now()
			}
			c.touch = true
			for _, check := range checks {
				if err == nil {
					err = check(c.tx)
				}
			}
			if err == nil {
				err = c.tx.PutSiteSettings(ctx, c.site.ID, after)
			}
			return event, err
		})
		if !stale {
			return after, err
		}
	}
	return docs.SiteSettings{}, errBusy
}

// Customization returns the customization of a site.
func (s *Settings) Customization(ctx context.Context, site docs.Site) (customization.Settings, error) {
	look, err := s.storedCustomization(ctx, site)
	if err != nil {
		return look, err
	}
	return s.fontLookup(site).fillIn(ctx, look)
}

// storedCustomization returns the stored customization of a site, without the current state of
// its fonts.
func (s *Settings) storedCustomization(ctx context.Context, site docs.Site) (customization.Settings, error) {
	v, err := s.Store.SiteSettings(ctx, site.ID)
	if err != nil {
		return customization.Settings{}, err
	}
	return decodeCustomization(site, v)
}

func decodeCustomization(site docs.Site, v docs.SiteSettings) (customization.Settings, error) {
	if v.Customization == "" {
		return customization.Default(site.Title), nil
	}
	out, err := customization.Decode(site.Title, []byte(v.Customization))
	if err != nil {
		return out, fmt.Errorf("customization of the site %s: %w", site.ID, err)
	}
	out.UpdatedAt = v.CustomizedAt
	return out, nil
}

// Customize replaces the customization of the site of a grant.
func (s *Settings) Customize(ctx context.Context, g *authz.Grant, p customization.Patch) (customization.Settings, error) {
	var current, next customization.Settings
	v, err := s.configure(ctx, g, "site.customization.update", func(v *docs.SiteSettings) (err error) {
		if current, err = decodeCustomization(g.Site, *v); err != nil {
			return err
		}
		next = current.Replace(g.Site.Title, p)
		if err := s.checkLook(ctx, g, current, next); err != nil {
			return err
		}
		text, err := next.Encode(g.Site.Title)
		v.Customization, v.Icon = string(text), iconOf(next.Favicon)
		return err
	}, func(tx *store.Tx) error { return checkFonts(ctx, tx.Reader, g.Site.Org, current, next) })
	if err != nil {
		return customization.Settings{}, err
	}
	look, err := decodeCustomization(g.Site, v)
	if err != nil {
		return look, err
	}
	return s.fontLookup(g.Site).fillIn(ctx, look)
}

// iconOf returns the icon that lists of sites show.
func iconOf(f customization.Favicon) docs.SiteIcon {
	icon := docs.SiteIcon{Emoji: f.Emoji}
	if f.Icon != nil {
		icon.Light, icon.Dark = f.Icon.Light, f.Icon.Dark
	}
	return icon
}

// checkLook returns an error unless a customization is valid. New conditions of links are
// checked in the same way as conditions of sections.
func (s *Settings) checkLook(ctx context.Context, g *authz.Grant, before, look customization.Settings) error {
	var wrong errs.Mistakes
	wrong.Add(look.Check())
	for path, condition := range look.NewConditions(before) {
		wrong.Add(checkCondition(ctx, s.Store.Reader, g, path, condition))
	}
	return wrong.Err()
}

// SpaceCustomization is the customization of a site space.
type SpaceCustomization struct {
	Settings   customization.Settings
	Overridden bool // whether it differs from the site
}

// Customizations returns the customization of a site, and the customizations of all site
// spaces with overrides.
func (s *Settings) Customizations(ctx context.Context, site docs.Site) (customization.Settings, map[docs.SiteItemID]customization.Settings, error) {
	base, err := s.storedCustomization(ctx, site)
	if err != nil {
		return base, nil, err
	}
	texts, err := s.Store.SiteOverrides(ctx, site.ID)
	if err != nil {
		return base, nil, err
	}
	fonts, out := s.fontLookup(site), map[docs.SiteItemID]customization.Settings{}
	for id, text := range texts {
		o, err := decodeOverride(id, text)
		if err != nil {
			return base, nil, err
		}
		if out[id], err = fonts.fillIn(ctx, base.With(o)); err != nil {
			return base, nil, err
		}
	}
	base, err = fonts.fillIn(ctx, base)
	return base, out, err
}

func decodeOverride(id docs.SiteItemID, text string) (o customization.Override, err error) {
	if text == "" {
		return o, nil
	}
	if err = json.Unmarshal([]byte(text), &o); err != nil {
		err = fmt.Errorf("customization of the site space %s: %w", id, err)
	}
	return o, err
}

// SpaceCustomization returns the customization of a site space that the caller can see.
func (s *Settings) SpaceCustomization(ctx context.Context, g *authz.Grant, id docs.SiteItemID) (SpaceCustomization, error) {
	if err := s.seesSpace(ctx, g, id); err != nil {
		return SpaceCustomization{}, err
	}
	out, _, err := s.spaceCustomization(ctx, g.Site, id, nil)
	return out, err
}

// spaceCustomization returns the customization of a site space after a patch of its overrides,
// which may be nil. It also returns the stored overrides before and after the patch.
func (s *Settings) spaceCustomization(ctx context.Context, site docs.Site, id docs.SiteItemID, p *customization.Patch) (SpaceCustomization, [2]string, error) {
	var out SpaceCustomization
	base, err := s.storedCustomization(ctx, site)
	if err != nil {
		return out, [2]string{}, err
	}
	texts, err := s.Store.SiteOverrides(ctx, site.ID)
	if err != nil {
		return out, [2]string{}, err
	}
	stored := [2]string{texts[id], texts[id]}
	o, err := decodeOverride(id, texts[id])
	if err == nil && p != nil {
		o = o.With(*p)
		if stored[1] = ""; !o.IsEmpty() {
			var b []byte
			b, err = jsontext.Marshal(o)
			stored[1] = string(b)
		}
	}
	if err != nil {
		return out, stored, err
	}
	out.Settings, out.Overridden = base.With(o), !o.IsEmpty()
	out.Settings.UpdatedAt = base.UpdatedAt
	out.Settings, err = s.fontLookup(site).fillIn(ctx, out.Settings)
	return out, stored, err
}

// Override changes the overrides of the customization in a site space.
func (s *Settings) Override(ctx context.Context, g *authz.Grant, id docs.SiteItemID, p customization.Patch) (SpaceCustomization, error) {
	for range attempts {
		if err := s.seesSpace(ctx, g, id); err != nil {
			return SpaceCustomization{}, err
		}
		before, _, err := s.spaceCustomization(ctx, g.Site, id, nil)
		if err != nil {
			return before, err
		}
		out, text, err := s.spaceCustomization(ctx, g.Site, id, &p)
		if err != nil {
			return out, err
		}
		if err := s.checkLook(ctx, g, before.Settings, out.Settings); err != nil || text[0] == text[1] {
			return out, err
		}
		stale, err := s.putOverride(ctx, g, id, text, func(tx *store.Tx) error {
			return checkFonts(ctx, tx.Reader, g.Site.Org, before.Settings, out.Settings)
		})
		if !stale {
			return out, err
		}
	}
	return SpaceCustomization{}, errBusy
}

// putOverride replaces the override text[0] by text[1]. It reports whether the stored override
// is no longer text[0].
func (s *Settings) putOverride(ctx context.Context, g *authz.Grant, id docs.SiteItemID, text [2]string, check func(*store.Tx) error) (stale bool, err error) {
	changes := audit.Event{}.Changed(text[0], text[1]).Data["changes"]
	_, err = editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
		it, err := c.item(ctx, docs.SiteSpace, id)
		if err != nil {
			return audit.Event{}, err
		}
		now, err := c.tx.SiteOverrides(ctx, c.site.ID)
		if stale = err == nil && now[id] != text[0]; stale {
			return audit.Event{}, errBusy
		}
		c.touch = true
		if err == nil {
			err = check(c.tx)
		}
		if err == nil {
			err = c.tx.PutSiteOverride(ctx, id, text[1])
		}
		e := itemEvent(docs.SiteSpace, "customization.update", it)
		e.Data["changes"] = changes
		return e, err
	})
	return stale, err
}

// DropOverride removes the overrides of a site space. The error is NotFound if there are none.
func (s *Settings) DropOverride(ctx context.Context, g *authz.Grant, id docs.SiteItemID) error {
	_, err := editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
		it, err := c.item(ctx, docs.SiteSpace, id)
		if err != nil {
			return audit.Event{}, err
		}
		now, err := c.tx.SiteOverrides(ctx, c.site.ID)
		if err == nil && now[id] == "" {
			err = errs.Missing("customization of the site space")
		}
		if err != nil {
			return audit.Event{}, err
		}
		c.touch = true
		return itemEvent(docs.SiteSpace, "customization.delete", it), c.tx.PutSiteOverride(ctx, id, "")
	})
	return err
}

// seesSpace returns an error unless the site of a grant has a site space with the given id
// whose space the caller can see.
func (s *Settings) seesSpace(ctx context.Context, g *authz.Grant, id docs.SiteItemID) error {
	v, err := s.views.Member(ctx, g)
	if err != nil {
		return err
	}
	_, err = v.Structure.Item(docs.SiteSpace, id)
	return err
}

// Schema returns the schema of the claims of visitors, and the time at which it was set. The
// schema is nil if it was never set.
func (s *Settings) Schema(ctx context.Context, site docs.SiteID) (*adaptive.Schema, docs.Time, error) {
	return schemaOf(ctx, s.Store.Reader, site)
}

func schemaOf(ctx context.Context, r store.Reader, site docs.SiteID) (*adaptive.Schema, docs.Time, error) {
	v, err := r.SiteSettings(ctx, site)
	if err != nil || v.Schema == "" {
		return nil, 0, err
	}
	schema, err := adaptive.Parse("schema", []byte(v.Schema))
	if err != nil {
		return nil, 0, fmt.Errorf("adaptive schema of the site %s: %v", site, err) // not an error of the caller, so its kind is dropped
	}
	return schema, v.SchemaAt, nil
}

// SetSchema sets the schema of the claims of visitors.
func (s *Settings) SetSchema(ctx context.Context, g *authz.Grant, source []byte) (*adaptive.Schema, docs.Time, error) {
	schema, err := adaptive.Parse("jsonSchema", source)
	if err != nil {
		return nil, 0, err
	}
	text, err := schema.MarshalJSON()
	if err != nil {
		return nil, 0, err
	}
	v, err := s.configure(ctx, g, "site.adaptive_schema.update", func(v *docs.SiteSettings) error {
		if !jsontext.Same([]byte(v.Schema), text) {
			v.Schema = string(text)
		}
		return nil
	})
	return schema, v.SchemaAt, err
}

// SetAds stores the preferences of the owner of a site for advertisements.
func (s *Settings) SetAds(ctx context.Context, g *authz.Grant, ads docs.SiteAds) error {
	_, err := s.configure(ctx, g, "site.ads.update", func(v *docs.SiteSettings) error {
		if ads.Status != "" {
			v.Ads.Status = ads.Status
		}
		if ads.Topic != "" {
			v.Ads.Topic = ads.Topic
		}
		return nil
	})
	return err
}
