package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Description is a loaded description of an API. It is immutable and safe for concurrent
// use.
type Description struct {
	// Hash is the hash of the bundle.
	Hash    string
	Title   string
	Version string
	Summary string
	Text    string // Markdown
	Servers []Server
	// Tags are the declared tags in their order, then tags that only operations name.
	// Internal tags are omitted.
	Tags []*Tag
	// Operations are in the order of the paths. Internal operations are omitted.
	Operations []*Operation
	Webhooks   []*Operation
	// Schemas are the named schemas in their order, without internal ones.
	Schemas []Schema

	src              *source
	format           format
	schemes          map[string]*Scheme
	byPlace          map[string]*Operation
	names            map[*node]string // names of schemas
	byName           map[string]int   // indexes of Schemas
	lazyFingerprints lazyFingerprints
	words            words
}

// Tag is a group of operations.
type Tag struct {
	Name   string
	Title  string // displayed title; by default the name
	Text   string // Markdown
	Icon   string
	Parent string // name of the parent tag, or ""
	// Description is the description of the tag's page.
	Description string
}

// Operation is a request that the API accepts, or, for a webhook, a request that it
// sends.
type Operation struct {
	ID         string
	Method     string // in upper case
	Path       string // for a webhook, its name
	Webhook    bool
	Summary    string
	Text       string // Markdown
	Tags       []string
	Deprecated bool
	Sunset     string // when a deprecated operation is switched off, or ""
	Stability  string // experimental, alpha, beta or ""
	HideSample bool
	HideTryIt  bool
	// PageTitle, PageDescription and PageIcon are for a page that shows only this
	// operation.
	PageTitle, PageDescription, PageIcon string

	d    *Description
	p    fileNode
	item fileNode
}

// Title returns the summary, the id, or the method and path: the first that is not empty. A title
// has no full stop.
func (o *Operation) Title() string {
	return cmp.Or(strings.TrimSuffix(o.Summary, "."), o.ID, o.Method+" "+o.Path)
}

// Operation returns the operation with a path and a method, whose case is ignored, or
// nil.
func (d *Description) Operation(method, path string) *Operation {
	return d.byPlace[strings.ToUpper(method)+" "+path]
}

// Webhook returns the webhook with a name and a method, or nil. Without a method it
// returns the first webhook of that name.
func (d *Description) Webhook(name, method string) *Operation {
	for _, w := range d.Webhooks {
		if w.Path == name && (method == "" || strings.EqualFold(w.Method, method)) {
			return w
		}
	}
	return nil
}

// Schema returns the schema with a name.
func (d *Description) Schema(name string) (Schema, bool) {
	i, ok := d.byName[name]
	if !ok {
		return Schema{}, false
	}
	return d.Schemas[i], true
}

func internal(n *node) bool { return n.is("x-internal") || n.is("x-gitbook-ignore") }

// describe returns the description of files that were checked.
func describe(hash string, s *source, version format) (*Description, error) {
	f := s.files[s.root]
	root := f.root
	info := root.get("info")
	d := &Description{Hash: hash, src: s, format: version, Title: info.str("title"), Version: info.str("version"),
		Summary: info.str("summary"), Text: info.str("description"), byPlace: map[string]*Operation{}}
	d.Servers = d.servers(fileNode{f, root})
	d.schemas(fileNode{f, root})
	d.securitySchemes(fileNode{f, root})
	if err := d.operations(fileNode{f, root}); err != nil {
		return nil, err
	}
	d.tags(root)
	return d, nil
}

func (d *Description) servers(p fileNode) []Server {
	var out []Server
	if d.format == swagger2 {
		host := p.n.str("host")
		if host == "" {
			return []Server{{URL: p.n.str("basePath")}}
		}
		schemes := p.n.get("schemes").texts()
		if len(schemes) == 0 {
			schemes = []string{"https"}
		}
		for _, scheme := range schemes {
			out = append(out, Server{URL: scheme + "://" + host + strings.TrimSuffix(p.n.str("basePath"), "/")})
		}
		return out
	}
	for _, n := range p.n.get("servers").items() {
		out = append(out, server(n))
	}
	return out
}

// clipURL truncates an address. Values of variables can make it very long.
func clipURL(s string) string { return docs.FirstBytes(s, 2000) }

func (d *Description) schemas(root fileNode) {
	all := root.get("components").get("schemas")
	if d.format == swagger2 {
		all = root.get("definitions")
	}
	d.names, d.byName = map[*node]string{}, map[string]int{}
	if all.n == nil || all.n.kind != object {
		return
	}
	for i, name := range all.n.keys {
		n := all.n.kids[i]
		if p, _ := d.src.follow(fileNode{all.f, n}); p.n != nil && p.n != n {
			if _, taken := d.names[p.n]; !taken {
				d.names[p.n] = name
			}
		}
		d.names[n] = name
		if internal(n) {
			continue
		}
		d.byName[name] = len(d.Schemas)
		d.Schemas = append(d.Schemas, Schema{d, fileNode{all.f, n}, name})
	}
}

func (d *Description) operations(root fileNode) error {
	add := func(paths fileNode, webhook bool) error {
		if paths.n == nil || paths.n.kind != object {
			return nil
		}
		for i, path := range paths.n.keys {
			if strings.HasPrefix(path, "x-") && !webhook {
				continue
			}
			found := d.pathItem(fileNode{paths.f, paths.n.kids[i]}, path, webhook)
			if len(d.Operations)+len(d.Webhooks)+len(found) > maxOperations {
				return &Invalid{[]Problem{{Code: CodeLimit, File: root.f.name, Line: int(paths.n.kids[i].line), Message: tooManyOperations}}}
			}
			if webhook {
				d.Webhooks = append(d.Webhooks, found...)
			} else {
				d.Operations = append(d.Operations, found...)
			}
		}
		return nil
	}
	if err := add(root.get("paths"), false); err != nil {
		return err
	}
	for _, o := range d.Operations {
		d.byPlace[o.Method+" "+o.Path] = o
	}
	for _, key := range []string{"webhooks", "x-webhooks"} {
		if err := add(root.get(key), true); err != nil {
			return err
		}
	}
	return nil
}

// pathItem returns the operations of a path, without internal ones.
func (d *Description) pathItem(p fileNode, path string, webhook bool) []*Operation {
	p, _ = d.src.follow(p)
	if p.n == nil || p.n.kind != object || internal(p.n) {
		return nil
	}
	var out []*Operation
	for i, key := range p.n.keys {
		n := p.n.kids[i]
		if !slices.Contains(methods, key) || n.kind != object || internal(n) {
			continue
		}
		stability := n.str("x-stability")
		deprecated := n.is("deprecated") || stability == "deprecated"
		if !slices.Contains([]string{"experimental", "alpha", "beta"}, stability) {
			stability = ""
		}
		out = append(out, &Operation{
			ID: n.str("operationId"), Method: strings.ToUpper(key), Path: path, Webhook: webhook, Summary: n.str("summary"),
			Text: n.str("description"), Tags: n.get("tags").texts(), Deprecated: deprecated,
			Sunset: n.str("x-deprecated-sunset"), Stability: stability, HideSample: n.is("x-hideSample"),
			HideTryIt: n.is("x-hideTryItPanel"), PageTitle: first(n, "x-page-title", "x-displayName"),
			PageDescription: n.str("x-page-description"), PageIcon: n.str("x-page-icon"), d: d, p: fileNode{p.f, n}, item: p,
		})
	}
	return out
}

// tags collects the tags, and removes operations that have only internal tags.
func (d *Description) tags(root *node) {
	seen := map[string]bool{}
	hidden := map[string]bool{}
	for _, n := range root.get("tags").items() {
		name := n.str("name")
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		if internal(n) {
			hidden[name] = true
			continue
		}
		t := &Tag{Name: name, Title: first(n, "x-page-title", "x-displayName", "summary"), Text: n.str("description"),
			Icon: n.str("x-page-icon"), Parent: first(n, "x-parent", "parent"), Description: n.str("x-page-description")}
		if t.Title == "" {
			t.Title = name
		}
		d.Tags = append(d.Tags, t)
	}
	for _, o := range d.Operations {
		for _, name := range o.Tags {
			if !seen[name] {
				seen[name] = true
				d.Tags = append(d.Tags, &Tag{Name: name, Title: name})
			}
		}
	}
	if len(hidden) == 0 {
		return
	}
	// An operation is internal if all of its tags are internal.
	keep := d.Operations[:0]
	for _, o := range d.Operations {
		all := len(o.Tags) > 0
		for _, name := range o.Tags {
			all = all && hidden[name]
		}
		if all {
			delete(d.byPlace, o.Method+" "+o.Path)
			continue
		}
		keep = append(keep, o)
	}
	d.Operations = keep
}

// first returns the first value that is not empty of several keys.
func first(n *node, keys ...string) string {
	for _, k := range keys {
		if s := n.str(k); s != "" {
			return s
		}
	}
	return ""
}
