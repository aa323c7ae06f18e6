package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/adaptive"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/sitefile"
)

// orgClient is a client for an organization of a server.
type orgClient struct {
	*client
	org  string
	site string // basename or ID
}

func (f apiFlags) connect(ctx context.Context) (*orgClient, error) {
	c, err := f.client()
	if err != nil {
		return nil, err
	}
	org, err := f.organization(ctx, c)
	return &orgClient{client: c, org: org}, err
}

// siteJSON holds the fields of a site that the commands use.
type siteJSON struct {
	named
	Basename        string
	Visibility      docs.Visibility
	Published       bool
	AdaptiveContent struct{ Enabled bool }
	URLs            struct{ Published string }
}

func (w siteJSON) is(name string) bool {
	return w.ID == name || w.Basename == name && !strings.HasPrefix(name, docs.SiteIDPrefix)
}

// find returns the site with a basename or an ID, or the zero value.
func (s *orgClient) find(ctx context.Context, name string) (siteJSON, error) {
	all, err := listAll[siteJSON](ctx, s.client, apiPath("orgs", s.org, "sites"))
	for _, w := range all {
		if w.is(name) {
			return w, nil
		}
	}
	return siteJSON{}, err
}

// itemJSON holds the fields of a section, a group or a site space that the commands use.
type itemJSON struct {
	named
	Object      docs.SiteItemKind
	Path        string
	Icon        string
	Description string
	Condition   string
	Default     bool
	Draft       bool
	Hidden      bool
	Space       named
	SiteSpaces  []itemJSON
	Children    []itemJSON

	LocalizedTitle       map[string]string
	LocalizedDescription map[string]string
}

func (w itemJSON) item() (it *sitefile.Item, links bool) {
	it = &sitefile.Item{
		Kind: w.Object, ID: sitefile.Ref(w.ID), Title: w.Title, Path: w.Path, Icon: w.Icon, Description: w.Description,
		Condition: w.Condition, Default: w.Default, Draft: w.Draft, Hidden: w.Hidden,
		Titles: docs.NewLocalized(w.LocalizedTitle), Descriptions: docs.NewLocalized(w.LocalizedDescription), Space: sitefile.Space{ID: w.Space.ID, Title: w.Space.Title},
	}
	it.Items, links = items(append(w.SiteSpaces, w.Children...))
	return it, links
}

// items converts items of the API to items of a file. It reports whether there are links
// to other sites, which a file cannot describe and which are therefore kept.
func items(wire []itemJSON) (out []*sitefile.Item, links bool) {
	for _, w := range wire {
		if w.Object == docs.SiteLink {
			links = true
			continue
		}
		it, in := w.item()
		out, links = append(out, it), links || in
	}
	return out, links
}

// redirectJSON holds the fields of a redirect that the commands use.
type redirectJSON struct {
	Source          docs.RedirectSource
	Draft           bool
	CaptureWildcard bool
	Permanent       bool
	Destination     docs.RedirectDestination
}

// spaceJSON holds the fields of a space that the commands use.
type spaceJSON struct {
	named
	GitSync *struct{}
}

// read returns the state of the site with a basename or an ID, and the spaces that a file
// can refer to. If folders is set, the spaces have the folders that they are synchronized
// with. The ID of the state is empty if the site does not exist.
func (s *orgClient) read(ctx context.Context, name string, folders bool) (sitefile.Current, *sitefile.Spaces, error) {
	var c sitefile.Current
	spaces, err := listAll[spaceJSON](ctx, s.client, apiPath("orgs", s.org, "spaces"))
	if err != nil {
		return c, nil, err
	}
	all, err := listAll[siteJSON](ctx, s.client, apiPath("orgs", s.org, "sites"))
	if err != nil {
		return c, nil, err
	}
	for _, w := range all {
		if w.is(name) {
			if c, err = s.readSite(ctx, w); err != nil {
				return c, nil, err
			}
		}
	}
	known := make([]sitefile.Space, len(spaces))
	for i, sp := range spaces {
		known[i] = sitefile.Space{ID: sp.ID, Title: sp.Title}
		if folders && sp.GitSync != nil {
			if known[i], err = s.synced(ctx, known[i]); err != nil {
				return c, nil, err
			}
		}
	}
	return c, sitefile.NewSpaces(known, c), nil
}

// synced adds the connected folder to a space, if the caller has access to the
// connection.
func (s *orgClient) synced(ctx context.Context, sp sitefile.Space) (sitefile.Space, error) {
	var connection struct{ Directory string }
	err := s.do(ctx, "GET", apiPath("spaces", sp.ID, "git", "connection"), nil, &connection)
	var answer *refusal
	if errors.As(err, &answer) && (answer.status == http.StatusForbidden || answer.status == http.StatusNotFound) {
		return sp, nil
	}
	if err != nil {
		return sp, err
	}
	return sp.Synced(connection.Directory), nil
}

// readSite reads the current state of a site.
func (s *orgClient) readSite(ctx context.Context, w siteJSON) (sitefile.Current, error) {
	c := sitefile.Current{
		ID: sitefile.Ref(w.ID), Basename: w.Basename, Title: w.Title, Visibility: w.Visibility, Adaptive: w.AdaptiveContent.Enabled, Published: w.Published,
	}
	at := apiPath("orgs", s.org, "sites", w.ID)
	var structure struct{ Structure []itemJSON }
	if err := s.do(ctx, "GET", at+"/structure", nil, &structure); err != nil {
		return c, err
	}
	c.Items, c.Links = items(structure.Structure)
	var look customization.Settings
	if err := s.do(ctx, "GET", at+"/customization", nil, &look); err != nil {
		return c, err
	}
	c.Settings = look
	if err := s.readSchema(ctx, at, &c); err != nil {
		return c, err
	}
	redirects, err := listAll[redirectJSON](ctx, s.client, at+"/redirects")
	for _, r := range redirects {
		c.Redirects = append(c.Redirects, docs.Redirect{
			Source: r.Source, Draft: r.Draft, KeepSuffix: r.CaptureWildcard, Permanent: r.Permanent, Destination: r.Destination,
		})
	}
	return c, err
}

// readSchema reads the schema of claims, against which new conditions are checked.
func (s *orgClient) readSchema(ctx context.Context, at string, c *sitefile.Current) error {
	var claims struct{ JSONSchema json.RawMessage }
	err := s.do(ctx, "GET", at+"/adaptive-schema", nil, &claims)
	var answer *refusal
	if errors.As(err, &answer) && answer.status == http.StatusNotFound {
		return nil
	}
	if err == nil {
		c.Schema, err = adaptive.Parse("jsonSchema", claims.JSONSchema)
	}
	return err
}
