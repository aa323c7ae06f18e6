package apidoc

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/inline"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// Layout says which pages a description becomes.
type Layout struct {
	Spec        string // the slug of the specification
	ByOperation bool   // each operation has a page of its own, below that of its tag
	Models      bool   // a page has all schemas
	Download    string // where the description can be downloaded; empty: no link
	// Prose returns what was written beside an operation, as Markdown that
	// includes it, or "".
	Prose func(operation string) string
}

// ReferencePage is a page of a reference.
type ReferencePage struct {
	// Key says what the page is about. It is the same in all versions.
	Key         string
	Name        string // what its address is made of
	Title       string
	Description string
	Icon        string
	Link        string // where the page leads, if it is a link
	Source      string // Markdown
	// Operations are those that the page shows; Alone says that it is about the only one.
	Operations []*openapi.Operation
	Alone      bool
	Below      []*ReferencePage
}

// maxTagDepth is how many tags are above each other.
const maxTagDepth = 5

// Pages returns the pages of a description: one for each tag in the order of the
// tags, those of tags below others below theirs, then operations without a tag,
// webhooks, models and the link.
func Pages(d *openapi.Description, l Layout) []*ReferencePage {
	b := &pageBuilder{d: d, l: l, tags: map[string]*openapi.Tag{}, of: map[string][]*openapi.Operation{}}
	for _, t := range d.Tags {
		b.tags[t.Name] = t
	}
	for _, o := range d.Operations {
		b.of[b.owner(o)] = append(b.of[b.owner(o)], o)
	}
	below := map[string][]*openapi.Tag{}
	for _, t := range d.Tags {
		up := t.Parent
		if !b.leadsUp(t) {
			up = ""
		}
		below[up] = append(below[up], t)
	}
	var out []*ReferencePage
	for _, t := range below[""] {
		if p := b.tag(t, below); p != nil {
			out = append(out, p)
		}
	}
	if untagged := b.of[""]; len(untagged) > 0 {
		title := "Operations"
		if len(out) > 0 {
			title = "Other operations"
		}
		out = append(out, b.list(&ReferencePage{Key: "untagged", Title: title}, untagged))
	}
	if len(d.Webhooks) > 0 {
		out = append(out, b.list(&ReferencePage{Key: "webhooks", Title: "Webhooks"}, d.Webhooks))
	}
	if l.Models && len(d.Schemas) > 0 {
		out = append(out, b.models())
	}
	if l.Download != "" {
		out = append(out, &ReferencePage{Key: "download", Title: "OpenAPI specification", Icon: "download", Link: l.Download})
	}
	return out
}

type pageBuilder struct {
	d    *openapi.Description
	l    Layout
	tags map[string]*openapi.Tag
	of   map[string][]*openapi.Operation // by the tag on whose page they are
}

// owner returns the tag on whose page an operation is: the first one that is
// shown, or "".
func (b *pageBuilder) owner(o *openapi.Operation) string {
	for _, name := range o.Tags {
		if b.tags[name] != nil {
			return name
		}
	}
	return ""
}

// leadsUp reports whether the tags above a tag end at the top, not too far from it.
func (b *pageBuilder) leadsUp(t *openapi.Tag) bool {
	for range maxTagDepth {
		if t.Parent == "" {
			return true
		}
		if t = b.tags[t.Parent]; t == nil {
			return false
		}
	}
	return false
}

// tag returns the page of a tag, or nil if there is nothing to show.
func (b *pageBuilder) tag(t *openapi.Tag, below map[string][]*openapi.Tag) *ReferencePage {
	p := &ReferencePage{Key: "tag:" + t.Name, Name: t.Name, Title: t.Title, Description: t.Description, Icon: t.Icon}
	if text := strings.TrimSpace(t.Text); text != "" && text != t.Description {
		p.Source = openapi.WithoutHeadings(text) + "\n\n"
	}
	b.list(p, b.of[t.Name])
	for _, inner := range below[t.Name] {
		if c := b.tag(inner, below); c != nil {
			p.Below = append(p.Below, c)
		}
	}
	if p.Source == "" && len(p.Below) == 0 {
		return nil
	}
	return p
}

// list adds operations to a page, or pages of their own below it.
func (b *pageBuilder) list(p *ReferencePage, all []*openapi.Operation) *ReferencePage {
	var text strings.Builder
	text.WriteString(p.Source)
	for _, o := range all {
		if b.l.ByOperation {
			title := cmp.Or(o.PageTitle, o.Title())
			p.Below = append(p.Below, &ReferencePage{
				Key: OperationKey(o), Name: cmp.Or(o.ID, o.Title()), Title: title, Description: o.PageDescription, Icon: o.PageIcon,
				Source: b.block(o, title == o.Title()), Operations: []*openapi.Operation{o}, Alone: true,
			})
			continue
		}
		p.Operations = append(p.Operations, o)
		text.WriteString("## " + inline.Escape(o.Title()) + "\n\n" + b.block(o, true))
	}
	p.Source = text.String()
	return p
}

// OperationKey names an operation in all versions of a description: by its id if it
// has one.
func OperationKey(o *openapi.Operation) string {
	if o.ID != "" {
		return "operation:" + o.ID
	}
	return "operation:" + strings.ToLower(o.Method) + " " + o.Path
}

// block returns the block of an operation, and the prose beside it. titled says that its
// title is above it.
func (b *pageBuilder) block(o *openapi.Operation, titled bool) string {
	name, at := "openapi-operation", "path"
	if o.Webhook {
		name, at = "openapi-webhook", "name"
	}
	untitled := ""
	if titled {
		untitled = ` untitled="true"`
	}
	text := fmt.Sprintf("{%% %s spec=%s %s=%s method=%s%s %%}\n{%% end%s %%}\n\n", name, quoted(b.l.Spec), at, quoted(o.Path), quoted(strings.ToLower(o.Method)), untitled, name)
	if b.l.Prose != nil {
		id := o.ID
		if id == "" {
			id = strings.ToLower(o.Method) + " " + o.Path
		}
		if prose := b.l.Prose(id); prose != "" {
			text += prose + "\n\n"
		}
	}
	return text
}

var quotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ")

// quoted writes the value of an attribute.
func quoted(s string) string { return `"` + quotes.Replace(s) + `"` }

func (b *pageBuilder) models() *ReferencePage {
	var names []string
	for _, s := range b.d.Schemas {
		if !strings.ContainsAny(s.Name(), ",\"\\\n\r") {
			names = append(names, s.Name())
		}
	}
	source := fmt.Sprintf("{%% openapi-schemas spec=%s schemas=%s grouped=\"true\" %%}\n{%% endopenapi-schemas %%}\n", quoted(b.l.Spec), quoted(strings.Join(names, ",")))
	return &ReferencePage{Key: "models", Title: "Models", Source: source}
}
