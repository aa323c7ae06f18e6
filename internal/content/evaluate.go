package content

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/revision"
)

// Evaluation says which expressions of a document are replaced by what they
// give.
type Evaluation string

// Evaluations. Deterministic ones do not depend on who reads the page.
const (
	EvaluateNone          Evaluation = "false"
	EvaluateAll           Evaluation = "true"
	EvaluateDeterministic Evaluation = "deterministic-only"
)

// Evaluated returns a document with its expressions replaced. A reader of the
// API is no visitor of a site, so there are no claims: conditions on them do
// not hold.
func Evaluated(ctx context.Context, t *revision.Tree, doc *markup.Document, vars docs.Variables, how Evaluation) (*markup.Document, error) {
	if how != EvaluateAll && how != EvaluateDeterministic {
		return doc, nil
	}
	env, err := environment(ctx, t, vars)
	if err != nil {
		return nil, err
	}
	return markup.Evaluate(doc, Evaluator(env, how)), nil
}

// Evaluator answers expressions from what Environment gives. It needs no
// store: a folder that is not imported yet is shown in the same way.
func Evaluator(env map[string]any, how Evaluation) markup.Evaluator {
	keep := func(src string) bool {
		if how == EvaluateAll {
			return false
		}
		p, err := expr.Parse(src)
		if err != nil {
			return false
		}
		for _, in := range p.Inputs() {
			if in == "visitor" || strings.HasPrefix(in, "visitor.") {
				return true
			}
		}
		return false
	}
	return markup.Evaluator{
		Text: func(src string) (string, bool) {
			if keep(src) {
				return "", true
			}
			p, err := expr.Parse(src)
			if err != nil {
				return "", false
			}
			v, err := p.Eval(env)
			if err != nil {
				return "", false
			}
			return expr.Text(v), false
		},
		Show: func(src string) (bool, bool) {
			if keep(src) {
				return false, true
			}
			return expr.Condition(src, env), false
		},
	}
}

// environment is what expressions of a page can ask for.
func environment(ctx context.Context, t *revision.Tree, vars docs.Variables) (map[string]any, error) {
	space, err := t.Variables(ctx)
	if err != nil {
		return nil, err
	}
	return Environment(space, vars), nil
}

// Environment is what expressions can ask for, by the variables of the space
// and of the page. There is no visitor.
func Environment(space, page docs.Variables) map[string]any {
	given := func(vars docs.Variables) map[string]any {
		if vars == nil {
			vars = docs.Variables{}
		}
		return vars
	}
	return map[string]any{
		"visitor": map[string]any{"claims": map[string]any{"unsigned": map[string]any{}}},
		"space":   map[string]any{"vars": given(space)},
		"page":    map[string]any{"vars": given(page)},
	}
}

// DocumentByID returns a document of a space by its id: that of a page now, or
// one that a page had.
func (s *Service) DocumentByID(ctx context.Context, v *revision.View, id string) (*markup.Document, docs.Variables, error) {
	owner, _, _ := strings.Cut(id, "-")
	if p, ok, err := v.Lookup(ctx, docs.PageID(owner)); err != nil {
		return nil, nil, err
	} else if ok && revision.DocumentIDOf(owner, p.Body, p.Side) == id {
		doc, err := v.Read(ctx, p)
		return doc, p.Variables, err
	}
	if r, err := v.Reusable(ctx, docs.ReusableID(owner)); err == nil && revision.DocumentIDOf(owner, r.Body, r.Side) == id {
		doc, err := v.ReadReusable(ctx, r)
		return doc, nil, err
	} else if err != nil && !errs.Is(err, errs.NotFound) {
		return nil, nil, err
	}
	d, err := s.Store.Document(ctx, v.Space.ID, id)
	if err != nil {
		return nil, nil, err
	}
	doc, err := v.DocumentOf(ctx, revision.Text{Owner: d.Page, Body: d.Body, Side: d.Side})
	return doc, nil, err
}
