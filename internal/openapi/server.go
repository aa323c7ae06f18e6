package openapi

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Limits of server variables.
const (
	maxVariables = 20
	maxChoices   = 200
	maxServerURL = 2000
)

// Server is an address of the API.
type Server struct {
	URL  string // with the defaults of its variables
	Text string

	template  string // with variables in braces
	variables []Variable
}

// Variable is a variable in the address of a server that callers choose.
type Variable struct {
	Name    string
	Default string
	Choices []string // nil: any host label, or several labels joined by dots
}

// variableName matches the names of variables that callers may choose.
var variableName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// server parses a server with its variables.
func server(n *node) Server {
	s := Server{Text: n.str("description"), template: n.str("url")}
	address, variables := s.template, n.get("variables")
	if variables != nil && variables.kind == object && strings.Contains(address, "{") {
		for i, name := range variables.keys {
			v := Variable{Name: name, Default: variables.kids[i].str("default")}
			if strings.Contains(s.template, "{"+name+"}") && variableName.MatchString(name) && len(s.variables) < maxVariables {
				v.Choices = choices(variables.kids[i].get("enum"))
				s.variables = append(s.variables, v)
			}
			address = strings.ReplaceAll(address, "{"+name+"}", v.Default)
		}
	}
	s.URL = strings.TrimSuffix(clipURL(address), "/")
	return s
}

// choices returns the values of an enum. It is nil only if there is no enum.
func choices(enum *node) []string {
	if enum == nil {
		return nil
	}
	out := []string{}
	for _, v := range enum.items() {
		if v.kind != list && v.kind != object && v.kind != null && len(out) < maxChoices {
			out = append(out, v.text)
		}
	}
	return out
}

// callable reports whether an address is an absolute http or https URL without user,
// query, fragment and unresolved variables, so that a path can be appended.
func callable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil &&
		len(address) <= maxServerURL && !strings.ContainsAny(address, "{}?#")
}

// choosable returns the variables that callers may choose: variables with choices, and
// variables whose value cannot change the server to one that the description does not
// name.
func (s Server) choosable() []Variable {
	return slices.DeleteFunc(slices.Clone(s.variables), func(v Variable) bool {
		return v.Choices == nil && !s.free(v.Name) || v.Choices != nil && len(v.Choices) == 0
	})
}

// open returns the template in which only choosable variables are left.
func (s Server) open() string {
	left := s.choosable()
	var pairs []string
	for _, v := range s.variables {
		if !slices.ContainsFunc(left, func(o Variable) bool { return o.Name == v.Name }) {
			pairs = append(pairs, "{"+v.Name+"}", v.Default)
		}
	}
	return strings.TrimSuffix(strings.NewReplacer(pairs...).Replace(s.template), "/")
}

// split returns the scheme, host and port of the template.
func (s Server) split() (scheme, host, port string) {
	scheme, rest, _ := strings.Cut(s.template, "://")
	end := strings.IndexAny(rest, `/\?#`)
	if end < 0 {
		end = len(rest)
	}
	host, port, _ = strings.Cut(rest[:end], ":")
	return scheme, host, port
}

// free reports whether a variable may have any label as its value: it is in the path, or
// in the host before a fixed domain.
func (s Server) free(name string) bool {
	in := func(part string) bool { return strings.Contains(part, "{"+name+"}") }
	scheme, host, port := s.split()
	return !in(scheme) && !in(port) && (!in(host) || s.domain() != "")
}

// domain returns the fixed domain that all hosts of the template are in, such as
// example.com for {region}.example.com, or "".
func (s Server) domain() string {
	_, host, _ := s.split()
	// Text directly after the last variable is part of the same label.
	_, domain, _ := strings.Cut(host[strings.LastIndexByte(host, '}')+1:], ".")
	labels := strings.Split(domain, ".")
	last := labels[len(labels)-1]
	if len(labels) < 2 || slices.Contains(labels, "") || strings.ContainsAny(domain, "@[]{%") {
		return ""
	}
	if last[0] >= '0' && last[0] <= '9' { // the last octet of an IP address
		return ""
	}
	return domain
}

// label matches the allowed values of a variable without choices: host labels, without
// dots at either end or next to each other.
var label = regexp.MustCompile(`^[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){0,4}$`)

// address returns the address with the chosen values, and the defaults for other
// variables. The result is always an address that the description allows.
func (s Server) address(chosen func(name string) string) (string, error) {
	typed, values := false, map[string]string{}
	for _, v := range s.choosable() {
		value := chosen(v.Name)
		switch {
		case value == "":
			continue
		case v.Choices != nil && !slices.Contains(v.Choices, value):
			return "", fmt.Errorf("%s must be one of %s", v.Name, strings.Join(v.Choices, ", "))
		case v.Choices == nil && value != v.Default && !label.MatchString(value):
			return "", fmt.Errorf("%s must be made of letters, digits, hyphens and dots between them", v.Name)
		}
		typed = typed || v.Choices == nil
		values[v.Name] = value
	}
	if len(values) == 0 {
		return s.URL, nil
	}
	var pairs []string
	for _, v := range s.variables {
		pairs = append(pairs, "{"+v.Name+"}", cmp.Or(values[v.Name], v.Default))
	}
	// All variables are replaced in one pass: braces in a value do not name a variable.
	address := strings.TrimSuffix(strings.NewReplacer(pairs...).Replace(s.template), "/")
	if !callable(address) {
		return "", fmt.Errorf("the values do not make the address of a server")
	}
	// An enum value that ends the host early, such as "/", must not let a typed value
	// become the host.
	if u, err := url.Parse(address); typed && s.domain() != "" && (err != nil || !strings.HasSuffix(u.Hostname(), "."+s.domain())) {
		return "", fmt.Errorf("the values do not make the address of a server")
	}
	return address, nil
}
