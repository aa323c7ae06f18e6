package markup

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// InlineAPI is an API operation that is described by tags of a page. Its texts
// are Markdown.
type InlineAPI struct {
	Method, Server, Path, Title, Text string
	Parameters                        []InlineParameter
	Responses                         []InlineResponse
}

// InlineParameter is a parameter of an operation. Place is path, query, header,
// cookie, body or formData.
type InlineParameter struct {
	Place, Name, Type, Text string
	Required                bool
}

// InlineResponse is a response of an operation.
type InlineResponse struct {
	Status  string // such as "200: OK"
	Text    string
	Example string // of the body
}

// inlineAPI is an operation as parsed from the tags of a page.
type inlineAPI struct {
	method, server, path string
	title                []*Node
	text                 []*Node
	parameters           []inlineParameter
	responses            []inlineResponse
}

type inlineParameter struct {
	place, name, typ string
	required         bool
	about            []*Node
}

type inlineResponse struct {
	status, about string
	nodes         []*Node
}

// described returns the operation with its texts as Markdown. link returns the
// addresses of references in them.
func (a *inlineAPI) described(link func(docs.Ref) (string, bool)) *InlineAPI {
	refs := Refs{Locate: func(ref docs.Ref, _ Use) (string, bool) {
		if link == nil {
			return "", false
		}
		return link(ref)
	}}
	text := func(nodes []*Node) string { return strings.TrimSpace(string(Print(&Document{Nodes: nodes}, refs))) }
	out := &InlineAPI{Method: a.method, Server: a.server, Path: a.path, Title: Text(a.title), Text: text(a.text)}
	for _, p := range a.parameters {
		out.Parameters = append(out.Parameters, InlineParameter{p.place, p.name, p.typ, text(p.about), p.required})
	}
	for _, r := range a.responses {
		res := InlineResponse{Status: r.status}
		var rest []*Node
		for _, n := range r.nodes {
			if n.Type == "code" && res.Example == "" {
				res.Example = Text([]*Node{n})
				continue
			}
			rest = append(rest, n)
		}
		res.Text = strings.TrimSpace(r.about + "\n\n" + text(rest))
		out.Responses = append(out.Responses, res)
	}
	return out
}

// DescribedAPI returns the operation that tags of a page describe in a node, or nil.
// link returns the addresses of references in its texts.
func DescribedAPI(n *Node, link func(docs.Ref) (string, bool)) *InlineAPI {
	if api := n.extra().api; api != nil {
		return api.described(link)
	}
	return nil
}
