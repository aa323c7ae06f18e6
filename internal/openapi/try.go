package openapi

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Trial describes the form with which readers send a request of an operation.
type Trial struct {
	Servers []TrialServer
	Inputs  []Input
	// Media is the media type of the body, and Body an example. Both are empty if there
	// is no body.
	Media, Body string
}

// TrialServer is a server that the reader can choose.
type TrialServer struct {
	URL       string     // absolute, with the defaults of its variables
	Template  string     // with choosable variables in braces
	Variables []Variable // that the reader can choose
	Text      string
	server    Server
}

// VariableKey returns the key in Values.Inputs of a variable; at is the index of its
// server in Trial.Servers.
func VariableKey(at int, name string) string { return "server." + strconv.Itoa(at) + "." + name }

// Input is an input of the form.
type Input struct {
	Key      string // in Values.Inputs
	In       string // Credentials, path, query or header
	Name     string
	Required bool
	Example  string
	Hint     string   // for credentials: the expected format
	Choices  []string // the allowed values; nil: any value
	scheme   *Scheme
}

// Values is what the reader filled in.
type Values struct {
	Server int               `json:"server"` // an index of Trial.Servers
	Inputs map[string]string `json:"inputs"`
	Body   string            `json:"body"`
}

// Call is a request that is ready to be sent.
type Call struct {
	Method, URL string
	Headers     [][2]string
	Body        string
}

// Credentials is the Input.In of inputs for authentication.
const Credentials = "credentials"

// Trial returns the form of the operation. It returns nil if the description disables it,
// the operation has no absolute address, or its body contains files.
func (o *Operation) Trial() *Trial {
	root := o.d.src.files[o.d.src.root].root
	if o.Webhook || o.HideTryIt || root.is("x-hideTryItPanel") {
		return nil
	}
	t := &Trial{Servers: o.Callable()}
	if len(t.Servers) == 0 {
		return nil
	}
	t.Inputs = append(o.credentialInputs(), o.parameterInputs()...)
	if b := o.Body(); b != nil && len(b.Content) > 0 {
		r := request{}
		r.content(b)
		if r.upload {
			return nil
		}
		t.fillBody(r)
	}
	return t
}

// Callable returns the servers with an absolute address.
func (o *Operation) Callable() (out []TrialServer) {
	for _, s := range o.Servers() {
		if callable(s.URL) {
			out = append(out, TrialServer{s.URL, s.open(), s.choosable(), s.Text, s})
		}
	}
	return out
}

// fillBody sets the media type and the body from an example request.
func (t *Trial) fillBody(r request) {
	for _, h := range r.headers {
		if h.name == "Content-Type" {
			t.Media = h.value
		}
	}
	t.Body = r.json + r.body + r.query()
}

// credentialInputs returns the inputs of the first requirement that is not empty.
// Credentials in cookies are skipped, because cookies are not sent.
func (o *Operation) credentialInputs() (out []Input) {
	for _, way := range o.Security() {
		for _, need := range way {
			s := need.Scheme
			at, name, _ := s.credential("")
			if at == "" || at == "cookie" {
				continue
			}
			in := Input{Key: Credentials + "." + s.Name, In: Credentials, Name: name, Hint: s.Prefix, scheme: s}
			if s.HTTP == "basic" {
				in.Hint = userPassword
			}
			out = append(out, in)
		}
		if len(way) > 0 {
			break
		}
	}
	return out
}

// parameterInputs returns the inputs of the parameters that can be sent.
func (o *Operation) parameterInputs() (out []Input) {
	for _, p := range o.Parameters() {
		if p.In == "cookie" || p.In == "header" && !sendable(p.Name) {
			continue
		}
		in := Input{Key: p.In + "." + p.Name, In: p.In, Name: p.Name, Required: p.Required || p.In == "path"}
		if in.Example = p.value(); in.Example == "text" {
			in.Example = ""
		}
		in.Choices = p.choices()
		out = append(out, in)
	}
	return out
}

// choices returns the values of a parameter, if its schema lists all of them.
func (p Parameter) choices() (out []string) {
	if p.Schema.IsZero() {
		return nil
	}
	v := p.Schema.View()
	if v.MoreEnum > 0 {
		return nil
	}
	for _, one := range v.Enum {
		if len(one.Text) > 200 { // it may be cut
			return nil
		}
		if one.Text != "" && !slices.Contains(out, one.Text) { // an empty value is not sent
			out = append(out, one.Text)
		}
	}
	return out
}

// sendable reports whether a header may be set. Headers of the connection, headers that
// identify the client to proxies, and cookies are refused.
func sendable(name string) bool {
	name = strings.ToLower(name)
	for _, prefix := range []string{"proxy-", "x-forwarded", "x-original-", "x-rewrite-", "x-envoy-", "x-azure-", "sec-", "cf-"} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return headerName(name) && !slices.Contains([]string{
		"host", "connection", "keep-alive", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect",
		"cookie", "cookie2", "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "fastly-client-ip", "true-client-ip", "origin", "referer", "accept-encoding", "date",
	}, name)
}

func headerName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// Call returns the request for values. The description determines its destination: values
// can only be choices of server variables, labels in a domain or a path that the
// description names, parts of the path, the query, headers that it names, and the body.
func (o *Operation) Call(v Values) (Call, error) {
	t := o.Trial()
	if t == nil {
		return Call{}, fmt.Errorf("%s %s cannot be tried", o.Method, o.Path)
	}
	if v.Server < 0 || v.Server >= len(t.Servers) {
		return Call{}, fmt.Errorf("there are %d servers", len(t.Servers))
	}
	address, err := t.Servers[v.Server].server.address(func(name string) string { return v.Inputs[VariableKey(v.Server, name)] })
	if err != nil {
		return Call{}, err
	}
	c := Call{Method: o.Method, Body: v.Body}
	path, query := o.Path, url.Values{}
	for _, in := range t.Inputs {
		value := v.Inputs[in.Key]
		switch {
		case value == "" && in.Required:
			return Call{}, fmt.Errorf("%s is required", in.Name)
		case value == "":
			continue
		case in.In == "path" && (value == "." || value == ".."):
			return Call{}, fmt.Errorf("%s must not be %q", in.Name, value)
		case in.In == "path":
			path = strings.ReplaceAll(path, "{"+in.Name+"}", url.PathEscape(value))
		case in.In == "query":
			query.Set(in.Name, value)
		case in.In == Credentials:
			if at, name, sent := in.scheme.credential(value); at == "query" {
				query.Set(name, sent)
			} else if sendable(name) {
				c.Headers = append(c.Headers, [2]string{name, sent})
			}
		default:
			c.Headers = append(c.Headers, [2]string{in.Name, value})
		}
	}
	for _, h := range c.Headers {
		if strings.ContainsFunc(h[1], func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return Call{}, fmt.Errorf("values of headers must be on one line")
		}
	}
	if t.Media == "" || o.Method == "GET" || o.Method == "HEAD" {
		c.Body = ""
	} else if c.Body != "" {
		c.Headers = append(c.Headers, [2]string{"Content-Type", t.Media})
	}
	c.URL = address + path
	if len(query) > 0 {
		c.URL += "?" + query.Encode()
	}
	return c, nil
}
