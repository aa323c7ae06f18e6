package openapi

import (
	"encoding/base64"
	"strings"
)

// Scheme is a security scheme.
type Scheme struct {
	Name   string // key in the description
	Type   string // apiKey, http, oauth2, openIdConnect or mutualTLS
	Text   string // Markdown
	In     string // for apiKey: header, query or cookie
	Key    string // for apiKey: the name of the header, parameter or cookie
	HTTP   string // for http: basic, bearer and so on, in lower case
	Format string // of a bearer token, such as JWT
	Prefix string // prefix of the token in the header
	Token  string // placeholder of the token in samples
	Flows  []Flow
	OpenID string // for openIdConnect: its address
}

// credential returns where a token is sent (header, query or cookie), and the name and
// value there. It returns empty strings for mutualTLS, which sends no token.
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

// authorization is the header of most credentials. userPassword is the placeholder for
// the credentials of Basic.
const (
	authorization = "Authorization"
	userPassword  = "username:password"
)

// Flow is an OAuth 2 flow.
type Flow struct {
	Kind             string
	AuthorizationURL string
	TokenURL         string
	Scopes           []Scope
}

// Scope is an OAuth 2 scope.
type Scope struct{ Name, Text string }

// Requirement is a list of schemes that are all required.
type Requirement []Need

// Need is a scheme with the required scopes.
type Need struct {
	Scheme *Scheme
	Scopes []string
}

func (d *Description) securitySchemes(root fileNode) {
	all := root.get("components").get("securitySchemes")
	if d.format == swagger2 {
		all = root.get("securityDefinitions")
	}
	d.schemes = map[string]*Scheme{}
	if all.n == nil || all.n.kind != object {
		return
	}
	for i, name := range all.n.keys {
		if p, _ := d.src.follow(fileNode{all.f, all.n.kids[i]}); p.n != nil && p.n.kind == object {
			d.schemes[name] = newScheme(name, p.n)
		}
	}
}

func newScheme(name string, n *node) *Scheme {
	s := &Scheme{Name: name, Type: n.str("type"), Text: n.str("description"), In: n.str("in"), Key: n.str("name"), HTTP: strings.ToLower(n.str("scheme")),
		Format: n.str("bearerFormat"), OpenID: n.str("openIdConnectUrl"), Token: n.str("x-gitbook-token-placeholder"), Prefix: n.str("x-gitbook-prefix")}
	if s.Type == "basic" { // Swagger 2.0
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
	if flow := n.str("flow"); flow != "" { // Swagger 2.0
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

// Security returns the alternative requirements, one of which must be met. An empty
// requirement means that authentication is optional.
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
