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
	maxAnswer     = 1 << 20 // bytes of a provider's response
	maxGroups     = 1000    // groups of a person that are read
	keepDiscovery = 10 * time.Minute
	keepFailure   = 10 * time.Second // limits how often requests can make this server call a broken provider
	skew          = time.Minute      // accepted difference between a provider's clock and ours
)

// client is this server's OAuth client at one provider.
type client struct {
	oauth    oauth2.Config
	provider *gooidc.Provider
	http     *http.Client
	clock    func() time.Time
	wants    []string // names of required claims
}

// metadata holds fields of a discovery document that go-oidc does not expose.
type metadata struct {
	Scopes []string `json:"scopes_supported"`
	Auth   []string `json:"token_endpoint_auth_methods_supported"`
	Keys   string   `json:"jwks_uri"`
}

// discovered is a cached result of discovery.
type discovered struct {
	provider *gooidc.Provider
	about    metadata
	at       time.Time
	failed   error // why discovery failed; nil: it succeeded
}

// discover returns the discovery document of an issuer, from the cache if it is recent enough. It
// caches failures too.
func (s *Service) discover(ctx context.Context, issuer string) (discovered, error) {
	now := s.Store.Clock()
	if d, ok := s.known.Get(issuer); ok && d.failed == nil && now.Sub(d.at) < keepDiscovery {
		return d, nil
	} else if ok && d.failed != nil && now.Sub(d.at) < keepFailure {
		return d, d.failed
	}
	d, err := s.readDiscovery(ctx, issuer)
	if ctx.Err() != nil {
		return d, err // the request was canceled, which is no failure of the provider
	}
	d.at, d.failed = now, err
	s.known.Set(issuer, d)
	return d, err
}

// readDiscovery fetches the discovery document of an issuer and checks its endpoints.
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

// client returns this server's client at a provider.
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
	// Choose the authentication style here: detecting it would send the code twice.
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

// begin returns the URL at the provider to which the browser is redirected.
func (c *client) begin(state string, f docs.OIDCFlow) string {
	return c.oauth.AuthCodeURL(state, gooidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier))
}

// person is a person whom a provider has authenticated.
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
	// go-oidc verifies the signature with the keys of the provider. It accepts only the algorithms of
	// the discovery document, never "none" and never a shared secret. It also checks issuer and audience.
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

// complete fetches the wanted claims that are not in the ID token from the userinfo endpoint.
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
	// email_verified applies to one address: the one in the same document.
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

// email returns the address of a person, and whether the provider asserts that it is verified. It
// returns an error if the provider asserts that it is not.
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
	case string: // some providers send a string
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

// name returns the display name of a person, cut to 64 characters.
func (p person) name() string {
	name, _ := p.claims["name"].(string)
	r := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(name, "")), " "))
	return strings.TrimSpace(string(r[:min(len(r), 64)]))
}

// groups returns the groups of a person, and whether the claim is present.
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

// failed returns a *failure. why is for the admins of the organization and says what to change. The
// person who signs in may see less; see public.
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

// code matches the error codes of OAuth.
var code = regexp.MustCompile(`^[a-z_]{1,40}$`)

// explain converts an error of a request to a provider into a *failure that describes it.
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

// refused converts an error of the verification of an ID token into a *failure.
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

// clip shortens untrusted text and replaces everything but printable ASCII characters.
func clip(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), 200)]
}

// bounded limits the size of responses to maxAnswer.
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

// keepHTTPS returns a function for http.Client.CheckRedirect that refuses redirects from https to
// http, where others could replace the discovery document or the keys. next checks all others.
func keepHTTPS(next func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, via []*http.Request) error {
		was := func(v *http.Request) bool { return v.URL.Scheme == "https" }
		if r.URL.Scheme != "https" && slices.ContainsFunc(via, was) {
			return errs.E(errs.Invalid, "the server redirects from https to an address that is not encrypted")
		}
		return next(r, via)
	}
}

// checkAddress requires https, except for loopback addresses. Codes, secrets, and the keys that
// verify identities are sent over these URLs.
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
