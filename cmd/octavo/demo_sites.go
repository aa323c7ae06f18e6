package main

import (
	"context"

	"github.com/octavo-docs/octavo/docs/manual"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// demoSite is a site of the demonstration.
type demoSite struct {
	basename, title string
	sections        []demoSection
	variant         string // title of the space with another version of the first section; may be empty
}

// demoSection is a section that shows a single space.
type demoSection struct{ space, title, icon string }

var demoSites = []demoSite{
	manualSite(),
	{"demo", "Demonstration", []demoSection{{demoProduct, demoProduct, ""}, {demoAPI, demoAPI, ""}}, demoVariant},
}

// manualSite returns the site with the documentation of Octavo.
func manualSite() demoSite {
	d := demoSite{basename: "guide", title: demoTitle}
	for _, b := range manual.Books {
		d.sections = append(d.sections, demoSection{manualTitle(b), b.Title, b.Icon})
	}
	return d
}

// demoSchema declares the visitor claims of the demonstration site.
const demoSchema = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false,"properties":{
	"unsigned":{"type":"object","description":"Unsigned claims of the site visitor.","additionalProperties":false,"properties":{
		"beta":{"type":"boolean","description":"Takes part in the beta programme."}}}}}`

// publishDemo publishes the demonstration sites, unless the organization already has
// sites.
func publishDemo(ctx context.Context, s *services.Services, op *authz.Grant, org docs.OrgID) error {
	who := store.Viewer{Org: org, User: op.Actor.User, Role: docs.Admin}
	if n, err := s.Store.CountSites(ctx, who, store.SiteFilter{}); err != nil || n > 0 {
		return err
	}
	all, _, err := s.Store.Spaces(ctx, who, store.SpaceFilter{}, store.Page{Limit: 100})
	if err != nil {
		return err
	}
	spaces := map[string]docs.SpaceID{}
	for _, sp := range all {
		spaces[sp.It.Title] = sp.It.ID
	}
	for _, d := range demoSites {
		if err := d.publish(ctx, s, op.Actor, org, spaces); err != nil {
			return err
		}
	}
	return nil
}

// publish creates the site from spaces, which it finds by title. It creates no site if a
// space was deleted or renamed.
func (d demoSite) publish(ctx context.Context, s *services.Services, by authz.Actor, org docs.OrgID, spaces map[string]docs.SpaceID) error {
	for _, sec := range d.sections {
		if spaces[sec.space] == "" {
			return nil
		}
	}
	check := authz.NewChecker(s.Store.Reader)
	top, _, err := check.Org(ctx, by, authz.CreateContent, org)
	if err != nil {
		return err
	}
	site, err := s.Sites.Create(ctx, top, sites.NewSite{Title: d.title, Spaces: []docs.SpaceID{spaces[d.sections[0].space]}})
	if err != nil {
		return err
	}
	for _, change := range d.changes(ctx, s.Sites, spaces) {
		g, _, err := check.Site(ctx, by, authz.AdminSite, org, site.ID)
		if err != nil {
			return err
		}
		if err := change(g); err != nil {
			return err
		}
	}
	return nil
}

// changes returns the functions that turn a new site with one space into the
// demonstration site.
func (d demoSite) changes(ctx context.Context, s *sites.Service, spaces map[string]docs.SpaceID) []func(*authz.Grant) error {
	out := []func(*authz.Grant) error{func(g *authz.Grant) error {
		_, err := s.Update(ctx, g, sites.SitePatch{Basename: opt.Of(d.basename)})
		return err
	}}
	begin := d.sections[0]
	for _, sec := range d.sections[1:] {
		out = append(out, func(g *authz.Grant) error {
			v, _, err := s.AddSection(ctx, g, sites.NewSection{Title: sec.title, Icon: sec.icon, Space: spaces[sec.space]})
			if err != nil {
				return err
			}
			// When the second section is added, the server moves the existing space into
			// a section with the title of the site.
			if first, ok := v.Structure.DefaultSection(); ok && first.Title == d.title {
				_, _, err = s.UpdateSection(ctx, g, first.ID, sites.SectionPatch{Title: opt.Of(begin.title), Icon: opt.Of(begin.icon)})
			}
			return err
		})
	}
	if id := spaces[d.variant]; id != "" {
		out = append(out, func(g *authz.Grant) error {
			_, _, err := s.AddSpace(ctx, g, sites.NewSpace{Space: id})
			return err
		}, func(g *authz.Grant) error {
			_, _, err := s.Settings.SetSchema(ctx, g, []byte(demoSchema))
			return err
		}, func(g *authz.Grant) error {
			_, err := s.Update(ctx, g, sites.SitePatch{Adaptive: opt.Of(true)})
			return err
		})
	}
	return append(out, func(g *authz.Grant) error {
		_, err := s.Publish(ctx, g, true)
		return err
	})
}
