package apidoc

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/inline"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// Layout determines the pages of a description.
type Layout struct {
	Spec        string // the slug of the specification
	ByOperation bool   // one page per operation, below the page of its tag
	Models      bool   // one page with all schemas
	Download    string // download URL of the description; "" for no link
	// Prose returns Markdown that includes the text written for an operation, or "".
	Prose func(operation string) string
}

// ReferencePage is a page of an API reference.
type ReferencePage struct {
	// Key identifies the page across versions of the description.
	Key         string
	Name        string // basis of the page's path
	Title       string
	Description string
	Icon        string
	Text        string // description of the subject, as Markdown
	Link        string // target, if the page is a link
	Source      string // Markdown
	// Operations are the operations that the page shows. Alone is set for the page of a
	// single operation.
	Operations []*openapi.Operation
	Alone      bool
	Below      []*ReferencePage
}

// Method returns the method of the operation that the page is about. It is empty if the page is about
// none or several, and for a webhook, whose requests readers do not send.
func (p *ReferencePage) Method() string {
	if !p.Alone || p.Operations[0].Webhook {
		return ""
	}
	return p.Operations[0].Method
}

// maxTagDepth is the maximum nesting of tags.
const maxTagDepth = 5

// Pages returns the pages of a description: the tags in their order with nested tags
// below them, then operations without a tag, webhooks, models and the download link.
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
	of   map[string][]*openapi.Operation // by the tag whose page shows them
}

// owner returns the tag whose page shows an operation: its first tag that has a page, or
// "".
func (b *pageBuilder) owner(o *openapi.Operation) string {
	for _, name := range o.Tags {
		if b.tags[name] != nil {
			return name
		}
	}
	return ""
}

// leadsUp reports whether the ancestors of a tag end at a top-level tag within
// maxTagDepth levels. It is false for unknown parents and cycles.
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

// tag returns the page of a tag, or nil if it would be empty.
func (b *pageBuilder) tag(t *openapi.Tag, below map[string][]*openapi.Tag) *ReferencePage {
	p := &ReferencePage{Key: "tag:" + t.Name, Name: t.Name, Title: t.Title, Description: t.Description, Icon: t.Icon, Text: strings.TrimSpace(t.Text)}
	if p.Text != "" && p.Text != t.Description {
		p.Source = openapi.WithoutHeadings(p.Text) + "\n\n"
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

// list adds operations to a page, or pages of operations below it.
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

// OperationKey returns the key of an operation across versions of a description: its id,
// or else its method and path.
func OperationKey(o *openapi.Operation) string { return "operation:" + operationID(o) }

// operationID returns the id of an operation, or else its method and path.
func operationID(o *openapi.Operation) string {
	return cmp.Or(o.ID, strings.ToLower(o.Method)+" "+o.Path)
}

// block returns the block of an operation with the prose written for it. titled is set if
// the title of the operation is above the block.
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
		if prose := b.l.Prose(operationID(o)); prose != "" {
			text += prose + "\n\n"
		}
	}
	return text
}

var quotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ")

// quoted returns the quoted value of an attribute.
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
