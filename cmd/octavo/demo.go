package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api"
	"github.com/octavo-docs/octavo/internal/web/server"
)

const (
	demoEmail = "ada@octavo.example"
	demoTitle = "Octavo"
	demoLabel = "demonstration"
	fillLabel = "demonstration (filling)" // of tokens that are revoked when everything is there
)

// demoPeople are the members of the demonstration besides its owner. They do not exist.
var demoPeople = []struct {
	email, name string
	role        docs.Role
}{
	{"grace@octavo.example", "Grace Okafor", docs.Review},
	{"linus@octavo.example", "Linus Berg", docs.Edit},
	{"reader@octavo.example", "Mei Tanaka", docs.Read},
	{"contractor@octavo.example", "Sam Rivera", docs.Guest},
}

// seed creates the demonstration organization unless it exists, and what is missing in it. It
// creates a new token for it and revokes the token of the last run.
func seed(ctx context.Context, s *server.Server) (orgs.Bootstrapped, error) {
	_, err := s.Store.UserByEmail(ctx, demoEmail)
	if errs.Is(err, errs.NotFound) {
		n, err := s.Store.CountUsers(ctx)
		if err != nil {
			return orgs.Bootstrapped{}, err
		}
		if n > 0 {
			return orgs.Bootstrapped{}, errors.New("the store has data of its own; serve it without --demo, or choose another --data")
		}
	}
	d, err := s.Orgs.Operator.Bootstrap(ctx, demoEmail, demoTitle, demoLabel+" (new)")
	if err != nil {
		return d, err
	}
	err = s.Store.Do(ctx, func(tx *store.Tx) error {
		if err := tx.DropTokensByLabel(ctx, d.User, demoLabel); err != nil {
			return err
		}
		return tx.RelabelTokens(ctx, d.User, demoLabel+" (new)", demoLabel)
	})
	if err != nil {
		return d, err
	}
	f, err := newFilling(s, d)
	if err != nil {
		return d, err
	}
	return d, f.run(ctx)
}

// A filling adds the content of the demonstration to its organization. Each step adds what is
// missing, so an interrupted one is continued by the next start. When both sites are published,
// nothing is added any more, and what was changed or deleted stays as it is.
type filling struct {
	*server.Server
	org docs.OrgID
	op  *authz.Grant
	api *orgClient // as the owner
	// libraries are what is imported: the manual and the documentation of the made-up product.
	libraries []*library
}

func newFilling(s *server.Server, d orgs.Bootstrapped) (*filling, error) {
	f := &filling{Server: s, org: d.Organization, op: authz.OperatorGrant(d.User), libraries: demoLibraries()}
	c, err := f.client(d.Token)
	f.api = &orgClient{client: c, org: string(d.Organization)}
	return f, err
}

// client returns a client of the API of this server, for a token. Its requests need no connection.
func (f *filling) client(token string) (*client, error) {
	base, err := url.Parse(f.URL())
	return &client{f.URL() + api.Prefix, token, http.Client{Transport: outbound.Local{Base: base, Handler: f.API}}}, err
}

func (f *filling) run(ctx context.Context) error {
	// First, because descriptions are processed in the background.
	if err := f.describeAPIs(ctx); err != nil {
		return err
	}
	complete, err := f.complete(ctx)
	if err != nil || complete {
		return err
	}
	for _, step := range []func(context.Context) error{f.addPeople, f.addSpaces, f.addRequests, f.revoke, f.publish, f.awaitAPIs} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// addPeople adds members, with names, and a team.
func (f *filling) addPeople(ctx context.Context) error {
	var invited []orgs.Invitee
	for _, p := range demoPeople {
		invited = append(invited, orgs.Invitee{Email: p.email, Role: p.role})
	}
	// The grant is that of background work, which sends no mail.
	if _, err := f.Orgs.Members.Invite(ctx, authz.BackgroundGrant(f.op.Actor.User), f.org, invited, false); err != nil {
		return err
	}
	teams, err := listAll[named](ctx, f.api.client, apiPath("orgs", f.api.org, "teams"))
	if err != nil || len(teams) > 0 {
		return err
	}
	if err := f.rename(ctx, f.api.client, "Ada Brook"); err != nil {
		return err
	}
	var writers []docs.UserID
	for _, p := range demoPeople {
		u, err := f.Store.UserByEmail(ctx, docs.Email(p.email))
		if err != nil {
			return err
		}
		if p.role == docs.Review || p.role == docs.Edit {
			writers = append(writers, u.ID)
		}
		c, err := f.as(ctx, p.email)
		if err == nil {
			err = f.rename(ctx, c, p.name)
		}
		if err != nil {
			return err
		}
	}
	_, err = f.Orgs.Teams.Create(ctx, f.op, f.org, writersTeam, writers)
	return err
}

const writersTeam = "Writers"

// as returns a client that acts for a person.
func (f *filling) as(ctx context.Context, email string) (*client, error) {
	token, err := f.Orgs.Operator.CreateToken(ctx, email, orgs.NewToken{Label: fillLabel})
	if err != nil {
		return nil, err
	}
	return f.client(token)
}

// rename changes the name of the person for whom a client acts.
func (f *filling) rename(ctx context.Context, c *client, name string) error {
	var me named
	if err := c.do(ctx, "GET", "/user", nil, &me); err != nil {
		return err
	}
	return c.do(ctx, "PATCH", apiPath("users", me.ID), map[string]any{"displayName": name}, nil)
}

// revoke ends the tokens with which the people of the demonstration acted.
func (f *filling) revoke(ctx context.Context) error {
	for _, p := range demoPeople {
		u, err := f.Store.UserByEmail(ctx, docs.Email(p.email))
		if err == nil {
			err = f.Store.Do(ctx, func(tx *store.Tx) error { return tx.DropTokensByLabel(ctx, u.ID, fillLabel) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// collection returns a collection with a title, which is made unless it exists.
func (f *filling) collection(ctx context.Context, title string) (docs.CollectionID, error) {
	all, err := listAll[named](ctx, f.api.client, apiPath("orgs", f.api.org, "collections"))
	for _, c := range all {
		if c.Title == title {
			return docs.CollectionID(c.ID), nil
		}
	}
	if err != nil {
		return "", err
	}
	top, _, err := f.check().Org(ctx, f.op.Actor, authz.CreateContent, f.org)
	if err != nil {
		return "", err
	}
	made, _, err := f.Spaces.CreateCollection(ctx, top, title, "")
	return made.ID, err
}

// onlyFor makes a collection accessible only to a team.
func (f *filling) onlyFor(ctx context.Context, id docs.CollectionID, team string) error {
	g, _, err := f.check().Collection(ctx, f.op.Actor, authz.AdminCollection, id)
	if err != nil {
		return err
	}
	if _, _, err := f.Spaces.UpdateCollection(ctx, g, spaces.CollectionPatch{
		Description: opt.Of("Only for the writers."), Level: opt.Null[docs.Level](),
	}); err != nil {
		return err
	}
	teams, err := listAll[named](ctx, f.api.client, apiPath("orgs", f.api.org, "teams"))
	for _, t := range teams {
		if t.Title == team {
			return f.Spaces.Share(ctx, g, nil, []docs.TeamID{docs.TeamID(t.ID)}, docs.Edit)
		}
	}
	return err
}

func (f *filling) check() authz.Checker { return authz.NewChecker(f.Store.Reader) }
