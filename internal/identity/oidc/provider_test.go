package oidc_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// provider is an OpenID Connect provider whose responses a test controls, invalid ones included.
// e2e/browser uses a real provider.
type provider struct {
	*httptest.Server
	t   *testing.T
	key *rsa.PrivateKey

	mu        sync.Mutex
	codes     map[string]url.Values // parameters of the authorization request, by code
	claims    jwt.MapClaims         // of the next token
	info      map[string]any        // claims at the userinfo endpoint; nil: there is no such endpoint
	sign      func(jwt.MapClaims) string
	discovery func(http.ResponseWriter, *http.Request) bool // replaces the response if it returns true
	exchanges int
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{t: t, key: key, codes: map[string]url.Values{}, claims: jwt.MapClaims{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discover)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /info", p.userinfo)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func send(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (p *provider) discover(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	instead, hasInfo := p.discovery, p.info != nil
	p.mu.Unlock()
	if instead != nil && instead(w, r) {
		return
	}
	about := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"}, "scopes_supported": []string{"openid", "groups"},
	}
	if hasInfo {
		about["userinfo_endpoint"] = p.URL + "/info"
	}
	send(w, 200, about)
}

func (p *provider) userinfo(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	send(w, 200, p.info)
}

// authorize authenticates every request at once, without a form.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = q
	p.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}.Encode(), http.StatusFound)
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked, ok := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	_, secret, _ := r.BasicAuth()
	switch {
	case !ok || base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") || asked.Get("code_challenge_method") != "S256",
		r.PostFormValue("redirect_uri") != asked.Get("redirect_uri"):
		send(w, 400, map[string]string{"error": "invalid_grant"})
		return
	case secret != "very-secret":
		send(w, 401, map[string]string{"error": "invalid_client"})
		return
	}
	p.exchanges++
	now := time.Now()
	claims := jwt.MapClaims{
		"iss": p.URL, "aud": asked.Get("client_id"), "sub": "eve", "nonce": asked.Get("nonce"), "email": "eve@octavo.example", "email_verified": true,
		"name": "Eve Moss", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	for name, value := range p.claims {
		if value == nil {
			delete(claims, name)
		} else {
			claims[name] = value
		}
	}
	sign := p.sign
	if sign == nil {
		sign = p.honest
	}
	send(w, 200, map[string]any{"access_token": "a", "token_type": "Bearer", "expires_in": 3600, "id_token": sign(claims)})
}

func (p *provider) honest(c jwt.MapClaims) string {
	t := jwt.NewWithClaims(jwt.SigningMethodRS256, c)
	t.Header["kid"] = "k"
	s, err := t.SignedString(p.key)
	if err != nil {
		p.t.Error(err)
	}
	return s
}

func (p *provider) keys(w http.ResponseWriter, _ *http.Request) {
	send(w, 200, map[string]any{"keys": []map[string]string{{
		"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "k",
		"n": base64.RawURLEncoding.EncodeToString(p.key.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(p.key.E)).Bytes()),
	}}})
}

// says sets additional claims of the next tokens; nil removes a claim.
func (p *provider) says(claims jwt.MapClaims, sign func(jwt.MapClaims) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims, p.sign = claims, sign
}
