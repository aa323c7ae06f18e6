package oidc

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/outbound"
)

const (
	maxAnswer     = 1 << 20 // bytes of an answer of a provider
	maxGroups     = 1000    // groups that are looked at
	keepDiscovery = 10 * time.Minute
	keepFailure   = 10 * time.Second // so that nobody makes this server call a broken provider over and over
	skew          = time.Minute      // that the clock of a provider may be behind or ahead
)

// client is this server at one provider.
type client struct {
	oauth    oauth2.Config
	provider *gooidc.Provider
	http     *http.Client
	clock    func() time.Time
	wants    []string // claims
}

// metadata is what else a provider says of itself.
type metadata struct {
	Scopes []string `json:"scopes_supported"`
	Auth   []string `json:"token_endpoint_auth_methods_supported"`
	Keys   string   `json:"jwks_uri"`
}

// discovered is what a provider reported of itself at a moment.
type discovered struct {
	provider *gooidc.Provider
	about    metadata
	at       time.Time
	failed   error // why there is no more
}

// discover reads what a provider says of itself, or remembers it.
func (s *Service) discover(ctx context.Context, issuer string) (discovered, error) {
	now := s.Store.Clock()
	if d, ok := s.known.Get(issuer); ok && d.failed == nil && now.Sub(d.at) < keepDiscovery {
		return d, nil
	} else if ok && d.failed != nil && now.Sub(d.at) < keepFailure {
		return d, d.failed
	}
	d, err := s.readDiscovery(ctx, issuer)
	if ctx.Err() != nil {
		return d, err // who asked has gone, which says nothing of the provider
	}
	d.at, d.failed = now, err
	s.known.Set(issuer, d)
	return d, err
}

// readDiscovery asks a provider what it says of itself.
func (s *Service) readDiscovery(ctx context.Context, issuer string) (discovered, error) {
	p, err := gooidc.NewProvider(gooidc.ClientContext(ctx, s.http), issuer)
	if err != nil {
		return discovered{}, explain(ctx, err)
	}
	d := discovered{provider: p}
	if err := p.Claims(&d.about); err != nil {
		return d, failed("its discovery document cannot be read", err)
	}
	addresses := []string{p.Endpoint().AuthURL, p.Endpoint().TokenURL, d.about.Keys}
	if at := p.UserInfoEndpoint(); at != "" {
		addresses = append(addresses, at)
	}
	for _, address := range addresses {
		if err := checkAddress("an endpoint in the discovery document", address); err != nil {
			return d, failed(errs.Message(err), err)
		}
	}
	return d, nil
}

// client returns this server at a provider.
func (s *Service) client(ctx context.Context, p docs.OIDCProvider) (*client, error) {
	secret, err := s.secret(ctx, p)
	if err != nil {
		return nil, err
	}
	d, err := s.discover(ctx, p.Issuer)
	if err != nil {
		return nil, err
	}
	c := &client{provider: d.provider, http: s.http, clock: s.Store.Clock, wants: []string{"email"}, oauth: oauth2.Config{
		ClientID: p.ClientID, ClientSecret: secret, Endpoint: d.provider.Endpoint(), RedirectURL: s.RedirectURL(p.ID),
		Scopes: []string{gooidc.ScopeOpenID, "profile", "email"},
	}}
	// Trying both ways would send the code twice.
	c.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if secret == "" || len(d.about.Auth) > 0 && !slices.Contains(d.about.Auth, "client_secret_basic") {
		c.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	if p.GroupsClaim != "" {
		c.wants = append(c.wants, p.GroupsClaim)
		if slices.Contains(d.about.Scopes, p.GroupsClaim) {
			c.oauth.Scopes = append(c.oauth.Scopes, p.GroupsClaim)
		}
	}
	return c, nil
}

// begin returns where the browser goes.
func (c *client) begin(state string, f docs.OIDCFlow) string {
	return c.oauth.AuthCodeURL(state, gooidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier))
}

// person is whom a provider vouches for.
type person struct {
	subject string
	claims  map[string]any
}

// finish exchanges a code for an ID token and checks it.
func (c *client) finish(ctx context.Context, code string, f docs.OIDCFlow) (person, error) {
	ctx = gooidc.ClientContext(ctx, c.http)
	t, err := c.oauth.Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return person{}, explain(ctx, err)
	}
	raw, _ := t.Extra("id_token").(string)
	if raw == "" {
		return person{}, failed("it sent no ID token; allow the scope openid for this client", nil)
	}
	// go-oidc compares the signature with the keys of the provider and the algorithms of its
	// discovery document, never none and never a shared secret; and issuer and audience.
	id, err := c.provider.VerifierContext(ctx, &gooidc.Config{
		ClientID: c.oauth.ClientID, Now: func() time.Time { return c.clock().Add(-skew) },
	}).Verify(ctx, raw)
	if err != nil {
		return person{}, refused(ctx, err)
	}
	p := person{subject: id.Subject}
	if err := id.Claims(&p.claims); err != nil {
		return p, failed("its ID token cannot be read", err)
	}
	switch azp, named := p.claims["azp"].(string); {
	case id.Nonce != f.Nonce || f.Nonce == "":
		return p, failed("its ID token is for another sign-in (nonce)", nil)
	case named && azp != c.oauth.ClientID, !named && len(id.Audience) > 1:
		return p, failed("its ID token is for another client (azp)", nil)
	case id.IssuedAt.After(c.clock().Add(skew)):
		return p, failed("its ID token is from the future; set the clocks of both servers", nil)
	case p.subject == "" || len(p.subject) > 255:
		return p, failed("its ID token names nobody (sub)", nil)
	}
	return p, c.complete(ctx, t, &p)
}

// complete asks for the claims that a provider does not put into ID tokens.
func (c *client) complete(ctx context.Context, t *oauth2.Token, p *person) error {
	missing := slices.ContainsFunc(c.wants, func(name string) bool { _, has := p.claims[name]; return !has })
	if !missing || c.provider.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := c.provider.UserInfo(ctx, oauth2.StaticTokenSource(t))
	if err != nil {
		return explain(ctx, err)
	}
	if info.Subject != p.subject {
		return failed("it answered about somebody else (sub of userinfo)", nil)
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return failed("its answer about the person cannot be read", err)
	}
	// What is verified is one address: a word about one says nothing of another.
	if address, has := p.claims["email"]; !has {
		delete(p.claims, "email_verified")
	} else if address != more["email"] {
		delete(more, "email_verified")
	}
	for name, value := range more {
		if _, has := p.claims[name]; !has {
			p.claims[name] = value
		}
	}
	return nil
}

// email returns the address of a person, and whether the provider says that it was proved. An
// address of which it says that it was not is none.
func (p person) email() (e docs.Email, proved bool, err error) {
	text, _ := p.claims["email"].(string)
	if text == "" {
		return "", false, failed("it sent no e-mail address; let this client see the claim email", nil)
	}
	switch v := p.claims["email_verified"].(type) {
	case bool:
		proved = v
		if !v {
			return "", false, failed("it says that the e-mail address of this person was not verified", nil)
		}
	case string: // some send texts
		proved = v == "true"
		if !proved {
			return "", false, failed("it says that the e-mail address of this person was not verified", nil)
		}
	}
	if e, err = docs.ParseEmail(text); err != nil {
		return "", false, failed("it sent an e-mail address that is none", err)
	}
	return e, proved, nil
}

// name returns what a person is called.
func (p person) name() string {
	name, _ := p.claims["name"].(string)
	r := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(name, "")), " "))
	return strings.TrimSpace(string(r[:min(len(r), 64)]))
}

// groups returns the groups of a person, and whether the provider says anything of them.
func (p person) groups(claim string) (groups []string, known bool) {
	groups = []string{}
	switch v := p.claims[claim].(type) {
	case string:
		return []string{v}, true
	case []any:
		for _, g := range v[:min(len(v), maxGroups)] {
			if name, ok := g.(string); ok {
				groups = append(groups, name)
			}
		}
		return groups, true
	}
	return nil, false
}

// Failed sign-ins have a message for whoever tries, which says little, and one for the admins of
// the organization, which says what to change.
func failed(why string, cause error) error {
	if cause == nil {
		cause = errors.New(why)
	}
	return &failure{why, cause}
}

type failure struct {
	why   string
	cause error
}

func (f *failure) Error() string { return f.why }
func (f *failure) Unwrap() error { return f.cause }

// code is what providers call an error.
var code = regexp.MustCompile(`^[a-z_]{1,40}$`)

// explain says what a provider did instead of what it should do.
func explain(ctx context.Context, err error) error {
	var (
		other   *gooidc.IssuerMismatchError
		answer  *oauth2.RetrieveError
		address *url.Error
		known   *errs.Error
	)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &other):
		return failed("its discovery document is of the issuer "+clip(other.Discovered)+"; the issuer must be exactly that", err)
	case errors.As(err, &answer) && code.MatchString(answer.ErrorCode):
		return failed("it refused the exchange: "+answer.ErrorCode+"; check the client id, the client secret and the redirect URL there", err)
	case errors.As(err, &answer):
		return failed("its token endpoint answered with an error", err)
	case errors.As(err, &address), errors.As(err, &known):
		return failed(errs.Message(outbound.Explain(ctx, err)), err)
	}
	return failed("its answer cannot be used: "+clip(err.Error()), err)
}

// refused says what is wrong with an ID token.
func refused(ctx context.Context, err error) error {
	var expired *gooidc.TokenExpiredError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &expired):
		return failed("its ID token has expired; set the clocks of both servers", err)
	}
	return failed("its ID token is not valid: "+clip(strings.TrimPrefix(err.Error(), "oidc: ")), err)
}

// clip shortens what somebody else wrote, and keeps it to one line of plain characters.
func clip(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), 200)]
}

// bounded reads no more of an answer than a provider needs to say.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxAnswer), res.Body}
	}
	return res, err
}

// checkAddress wants https, but on this machine: codes and secrets travel there, and the keys that
// prove who somebody is.
func checkAddress(at, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || len(address) > 500 {
		return errs.Field(at, "is not an https address")
	}
	if u.Scheme == "https" {
		return nil
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if u.Scheme == "http" && (err == nil && ip.IsLoopback() || u.Hostname() == "localhost") {
		return nil
	}
	return errs.Field(at, "must begin with https://")
}
