package sites

import (
	"context"
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/explain"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *readers) explain() {
	kernel.Register(h.Kernel, kernel.Op{
		ID: "explainSiteVisit", Route: "GET " + wire.SiteRoute + "/explain", Tag: sitesTag, Allow: authz.Site(authz.SiteAccess),
		Summary: "Say why a visitor sees the page at an address of a site, or does not.",
		About: "The steps are in the order in which they are decided, each with its condition, its result and the reason: the address, whether the site is published, " +
			"the audience, groups, sections and site spaces, then pages. Conditions of blocks inside of a page are part of it only if they cannot be read (`page-part`, with the line): what they are meant for is hidden from everybody. " +
			"Claims count as signed by the owner of the site; those under the name `unsigned` are such that anybody can set. Without claims, nobody vouches for the visitor. With a token, its claims are verified first. " +
			"403 if the address leads to a space that you cannot see.",
	}, h.explainVisit)
}

// VisitExplanation is the JSON form of the reasons why a visitor sees a page or does not.
type VisitExplanation struct {
	Object    string      `json:"object" enum:"site-visit-explanation"`
	Visible   bool        `json:"visible" doc:"Whether the visitor sees a page at the address."`
	Reason    string      `json:"reason" doc:"The verdict in plain words."`
	SiteSpace string      `json:"siteSpace,omitempty" doc:"The site space that the address leads the visitor to."`
	Space     string      `json:"space,omitempty"`
	Page      string      `json:"page,omitempty" doc:"The page that the visitor sees."`
	Redirect  string      `json:"redirect,omitempty" format:"uri" doc:"Where a redirect of the site leads the visitor instead."`
	Steps     []visitStep `json:"steps"`
}

type visitStep struct {
	Type      string `json:"type" enum:"site,published,audience,site-section-group,site-section,site-space,space,page,page-part,redirect"`
	ID        string `json:"id,omitempty"`
	Title     string `json:"title,omitempty"`
	Condition string `json:"condition,omitempty"`
	Passed    bool   `json:"passed"`
	Reason    string `json:"reason"`
}

type explainVisitIn struct {
	wire.SiteIn
	URL    string `query:"url" required:"true" minLength:"1" maxLength:"8192" doc:"An address of the site, with the share key if it is read by share links."`
	Token  string `query:"token" maxLength:"8192" doc:"The visitor token that the owner of the site signed, instead of claims. It is verified, and the steps say why it is refused."`
	Claims string `query:"claims" maxLength:"8192" doc:"Claims of the visitor as a JSON object, such as {\"plan\": \"pro\", \"unsigned\": {\"beta\": true}}."`
}

func (h *readers) explainVisit(ctx context.Context, in *explainVisitIn) (*kernel.Out[VisitExplanation], error) {
	u, err := wire.WebAddress("query.url", in.URL)
	if err != nil {
		return nil, err
	}
	if in.Token != "" && in.Claims != "" {
		return nil, errs.Field("query.token", "cannot be used together with claims: the token has the claims")
	}
	arrival := audience.Visit{URL: u, Token: in.Token, LoginOnError: true}
	if in.Claims != "" {
		if err := json.Unmarshal([]byte(in.Claims), &arrival.TrustedClaims); err != nil || arrival.TrustedClaims == nil {
			return nil, errs.Field("query.claims", `must be a JSON object, such as {"plan": "pro"}`)
		}
		arrival.Unsigned, _ = arrival.TrustedClaims["unsigned"].(map[string]any)
	}
	why, err := (&explain.Service{Audience: h.Audience, Sites: h.Sites, Source: h.Content.Source}).Explain(ctx, authz.FromContext(ctx), arrival)
	if err != nil {
		return nil, err
	}
	w := VisitExplanation{
		Object: "site-visit-explanation", Visible: why.Visible, Reason: why.Reason, Redirect: why.Redirect,
		SiteSpace: string(why.Space.ID), Space: string(why.Space.Space), Page: string(why.Page),
	}
	for _, s := range why.Steps {
		w.Steps = append(w.Steps, visitStep{s.Kind, s.ID, s.Title, s.Condition, s.Passed, s.Reason})
	}
	return kernel.OK(w), nil
}
