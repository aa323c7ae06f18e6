// Package oidc lets people sign in through providers of OpenID Connect: those of organizations,
// and those that the operator configured for the whole server.
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
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/signin"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service signs people in.
type Service struct {
	Store   *store.Store
	SignIn  *signin.Service
	BaseURL string
	Log     *slog.Logger
	// Operator is the provider for everybody on the server; nil: there is none.
	Operator *Operator
	// OwnsDomain reports whether an organization has proved that a domain of addresses is its own.
	OwnsDomain func(ctx context.Context, org docs.OrgID, domain string) (bool, error)

	http  *http.Client
	known *cache.Cache[string, discovered]
}

// Operator is a provider that the operator configured.
type Operator struct {
	Label        string // empty: the host of the issuer
	Issuer       string
	ClientID     string
	ClientSecret string
	// TrustEmail makes an address that the provider calls verified as good as a link by mail:
	// whoever has it gets the account of that address.
	TrustEmail bool
}

// Check reports what is wrong with the configuration.
func (o Operator) Check() error {
	if o.ClientID == "" {
		return errors.New("a client id is missing")
	}
	return checkAddress("the issuer", o.Issuer)
}

// id names the provider. It is that of the issuer: the same name is another person elsewhere.
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

// New returns the service of a store.
func New(s *store.Store, in *signin.Service, out outbound.Policy) *Service {
	c := out.Client(outbound.Options{Timeout: exchangeTime})
	c.Transport = bounded{c.Transport}
	return &Service{
		Store: s, SignIn: in, Log: slog.Default(), http: c,
		known: cache.New[string](maxKnown, func(discovered) int { return 1 }),
	}
}

// FlowTime is how long somebody has to sign in at a provider.
const FlowTime = 15 * time.Minute

const (
	exchangeTime = 15 * time.Second // of one request to it
	maxKnown     = 1000             // providers whose discovery documents are remembered
)

// Instance returns the provider of the operator, if there is one.
func (s *Service) Instance() (docs.OIDCProvider, bool) {
	if s.Operator == nil {
		return docs.OIDCProvider{}, false
	}
	return s.Operator.provider(), true
}

// LinkPath is where somebody who is signed in links the account with a provider.
func LinkPath(id docs.OIDCProviderID) string { return "/oidc/" + string(id) + "/link" }

// StartURL is where a sign-in through a provider begins.
func (s *Service) StartURL(id docs.OIDCProviderID) string { return s.BaseURL + docs.OIDCStartPath(id) }

// RedirectURL is where a provider sends people back to. Each has its own, so that the answer of
// one is not taken for that of another.
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

// Named returns the label of a provider and its organization, which has no id if the provider is that of
// the operator.
func (s *Service) Named(ctx context.Context, id docs.OIDCProviderID) (string, docs.Organization, error) {
	p, err := s.provider(ctx, id)
	if err != nil || p.Org == "" {
		return p.Label, docs.Organization{}, err
	}
	o, err := s.Store.Organization(ctx, p.Org)
	return p.Label, o, err
}

// secret returns that of the client.
func (s *Service) secret(ctx context.Context, p docs.OIDCProvider) (string, error) {
	switch {
	case p.Org == "":
		return s.Operator.ClientSecret, nil
	case p.Sealed == "":
		return "", nil
	}
	return seal.Open(ctx, s.Store.Reader, seal.OIDCClient, string(p.ID), p.Sealed)
}

// Start is what begins a sign-in.
type Start struct {
	Browser string // what only this browser has
	Next    string // where the person goes afterwards
	Network string // from where the request comes
	From    signin.Client
	User    docs.UserID // who is signed in and wants the account linked; empty: somebody signs in
}

// Begin returns where at the provider the browser goes.
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
	f := docs.OIDCFlow{
		Provider: id, Browser: hashed(in.Browser), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		Next: signin.LocalPath(in.Next), User: in.User, Network: in.Network,
	}
	err = s.Store.Do(ctx, func(tx *store.Tx) error {
		f.ExpiresAt = docs.TimeOf(tx.Now().Std().Add(FlowTime))
		return tx.AddOIDCFlow(ctx, f, docs.HashSecret(state))
	})
	return c.begin(state, f), err
}

func hashed(s string) string {
	h := docs.HashSecret(s)
	return hex.EncodeToString(h[:])
}

// Answer is what comes back from a provider by way of the browser.
type Answer struct {
	Query   url.Values
	Browser string
	User    docs.UserID // who is signed in
	From    signin.Client
}

// errFlow is the error of an answer that belongs to no sign-in of this browser.
var errFlow = errs.E(errs.Invalid, "this sign-in was not begun in this browser, has taken too long, or was finished already; begin again")

// Finish signs somebody in with the answer of a provider.
func (s *Service) Finish(ctx context.Context, id docs.OIDCProviderID, in Answer) (signin.NewSession, error) {
	p, err := s.provider(ctx, id)
	if err != nil {
		return signin.NewSession{}, err
	}
	f, err := s.flow(ctx, id, in)
	if err != nil {
		return signin.NewSession{}, err
	}
	who, err := s.vouched(ctx, p, f, in.Query)
	if err != nil {
		return signin.NewSession{}, s.report(ctx, p, in.From, err)
	}
	out, err := s.arrive(ctx, p, f, who, in)
	if err != nil {
		return signin.NewSession{}, s.report(ctx, p, in.From, err)
	}
	return out, s.succeeded(ctx, p)
}

// flow takes the sign-in that an answer belongs to. It works once, in the browser that began it.
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

// vouched returns whom the provider vouches for.
func (s *Service) vouched(ctx context.Context, p docs.OIDCProvider, f docs.OIDCFlow, q url.Values) (person, error) {
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
