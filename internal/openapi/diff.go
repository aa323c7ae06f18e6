package openapi

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ChangeKind is the kind of a change.
type ChangeKind string

// The kinds of changes.
const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed"
)

// Change is a difference between two versions of a description.
type Change struct {
	Kind ChangeKind
	// Breaking reports whether clients that worked with the old version can fail with the
	// new one.
	Breaking bool
	// Rule is the name of the rule that found the change.
	Rule      string
	Operation string // method and path, or method and name of a webhook
	ID        string // the operationId
	Where     string // place in the operation, such as "query limit"; "" for the operation itself
	Message   string
}

// The limits of a comparison.
const (
	maxChanges  = 1000
	maxCompared = 100_000 // schemas
	maxDiffing  = 12      // levels of schemas
)

// Differences are the changes from one version of a description to another one.
type Differences struct {
	Changes []Change // at most maxChanges
	// All and Breaking count all changes, including those that Changes omits. A part that
	// was not compared completely counts as one breaking change.
	All, Breaking int
}

// Diff returns the differences between two versions of a description. They are in the
// order of the operations of the new version, followed by the removed operations.
// Operations and schemas with equal fingerprints are skipped.
func Diff(before, after *Description) Differences {
	c := &comparison{left: maxCompared, fresh: maxCompared, done: map[schemaPair]bool{}}
	c.lists(before.Operations, after.Operations)
	c.lists(before.Webhooks, after.Webhooks)
	return c.found
}

// comparison holds the state of a Diff and collects the changes.
type comparison struct {
	found Differences
	left  int // how many schemas may still be compared
	fresh int // how many schemas may still be compared that no earlier operation has
	op    *Operation
	seen  map[schemaPair]bool // pairs that were visited at the current place of the operation
	done  map[schemaPair]bool // pairs that were compared completely for some operation
	next  []schemaTask
	cut   bool // a part of the current place was not compared
}

func (c *comparison) add(kind ChangeKind, breaking bool, rule, where, format string, args ...any) {
	c.found.All++
	if breaking {
		c.found.Breaking++
	}
	if len(c.found.Changes) >= maxChanges {
		return
	}
	c.found.Changes = append(c.found.Changes, Change{Kind: kind, Breaking: breaking, Rule: rule, Operation: c.op.methodAndPath(), ID: c.op.ID,
		Where: where, Message: fmt.Sprintf(format, args...)})
}

// methodAndPath returns the method and the path of an operation, for messages.
func (o *Operation) methodAndPath() string { return o.Method + " " + o.Path }

// kind returns what an operation is called in messages.
func (o *Operation) kind() string {
	if o.Webhook {
		return "webhook"
	}
	return "operation"
}

var pathParameter = regexp.MustCompile(`\{[^{}]*\}`)

// shapeOf returns the method and the path of an operation with empty names of parameters,
// because clients do not see these names.
func (o *Operation) shapeOf() string {
	return o.Method + " " + pathParameter.ReplaceAllString(o.Path, "{}")
}

func (c *comparison) lists(before, after []*Operation) {
	byShape, byID := map[string]*Operation{}, map[string]*Operation{}
	for _, o := range before {
		byShape[o.shapeOf()] = o
		if o.ID != "" {
			byID[o.ID] = o
		}
	}
	kept := map[*Operation]bool{}
	for _, o := range after {
		c.op = o
		known := c.found.All
		was := byShape[o.shapeOf()]
		if moved := byID[o.ID]; was == nil && moved != nil && !kept[moved] {
			was = moved
			c.add(Changed, true, "operation-moved", "", "it was at %s", moved.methodAndPath())
		}
		if was == nil {
			c.add(Added, false, "operation-added", "", "the %s is new", o.kind())
			continue
		}
		kept[was] = true
		c.operation(was, o, known)
	}
	for _, o := range before {
		if c.op = o; !kept[o] {
			c.add(Removed, true, "operation-removed", "", "the %s is gone%s", o.kind(), when(o.Deprecated, "; it was deprecated"))
		}
	}
}

// operation compares two versions of an operation. known is the number of changes that
// were found before this operation.
func (c *comparison) operation(was, now *Operation, known int) {
	if was.Fingerprint() == now.Fingerprint() {
		return
	}
	if was.ID != now.ID && was.ID != "" {
		c.add(Changed, false, "operation-id-changed", "", "its id was %s and is %s", was.ID, cmp.Or(now.ID, "none"))
	}
	if now.Deprecated && !was.Deprecated {
		c.add(Changed, false, "operation-deprecated", "", "it is deprecated%s", when(now.Sunset != "", " until "+now.Sunset))
	}
	if was.Deprecated && !now.Deprecated {
		c.add(Changed, false, "operation-not-deprecated", "", "it is not deprecated any more")
	}
	c.security(was, now)
	sent, answered := InRequest, InResponse
	if now.Webhook { // the API sends the request and reads the response
		sent, answered = InResponse, InRequest
	}
	c.parameters(was, now, sent)
	c.body(was.Body(), now.Body(), sent)
	c.responses(was.Responses(), now.Responses(), answered)
	if c.found.All == known && c.left > 0 {
		c.add(Changed, false, "text-changed", "", "its texts or examples changed")
	}
}

// openAccess reports whether requirements allow requests without authentication.
func openAccess(all []Requirement) bool {
	return len(all) == 0 || slices.ContainsFunc(all, func(r Requirement) bool { return len(r) == 0 })
}

// requirementSet returns the set of requirements, each as a text with sorted schemes and
// scopes.
func requirementSet(all []Requirement) map[string]bool {
	out := map[string]bool{}
	for _, r := range all {
		var names []string
		for _, n := range r {
			names = append(names, strings.TrimSpace(n.Scheme.Name+" "+strings.Join(slices.Sorted(slices.Values(n.Scopes)), " ")))
		}
		slices.Sort(names)
		out[strings.Join(names, " and ")] = true
	}
	return out
}

func (c *comparison) security(was, now *Operation) {
	before, after := was.Security(), now.Security()
	switch {
	case openAccess(before) && !openAccess(after):
		c.add(Changed, true, "authentication-required", "authentication", "it needs authentication")
		return
	case !openAccess(before) && openAccess(after):
		c.add(Changed, false, "authentication-optional", "authentication", "it needs no authentication any more")
		return
	}
	old, new := requirementSet(before), requirementSet(after)
	for _, name := range sortedKeys(old) {
		if !new[name] && name != "" {
			c.add(Removed, true, "authentication-removed", "authentication", "%s is no way to authenticate any more", name)
		}
	}
	for _, name := range sortedKeys(new) {
		if !old[name] && name != "" {
			c.add(Added, false, "authentication-added", "authentication", "%s is a way to authenticate", name)
		}
	}
}

func sortedKeys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// parameterKeys returns parameters by their identity: a path parameter by its position,
// other parameters by location and name.
func parameterKeys(all []Parameter) map[string]Parameter {
	out, n := map[string]Parameter{}, 0
	for _, p := range all {
		key := p.In + " " + p.Name
		if p.In == "path" {
			key = fmt.Sprintf("path %06d", n)
			n++
		} else if p.In == "header" {
			key = "header " + strings.ToLower(p.Name)
		}
		out[key] = p
	}
	return out
}

func (c *comparison) parameters(was, now *Operation, d Direction) {
	if max(len(was.Parameters()), len(now.Parameters())) >= maxParameters { // the description can have more than Parameters returns
		c.unknown("parameters")
	}
	before, after := parameterKeys(was.Parameters()), parameterKeys(now.Parameters())
	keys := map[string]bool{}
	for k := range before {
		keys[k] = true
	}
	for k := range after {
		keys[k] = true
	}
	for _, key := range sortedKeys(keys) {
		old, had := before[key]
		new, has := after[key]
		where := new.In + " " + new.Name
		switch {
		case !has:
			c.add(Removed, d == InResponse, "parameter-removed", old.In+" "+old.Name, "the parameter is gone")
			continue
		case !had && new.Required:
			c.add(Added, d == InRequest, "required-parameter-added", where, "a parameter that is required is new")
			continue
		case !had:
			c.add(Added, false, "parameter-added", where, "the parameter is new")
			continue
		case new.Required && !old.Required:
			c.add(Changed, d == InRequest, "parameter-required", where, "the parameter is required")
		case !new.Required && old.Required:
			c.add(Changed, d == InResponse, "parameter-optional", where, "the parameter is optional")
		}
		if new.Deprecated && !old.Deprecated {
			c.add(Changed, false, "parameter-deprecated", where, "the parameter is deprecated")
		}
		c.schemas(where, old.Schema, new.Schema, d)
	}
}

func (c *comparison) body(before, after *Body, d Direction) {
	const where = "request body"
	switch {
	case before == nil && after == nil:
	case before == nil:
		c.add(Added, after.Required && d == InRequest, "body-added", where, "a body %s", map[bool]string{true: "is required", false: "can be sent"}[after.Required])
	case after == nil:
		c.add(Removed, true, "body-removed", where, "there is no body any more")
	default:
		if after.Required && !before.Required {
			c.add(Changed, d == InRequest, "body-required", where, "the body is required")
		}
		if before.Required && !after.Required {
			c.add(Changed, d == InResponse, "body-optional", where, "the body is optional")
		}
		c.media(where, before.Content, after.Content, d)
	}
}

func (c *comparison) media(where string, before, after []Media, d Direction) {
	if max(len(before), len(after)) >= maxMedia { // the description can have more than Content has
		c.unknown(where)
	}
	for _, old := range before {
		at := slices.IndexFunc(after, func(m Media) bool { return m.Type == old.Type })
		if at < 0 {
			c.add(Removed, true, "media-type-removed", where, "%s is gone", old.Type)
			continue
		}
		c.schemas(where, old.Schema, after[at].Schema, d)
	}
	for _, m := range after {
		if !slices.ContainsFunc(before, func(old Media) bool { return old.Type == m.Type }) {
			c.add(Added, false, "media-type-added", where, "%s is new", m.Type)
		}
	}
}

func (c *comparison) responses(before, after []Response, d Direction) {
	for _, old := range before {
		where := "response " + old.Status
		at := slices.IndexFunc(after, func(r Response) bool { return strings.EqualFold(r.Status, old.Status) })
		if at < 0 {
			c.add(Removed, strings.HasPrefix(old.Status, "2"), "response-removed", where, "the response is gone")
			continue
		}
		if max(len(old.Headers), len(after[at].Headers)) >= maxHeaders { // the description can have more than Headers has
			c.unknown(where)
		}
		for _, h := range old.Headers {
			if !slices.ContainsFunc(after[at].Headers, func(p Parameter) bool { return strings.EqualFold(p.Name, h.Name) }) {
				c.add(Removed, d == InResponse, "response-header-removed", where, "the header %s is gone", h.Name)
			}
		}
		c.media(where, old.Content, after[at].Content, d)
	}
	for _, r := range after {
		if !slices.ContainsFunc(before, func(old Response) bool { return strings.EqualFold(old.Status, r.Status) }) {
			c.add(Added, false, "response-added", "response "+r.Status, "the response is new")
		}
	}
}
