package markup

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// Two generations of tags describe an operation of an API: api-method, whose
// parts are nested tags, and swagger, whose parts follow each other. The
// contract has no block for their content, so both are converted to an
// expandable. Its title is the summary. Its body has the address, the
// description, a list of parameters of each kind, and the responses. The parsed
// parts are also kept with the node, for output formats that show operations in
// their own form (InlineAPI).

// apiTags are the tags that begin the description of an operation.
var apiTags = map[string]bool{"api-method": true, "swagger": true}

// apiLabels maps the tag around parameters, or the location that a parameter
// specifies, to the label above the parameters.
var apiLabels = map[string]string{
	"path-parameters": "Path parameters", "query-parameters": "Query parameters", "body-parameters": "Body parameters",
	"form-data-parameters": "Form data", "headers": "Headers",
	"path": "Path parameters", "query": "Query parameters", "body": "Body parameters", "header": "Headers", "cookie": "Cookies", "formData": "Form data",
}

// apiPlaces maps the tag around parameters to their location.
var apiPlaces = map[string]string{
	"path-parameters": "path", "query-parameters": "query", "body-parameters": "body", "form-data-parameters": "formData", "headers": "header",
}

// apiParts are the tags inside api-method and swagger, without the prefix of
// their name.
var apiParts = map[string]bool{
	"summary": true, "description": true, "spec": true, "request": true, "parameter": true, "response": true,
	"response-example": true, "response-example-description": true,
	"path-parameters": true, "query-parameters": true, "body-parameters": true, "form-data-parameters": true, "headers": true,
}

// apiPart returns the part of an operation that a tag describes, or "".
func apiPart(name string) string {
	for whole := range apiTags {
		if part, ok := strings.CutPrefix(name, whole+"-"); ok && apiParts[part] {
			return part
		}
	}
	return ""
}

// apiReader collects the content of the tags of one operation.
type apiReader struct {
	c     *converter
	title []*Node
	body  []*Node
	group string // label of the parameters that were read last
	list  *Node  // list of those parameters
	place string // location of parameters according to the enclosing tag
	api   *inlineAPI
	in    *inlineResponse // the current response, or nil
}

// apiNode returns the block of a tag that describes an operation.
func (c *converter) apiNode(i *item) *Node {
	as := cleanAttributes(i.piece.Tag.Args)
	r := &apiReader{c: c, api: &inlineAPI{}}
	method, _ := as.Get("method")
	path, _ := as.Get("path")
	host, ok := as.Get("host")
	if !ok {
		host, _ = as.Get("baseUrl")
	}
	address := singleLine(strings.ToUpper(method) + " " + host + path)
	if summary, _ := as.Get("summary"); singleLine(summary) != "" {
		r.title = []*Node{textNode(Leaf{Text: singleLine(summary)})}
	}
	if address != "" {
		r.body = append(r.body, markedParagraph(address, "code"))
	}
	c.within(i, "", func() { r.parts(i.kids) })
	if len(r.title) == 0 && address != "" {
		r.title = []*Node{textNode(Leaf{Text: address})}
	}
	n := detailsNode(&syntax.Element{}, r.title, r.body)
	r.api.method, r.api.server, r.api.path, r.api.title = singleLine(strings.ToUpper(method)), singleLine(host), singleLine(path), r.title
	n.setExtra(func(e *extras) { e.api = r.api })
	return n
}

func markedParagraph(text, mark string) *Node {
	return paragraphNode([]*Node{textNode(Leaf{Text: text, Marks: []Mark{{Type: mark}}})})
}

// parts reads items, some of which are parts of the operation.
func (r *apiReader) parts(items []*item) {
	if r.c.level++; r.c.level > grammar.MaxDepth {
		r.c.tooDeep = true
	} else {
		for from := 0; from < len(items); {
			to := from
			for to < len(items) && apiPartOf(items[to]) == "" {
				to++
			}
			r.others(items, from, to)
			if to < len(items) {
				limit := r.limitTo(items, to+1)
				r.part(items[to])
				r.c.limit = limit
				to++
			}
			from = to
		}
	}
	r.c.level--
}

// apiPartOf returns the part of an operation that an item is, or "".
func apiPartOf(i *item) string {
	if !i.closed || i.piece == nil || i.piece.Tag == nil {
		return ""
	}
	return apiPart(i.piece.Tag.Name)
}

// limitTo sets the limit of the next item to the start of the item after it. It
// returns the previous limit.
func (r *apiReader) limitTo(items []*item, next int) (before int) {
	if next < len(items) {
		return r.c.limitTo(items[next].node)
	}
	return r.c.limit
}

// others reads items that are ordinary blocks.
func (r *apiReader) others(items []*item, from, to int) {
	if from == to {
		return
	}
	limit := r.limitTo(items, to)
	nodes := r.c.convert(items[from:to])
	r.body = append(r.body, nodes...)
	if r.in != nil {
		r.in.nodes = append(r.in.nodes, nodes...)
	} else {
		r.api.text = append(r.api.text, nodes...)
	}
	r.c.limit = limit
	r.group = ""
}

func (r *apiReader) part(i *item) {
	as := cleanAttributes(i.piece.Tag.Args)
	switch part := apiPartOf(i); part {
	case "summary":
		nodes := r.c.inside(i)
		if len(nodes) == 1 && r.title == nil && isPlainParagraph(nodes[0]) {
			r.title = nodes[0].Nodes
			return
		}
		r.body = append(r.body, nodes...)
	case "parameter":
		r.parameter(i, as, r.c.inside(i))
	case "response-example":
		r.response(i, as)
	case "response":
		if isExample(as) {
			r.response(i, as)
			return
		}
		r.c.within(i, "", func() { r.parts(i.kids) })
	default:
		if label := apiLabels[part]; label != "" {
			r.label(label)
			r.place = apiPlaces[part]
		}
		r.c.within(i, "", func() { r.parts(i.kids) })
		r.group = ""
	}
}

// isExample reports whether a response tag has a status. The other kind of
// response tag contains examples.
func isExample(as syntax.Attributes) bool {
	_, status := as.Get("status")
	_, code := as.Get("httpCode")
	return status || code
}

// isPlainParagraph reports whether a block has only text and marks, so that it
// can be a title.
func isPlainParagraph(n *Node) bool {
	if n.Type != "paragraph" || len(n.Data) > 0 {
		return false
	}
	for _, k := range n.Nodes {
		if k.Object != ObjectText {
			return false
		}
		for _, l := range k.Leaves {
			if l.Raw || strings.Contains(l.Text, "\n") {
				return false
			}
		}
	}
	return true
}

func (r *apiReader) label(label string) {
	if r.group != label {
		r.body = append(r.body, markedParagraph(label, "bold"))
	}
	r.group = label
}

// parameter adds a parameter to the list of its kind.
func (r *apiReader) parameter(i *item, as syntax.Attributes, about []*Node) {
	place, _ := as.Get("in")
	if apiLabels[place] != "" {
		r.label(apiLabels[place])
		r.place = place
	}
	var leaves []Leaf
	name, _ := as.Get("name")
	if name = singleLine(name); name != "" {
		leaves = append(leaves, Leaf{Text: name, Marks: []Mark{{Type: "code"}}, trace: r.written(i, "name", name)})
	}
	typ, _ := as.Get("type")
	words := singleLine(typ)
	v, _ := as.Get("required")
	r.api.parameters = append(r.api.parameters, inlineParameter{r.place, name, words, v == "true", about})
	if v == "true" {
		words = strings.TrimPrefix(words+", required", ", ")
	}
	if words != "" && name != "" {
		words = " " + words
	}
	if words != "" {
		leaves = append(leaves, Leaf{Text: words})
	}
	item := blockNode("list-item", nil)
	item.span = r.span(i)
	if len(leaves) > 0 {
		item.Nodes = []*Node{paragraphNode([]*Node{textNode(leaves...)})}
	}
	item.Nodes = Filled(append(item.Nodes, about...))
	if !r.isLast(r.list) {
		r.list = blockNode("list-unordered", nil)
		r.body = append(r.body, r.list)
	}
	r.list.Nodes = append(r.list.Nodes, item)
}

// response adds a response of the operation: its status and content. It uses no
// tabs, because the contract allows none in an expandable.
func (r *apiReader) response(i *item, as syntax.Attributes) {
	title, ok := as.Get("status")
	if !ok {
		title, _ = as.Get("httpCode")
	}
	if singleLine(title) != "" {
		r.body = append(r.body, markedParagraph(singleLine(title), "bold"))
	}
	if about, _ := as.Get("description"); singleLine(about) != "" {
		r.body = append(r.body, paragraphNode([]*Node{textNode(Leaf{Text: singleLine(about)})}))
	}
	if r.title == nil {
		r.title = []*Node{} // a summary in the response is not that of the operation
	}
	about, _ := as.Get("description")
	outer, in := r.in, &inlineResponse{status: singleLine(title), about: singleLine(about)}
	r.in = in
	r.c.within(i, "", func() { r.parts(i.kids) })
	r.api.responses = append(r.api.responses, *in)
	r.in, r.group = outer, ""
}

func (r *apiReader) isLast(n *Node) bool {
	return n != nil && r.body[len(r.body)-1] == n
}

// span returns the source span of a part, or an empty span without a trace.
func (r *apiReader) span(i *item) Span {
	if !r.c.traced() || r.c.inner {
		return Span{}
	}
	return Span{i.piece.At, i.close.End()}
}

// written returns the trace of an attribute value. It returns nil unless the
// value is written verbatim and exactly once.
func (r *apiReader) written(i *item, name, value string) *trace {
	if !r.c.traced() || r.c.inner {
		return nil
	}
	text := " " + name + `="` + value + `"`
	at := strings.Index(i.piece.Source, text)
	if at < 0 || strings.Count(i.piece.Source, text) > 1 {
		return nil
	}
	at += i.piece.At + len(text) - len(value) - 1
	return &trace{parts: []stretch{{0, len(value), at, at + len(value)}}}
}
