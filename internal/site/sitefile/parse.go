package sitefile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
	"github.com/octavo-docs/octavo/internal/site/customization"
)

// Parse parses a file. The error contains all problems with their lines and keys, up to a
// limit.
func Parse(src []byte) (*File, error) {
	root, err := yamldoc.Parse(src, MaxBytes)
	if err != nil {
		return nil, err
	}
	p := &parser{}
	p.Report = func(line int, format string, args ...any) {
		if len(p.problems) < maxProblems {
			p.problems = append(p.problems, &yamldoc.Error{Line: line, Reason: fmt.Sprintf(format, args...)})
		}
	}
	f := p.file(root)
	return f, errors.Join(p.problems[:min(len(p.problems), maxProblems)]...)
}

type parser struct {
	yamldoc.Reader
	problems []error
	items    int
}

// Text returns a text exactly as written. Unlike yamldoc.Reader.Text, it keeps white
// space in quoted texts, because a file must be able to express every title of a site.
func (p *parser) Text(what string, n *yaml.Node) string {
	if p.Reader.Text(what, n) == "" {
		return ""
	}
	return n.Value
}

// keys calls the function of each key of a mapping, and reports unknown keys.
func (p *parser) keys(n *yaml.Node, what string, known map[string]func(*yaml.Node)) {
	p.Each(n, what, func(key, value *yaml.Node) {
		if read := known[key.Value]; read != nil {
			read(value)
			return
		}
		p.Problem(key, "%s has the unknown key %q; it can have %s", what, key.Value, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	})
}

// text returns a function that stores a text in a variable. It reports a text whose
// length is not between low and high characters.
func (p *parser) text(what string, into *string, low, high int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		*into = p.Text(what, n)
		if l := utf8.RuneCountInString(*into); *into != "" && (l < low || l > high) {
			p.Problem(n, "%s must have %d to %d characters", what, low, high)
		}
	}
}

func (p *parser) bool(what string, into *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if b := p.Bool(what, n); b != nil {
			*into = *b
		}
	}
}

// localized returns a reader of texts by language.
func (p *parser) localized(what string, into *docs.Localized, limit int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		texts := map[string]string{}
		p.Each(n, what, func(key, value *yaml.Node) { texts[key.Value] = p.Text(what, value) })
		p.problem(n, docs.CheckLocalized(what, texts, limit))
		*into = docs.NewLocalized(texts)
	}
}

// list calls fn for each entry of a list. It reports a list with more than limit entries.
func (p *parser) list(what string, n *yaml.Node, limit int, fn func(*yaml.Node)) {
	switch {
	case yamldoc.IsNull(n):
	case n.Kind != yaml.SequenceNode:
		p.Problem(n, "%s must be a list, with a dash before each entry", what)
	case len(n.Content) > limit:
		p.Problem(n, "%s has %d entries; at most %d are possible", what, len(n.Content), limit)
	default:
		for _, entry := range n.Content {
			fn(entry)
		}
	}
}

func (p *parser) file(root *yaml.Node) *File {
	f := &File{}
	var visibility string
	var sections, variants *yaml.Node
	p.keys(root, "the file", map[string]func(*yaml.Node){
		"site":  func(n *yaml.Node) { f.Site = p.Text("site", n); p.name(n, f.Site) },
		"title": p.text("title", &f.Title, minTitle, maxTitle),
		"visibility": func(n *yaml.Node) {
			visibility = p.OneOf("visibility", n, texts(docs.Visibilities))
		},
		"adaptive":      func(n *yaml.Node) { f.Adaptive = p.Bool("adaptive", n) },
		"publish":       func(n *yaml.Node) { f.Publish = p.Bool("publish", n) },
		"sections":      func(n *yaml.Node) { sections = n },
		"variants":      func(n *yaml.Node) { variants = n },
		"customization": func(n *yaml.Node) { f.Customization, f.settings = p.customization(n), n },
		"redirects":     func(n *yaml.Node) { f.Redirects = p.redirects(n) },
	})
	f.Visibility = docs.Visibility(visibility)
	if f.Site == "" {
		p.Report(0, "the key site is missing: the name of the site in its address, such as handbook")
	}
	switch {
	case sections != nil && variants != nil:
		p.Problem(variants, "a site has sections or variants, not both; put the variants into a section")
	case sections != nil:
		items := p.sections(sections, 0)
		f.Structure = &items
		p.unique(allSections(items), "section", "the site")
	case variants != nil:
		items := p.variants("the site", variants)
		f.Structure = &items
	}
	if p.items > docs.MaxSiteItems {
		p.Report(0, "the file has %d sections, groups and variants; a site can have %d", p.items, docs.MaxSiteItems)
	}
	return f
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

func (p *parser) name(n *yaml.Node, s string) {
	if s != "" && !docs.ValidBasename(s) && !strings.HasPrefix(s, docs.SiteIDPrefix) {
		p.Problem(n, "site must be the name of the site in its address (lower case letters, digits and hyphens, and no reserved name), or its id")
	}
}

// sections parses a list of sections and groups.
func (p *parser) sections(n *yaml.Node, depth int) []*Item {
	var out []*Item
	p.list("sections", n, docs.MaxSiteItems, func(n *yaml.Node) {
		if n.Kind == yaml.MappingNode && yamldoc.Value(n, "group") != nil {
			out = append(out, p.group(n, depth+1))
		} else {
			out = append(out, p.section(n))
		}
	})
	return out
}

func (p *parser) group(n *yaml.Node, depth int) *Item {
	it := p.item(docs.SiteGroup, n)
	p.keys(n, "a group", map[string]func(*yaml.Node){
		"group":          p.text("group", &it.Title, 1, maxGroupTitle),
		"localizedTitle": p.localized("localizedTitle", &it.Titles, maxTitle),
		"icon":           p.text("icon", &it.Icon, 0, maxIcon),
		"draft":          p.bool("draft", &it.Draft),
		"sections": func(n *yaml.Node) {
			if depth > docs.MaxSiteGroupDepth {
				p.Problem(n, "groups are nested more than %d levels deep", docs.MaxSiteGroupDepth)
				return
			}
			it.Items = p.sections(n, depth)
		},
	})
	p.required(n, "a group", "group", it.Title)
	return it
}

func (p *parser) section(n *yaml.Node) *Item {
	it := p.item(docs.SiteSection, n)
	p.keys(n, "a section", map[string]func(*yaml.Node){
		"title":                p.text("title", &it.Title, minTitle, maxTitle),
		"localizedTitle":       p.localized("localizedTitle", &it.Titles, maxTitle),
		"localizedDescription": p.localized("localizedDescription", &it.Descriptions, maxDescription),
		"draft":                p.bool("draft", &it.Draft),
		"path":                 p.path(&it.Path),
		"icon":                 p.text("icon", &it.Icon, 0, maxIcon),
		"description":          p.text("description", &it.Description, 0, maxDescription),
		"condition":            p.condition(&it.Condition),
		"default":              p.bool("default", &it.Default),
		"variants":             func(n *yaml.Node) { it.Items = p.variants("the section "+it.Title, n) },
	})
	p.required(n, "a section", "title", it.Title)
	if it.Path == "" {
		it.Path = docs.SitePathOf(it.Title)
	}
	return it
}

// variants parses the variants of a section or a site.
func (p *parser) variants(what string, n *yaml.Node) []*Item {
	var out []*Item
	p.list("variants", n, docs.MaxSiteItems, func(n *yaml.Node) {
		it := p.item(docs.SiteSpace, n)
		p.keys(n, "a variant", map[string]func(*yaml.Node){
			"localizedTitle": p.localized("localizedTitle", &it.Titles, maxTitle),
			"draft":          p.bool("draft", &it.Draft),
			"hidden":         p.bool("hidden", &it.Hidden),
			"space":          func(n *yaml.Node) { it.Space.Name = p.Text("space", n) },
			"folder":         func(n *yaml.Node) { it.Space.Folder = p.folder(n) },
			"path":           p.path(&it.Path),
			"condition":      p.condition(&it.Condition),
			"default":        p.bool("default", &it.Default),
		})
		switch {
		case it.Space.Folder == "":
			p.required(n, "a variant", "space or folder", it.Space.Name)
		case it.Space.Name != "":
			p.Problem(n, "a variant has the key space or the key folder, not both")
		}
		out = append(out, it)
	})
	p.unique(out, "variant", what)
	return out
}

// folder parses the path of a folder of the repository.
func (p *parser) folder(n *yaml.Node) Folder {
	text := p.Text("folder", n)
	f := folderOf(text)
	if text == "" || strings.HasPrefix(text, "/") || f == ".." || strings.HasPrefix(string(f), "../") {
		p.Problem(n, "folder must be a folder of the repository, such as docs/v2, or . for all of it")
		return "."
	}
	return f
}

func (p *parser) item(kind docs.SiteItemKind, n *yaml.Node) *Item {
	p.items++
	return &Item{Kind: kind, line: n.Line}
}

func (p *parser) required(n *yaml.Node, what, key, value string) {
	if value == "" {
		p.Problem(n, "%s needs the key %s", what, key)
	}
}

// unique reports duplicate paths, and more than one default.
func (p *parser) unique(items []*Item, noun, where string) {
	seen, def := map[string]int{}, 0
	for _, it := range items {
		key := docs.SlugKey(it.Path)
		if first := seen[key]; key != "" && first > 0 {
			p.Report(it.line, "the path %q is that of the %s in line %d; each needs its own in %s", it.Path, noun, first, where)
		}
		seen[key] = it.line
		if it.Default && def > 0 {
			p.Report(it.line, "%s has its default in line %d; only one %s can be it", where, def, noun)
		}
		if it.Default {
			def = it.line
		}
	}
}

// problem reports the error of a check that is shared with the API. It ignores a nil
// error.
func (p *parser) problem(n *yaml.Node, err error) {
	var e *errs.Error
	if errors.As(err, &e) {
		p.Problem(n, "%s", e.Message)
	} else if err != nil {
		p.Problem(n, "%s", err)
	}
}

func (p *parser) path(into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if *into = p.Text("path", n); *into != "" {
			p.problem(n, docs.CheckSitePath("path", *into))
		}
	}
}

func (p *parser) condition(into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if *into = p.Text("condition", n); *into != "" {
			p.problem(n, docs.CheckCondition("condition", *into))
		}
	}
}

// customization parses a part of the customization of a site. It reports everything that
// the API would refuse, with its line.
func (p *parser) customization(n *yaml.Node) *customization.Patch {
	if yamldoc.IsNull(n) {
		return nil
	}
	b, err := jsontext.Marshal(p.value(n))
	patch := &customization.Patch{}
	if err == nil {
		err = patch.UnmarshalJSON(b)
	}
	if err == nil {
		err = customization.Default("").Replace("", *patch).Check()
	}
	p.problems = append(p.problems, inSettings(n, err)...)
	return patch
}

// settings is the key of the customization in a file.
const settings = "customization"

// inSettings returns the problems of the customization with their lines.
func inSettings(n *yaml.Node, err error) []error {
	var e *errs.Error
	if !errors.As(err, &e) || len(e.Details) == 0 {
		if err != nil {
			return []error{&yamldoc.Error{Line: n.Line, Reason: err.Error()}}
		}
		return nil
	}
	var out []error
	for _, d := range e.Details {
		out = append(out, &yamldoc.Error{Line: yamldoc.LineOf(n, d.Path), Reason: errs.In(settings, d.Path) + " " + d.Message})
	}
	return out
}

// value returns the JSON value of a node. A date is returned as text.
func (p *parser) value(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		p.Each(n, settings, func(key, v *yaml.Node) { out[key.Value] = p.value(v) })
		return out
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, entry := range n.Content {
			out[i] = p.value(entry)
		}
		return out
	}
	if b, ok := yamldoc.Bool(n); ok {
		return b
	}
	if v, ok := yamldoc.Number(n); ok {
		return v
	}
	if yamldoc.IsNull(n) {
		return nil
	}
	return n.Value
}

func (p *parser) redirects(n *yaml.Node) *[]Redirect {
	out := []Redirect{}
	type key struct {
		source docs.RedirectSource
		draft  bool
	}
	seen := map[key]int{}
	p.list("redirects", n, MaxRedirects, func(n *yaml.Node) {
		r := p.redirect(n)
		k := key{r.Source, r.Draft}
		if first := seen[k]; r.Source != "" && first > 0 {
			p.Problem(n, "there is a redirect from %s in line %d already", r.Source, first)
		}
		seen[k] = n.Line
		out = append(out, r)
	})
	return &out
}

func (p *parser) redirect(n *yaml.Node) Redirect {
	r := Redirect{line: n.Line}
	p.keys(n, "a redirect", map[string]func(*yaml.Node){
		"from": func(n *yaml.Node) {
			var err error
			r.Source, err = docs.ParseRedirectSource("from", p.Text("from", n))
			p.problem(n, err)
		},
		"to": func(n *yaml.Node) {
			r.URL = p.Text("to", n)
			p.problem(n, docs.CheckRedirectURL("to", r.URL))
		},
		"section": func(n *yaml.Node) { r.Section = p.Text("section", n) },
		"variant": func(n *yaml.Node) { r.Variant = p.Text("variant", n) },
		"page": func(n *yaml.Node) {
			r.Page = docs.PageID(p.Text("page", n))
			p.problem(n, docs.CheckRedirectPage("page", r.Page))
		},
		"draft":           p.bool("draft", &r.Draft),
		"permanent":       p.bool("permanent", &r.Permanent),
		"captureWildcard": p.bool("captureWildcard", &r.Capture),
	})
	if r.Source != "" {
		p.problem(n, r.Source.CheckCapture("captureWildcard", r.Capture))
	}
	inside := r.Section != "" || r.Variant != "" || r.Page != ""
	switch {
	case yamldoc.Value(n, "from") == nil:
		p.Problem(n, "a redirect needs the key from: a path of the site, such as /old")
	case r.URL != "" && inside:
		p.Problem(n, "a redirect leads to an address (to) or into the site (section, variant, page), not both")
	case r.URL == "" && !inside:
		p.Problem(n, "a redirect needs a destination: to with an address, or section, variant and page")
	case r.Page != "" && r.Variant == "":
		p.Problem(n, "a redirect to a page needs the key variant: the path of the variant that has the page")
	}
	return r
}
