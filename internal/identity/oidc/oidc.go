// Package oidc lets people sign in through OpenID Connect providers: the providers of organizations,
// and one that the operator configures for the whole server.
//
// Where a change goes:
//   - sign-in through OpenID Connect, directories: protocol in client.go, who somebody is
//     in session.go; identity/scim over identity/orgs/directory.go
package oidc

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// Config is what a Service is made of.
type Config struct {
	Store    *store.Store
	SignIn   *signin.Service
	BaseURL  string
	Log      *slog.Logger
	Outbound outbound.Policy // of requests to providers
	// Operator is the provider for all users of the server; nil: there is none.
	Operator *Operator
	// OwnsDomain reports whether an organization has proved that it owns an e-mail domain.
	OwnsDomain func(ctx context.Context, org docs.OrgID, domain string) (bool, error)
}

// Service signs people in through OpenID Connect.
type Service struct {
	Config

	http  *http.Client
	known *cache.Cache[string, discovered]
}

// Operator is a provider that the operator has configured.
type Operator struct {
	Label        string // empty: the host of the issuer
	Issuer       string
	ClientID     string
	ClientSecret string
	// TrustEmail makes an address that the provider asserts to be verified equal to a link by mail:
	// the person gets access to the account with that address.
	TrustEmail bool
}

// Check returns an error if the configuration is incomplete or invalid.
func (o Operator) Check() error {
	if o.ClientID == "" {
		return errors.New("a client id is missing")
	}
	return checkAddress("the issuer", o.Issuer)
}

// id returns the id of the provider. It is derived from the issuer, because subjects identify
// persons only within one issuer.
func (o Operator) id() docs.OIDCProviderID {
	h := sha256.Sum256([]byte(o.Issuer))
	return docs.OIDCProviderID("server-" + hex.EncodeToString(h[:6]))
}

func (o Operator) provider() docs.OIDCProvider {
	label := o.Label
	if u, err := url.Parse(o.Issuer); err == nil && label == "" {
		label = u.Host
	}
	return docs.OIDCProvider{ID: o.id(), Label: label, Issuer: o.Issuer, ClientID: o.ClientID}
}

// New returns a Service.
func New(c Config) *Service {
	client := c.Outbound.Client(outbound.Options{Timeout: exchangeTime})
	client.Transport = bounded{client.Transport}
	client.CheckRedirect = keepHTTPS(client.CheckRedirect)
	return &Service{
		Config: c, http: client,
		known: cache.New[string](maxKnown, func(discovered) int { return 1 }),
	}
}

// FlowTime is the maximum duration of a sign-in at a provider.
const FlowTime = 15 * time.Minute

const (
	exchangeTime = 15 * time.Second // of one request to a provider
	maxKnown     = 1000             // discovery documents in the cache
)

// Instance returns the operator's provider, if there is one.
func (s *Service) Instance() (docs.OIDCProvider, bool) {
	if s.Operator == nil {
		return docs.OIDCProvider{}, false
	}
	return s.Operator.provider(), true
}

// LinkPath returns the path at which a signed-in user links their account to a provider.
func LinkPath(id docs.OIDCProviderID) string { return "/oidc/" + string(id) + "/link" }

// StartURL returns the URL at which a sign-in through a provider begins.
func (s *Service) StartURL(id docs.OIDCProviderID) string { return s.BaseURL + docs.OIDCStartPath(id) }

// RedirectURL returns the URL to which a provider redirects the browser after the sign-in. Each
// provider has its own, so that the response of one cannot pass as the response of another.
func (s *Service) RedirectURL(id docs.OIDCProviderID) string {
	return s.BaseURL + "/oidc/" + string(id) + "/callback"
}

// provider returns a provider by its id.
func (s *Service) provider(ctx context.Context, id docs.OIDCProviderID) (docs.OIDCProvider, error) {
	if p, ok := s.Instance(); ok && p.ID == id {
		return p, nil
	}
	return s.Store.OIDCProviderByID(ctx, id)
}

// Named returns the label of a provider and its organization. For the operator's provider, the
// organization is the zero value.
func (s *Service) Named(ctx context.Context, id docs.OIDCProviderID) (string, docs.Organization, error) {
	p, err := s.provider(ctx, id)
	if err != nil || p.Org == "" {
		return p.Label, docs.Organization{}, err
	}
	o, err := s.Store.Organization(ctx, p.Org)
	return p.Label, o, err
}

// secret returns the client secret for a provider, or "" if there is none.
func (s *Service) secret(ctx context.Context, p docs.OIDCProvider) (string, error) {
	switch {
	case p.Org == "":
		return s.Operator.ClientSecret, nil
	case p.Sealed == "":
		return "", nil
	}
	return seal.Open(ctx, s.Store.Reader, seal.OIDCClient, string(p.ID), p.Sealed)
}

// Start is the input of Begin.
type Start struct {
	Browser string // secret in a cookie of this browser
	Next    string // path to open after the sign-in
	Network string // network of the client
	From    signin.Client
	User    docs.UserID // signed-in user who links their account; empty: a sign-in
}

// Begin stores a new sign-in and returns the URL at the provider to which the browser is redirected.
func (s *Service) Begin(ctx context.Context, id docs.OIDCProviderID, in Start) (string, error) {
	p, err := s.provider(ctx, id)
	if err != nil {
		return "", err
	}
	c, err := s.client(ctx, p)
	if err != nil {
		return "", s.report(ctx, p, in.From, err)
	}
	state := rand.Text()
	begun := docs.OIDCFlow{
		Provider: id, Browser: hashed(in.Browser), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		Next: signin.LocalPath(in.Next), User: in.User, Network: in.Network,
	}
	f, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (docs.OIDCFlow, error) {
		f := begun
		f.ExpiresAt = docs.TimeOf(tx.Now().Std().Add(FlowTime))
		return f, tx.AddOIDCFlow(ctx, f, docs.HashSecret(state))
	})
	return c.begin(state, f), err
}

func hashed(s string) string {
	h := docs.HashSecret(s)
	return hex.EncodeToString(h[:])
}

// Answer is a provider's response, which the browser delivers to the redirect URL.
type Answer struct {
	Query   url.Values
	Browser string
	User    docs.UserID // the signed-in user, if any
	From    signin.Client
}

// errFlow is returned for a response that belongs to no pending sign-in of this browser.
var errFlow = errs.E(errs.Invalid, "this sign-in was not begun in this browser, has taken too long, or was finished already; begin again")

// Finish completes a sign-in with the response of a provider.
func (s *Service) Finish(ctx context.Context, id docs.OIDCProviderID, in Answer) (signin.NewSession, error) {
	p, err := s.provider(ctx, id)
	if err != nil {
		return signin.NewSession{}, err
	}
	f, err := s.flow(ctx, id, in)
	if err != nil {
		return signin.NewSession{}, err
	}
	who, err := s.authenticate(ctx, p, f, in.Query)
	if err != nil {
		return signin.NewSession{}, s.report(ctx, p, in.From, err)
	}
	out, err := s.openSession(ctx, p, f, who, in)
	if err != nil {
		return signin.NewSession{}, s.report(ctx, p, in.From, err)
	}
	return out, s.succeeded(ctx, p)
}

// flow removes the pending sign-in of a response from the store and returns it. A response works once,
// and only in the browser that began the sign-in.
func (s *Service) flow(ctx context.Context, id docs.OIDCProviderID, in Answer) (docs.OIDCFlow, error) {
	state := in.Query.Get("state")
	if state == "" || in.Browser == "" || len(state) > 100 {
		return docs.OIDCFlow{}, errFlow
	}
	f, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (docs.OIDCFlow, error) {
		f, err := tx.TakeOIDCFlow(ctx, docs.HashSecret(state))
		if err == nil && f.ExpiresAt <= tx.Now() {
			err = errFlow
		}
		return f, err
	})
	switch {
	case errs.Is(err, errs.NotFound):
		return f, errFlow
	case err != nil:
		return f, err
	case f.Provider != id, subtle.ConstantTimeCompare([]byte(f.Browser), []byte(hashed(in.Browser))) == 0, f.User != "" && f.User != in.User:
		return f, errFlow
	}
	return f, nil
}

// authenticate checks the response of a provider and returns the person whom it identifies.
func (s *Service) authenticate(ctx context.Context, p docs.OIDCProvider, f docs.OIDCFlow, q url.Values) (person, error) {
	if why := q.Get("error"); why != "" {
		if !code.MatchString(why) {
			why = "unknown error"
		}
		return person{}, failed("it refused: "+why, nil)
	}
	if iss := q.Get("iss"); iss != "" && iss != p.Issuer { // RFC 9207
		return person{}, failed("the answer is of another issuer", nil)
	}
	if q.Get("code") == "" {
		return person{}, failed("it sent no code", nil)
	}
	c, err := s.client(ctx, p)
	if err != nil {
		return person{}, err
	}
	return c.finish(ctx, q.Get("code"), f)
}
