package index

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/store"
)

// LinkStatus reports whether a reference leads somewhere.
type LinkStatus string

// Statuses of links. An in-app link leads to the console, which readers of a
// published site cannot open.
const (
	LinkOK     LinkStatus = "ok"
	LinkBroken LinkStatus = "broken"
	LinkInApp  LinkStatus = "in-app"
)

// Usage is a target of links, with the places of those links.
type Usage struct {
	Status    LinkStatus
	Target    store.Target
	To        *Location // nil if Target cannot be resolved
	Locations []Location
}

// Location is a place or a target of a link, with everything needed to show it.
type Location struct {
	Kind       string
	View       *revision.View // of its space
	Role       docs.Role
	Page       docs.Page
	File       docs.File
	Reusable   docs.Reusable
	Collection docs.Collection
	User       docs.User
	URL        string
	Anchor     string
	Node       string
	Label      string
}

// LinkStats counts usages. New counts those that are broken, but not in the newest
// revision of the space. Asked counts those that match the filter.
type LinkStats struct{ Total, Broken, New, Asked int }

// BrokenIn is the place where a broken link of a revision is broken, compared with
// the newest revision of the space.
type BrokenIn string

// Places where links are broken.
const (
	BrokenHere    BrokenIn = "change-request" // in this revision alone
	BrokenInSpace BrokenIn = "space"          // in the newest revision too
)

// LinkFilter narrows the result of Links. Empty fields match everything.
type LinkFilter struct {
	Page   docs.PageID // only targets of this page
	Status LinkStatus
	Broken BrokenIn // only broken links, by place
}

// maxLocations is the maximum number of places returned for a usage.
const maxLocations = 50

// linkReport holds the status of all link targets of a revision, as far as it
// depends on the revision alone. Revisions are immutable, so reports are too.
type linkReport struct {
	targets []store.Target // sorted
	status  []LinkStatus   // empty: outside of the space
}

// size returns the approximate size of a report in memory, in bytes.
func (r *linkReport) size() int {
	n := 200
	for _, t := range r.targets {
		n += 200 + len(t.Target) + len(t.Anchor) + len(t.Label)
	}
	return n
}

// Links returns the targets of the links of a revision.
func (s *Index) Links(ctx context.Context, g *authz.Grant, v *revision.View, f LinkFilter, at store.Page) ([]Usage, store.Key, LinkStats, error) {
	var stats LinkStats
	x, err := s.linksOf(ctx, v)
	if err != nil {
		return nil, nil, stats, err
	}
	look := s.looker(g, v, x)
	report, err := s.report(ctx, x, v, f.Page)
	if err != nil {
		return nil, nil, stats, err
	}
	before, err := s.reportBefore(ctx, v, f.Page)
	if err != nil {
		return nil, nil, stats, err
	}
	out := []Usage{}
	var next store.Key
	for i, t := range report.targets {
		st, to := report.status[i], (*Location)(nil)
		if st == "" {
			if to, err = look.target(ctx, t); err != nil {
				return nil, nil, stats, err
			}
			if st = LinkOK; to == nil {
				st = LinkBroken
			}
		}
		stats.Total++
		where := BrokenIn("")
		if st == LinkBroken {
			stats.Broken++
			if where = BrokenInSpace; !before.breaks(t) {
				where = BrokenHere
				stats.New++
			}
		}
		if f.Status != "" && st != f.Status || f.Broken != "" && where != f.Broken {
			continue
		}
		stats.Asked++
		if at.Limit == 0 || !after(at.After, t) {
			continue
		}
		if len(out) == at.Limit {
			if next == nil {
				next = keyOf(out[len(out)-1].Target)
			}
			continue
		}
		out = append(out, Usage{Status: st, Target: t, To: to})
	}
	for i := range out {
		if err := s.addPlaces(ctx, look, v, f.Page, &out[i]); err != nil {
			return nil, nil, stats, err
		}
	}
	return out, next, stats, nil
}

func keyOf(t store.Target) store.Key {
	return store.Key{t.Kind, string(t.Space), t.Target, t.Anchor}
}

func after(k store.Key, t store.Target) bool {
	return len(k) == 0 || slices.Compare(keyOf(t), k) > 0
}

// addPlaces adds the resolved target and the places of a usage.
func (s *Index) addPlaces(ctx context.Context, look *looker, v *revision.View, page docs.PageID, u *Usage) (err error) {
	if u.To == nil && u.Status != LinkBroken {
		if u.To, err = look.target(ctx, u.Target); err != nil {
			return err
		}
	}
	places, err := look.index.locations(ctx, string(page), u.Target, maxLocations)
	if err != nil {
		return err
	}
	for _, l := range places {
		loc, ok, err := look.place(ctx, v, l.Page)
		if err != nil {
			return err
		}
		if ok {
			loc.Node, loc.Label = l.Node, l.Label
			u.Locations = append(u.Locations, loc)
		}
	}
	return nil
}

// maxTargets is the number of targets that are read at once. It is large, because
// the database sorts all targets for each query.
const maxTargets = 1 << 20

// anchorsOf caches the anchors of one page: targets are sorted, so the next one is
// mostly on the same page.
type anchorsOf struct {
	index *linkIndex
	page  string
	set   map[string]bool
}

func (a *anchorsOf) has(ctx context.Context, x *linkIndex, page, anchor string) (bool, error) {
	if a.index != x || a.page != page {
		all, err := x.anchors(ctx, page)
		if err != nil {
			return false, err
		}
		a.index, a.page, a.set = x, page, make(map[string]bool, len(all))
		for _, name := range all {
			a.set[name] = true
		}
	}
	return markup.HasAnchor(anchor, func(name string) bool { return a.set[name] }), nil
}

// report returns the report of a revision, or of one page. That of a revision is
// cached, so it is made in one snapshot.
func (s *Index) report(ctx context.Context, x *linkIndex, v *revision.View, page docs.PageID) (*linkReport, error) {
	if page != "" {
		return s.newReport(ctx, x, v, page)
	}
	if r, ok := s.reports.Get(v.Rev.ID); ok {
		return r, nil
	}
	var out *linkReport
	err := s.Store.Snapshot(ctx, func(r store.Reader) error {
		sp, err := r.Space(ctx, v.Space.ID)
		if err != nil {
			return err
		}
		now := *x
		if now.r = r; sp.It.Revision != x.head || sp.It.Layer != x.layer {
			again, err := s.linksIn(ctx, r, sp.It, v)
			if err != nil {
				return err
			}
			now = *again
		}
		out, err = s.newReport(ctx, &now, v, "")
		return err
	})
	if err == nil {
		s.reports.Set(v.Rev.ID, out)
	}
	return out, err
}

func (s *Index) newReport(ctx context.Context, x *linkIndex, v *revision.View, page docs.PageID) (*linkReport, error) {
	targets, err := x.targets(ctx, string(page))
	if err != nil {
		return nil, err
	}
	out := &linkReport{targets: targets, status: make([]LinkStatus, len(targets))}
	anchors := &anchorsOf{}
	for i, t := range targets {
		if out.status[i], err = s.status(ctx, x, v, t, anchors); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reportBefore returns the report of the newest revision of the space, to find out
// what a change request breaks. It returns nil if v is that revision.
func (s *Index) reportBefore(ctx context.Context, v *revision.View, page docs.PageID) (*linkReport, error) {
	if v.Rev.ID == v.Space.Revision {
		return nil, nil
	}
	head, err := s.Source.Head(ctx, v.Space)
	if err != nil {
		return nil, err
	}
	x, err := s.linksOf(ctx, head)
	if err != nil {
		return nil, err
	}
	return s.report(ctx, x, head, page)
}

// breaks reports whether t, which the caller cannot reach, is among the broken
// targets of a report. Targets outside of the space are, because they do not depend
// on the revision. A nil report is that of the revision itself.
func (r *linkReport) breaks(t store.Target) bool {
	if r == nil {
		return true
	}
	i, found := slices.BinarySearchFunc(r.targets, keyOf(t), func(have store.Target, want store.Key) int {
		return slices.Compare(keyOf(have), want)
	})
	return found && (r.status[i] == LinkBroken || r.status[i] == "")
}

// status returns the status of a target by the revision alone, or "" if the target
// is outside of the space.
func (s *Index) status(ctx context.Context, x *linkIndex, v *revision.View, t store.Target, anchors *anchorsOf) (LinkStatus, error) {
	key := ""
	switch {
	case t.Kind == store.Unresolved:
		return LinkBroken, nil
	case t.Kind == markup.RefURL:
		if s.Source.BaseURL != "" && strings.HasPrefix(t.Target, s.Source.BaseURL+"/") {
			return LinkInApp, nil
		}
		return LinkOK, nil
	case t.Space != "" && t.Space != v.Space.ID:
		return "", nil
	case t.Kind == markup.RefPage || t.Kind == markup.RefAnchor:
		key = revision.KeyPage
	case t.Kind == markup.RefFile:
		key = revision.KeyFile
	case t.Kind == markup.RefReusable:
		key = revision.KeyReusable
	case t.Kind == markup.RefTag:
		return LinkOK, nil
	default:
		return "", nil
	}
	_, ok, err := v.Get(ctx, key+t.Target)
	if err == nil && !ok && t.Kind == markup.RefAnchor { // a reusable content has anchors, too
		_, ok, err = v.Get(ctx, revision.ReusableKey(t.Target))
	}
	if err == nil && ok && t.Kind == markup.RefAnchor {
		ok, err = anchors.has(ctx, x, t.Target, t.Anchor)
	}
	if !ok {
		return LinkBroken, err
	}
	return LinkOK, err
}

// looker resolves targets with the rights of one caller. It opens each space once.
type looker struct {
	s       *Index
	g       *authz.Grant
	check   authz.Checker
	home    docs.SpaceID // the space of references without one
	index   *linkIndex   // of the view that has the references
	spaces  map[docs.SpaceID]*seen
	anchors anchorsOf
}

type seen struct {
	view  *revision.View
	index *linkIndex
	role  docs.Role
}

func (s *Index) looker(g *authz.Grant, v *revision.View, x *linkIndex) *looker {
	l := &looker{s: s, g: g, home: v.Space.ID, index: x, check: authz.NewChecker(s.Store.Reader), spaces: map[docs.SpaceID]*seen{}}
	l.spaces[v.Space.ID] = &seen{v, x, g.Role}
	return l
}

// space opens another space of the same organization. It returns nil if the caller
// cannot see the space.
func (l *looker) space(ctx context.Context, id docs.SpaceID) (*seen, error) {
	if x, ok := l.spaces[id]; ok {
		return x, nil
	}
	l.spaces[id] = nil
	g, _, err := l.check.Space(ctx, l.g.Actor, authz.ViewSpace, id)
	if hidden(err) {
		return nil, nil
	}
	if err != nil || g.Space.Org != l.g.Access.Org {
		return nil, err
	}
	v, err := l.s.Source.Head(ctx, g.Space)
	if err != nil {
		return nil, err
	}
	x, err := l.s.linksOf(ctx, v)
	if err != nil {
		return nil, err
	}
	l.spaces[id] = &seen{v, x, g.Role}
	return l.spaces[id], nil
}

func hidden(err error) bool { return errs.Is(err, errs.NotFound) || errs.Is(err, errs.Forbidden) }

// target returns the location that a reference leads to, or nil if there is none
// that the caller can see.
func (l *looker) target(ctx context.Context, t store.Target) (*Location, error) {
	switch t.Kind {
	case markup.RefURL:
		return &Location{Kind: markup.RefURL, URL: t.Target}, nil
	case store.Unresolved, markup.RefOpenAPI, markup.RefTag:
		return nil, nil
	case markup.RefCollection:
		g, _, err := l.check.Collection(ctx, l.g.Actor, authz.ViewCollection, docs.CollectionID(t.Target))
		if hidden(err) || (err == nil && g.Collection.Org != l.g.Access.Org) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return &Location{Kind: t.Kind, Collection: g.Collection, Role: g.Role}, nil
	case markup.RefUser:
		if !l.g.SeesPeople() {
			return nil, nil // a guest does not learn who the members are
		}
		m, err := l.s.Store.Member(ctx, l.g.Access.Org, docs.UserID(t.Target))
		if hidden(err) {
			return nil, nil
		}
		return &Location{Kind: t.Kind, User: m.User}, err
	}
	id := t.Space
	if t.Kind == markup.RefSpace {
		id = docs.SpaceID(t.Target)
	}
	x, err := l.in(ctx, id)
	if err != nil || x == nil {
		return nil, err
	}
	loc := &Location{Kind: t.Kind, View: x.view, Role: x.role, Anchor: t.Anchor}
	switch t.Kind {
	case markup.RefPage, markup.RefAnchor:
		loc.Kind = markup.RefPage
		loc.Page, err = x.view.Page(ctx, docs.PageID(t.Target))
		if errs.Is(err, errs.NotFound) && t.Anchor != "" {
			loc.Kind = markup.RefReusable
			loc.Reusable, err = x.view.Reusable(ctx, docs.ReusableID(t.Target))
		}
		if err == nil && t.Anchor != "" {
			var ok bool
			if ok, err = l.anchors.has(ctx, x.index, t.Target, t.Anchor); err == nil && !ok {
				return nil, nil
			}
		}
	case markup.RefFile:
		loc.File, err = x.view.File(ctx, docs.FileID(t.Target))
	case markup.RefReusable:
		loc.Reusable, err = x.view.Reusable(ctx, docs.ReusableID(t.Target))
	}
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	return loc, err
}

// in is space, with l.home for an empty id.
func (l *looker) in(ctx context.Context, id docs.SpaceID) (*seen, error) {
	if id == "" {
		id = l.home
	}
	return l.space(ctx, id)
}

// place returns the location of the page or reusable content with an id.
func (l *looker) place(ctx context.Context, v *revision.View, id string) (Location, bool, error) {
	loc := Location{Kind: markup.RefPage, View: v, Role: l.spaces[v.Space.ID].role}
	p, ok, err := v.Lookup(ctx, docs.PageID(id))
	if err != nil || ok {
		loc.Page = p
		return loc, ok, err
	}
	loc.Kind = markup.RefReusable
	loc.Reusable, err = v.Reusable(ctx, docs.ReusableID(id))
	if errs.Is(err, errs.NotFound) {
		return loc, false, nil
	}
	return loc, err == nil, err
}

// Backlinks lists the places in the organization that refer to a page or a
// file of a revision, as far as the caller can see them.
func (s *Index) Backlinks(ctx context.Context, g *authz.Grant, v *revision.View, kind, id string, at store.Page) ([]Location, store.Key, error) {
	kinds := [2]string{kind, kind}
	if kind == markup.RefPage {
		kinds[1] = markup.RefAnchor
	}
	x, err := s.linksOf(ctx, v)
	if err != nil {
		return nil, nil, err
	}
	look := s.looker(g, v, x)
	others, err := s.Store.SpacesLinkingTo(ctx, v.Space.Org, v.Space.ID, id)
	if err != nil {
		return nil, nil, err
	}
	spaces := []docs.Space{v.Space}
	spaces = append(spaces, others...)
	out := []Location{}
	from, page := docs.SpaceID(""), ""
	if len(at.After) == 2 {
		from, page = docs.SpaceID(at.After[0]), at.After[1]
	}
	for i, sp := range spaces {
		if from != "" && sp.ID != from {
			continue // before the cursor
		}
		x, err := look.space(ctx, sp.ID)
		if err != nil {
			return nil, nil, err
		}
		within := docs.SpaceID("")
		if i > 0 {
			within = v.Space.ID
		}
		if x != nil {
			ids, more, err := x.index.backlinks(ctx, kinds, within, id, store.Page{Limit: at.Limit - len(out), After: store.Key{page}})
			if err != nil {
				return nil, nil, err
			}
			for _, p := range ids {
				loc, ok, err := look.place(ctx, x.view, p)
				if err != nil {
					return nil, nil, err
				}
				if ok && !(p == id && kind == markup.RefPage) {
					out = append(out, loc)
				}
			}
			if more != nil {
				return out, store.Key{string(sp.ID), more[0]}, nil
			}
		}
		from, page = "", ""
		if len(out) >= at.Limit && i+1 < len(spaces) {
			return out, store.Key{string(spaces[i+1].ID), ""}, nil
		}
	}
	return out, nil, nil
}

// Reaches reports whether a reference in a revision leads to something that the
// caller can see; r is the pool or a transaction.
func (s *Index) Reaches(ctx context.Context, r store.Reader, g *authz.Grant, v *revision.View, t store.Target) (bool, error) {
	x, err := s.linksIn(ctx, r, v.Space, v)
	if err != nil {
		return false, err
	}
	look := s.looker(g, v, x)
	look.check = authz.NewChecker(r)
	to, err := look.target(ctx, t)
	return to != nil, err
}
