package reviews

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/store"
)

// agent is the reserved user id of automatic reviews.
const agent docs.UserID = "gitbook:agent"

// maxReviews is the maximum number of reviews of a change request that rules consider.
// Only one review per user counts, so there are never more.
const maxReviews = 10_000

// checkRules returns an error with the merge rules that do not allow merging a change
// request. The rules are those of the space, or of the organization if the space inherits
// them.
func (s *Service) checkRules(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest) error {
	rules := g.Space.MergeRules
	if rules.Type == docs.MergeInherit {
		org, err := tx.Organization(ctx, g.Space.Org)
		if err != nil {
			return err
		}
		rules = org.MergeRules
	}
	if rules.Type != docs.MergeOwn {
		return nil
	}
	current := false
	reviews, _, err := tx.Reviews(ctx, cr.ID, store.ReviewFilter{Outdated: &current, Current: cr.Revision}, store.Page{Limit: maxReviews})
	if err != nil {
		return err
	}
	if reviews, err = stillAllowed(ctx, tx, g, reviews); err != nil {
		return err
	}
	vetoes, err := tx.Vetoes(ctx, cr.ID)
	if err != nil {
		return err
	}
	if vetoes, err = stillAllowed(ctx, tx, g, vetoes); err != nil {
		return err
	}
	members, err := tx.MembersAmong(ctx, g.Space.Org, rules.NamedUsers())
	if err != nil {
		return err
	}
	c := &ruleCheck{space: g.Space, cr: cr, actor: g.Actor.User, reviews: reviews, vetoes: vetoes, members: members}
	failed := c.failing(rules.Rules)
	if len(failed) == 0 {
		return nil
	}
	words := make([]string, len(failed))
	for i, f := range failed {
		words[i] = f.Message
	}
	e := errs.E(errs.Precondition, "the merge rules do not allow merging yet: %s", strings.Join(words, "; "))
	e.Details = failed
	return e
}

// stillAllowed removes reviews of users who may not review any more. Otherwise the
// approval of a removed user would allow a merge that no current reviewer has seen.
func stillAllowed(ctx context.Context, tx *store.Tx, g *authz.Grant, reviews []docs.SubmittedReview) ([]docs.SubmittedReview, error) {
	may := map[docs.UserID]bool{agent: true}
	var out []docs.SubmittedReview
	for _, v := range reviews {
		id := v.Reviewer.ID
		if _, known := may[id]; !known {
			_, _, err := authz.NewChecker(tx.Reader).Space(ctx, authz.Actor{User: id}, authz.ReviewSpace, g.Space.ID)
			if err != nil && !authz.Denied(err) {
				return nil, err
			}
			may[id] = err == nil
		}
		if may[id] {
			out = append(out, v)
		}
	}
	return out, nil
}

// ruleCheck holds the facts that rules are checked against.
type ruleCheck struct {
	space   docs.Space
	cr      docs.ChangeRequest
	actor   docs.UserID
	reviews []docs.SubmittedReview // reviews of the newest revision
	vetoes  []docs.SubmittedReview // reviews of any revision that request changes; only their reviewers can withdraw them
	members map[docs.UserID]bool   // which of the users in rules are members
}

// failing returns a message for each rule that does not hold. A bypass clears the
// failures of the rules before it.
func (c *ruleCheck) failing(rules []docs.MergeRule) []errs.Detail {
	var failed []errs.Detail
	for i, r := range rules {
		if r.Rule == "allow_bypass" {
			if slices.Contains(r.Users, c.actor) {
				failed = nil
			}
			continue
		}
		if why := c.why(r); why != "" {
			failed = append(failed, errs.Detail{Path: fmt.Sprintf("mergeRules.rules[%d].%s", i, r.Rule), Message: why})
		}
	}
	return failed
}

// why returns the reason why a rule does not hold; empty if it holds.
func (c *ruleCheck) why(r docs.MergeRule) string {
	unless := func(holds bool, format string, args ...any) string {
		if holds {
			return ""
		}
		return fmt.Sprintf(format, args...)
	}
	approved := func(u docs.UserID) bool {
		return slices.ContainsFunc(c.reviews, func(v docs.SubmittedReview) bool {
			return v.Reviewer.ID == u && v.Status == docs.ReviewApproved
		})
	}
	// If a rule names no users, reviews of the author do not count.
	fromOthers := func(holds func(docs.SubmittedReview) bool) bool {
		return slices.ContainsFunc(c.reviews, func(v docs.SubmittedReview) bool { return v.Reviewer.ID != c.cr.CreatedBy.ID && holds(v) })
	}
	switch r.Rule {
	case "require_at_least_one_review":
		return unless(fromOthers(func(docs.SubmittedReview) bool { return true }), "nobody but the author has reviewed the newest revision")
	case "require_at_least_one_approved_review":
		return unless(fromOthers(func(v docs.SubmittedReview) bool { return v.Status == docs.ReviewApproved }), "nobody but the author has approved the newest revision")
	case "require_all_reviews_approved":
		if len(c.vetoes) == 0 {
			return ""
		}
		return fmt.Sprintf("%s asked for changes and has to review again", c.vetoes[0].Reviewer.ID)
	case "require_specific_reviewers":
		for _, u := range r.Users {
			if !approved(u) {
				return fmt.Sprintf("%s has to approve the newest revision%s", u, c.left(u))
			}
		}
		return ""
	case "require_one_of_specific_reviewers":
		names := make([]string, len(r.Users))
		for i, u := range r.Users {
			names[i] = string(u) + c.left(u)
		}
		return unless(slices.ContainsFunc(r.Users, approved), "one of %s has to approve the newest revision", strings.Join(names, ", "))
	case "require_agent_review":
		return unless(slices.ContainsFunc(c.reviews, func(v docs.SubmittedReview) bool { return v.Reviewer.ID == agent }),
			"the automatic reviewer has not reviewed the newest revision")
	case "require_up_to_date_change_request":
		return unless(!c.cr.Outdated(c.space), "the change request is not up to date with the space; update it")
	case "require_change_request_subject":
		return unless(c.cr.Subject != "", "the change request has no subject")
	case "require_change_request_description":
		return unless(strings.TrimSpace(c.cr.Description) != "", "the change request has no description")
	case "require_author_to_merge":
		return unless(c.actor == c.cr.CreatedBy.ID, "only its author can merge the change request")
	case "custom":
		return c.custom(r)
	}
	return "this server does not know the rule " + r.Rule + "; change the merge rules"
}

// left returns a note if a user whose review is required is no longer a member.
func (c *ruleCheck) left(u docs.UserID) string {
	if c.members[u] {
		return ""
	}
	return " (who is no longer a member; change the merge rules)"
}

// custom evaluates the expression of a rule. If the result is false, it returns the
// message of the rule. If the expression cannot be evaluated, it returns the error.
func (c *ruleCheck) custom(r docs.MergeRule) string {
	p, err := expr.Parse(r.Expression)
	if err != nil {
		return "a custom rule cannot be read: " + err.Error()
	}
	env := c.environment()
	if _, err := p.Eval(env); err != nil {
		return "a custom rule cannot be evaluated: " + err.Error()
	}
	if p.Holds(env) {
		return ""
	}
	if r.Message != "" {
		return r.Message
	}
	return "a custom rule is not satisfied: " + r.Expression
}

// environment returns the data that expressions can read, in the form of
// docs.MergeRuleData.
func (c *ruleCheck) environment() map[string]any {
	reviews := make([]any, len(c.reviews))
	for i, v := range c.reviews {
		reviews[i] = map[string]any{"status": string(v.Status), "reviewer": map[string]any{"id": string(v.Reviewer.ID)}}
	}
	return map[string]any{
		"space": map[string]any{"id": string(c.space.ID), "title": c.space.Title},
		"changeRequest": map[string]any{
			"id": string(c.cr.ID), "number": float64(c.cr.Number), "subject": c.cr.Subject, "description": c.cr.Description,
			"status": string(c.cr.Status), "outdated": c.cr.Outdated(c.space), "createdBy": map[string]any{"id": string(c.cr.CreatedBy.ID)},
		},
		"reviews": reviews,
		"actor":   map[string]any{"id": string(c.actor)},
		// The changes of the new version of the API specification that opened the
		// request.
		"openapi": map[string]any{"changes": float64(c.cr.API.Changes), "breaking": float64(c.cr.API.Breaking)},
	}
}
