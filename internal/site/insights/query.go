package insights

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
)

// maxGroups limits the number of rows that a query reads from the store.
const maxGroups = 100_000

// Query is a query about the events of a site.
type Query struct {
	Select  []Column // empty: GroupBy, and the number of events
	GroupBy []Column // empty: the columns of Select that are not counts
	Where   []Filter
	Order   *Order
	// From and To are the first and the last day, both inclusive.
	From, To docs.Time
	Limit    int
}

// Filter selects lines by the value of a column.
type Filter struct {
	Column   Column
	Operator string // empty: in
	Values   []any  // as decoded from JSON
}

// Order is the sort order of lines.
type Order struct {
	By   Column
	Desc bool
}

// Answer is one column of the answer to a query. All columns have the same number of
// values.
type Answer struct {
	Column
	Values []any
}

// Aggregate answers a query about the site of a grant. Events at places that the
// caller does not see are not counted.
func (s *Service) Aggregate(ctx context.Context, g *authz.Grant, q Query) ([]Answer, error) {
	p, err := q.plan()
	if err != nil {
		return nil, err
	}
	view, err := s.Audience.View(ctx, g)
	if err != nil {
		return nil, err
	}
	if err := s.Flush(ctx); err != nil {
		return nil, err
	}
	rows, err := s.Store.CountEvents(ctx, view.Site.ID, dayOf(q.From), dayOf(q.To), p.by, maxGroups+1)
	if err != nil {
		return nil, err
	}
	if len(rows) > maxGroups {
		return nil, errs.Field("range", "has too many events to group like this; ask for fewer days or columns")
	}
	return p.answer(seen(view, rows)), nil
}

// seen returns the rows at places that are in the view, as groups with their sections.
func seen(view *sites.View, rows []store.EventCount) map[group]int64 {
	out := map[group]int64{}
	for _, r := range rows {
		g := group{day: r.Day, event: r.Event, siteSpace: r.SiteSpace, space: r.Space, page: r.Page, detail: r.Detail}
		if r.SiteSpace != "" {
			it, err := view.Structure.Item(docs.SiteSpace, r.SiteSpace)
			if err != nil {
				continue
			}
			g.section = it.Parent
		}
		out[g] += r.Events
	}
	return out
}

// plan is a query with resolved columns.
type plan struct {
	chosen []planned // columns of the answer
	groups []planned // columns to group by
	where  []condition
	having []condition
	order  *Order
	limit  int
	by     store.EventGroups
}

type planned struct {
	Column
	column
}

func (p *plan) find(path string, c Column) (planned, error) {
	def, err := c.find(path)
	p.by.Day = p.by.Day || def.by.Day
	p.by.Event = p.by.Event || def.by.Event
	p.by.Page = p.by.Page || def.by.Page
	p.by.Detail = p.by.Detail || def.by.Detail
	return planned{c, def}, err
}

func (q Query) plan() (*plan, error) {
	p := &plan{order: q.Order, limit: q.Limit}
	var wrong errs.Mistakes
	if q.From > q.To {
		wrong.Field("range", "must end after it begins")
	}
	for i, c := range q.GroupBy {
		path := fmt.Sprintf("groupBy[%d]", i)
		def, err := p.find(path, c)
		if err == nil && def.keep == nil {
			err = errs.Field(path+".column", "is counted, so nothing can be grouped by it")
		}
		wrong.Add(err)
		p.groups = append(p.groups, def)
	}
	if len(q.Select) == 0 {
		q.Select = append(slices.Clone(q.GroupBy), Column{Name: "eventsCount"})
	}
	for i, c := range q.Select {
		path := fmt.Sprintf("select[%d]", i)
		def, err := p.find(path, c)
		p.chosen = append(p.chosen, def)
		switch {
		case err != nil:
			wrong.Add(err)
		case def.keep == nil || p.grouped(c):
		case len(q.GroupBy) > 0:
			wrong.Field(path+".column", "must be in groupBy too")
		default:
			p.groups = append(p.groups, def)
		}
	}
	if o := q.Order; o != nil {
		def, err := p.find("order.by", o.By)
		if err == nil && def.keep != nil && !p.grouped(o.By) {
			err = errs.Field("order.by.column", "must be a column of select or groupBy")
		}
		wrong.Add(err)
	}
	wrong.Add(p.filter(q.Where))
	return p, wrong.Err()
}

func (p *plan) grouped(c Column) bool {
	return slices.ContainsFunc(p.groups, func(g planned) bool { return g.Column == c })
}

func (p *plan) filter(all []Filter) error {
	var wrong errs.Mistakes
	for i, f := range all {
		path := fmt.Sprintf("where[%d]", i)
		var c condition
		def, err := p.find(path, f.Column)
		if err == nil {
			c, err = f.condition(path, def)
		}
		if err != nil {
			wrong.Add(err)
			continue
		}
		if def.keep == nil {
			p.having = append(p.having, c)
			continue
		}
		p.where = append(p.where, func(g group, t tally) bool {
			return (len(def.of) == 0 || slices.Contains(def.of, g.event)) && c(g, t)
		})
	}
	return wrong.Err()
}

// condition reports whether a line matches a filter.
type condition func(g group, t tally) bool

// condition returns the condition of a filter on a column.
func (f Filter) condition(path string, c planned) (condition, error) {
	values := make([]any, len(f.Values))
	for i, v := range f.Values {
		var ok bool
		if values[i], ok = c.parse(v); !ok {
			return nil, errs.Field(fmt.Sprintf("%s.values[%d]", path, i), "is not a value of the column %s", c.Name)
		}
	}
	if f.Operator == "" || f.Operator == "in" || f.Operator == "notIn" {
		wanted := map[string]bool{}
		for _, v := range values {
			wanted[text(v)] = true
		}
		return func(g group, t tally) bool { return wanted[text(c.value(g, t))] == (f.Operator != "notIn") }, nil
	}
	if len(values) != 1 || c.Name != "datetime" && c.Name != "eventsCount" {
		return nil, errs.Field(path+".operator", "needs one value of the column datetime or eventsCount")
	}
	return func(g group, t tally) bool {
		order := compare(c.value(g, t), values[0])
		switch f.Operator {
		case "greaterThan":
			return order > 0
		case "greaterThanOrEqual":
			return order >= 0
		case "lessThan":
			return order < 0
		}
		return order <= 0
	}, nil
}

// parse converts a value of a filter to the type of the column. It reports false if the
// value is not valid for the column.
func (c planned) parse(v any) (any, bool) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, false
	}
	switch c.Name {
	case "datetime":
		var t docs.Time
		return t, json.Unmarshal(b, &t) == nil
	case "eventsCount":
		var n int64
		return n, json.Unmarshal(b, &n) == nil
	case "page":
		var ref *PageRef
		if json.Unmarshal(b, &ref) != nil {
			return nil, false
		}
		if ref == nil {
			return nil, true
		}
		return *ref, true
	}
	return v, true
}

// has reports whether events of a type have all columns to group by.
func (p *plan) has(event string) bool {
	for _, c := range p.groups {
		if len(c.of) > 0 && !slices.Contains(c.of, event) {
			return false
		}
	}
	return true
}

// answer groups counts and returns the columns.
func (p *plan) answer(counts map[group]int64) []Answer {
	tallies := map[group]*tally{}
	for g, n := range counts {
		if !p.has(g.event) || !holds(p.where, g, tally{}) {
			continue
		}
		var key group
		for _, c := range p.groups {
			c.keep(&key, g)
		}
		if tallies[key] == nil {
			tallies[key] = &tally{}
		}
		tallies[key].add(g, n)
	}
	if len(p.groups) == 0 && len(tallies) == 0 {
		tallies[group{}] = &tally{} // without groups, the answer always has one line
	}
	var lines []group
	for g, t := range tallies {
		if holds(p.having, g, *t) {
			lines = append(lines, g)
		}
	}
	p.sort(lines, tallies)
	lines = lines[:min(len(lines), p.limit)]
	out := make([]Answer, len(p.chosen))
	for i, c := range p.chosen {
		out[i] = Answer{Column: c.Column, Values: make([]any, len(lines))}
		for j, g := range lines {
			out[i].Values[j] = c.value(g, *tallies[g])
		}
	}
	return out
}

func holds(all []condition, g group, t tally) bool {
	for _, c := range all {
		if !c(g, t) {
			return false
		}
	}
	return true
}

// sort sorts lines in the order of the query. Lines that compare equal are sorted by the
// fields of their groups.
func (p *plan) sort(lines []group, tallies map[group]*tally) {
	slices.SortFunc(lines, func(a, b group) int {
		order := 0
		if p.order != nil {
			c := columns[p.order.By.Name]
			if order = compare(c.value(a, *tallies[a]), c.value(b, *tallies[b])); p.order.Desc {
				order = -order
			}
		}
		return cmp.Or(order, cmp.Compare(a.day, b.day), cmp.Compare(a.event, b.event), cmp.Compare(a.section, b.section),
			cmp.Compare(a.siteSpace, b.siteSpace), cmp.Compare(a.space, b.space), cmp.Compare(a.page, b.page), cmp.Compare(a.detail, b.detail))
	})
}
