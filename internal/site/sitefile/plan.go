package sitefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
	"github.com/octavo-docs/octavo/internal/site/adaptive"
	"github.com/octavo-docs/octavo/internal/site/customization"
)

// Plan returns the steps that change a site to match a file. There are no steps if the
// site already matches. The spaces of the file must be resolved.
//
// Each step is valid after all earlier steps were applied. While the steps are applied, a
// published site never shows more than it does before or after the plan: its audience is
// narrowed first, and widened and published last.
func Plan(c Current, f *File) ([]Step, error) {
	p := &planner{site: c.ID, root: &node{}, schema: c.Schema}
	switch {
	case c.ID != "":
	case strings.HasPrefix(f.Site, docs.SiteIDPrefix):
		return nil, fmt.Errorf("there is no site with the id %s that you can see; name a new site by its basename", f.Site)
	case f.Title == "":
		return nil, fmt.Errorf("there is no site %s yet, and the file has no title; add the key title to make the site", f.Site)
	default:
		c = p.create(f)
	}
	graft(p.root, c.Items)
	title := c.Title
	if f.Title != "" {
		title = f.Title
	}
	var first, last fields
	first.set("title", "title", title, c.Title, title)
	if v := f.Visibility; v != "" {
		at := &first
		if v.Wider(c.Visibility) {
			at = &last
		}
		at.set("visibility", "visibility", v, string(c.Visibility), string(v))
	}
	if a := f.Adaptive; a != nil {
		first.set("adaptiveContent", "adaptive", map[string]any{"enabled": *a}, strconv.FormatBool(c.Adaptive), strconv.FormatBool(*a))
	}
	if f.Publish != nil && !*f.Publish && c.Published {
		p.step(Change, "unpublish the site", p.call("POST", nil, "unpublish"))
	}
	p.update(first, "site")
	if f.Structure != nil {
		if c.Links && len(*f.Structure) > 0 && !sectioned(*f.Structure) {
			return nil, errors.New("the site has links to other sites, which only a site with sections can have; delete them first")
		}
		if err := p.structure(title, *f.Structure); err != nil {
			return nil, err
		}
	}
	if err := p.customize(c, title, f); err != nil {
		return nil, err
	}
	if err := p.redirects(c.Redirects, f.Redirects); err != nil {
		return nil, err
	}
	p.update(last, "site")
	if f.Publish != nil && *f.Publish && !c.Published {
		p.step(Change, "publish the site", p.call("POST", nil, "publish"))
	}
	return p.steps, errors.Join(p.problems[:min(len(p.problems), maxProblems)]...)
}

// planner collects the steps, and keeps the tree that results from them.
type planner struct {
	site  Ref
	root  *node
	steps []Step
	news  int

	schema   *adaptive.Schema
	problems []error
}

// condition checks the condition that a step sets for an item against the schema of
// claims, as the API does. was is the current condition of the item, which is not checked
// again.
func (p *planner) condition(w *Item, was string) {
	if p.schema == nil || w.Condition == was {
		return
	}
	if err := p.schema.CheckCondition("condition", w.Condition); err != nil {
		p.problems = append(p.problems, &yamldoc.Error{Line: w.line, Reason: errs.Message(err)})
	}
}

func (p *planner) step(sign Sign, text string, calls ...Call) {
	p.steps = append(p.steps, Step{Sign: sign, Text: text, Calls: calls})
}

// call returns a request for a resource of the site.
func (p *planner) call(method string, body map[string]any, path ...Ref) Call {
	return Call{Method: method, Path: append([]Ref{"sites", p.site}, path...), Body: body}
}

// ref returns a new Ref for an object that a step creates.
func (p *planner) ref() Ref {
	p.news++
	return Ref(newPrefix + strconv.Itoa(p.news))
}

// update adds a step that changes fields of an object. It adds none if there are no
// changes.
func (p *planner) update(f fields, what string, path ...Ref) {
	if len(f.body) > 0 {
		p.step(Change, what+": "+f.String(), p.call("PATCH", f.body, path...))
	}
}

// create plans the creation of the site, and returns the state of the new site.
func (p *planner) create(f *File) Current {
	c := Current{Basename: f.Site, Title: f.Title, Visibility: docs.VisibilityPublic, Settings: customization.Default(f.Title)}
	if f.Visibility != "" {
		c.Visibility = f.Visibility
	}
	p.site = p.ref()
	made := Call{
		Method: "POST", Path: []Ref{"sites"}, Bind: map[string]Ref{"id": p.site},
		Body: map[string]any{"title": c.Title, "visibility": c.Visibility},
	}
	named := p.call("PATCH", map[string]any{"basename": f.Site})
	undo := p.call("DELETE", nil)
	p.steps = append(p.steps, Step{Sign: Add, Text: fmt.Sprintf("site %s, %q", f.Site, c.Title), Calls: []Call{made, named}, Undo: &undo})
	return c
}

// redirects plans the changes of the redirects if the file lists redirects.
func (p *planner) redirects(have []docs.Redirect, wanted *[]Redirect) error {
	if wanted == nil {
		return nil
	}
	type key struct {
		source docs.RedirectSource
		draft  bool
	}
	old := map[key]docs.Redirect{}
	for _, r := range have {
		old[key{r.Source, r.Draft}] = r
	}
	keep := map[key]bool{}
	var sets, deletes batch
	for _, w := range *wanted {
		to, err := p.destination(w)
		if err != nil {
			return err
		}
		k := key{w.Source, w.Draft}
		keep[k] = true
		r, exists := old[k]
		if exists && r.Permanent == w.Permanent && r.KeepSuffix == w.Capture && sameDestination(r.Destination, to) {
			continue
		}
		sign := Add
		if exists {
			sign = Change
		}
		sets.add(sign, w.text(), w.Source, w.Draft, map[string]any{"captureWildcard": w.Capture, "permanent": w.Permanent, "destination": to})
	}
	for _, r := range have {
		if !keep[key{r.Source, r.Draft}] {
			deletes.add(Delete, redirectName(r.Source, r.Draft), r.Source, r.Draft, map[string]any{"destination": nil})
		}
	}
	deletes.plan(p)
	sets.plan(p)
	return nil
}

// batch collects changes of redirects that are sent in as few requests as possible.
type batch struct {
	steps  []Step
	bodies []map[string]any
}

func (b *batch) add(sign Sign, text string, source docs.RedirectSource, draft bool, body map[string]any) {
	body["source"], body["intent"] = string(source), "live"
	if draft {
		body["intent"] = "draft"
	}
	b.steps = append(b.steps, Step{Sign: sign, Text: text})
	b.bodies = append(b.bodies, body)
}

// plan adds a step for each request. The text of the step has one line for each redirect.
func (b *batch) plan(p *planner) {
	for from := 0; from < len(b.steps); from += MaxRedirects {
		to := min(from+MaxRedirects, len(b.steps))
		lines := []string{b.steps[from].Text}
		for _, s := range b.steps[from+1 : to] {
			lines = append(lines, s.String())
		}
		p.step(b.steps[from].Sign, strings.Join(lines, "\n"), p.call("PUT", map[string]any{"redirects": b.bodies[from:to]}, "redirects"))
	}
}

func redirectName(source docs.RedirectSource, draft bool) string {
	if draft {
		return "redirect " + string(source) + " (draft)"
	}
	return "redirect " + string(source)
}

func (r Redirect) text() string {
	to := r.URL
	if to == "" {
		to = strings.Trim(r.Section+"/"+r.Variant, "/")
	}
	if r.Page != "" {
		to += ", page " + string(r.Page)
	}
	return redirectName(r.Source, r.Draft) + " → " + to
}

// destination returns the destination of a redirect in the form of the API.
func (p *planner) destination(r Redirect) (map[string]any, error) {
	if r.URL != "" {
		return map[string]any{"kind": docs.RedirectExternal, "url": r.URL}, nil
	}
	at := p.root
	if r.Section != "" {
		at = byPath(p.root.all(docs.SiteSection), r.Section)
		if at == nil {
			return nil, fmt.Errorf("line %d: the redirect %s leads to the section %q, which the site does not have; name one by its path", r.line, r.Source, r.Section)
		}
	}
	if r.Variant == "" {
		return map[string]any{"kind": docs.RedirectSection, "siteSectionId": at.ID}, nil
	}
	v := byPath(at.children, r.Variant)
	if v == nil || v.Kind != docs.SiteSpace {
		return nil, fmt.Errorf("line %d: the redirect %s leads to the variant %q, which is not there; name one by its path, and its section", r.line, r.Source, r.Variant)
	}
	if r.Page == "" {
		return map[string]any{"kind": docs.RedirectSpace, "siteSpaceId": v.ID}, nil
	}
	return map[string]any{"kind": docs.RedirectPage, "siteSpaceId": v.ID, "pageId": r.Page}, nil
}

// sameDestination reports whether a redirect already has a destination.
func sameDestination(have docs.RedirectDestination, wanted map[string]any) bool {
	b, err := json.Marshal(wanted)
	var d docs.RedirectDestination
	return err == nil && json.Unmarshal(b, &d) == nil && d == have
}

func byPath(list []*node, path string) *node {
	for _, n := range list {
		if docs.SlugKey(n.Path) == docs.SlugKey(path) && n.Kind != docs.SiteGroup {
			return n
		}
	}
	return nil
}
