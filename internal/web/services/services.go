// Package services makes the services of the program, once and complete: New takes what an
// operator has set, and no service is changed afterwards. The server, the API, the console
// and the commands take the same Services.
//
// Where a change goes:
//   - a new service, or a new need of one: New
//   - a setting of an operator that a service needs: Settings, its flag in cmd/octavo
package services

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/octavo-docs/octavo/internal/assets"
	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/apireview"
	"github.com/octavo-docs/octavo/internal/content/comments"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/gitsync"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/inbox"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/identity/oidc"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/identity/sso"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/print/typeface"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/conversations"
	"github.com/octavo-docs/octavo/internal/translation/translate"
	"github.com/octavo-docs/octavo/internal/translation/translations"
	"github.com/octavo-docs/octavo/internal/webhooks"
)

// Settings are the settings of an operator that services need. The zero value is enough for
// a command that sends nothing and writes no addresses.
type Settings struct {
	BaseURL     string // public address of the server, without a slash at the end
	SitesDomain string // sites with a basename have the host basename.SitesDomain; if empty, they are below BaseURL
	// OrganizationsClosed allows only the operator to create organizations.
	OrganizationsClosed bool
	People              orgs.Limits     // what accounts and organizations can do in 24 hours
	SiteHostnames       []string        // host names of sites that need no proof, as in sites.Hosts
	EmailDomains        []string        // e-mail domains of organizations that need no proof
	DNS                 string          // host:port of the DNS server that proves host names; empty for those of the system
	GitCache            string          // folder for data that is fetched from repositories
	Outbound            outbound.Policy // where the services may connect to
	Mail                mail.Sender     // if nil, mails are not sent
	Provider            *oidc.Operator  // OpenID Connect provider for all users; nil for none
	Translation         Translation     // engine and limits
	Fonts               *typeface.Fonts // fonts of PDFs, besides the bundled ones
	Log                 *slog.Logger    // nil to log nothing
	// GitEnded is called for each git operation that ended on this node. It may be nil.
	GitEnded func(docs.GitDirection, docs.GitState, string)
}

// Services holds all services.
type Services struct {
	Store   *store.Store
	Blobs   blob.Store
	Guard   *authz.Guard
	Orgs    *orgs.Service
	Content *content.Service
	Reviews *reviews.Service
	Spaces  *spaces.Service

	Comments   *comments.Service
	Webhooks   *webhooks.Service
	Git        *gitsync.Service
	Sites      *sites.Service
	Audience   *audience.Service
	Insights   *insights.Service
	Assets     *assets.Service
	APISpecs   *apispec.Service
	APIReviews *apireview.Service
	SignIn     *signin.Service
	SSO        *sso.Service
	OIDC       *oidc.Service
	Inbox      *inbox.Service

	Conversations *conversations.Service
	Translations  *translations.Service
}

// New returns the services over an open store. Commands that use no files have none.
func New(s *store.Store, files blob.Store, c Settings) (*Services, error) {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Mail == nil {
		c.Mail = mail.None{}
	}
	engine, model, err := c.Translation.open(c.Outbound)
	if err != nil {
		return nil, err
	}
	v := &Services{Store: s, Blobs: files}
	v.identity(c)
	v.content(c)
	v.published(c)
	v.Webhooks = &webhooks.Service{Store: s, Outbound: c.Outbound}
	v.Translations = &translations.Service{
		Store: s, Content: v.Content, Spaces: v.Spaces, Log: c.Log,
		Engine: engine, Name: c.Translation.Engine, MaxWords: c.Translation.Words,
	}
	v.Conversations = &conversations.Service{Store: s, Content: v.Content, Reviews: v.Reviews, Model: model}
	return v, nil
}

// identity makes the services of people and organizations.
func (v *Services) identity(c Settings) {
	v.Orgs = orgs.New(v.Store, orgs.Config{DNS: c.resolver(), TrustedDomains: c.EmailDomains, Closed: c.OrganizationsClosed, Limits: c.People})
	v.SignIn = &signin.Service{Store: v.Store, Mail: c.Mail, BaseURL: c.BaseURL, Log: c.Log}
	v.SSO = &sso.Service{Store: v.Store, SignIn: v.SignIn, BaseURL: c.BaseURL}
	v.OIDC = oidc.New(oidc.Config{
		Store: v.Store, SignIn: v.SignIn, BaseURL: c.BaseURL, Log: c.Log, Outbound: c.Outbound,
		Operator: c.Provider, OwnsDomain: v.Orgs.Domains.Owns,
	})
	v.Inbox = &inbox.Service{Store: v.Store, Mail: c.Mail, BaseURL: c.BaseURL, Log: c.Log}
}

// content makes the services of spaces and what is in them.
func (v *Services) content(c Settings) {
	v.APISpecs = &apispec.Service{Store: v.Store, Blobs: v.Blobs, Outbound: c.Outbound}
	v.Content = content.New(content.Config{
		Store: v.Store, Blobs: v.Blobs, Outbound: c.Outbound, BaseURL: c.BaseURL, Log: c.Log, Fonts: c.Fonts,
		Specs: v.APISpecs, RevisionAdded: revisionAdded,
	})
	v.Comments = &comments.Service{Store: v.Store, Content: v.Content}
	v.Reviews = &reviews.Service{Store: v.Store, Content: v.Content, Comment: v.Comments.PostReviewComment}
	v.Spaces = &spaces.Service{Store: v.Store, Content: v.Content, Narrowed: translations.AudienceNarrowed}
	v.Git = &gitsync.Service{
		Store: v.Store, Content: v.Content, Reviews: v.Reviews, Log: c.Log, BaseURL: c.BaseURL, Ended: c.GitEnded,
		Git: &git.Runner{Dir: c.GitCache, Outbound: c.Outbound, Log: c.Log},
	}
	v.APIReviews = &apireview.Service{Store: v.Store, Specs: v.APISpecs, Reviews: v.Reviews}
	v.Assets = &assets.Service{Store: v.Store, Blobs: v.Blobs}
}

// published makes the services of sites, and the guard, which lets in their visitors.
func (v *Services) published(c Settings) {
	v.Sites = sites.New(v.Store, sites.Config{
		Hosts: sites.Hosts{Base: c.BaseURL, Domain: c.SitesDomain, Trusted: c.SiteHostnames},
		DNS:   c.resolver(),
	})
	v.Audience = audience.New(v.Sites)
	v.Insights = &insights.Service{Store: v.Store, Audience: v.Audience, Source: v.Content.Source}
	v.Guard = authz.NewGuard(v.Store, v.Audience, audit.RecordFirstUse)
}

// revisionAdded tells those who follow a space of its new revision.
func revisionAdded(ctx context.Context, tx *store.Tx, sp docs.Space, rev docs.Revision) error {
	if err := gitsync.RevisionAdded(ctx, tx, sp, rev); err != nil {
		return err
	}
	return translations.RevisionAdded(ctx, tx, sp, rev)
}

// resolver returns the resolver that proves host names.
func (c Settings) resolver() *net.Resolver {
	if c.DNS == "" {
		return net.DefaultResolver
	}
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, c.DNS)
	}}
}

// Translation configures how spaces are translated.
type Translation struct {
	translate.Config
	Words    int           // maximum that a run sends to the engine; 0 for no limit
	Interval time.Duration // minimum time between two calls of the engine; 0 for none
	// Conversations allows the engine, which must be a language model, to write titles
	// for clusters of conversations.
	Conversations bool
}

// open opens the engine. The client is nil if there is no engine, and the model if it may not
// be used for conversations.
func (t Translation) open(out outbound.Policy) (client *translate.Client, model conversations.Model, err error) {
	e, err := t.Open(out)
	if err != nil {
		return nil, nil, err
	}
	if e != (translate.None{}) {
		client = &translate.Client{Engine: e, Interval: t.Interval}
	}
	if !t.Conversations {
		return client, nil, nil
	}
	model, is := e.(conversations.Model)
	if !is {
		return nil, nil, errors.New("conversations need a language model: set --translation-engine openai")
	}
	return client, model, nil
}
