// Package explain explains why a visitor of a site sees a page or does not see it.
//
// The package itself makes no decisions. Each step calls the function that decides
// for real visitors, and adds the reason as text.
//
// Where a change goes:
//   - how the visit of a site is explained: this package; what is known of a condition in
//     reading/explain.go
package explain

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// The kinds of steps other than those of site items, which have the kind of the item.
const (
	StepSite      = "site"      // whether the address belongs to the site
	StepPublished = "published" // whether the site is published
	StepAudience  = "audience"  // whether the visitor may read the site
	StepSpace     = "space"     // whether the space is available
	StepPage      = "page"      // the page or one of its ancestors
	StepPart      = "page-part" // a part of the page whose condition cannot be parsed
	StepRedirect  = "redirect"  // where the address redirects if there is no page
)

// Step is one check on the way to a page.
type Step struct {
	Kind      string
	ID        string
	Title     string
	Condition string
	Passed    bool
	Reason    string
}

// Explanation describes what a visitor gets at an address, and why.
type Explanation struct {
	Visible  bool
	Reason   string // the reason of the first failed step, or what the visitor sees
	Steps    []Step // in the order of the checks
	Space    docs.SiteItem
	Page     docs.PageID
	Redirect string // address to which the visitor is redirected instead
}

// Service explains visits.
type Service struct {
	Audience *audience.Service
	Sites    *sites.Service
	Source   *revision.Source
}

// visit is a visit that is being explained.
type visit struct {
	*Service
	Explanation
	grant   *authz.Grant
	site    docs.Site
	arrival audience.Visit
	rest    string            // path below the address of the site
	key     string            // the share key at the beginning of rest; empty if there is none
	below   string            // the path after the key
	member  *sites.View       // what the caller sees of the site
	dropped map[string]string // claims that conditions do not get
}

// Explain follows a visitor of the site of a grant to the page at an address.
// The error is Forbidden if the caller cannot see the content there.
func (s *Service) Explain(ctx context.Context, g *authz.Grant, a audience.Visit) (*Explanation, error) {
	v := &visit{Service: s, grant: g, site: g.Site, arrival: a}
	if err := v.follow(ctx); err != nil {
		return nil, err
	}
	v.conclude()
	return &v.Explanation, nil
}

// addStep records a step and returns ok.
func (v *visit) addStep(kind string, ok bool, format string, args ...any) bool {
	v.Steps = append(v.Steps, Step{Kind: kind, Passed: ok, Reason: fmt.Sprintf(format, args...)})
	return ok
}

// conclude sets Reason to a summary of what the visitor gets.
func (v *visit) conclude() {
	hidden := slices.IndexFunc(v.Steps, func(s Step) bool { return !s.Passed })
	switch {
	case v.Visible:
		v.Reason = "The visitor sees the page."
		if slices.ContainsFunc(v.Steps, func(s Step) bool { return s.Kind == StepPart }) {
			v.Reason = "The visitor sees the page, but not all of it: it has conditions that cannot be read."
		}
	case v.Redirect != "":
		v.Reason = "The visitor is redirected to " + v.Redirect + "."
	case hidden >= 0:
		v.Reason = v.Steps[hidden].Reason
		if t := v.Steps[hidden].Title; t != "" {
			v.Reason = fmt.Sprintf("%s %q: %s", strings.ReplaceAll(v.Steps[hidden].Kind, "-", " "), t, v.Reason)
		}
		if v.Steps[hidden].Condition != "" && v.claimsIgnored() {
			v.Reason += " Adaptive content is off: enable adaptiveContent of the site."
		}
	}
}

func (v *visit) follow(ctx context.Context) error {
	if found, err := v.findSite(ctx); err != nil || !found {
		return err
	}
	if admitted, err := v.admitted(ctx); err != nil || !admitted {
		return err
	}
	r, err := v.Audience.Resolve(ctx, v.arrival)
	if errs.Is(err, errs.NotFound) {
		r, err = nil, nil
	}
	if err != nil {
		return err
	}
	if v.member, err = v.Audience.View(ctx, v.grant); err != nil {
		return err
	}
	if err := v.places(ctx, r); err != nil || r == nil {
		return err
	}
	return v.page(ctx, r)
}

// findSite checks that the address belongs to the site and that the site is published.
func (v *visit) findSite(ctx context.Context) (bool, error) {
	found, rest, err := v.Audience.Find(ctx, v.arrival.URL)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return false, err
	}
	if err != nil || found.ID != v.site.ID {
		return v.addStep(StepSite, false, "The address is not one of this site; those begin with %s.", v.Sites.Hosts.URL(v.site.Publication(), "")), nil
	}
	v.rest = rest
	v.key, v.below = sites.ShareKey(v.site, rest)
	v.addStep(StepSite, true, "The address is one of this site.")
	if !v.site.Published {
		return v.addStep(StepPublished, false, "The site is not published."), nil
	}
	return v.addStep(StepPublished, true, "The site is published."), nil
}

// admitted checks that the visitor belongs to the audience of the site.
func (v *visit) admitted(ctx context.Context) (bool, error) {
	reason := "Everybody can read the site."
	if v.site.Visibility == docs.VisibilityLink {
		_, err := v.Sites.ShareLinks.ByKey(ctx, v.site.ID, v.key)
		if errs.Is(err, errs.NotFound) {
			return v.addStep(StepAudience, false, "The site is read by share links, and the path does not begin with the key of an active one."), nil
		}
		if err != nil {
			return false, err
		}
		reason = "The path begins with the key of an active share link."
	}
	who, err := v.Audience.Identify(ctx, v.site, v.arrival)
	if errs.Is(err, errs.Unauthenticated) {
		reason = "The site is for visitors who were authenticated by its owner, and this one was not."
		if who.Refused != "" {
			reason += " " + who.Refused.Text()
		}
		return v.addStep(StepAudience, false, "%s", reason), nil
	}
	if err != nil {
		return false, err
	}
	if v.dropped, err = v.Audience.DroppedClaims(ctx, v.site, v.arrival); err != nil {
		return false, err
	}
	if v.site.Visibility == docs.VisibilityAuth && v.arrival.Token == "" {
		reason = "The claims of the visitor count as signed by the owner of the site."
	}
	return v.addStep(StepAudience, true, "%s%s", reason, v.identityNote(who)), nil
}

// identityNote returns a text about how the token and the claims of the visitor were used.
func (v *visit) identityNote(who audience.Identity) string {
	text := ""
	switch {
	case who.Refused != "":
		text = " " + who.Refused.Text() + " Conditions know nothing of it."
	case who.Expires > 0:
		text = " The sign-in token is accepted; it ends at " + time.Unix(who.Expires, 0).UTC().Format(time.RFC3339) + "."
	}
	if v.claimsIgnored() {
		text += " Adaptive content is off, so that conditions know no claims."
	}
	return text
}

// claimsIgnored reports whether the visitor has claims that conditions do not get, because
// adaptive content is off.
func (v *visit) claimsIgnored() bool {
	return !v.site.Adaptive && (v.arrival.TrustedClaims != nil || v.arrival.Token != "")
}

// page looks up the page at the address in the space as the visitor sees it.
func (v *visit) page(ctx context.Context, r *audience.Resolved) error {
	whole, err := v.Source.Head(ctx, v.member.Spaces[r.Target.Space.Space].It)
	if err != nil {
		return err
	}
	path, err := url.PathUnescape(r.Target.Rest)
	if err != nil {
		v.addStep(StepPage, false, "The path of the address is not valid.")
		return nil
	}
	seen := whole.For(r.View.Reader)
	page, err := seen.ByPath(ctx, path)
	if err == nil {
		v.Visible, v.Page = true, page.ID
		return v.pages(ctx, whole, r, page)
	}
	if !errs.Is(err, errs.NotFound) {
		return err
	}
	return v.explainMissing(ctx, whole, r, path)
}

// explainMissing records why there is no page for the visitor.
func (v *visit) explainMissing(ctx context.Context, whole *revision.View, r *audience.Resolved, path string) error {
	page, err := whole.ByPath(ctx, path)
	switch {
	case errs.Is(err, errs.NotFound) && strings.Trim(path, "/") == "":
		v.addStep(StepPage, false, "The space has no pages.")
	case errs.Is(err, errs.NotFound):
		v.addStep(StepPage, false, "The space has no page with the path %q.", path)
	case err != nil:
		return err
	default:
		if err := v.pages(ctx, whole, r, page); err != nil {
			return err
		}
	}
	return v.redirected(ctx, r)
}

// redirected records where a redirect of the site leads the visitor. The caller must be
// able to see the target too, because its address contains its name.
func (v *visit) redirected(ctx context.Context, r *audience.Resolved) error {
	rule, to, err := v.Sites.Redirects.Find(ctx, v.site, r.View.Structure, "/"+v.below, v.key, v.pathFor(r))
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	both := r.View.Structure.Filter(func(it docs.SiteItem) bool {
		_, ok := v.member.Spaces[it.Space]
		return ok || it.Kind != docs.SiteSpace
	})
	_, known, err := v.Sites.Redirects.Find(ctx, v.site, both, "/"+v.below, v.key, v.pathFor(r))
	if errs.Is(err, errs.NotFound) || err == nil && known != to {
		return errUnseen
	}
	if err == nil {
		v.Redirect = to
		v.addStep(StepRedirect, true, "A redirect of the site from %s leads to another address.", rule.Source)
	}
	return err
}

// pathFor returns a function that returns the paths of pages that the visitor sees.
func (v *visit) pathFor(r *audience.Resolved) sites.PagePath {
	return func(ctx context.Context, space docs.Space, id docs.PageID) (string, error) {
		whole, err := v.Source.Head(ctx, space)
		if err != nil {
			return "", err
		}
		return whole.For(r.View.Reader).PathOf(ctx, id)
	}
}

// pages records the conditions of a page and of its ancestors, starting at the root.
func (v *visit) pages(ctx context.Context, whole *revision.View, r *audience.Resolved, page docs.Page) error {
	above, err := whole.Ancestors(ctx, page)
	if err != nil {
		return err
	}
	vars, err := whole.Variables(ctx)
	if err != nil {
		return err
	}
	slices.Reverse(above)
	for _, p := range append(above, page) {
		condition, err := whole.Condition(ctx, p)
		if err != nil {
			return err
		}
		ok, reason, err := r.View.Reader.Explain(ctx, condition, vars, p.Variables, v.dropped)
		if err != nil {
			return err
		}
		damage, err := damagedHead(ctx, whole, p, condition)
		if err != nil {
			return err
		}
		reason += damage
		if p.Hidden {
			reason += " The page is hidden in the navigation and can be reached by its address."
		}
		v.Steps = append(v.Steps, Step{StepPage, string(p.ID), p.Title, condition, ok, reason})
	}
	if v.Visible {
		return v.parts(ctx, whole, page)
	}
	if page.Type == docs.PageGroup {
		_, some, err := whole.For(r.View.Reader).LookupUnchecked(ctx, page.ID)
		if err != nil {
			return err
		}
		if !some {
			v.addStep(StepPage, false, "The group %q is not there, because the visitor sees none of its pages.", page.Title)
		}
	}
	return nil
}
