package openapi

import (
	"encoding/base64"
	"strings"
)

// Scheme is a way to authenticate.
type Scheme struct {
	Name   string // in the description
	Type   string // apiKey, http, oauth2, openIdConnect or mutualTLS
	Text   string // Markdown
	In     string // of an apiKey: header, query or cookie
	Key    string // of an apiKey: the name of the header, parameter or cookie
	HTTP   string // of http: basic, bearer and so on, in lower case
	Format string // of a bearer token
	Prefix string // what is written before the token
	Token  string // what is written in its place
	Flows  []Flow
	OpenID string // of openIdConnect: its address
}

// credential returns where a token is sent, and as what: in a header, in the query or in a
// cookie. Nothing is sent for a certificate.
func (s *Scheme) credential(token string) (in, name, value string) {
	switch {
	case s.Type == "apiKey" && (s.In == "query" || s.In == "cookie"):
		return s.In, s.Key, token
	case s.Type == "apiKey":
		return "header", s.Key, strings.TrimSpace(s.Prefix + " " + token)
	case s.HTTP == "basic":
		return "header", authorization, "Basic " + base64.StdEncoding.EncodeToString([]byte(token))
	case s.Type == "http" || s.Type == "oauth2" || s.Type == "openIdConnect":
		return "header", authorization, strings.TrimSpace(s.Prefix + " " + token)
	}
	return "", "", ""
}

// authorization is the header that most credentials are sent in, and userPassword what those of
// Basic are made of.
const (
	authorization = "Authorization"
	userPassword  = "username:password"
)

// Flow is a way to get a token by OAuth 2.
type Flow struct {
	Kind             string
	AuthorizationURL string
	TokenURL         string
	Scopes           []Scope
}

// Scope is a right of a token.
type Scope struct{ Name, Text string }

// Requirement is schemes that are needed together.
type Requirement []Need

// Need is a scheme with the scopes that are needed of it.
type Need struct {
	Scheme *Scheme
	Scopes []string
}

func (d *Description) securitySchemes(root place) {
	all := root.get("components").get("securitySchemes")
	if d.format == swagger2 {
		all = root.get("securityDefinitions")
	}
	d.schemes = map[string]*Scheme{}
	if all.n == nil || all.n.kind != object {
		return
	}
	for i, name := range all.n.keys {
		if p, _ := d.src.follow(place{all.f, all.n.kids[i]}); p.n != nil && p.n.kind == object {
			d.schemes[name] = newScheme(name, p.n)
		}
	}
}

func newScheme(name string, n *node) *Scheme {
	s := &Scheme{Name: name, Type: n.str("type"), Text: n.str("description"), In: n.str("in"), Key: n.str("name"), HTTP: strings.ToLower(n.str("scheme")),
		Format: n.str("bearerFormat"), OpenID: n.str("openIdConnectUrl"), Token: n.str("x-gitbook-token-placeholder"), Prefix: n.str("x-gitbook-prefix")}
	if s.Type == "basic" { // of Swagger 2.0
		s.Type, s.HTTP = "http", "basic"
	}
	if s.Prefix == "" && (s.Type == "oauth2" || s.Type == "openIdConnect" || s.HTTP == "bearer") {
		s.Prefix = "Bearer"
	}
	if s.Token == "" {
		s.Token = "YOUR_TOKEN"
		if s.Type == "apiKey" {
			s.Token = "YOUR_API_KEY"
		}
	}
	if flow := n.str("flow"); flow != "" { // of Swagger 2.0
		s.Flows = []Flow{newFlow(flow, n)}
	}
	if flows := n.get("flows"); flows != nil && flows.kind == object {
		for i, kind := range flows.keys {
			s.Flows = append(s.Flows, newFlow(kind, flows.kids[i]))
		}
	}
	return s
}

func newFlow(kind string, n *node) Flow {
	f := Flow{Kind: kind, AuthorizationURL: n.str("authorizationUrl"), TokenURL: n.str("tokenUrl")}
	if scopes := n.get("scopes"); scopes != nil && scopes.kind == object {
		for i, name := range scopes.keys {
			f.Scopes = append(f.Scopes, Scope{name, scopes.kids[i].text})
		}
	}
	return f
}

// Security returns the ways to authenticate, of which one is needed. An empty
// requirement among them means that it also works without.
func (o *Operation) Security() []Requirement {
	n := o.p.n.get("security")
	if n == nil && !o.Webhook {
		n = o.d.src.files[o.d.src.root].root.get("security")
	}
	var out []Requirement
	for _, alternative := range n.items() {
		if alternative.kind != object {
			continue
		}
		r := Requirement{}
		for i, name := range alternative.keys {
			if s := o.d.schemes[name]; s != nil {
				r = append(r, Need{s, alternative.kids[i].texts()})
			}
		}
		out = append(out, r)
	}
	return out
}
