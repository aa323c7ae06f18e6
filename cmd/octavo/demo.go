package main

import (
	"context"
	"errors"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

const (
	demoEmail = "ada@octavo.example"
	demoTitle = "Octavo"
	demoLabel = "demonstration"

	demoProduct = "Product documentation"
	demoVariant = "Version 1"
	demoAPI     = "API reference"
)

// seed creates the demonstration organization unless it exists. It creates a new token
// for it and revokes the token of the last run.
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
	there, _, err := s.Store.Spaces(ctx, store.Viewer{Org: d.Organization, User: d.User, Role: docs.Admin}, store.SpaceFilter{}, store.Page{Limit: 1})
	op := authz.OperatorGrant(d.User)
	if err == nil && len(there) == 0 {
		err = fill(ctx, s, op, d.Organization)
	}
	if err == nil {
		err = publishDemo(ctx, s.Services, op, d.Organization)
	}
	return d, err
}

// fill creates example users, teams, collections and spaces.
func fill(ctx context.Context, s *server.Server, op *authz.Grant, org docs.OrgID) error {
	// These people do not exist: the grant is that of background work, which sends no mail.
	people, err := s.Orgs.Members.Invite(ctx, authz.BackgroundGrant(op.Actor.User), org, []orgs.Invitee{
		{Email: "grace@octavo.example", Role: docs.Review},
		{Email: "linus@octavo.example", Role: docs.Edit},
		{Email: "reader@octavo.example", Role: docs.Read},
		{Email: "contractor@octavo.example", Role: docs.Guest},
	}, false)
	if err != nil {
		return err
	}
	writers, err := s.Orgs.Teams.Create(ctx, op, org, "Writers", people.Users[:2])
	if err != nil {
		return err
	}
	check := authz.NewChecker(s.Store.Reader)
	top, _, err := check.Org(ctx, op.Actor, authz.CreateContent, org)
	if err != nil {
		return err
	}
	guides, _, err := s.Spaces.CreateCollection(ctx, top, "Guides", "")
	if err != nil {
		return err
	}
	internal, _, err := s.Spaces.CreateCollection(ctx, top, "Internal", "")
	if err != nil {
		return err
	}
	g, _, err := check.Collection(ctx, op.Actor, authz.AdminCollection, internal.ID)
	if err != nil {
		return err
	}
	// Accessible only to the writers.
	if _, _, err := s.Spaces.UpdateCollection(ctx, g, spaces.CollectionPatch{
		Description: opt.Of("Only for the writers."), Level: opt.Null[docs.Level](),
	}); err != nil {
		return err
	}
	if err := s.Spaces.Share(ctx, g, nil, []docs.TeamID{writers.ID}, docs.Edit); err != nil {
		return err
	}
	for _, sp := range []spaces.NewSpace{
		{Title: demoProduct, Emoji: "1f4e6", Parent: guides.ID, Language: "en", EditMode: docs.EditLive, Template: &content.TemplateChoice{ID: "product-docs"}},
		{Title: demoVariant, Emoji: "1f4e6", Parent: guides.ID, Language: "en", Template: &content.TemplateChoice{ID: "product-docs"}},
		{Title: demoAPI, Emoji: "1f50c", Parent: guides.ID, Language: "en", Template: &content.TemplateChoice{ID: "api-reference"}},
		{Title: "Editorial notes", Emoji: "270f", Parent: internal.ID, Language: "en", EditMode: docs.EditLive},
	} {
		made, _, err := s.Spaces.Create(ctx, top, sp)
		if err == nil && made.Title == demoProduct {
			err = addBetaPage(ctx, s.Services, op, made)
		}
		if err != nil {
			return err
		}
	}
	return writeManual(ctx, s, top, guides.ID)
}

// addBetaPage adds a page that only some visitors of the site see.
func addBetaPage(ctx context.Context, s *services.Services, op *authz.Grant, sp docs.Space) error {
	g, _, err := authz.NewChecker(s.Store.Reader).Space(ctx, op.Actor, authz.EditSpace, sp.ID)
	if err != nil {
		return err
	}
	text := "You see this page because your address had `?visitor.beta=true` in it. Without that, the page is not in the navigation, not found by search, and has no address.\n"
	_, err = s.Content.Apply(ctx, g, "", "", []content.Change{{
		Operation: content.InsertPage, Body: &revision.Body{Markdown: &text},
		Meta: content.PageMeta{Title: opt.Of("Beta programme"), Condition: opt.Of("visitor.claims.unsigned.beta")},
	}})
	return err
}
