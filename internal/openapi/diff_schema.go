package openapi

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// schemaPair identifies two schemas that are compared in one direction.
type schemaPair struct {
	before, after SchemaID
	direction     Direction
}

// schemaTask is a pair of schemas at a place of an operation that is still to be
// compared.
type schemaTask struct {
	where         string
	before, after Schema
	depth         int
}

// schemas compares the schemas of a place of the operation breadth first, so that a
// schema is compared where it is nested least.
func (c *comparison) schemas(where string, before, after Schema, d Direction) {
	c.seen, c.next, c.cut = map[schemaPair]bool{}, nil, false
	c.schema(where, before, after, d, 0)
	for len(c.next) > 0 {
		t := c.next[0]
		c.next = c.next[1:]
		c.level(t, d)
	}
	if c.cut {
		c.unknown(where)
		return
	}
	for p := range c.seen {
		c.done[p] = true
	}
}

// unknown adds a change for a place that was not compared completely. The change counts
// as breaking.
func (c *comparison) unknown(where string) {
	c.add(Changed, true, "not-compared", where, "it is too large or too deep to be compared completely, so it may break clients")
}

// schema queues two schemas for comparison, unless they were visited at this place or
// have equal fingerprints. When c.left is used up, schemas that were compared for an
// earlier operation are skipped.
func (c *comparison) schema(where string, before, after Schema, d Direction, depth int) {
	pair := schemaPair{before.ID(), after.ID(), d}
	if before.IsZero() || after.IsZero() || c.seen[pair] {
		return
	}
	known := c.done[pair]
	if known && c.left <= 0 {
		return
	}
	if !known && c.fresh <= 0 {
		c.cut = true
		return
	}
	c.seen[pair] = true
	c.left--
	if !known {
		c.fresh--
	}
	if before.d == after.d || before.Fingerprint() == after.Fingerprint() {
		return
	}
	if depth > maxDiffing {
		c.cut = c.cut || !known
		return
	}
	c.next = append(c.next, schemaTask{where, before, after, depth})
}

// level compares two schemas and queues the schemas in them. A request that becomes
// stricter breaks clients, and so does a response that allows more. Exceptions are new
// values of enumerations and other patterns in responses, which clients should expect.
func (c *comparison) level(t schemaTask, d Direction) {
	was, now, depth := t.before.View(), t.after.View(), t.depth
	c.cut = c.cut || was.cut || now.cut
	if c.types(t.where, was, now, d) {
		return
	}
	c.values(t.where, was, now, d)
	c.limits(t.where, was, now, d)
	c.properties(t.where, was, now, d, depth)
	c.schema(t.where+"[]", was.Items, now.Items, d, depth+1)
	c.schema(t.where+".*", was.Additional, now.Additional, d, depth+1)
	c.options(t.where, was, now, d, depth)
}

// types compares the types, and reports whether the types are so different that nothing
// else can be compared.
func (c *comparison) types(where string, was, now *View, d Direction) bool {
	number := func(types []string) []string { // sorted
		out := slices.Clone(types)
		slices.Sort(out)
		return out
	}
	old, new := number(was.Types), number(now.Types)
	if !slices.Equal(old, new) && len(old) > 0 && len(new) > 0 {
		wider := slices.Equal(old, []string{"integer"}) && slices.Equal(new, []string{"number"})
		narrower := slices.Equal(old, []string{"number"}) && slices.Equal(new, []string{"integer"})
		harmless := wider && d == InRequest || narrower && d == InResponse
		c.add(Changed, !harmless, "type-changed", where, "the type was %s and is %s", strings.Join(old, " or "), strings.Join(new, " or "))
		return !wider && !narrower
	}
	if was.Format != now.Format {
		c.add(Changed, was.Format != "" && now.Format != "", "format-changed", where, "the format was %s and is %s", orNone(was.Format), orNone(now.Format))
	}
	switch {
	case now.Nullable && !was.Nullable:
		c.add(Changed, d == InResponse, "nullable", where, "it can be null")
	case was.Nullable && !now.Nullable:
		c.add(Changed, d == InRequest, "not-nullable", where, "it cannot be null any more")
	}
	if now.Deprecated && !was.Deprecated {
		c.add(Changed, false, "deprecated", where, "it is deprecated")
	}
	return false
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// values compares the values of enumerations.
func (c *comparison) values(where string, was, now *View, d Direction) {
	if len(was.Enum) == 0 && len(now.Enum) == 0 {
		return
	}
	texts := func(v *View) (out []string) {
		for _, e := range v.Enum {
			out = append(out, e.Text)
		}
		return out
	}
	old, new := texts(was), texts(now)
	switch {
	case len(old) == 0:
		c.add(Changed, d == InRequest, "values-restricted", where, "it is one of %s", joinFirst(new))
		return
	case len(new) == 0:
		c.add(Changed, d == InResponse, "values-unrestricted", where, "it can have any value")
		return
	}
	without := func(a, b []string) (out []string) {
		for _, s := range a {
			if !slices.Contains(b, s) {
				out = append(out, s)
			}
		}
		return out
	}
	if gone := without(old, new); len(gone) > 0 {
		c.add(Removed, d == InRequest, "value-removed", where, "it is not %s any more", joinFirst(gone))
	}
	if came := without(new, old); len(came) > 0 {
		c.add(Added, false, "value-added", where, "it can be %s", joinFirst(came))
	}
}

// joinFirst joins the first values of a list for a message.
func joinFirst(values []string) string {
	const most = 10
	if len(values) > most {
		return strings.Join(values[:most], ", ") + " and " + strconv.Itoa(len(values)-most) + " more"
	}
	return strings.Join(values, ", ")
}

// upper and lower are the constraints with an order. A higher value of an upper
// constraint allows more, a higher value of a lower constraint allows less.
var (
	upper = []string{"max", "less than", "max length", "max items", "max properties"}
	lower = []string{"min", "greater than", "min length", "min items", "min properties"}
)

// limits compares constraints.
func (c *comparison) limits(where string, was, now *View, d Direction) {
	rules := func(v *View) map[string]string {
		out := map[string]string{}
		for _, r := range v.Constraints {
			out[r.Name] = r.Value
		}
		return out
	}
	old, new := rules(was), rules(now)
	names := map[string]bool{}
	for name := range old {
		names[name] = true
	}
	for name := range new {
		names[name] = true
	}
	for _, name := range sortedKeys(names) {
		a, had := old[name]
		b, has := new[name]
		if had == has && a == b {
			continue
		}
		narrower, wider := !had, !has
		if had && has {
			narrower, wider = limitEffect(name, a, b)
		}
		breaking := d == InRequest && narrower || d == InResponse && wider && name != "pattern"
		c.add(Changed, breaking, "limit-changed", where, "%s was %s and is %s", name, orNone(a), orNone(b))
	}
}

// limitEffect reports whether another value of a constraint forbids values that were
// allowed, and whether it allows values that were forbidden.
func limitEffect(name, before, after string) (narrower, wider bool) {
	x, err1 := strconv.ParseFloat(before, 64)
	y, err2 := strconv.ParseFloat(after, 64)
	switch {
	case err1 != nil || err2 != nil:
		return true, true
	case slices.Contains(upper, name):
		return y < x, y > x
	case slices.Contains(lower, name):
		return y > x, y < x
	case name == "multiple of":
		return !isMultiple(x, y), !isMultiple(y, x)
	}
	return true, true
}

// isMultiple reports whether x is a multiple of y, as far as decimal fractions are exact.
func isMultiple(x, y float64) bool {
	q := x / y
	return math.Abs(q-math.Round(q)) <= 1e-9*math.Abs(q)
}

func (c *comparison) properties(where string, was, now *View, d Direction, depth int) {
	for _, old := range was.Properties {
		at, has := now.have[old.Name]
		if !has {
			c.add(Removed, d == InResponse, "property-removed", join(where, old.Name), "the property is gone")
			continue
		}
		new := now.Properties[at]
		switch {
		case new.Required && !old.Required:
			c.add(Changed, d == InRequest, "property-required", join(where, old.Name), "the property is required")
		case !new.Required && old.Required:
			c.add(Changed, d == InResponse, "property-optional", join(where, old.Name), "the property is optional")
		}
		c.schema(join(where, old.Name), old.Schema, new.Schema, d, depth+1)
	}
	for _, new := range now.Properties {
		if _, had := was.have[new.Name]; had {
			continue
		}
		breaking := new.Required && d == InRequest && !new.Schema.View().ReadOnly
		c.add(Added, breaking, "property-added", join(where, new.Name), "the property is new%s", when(new.Required, ", and required"))
	}
}

func join(where, name string) string {
	if strings.HasPrefix(where, "response ") && !strings.Contains(where, ": ") || where == "request body" {
		return where + ": " + name
	}
	return where + "." + name
}

// options compares the alternatives of oneOf and anyOf by their labels.
func (c *comparison) options(where string, was, now *View, d Direction, depth int) {
	for _, old := range was.Options {
		at := slices.IndexFunc(now.Options, func(o Option) bool { return o.Label == old.Label })
		if at < 0 {
			c.add(Removed, d == InRequest, "choice-removed", where, "%s is no choice any more", old.Label)
			continue
		}
		c.schema(where, old.Schema, now.Options[at].Schema, d, depth+1)
	}
	for _, o := range now.Options {
		if !slices.ContainsFunc(was.Options, func(old Option) bool { return old.Label == o.Label }) {
			c.add(Added, d == InResponse && len(was.Options) > 0, "choice-added", where, "%s is a choice", o.Label)
		}
	}
}

// Changelog returns changes as Markdown, breaking changes first.
func Changelog(d Differences) string {
	return changelog(d, "## %s\n\n", "* `%s`", codeText, inlineText)
}

// PlainChangelog returns the changelog as plain text for a terminal.
func PlainChangelog(d Differences) string {
	return changelog(d, "%s:\n", "  %s", plainText, plainText)
}

// plainText returns a text on one line, without the control characters that a terminal
// would interpret.
func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.Join(strings.Fields(s), " "))
}

// changelog formats changes. title and operation are formats for section titles and
// operations. code and text escape names and sentences for the output.
func changelog(d Differences, title, operation string, code, text func(string) string) string {
	var b strings.Builder
	part := func(name string, is func(Change) bool) {
		first := true
		for _, c := range d.Changes {
			if !is(c) {
				continue
			}
			if first {
				fmt.Fprintf(&b, title, name)
				first = false
			}
			fmt.Fprintf(&b, operation, code(c.Operation))
			if c.Where != "" {
				b.WriteString(", " + text(c.Where))
			}
			b.WriteString(": " + text(c.Message) + "\n")
		}
		if !first {
			b.WriteString("\n")
		}
	}
	part("Breaking changes", func(c Change) bool { return c.Breaking })
	part("Added", func(c Change) bool { return !c.Breaking && c.Kind == Added })
	part("Changed", func(c Change) bool { return !c.Breaking && c.Kind == Changed })
	part("Removed", func(c Change) bool { return !c.Breaking && c.Kind == Removed })
	if more := d.All - len(d.Changes); more > 0 {
		fmt.Fprintf(&b, "And %d more; %d changes of all break clients.\n", more, d.Breaking)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
