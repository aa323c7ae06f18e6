package reading

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Visitor is somebody who reads a published site. What does not hold for the
// claims of a visitor does not exist for the visitor: pages, blocks, and
// whatever leads to them. A nil Visitor is a member of the organization, who
// sees content as it is stored.
type Visitor struct {
	claims map[string]any
	key    string
}

// Nobody is a visitor of whom nothing is known.
var Nobody = &Visitor{key: "nobody"}

// NewVisitor returns a visitor with claims that were checked: the signed ones,
// and under "unsigned" those that anybody can set.
func NewVisitor(claims map[string]any) (*Visitor, error) {
	if len(claims) == 0 {
		return Nobody, nil
	}
	encoded, err := json.Marshal(claims)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(encoded)
	return &Visitor{claims: claims, key: hex.EncodeToString(sum[:])}, nil
}

// Key is the same for visitors who see the same, for caches. It is empty for a
// member.
func (v *Visitor) Key() string {
	if v == nil {
		return ""
	}
	return v.key
}

// Environment returns what expressions can refer to: the variables of the
// space and of the page, and the claims of the visitor. A member has no
// claims, so conditions on claims do not hold.
func (v *Visitor) Environment(space, page docs.Variables) map[string]any {
	claims := map[string]any{"unsigned": map[string]any{}}
	if v != nil {
		for name, value := range v.claims {
			claims[name] = value
		}
	}
	given := func(vars docs.Variables) map[string]any {
		if vars == nil {
			vars = docs.Variables{}
		}
		return vars
	}
	return map[string]any{
		"visitor": map[string]any{"claims": claims},
		"space":   map[string]any{"vars": given(space)},
		"page":    map[string]any{"vars": given(page)},
	}
}

// Holds reports whether a condition holds. An empty condition holds; one that
// is wrong, or that asks for a claim that is missing, does not. Its steps are
// taken from the budget of the request.
func (v *Visitor) Holds(ctx context.Context, condition string, space, page docs.Variables) (bool, error) {
	if condition == "" {
		return true, nil
	}
	d := expr.NewDocument(v.Environment(space, page))
	return d.Condition(condition), spend(ctx, d)
}

// spend takes the steps of expressions from the budget of the request.
func spend(ctx context.Context, d *expr.Document) error {
	return budget.FromContext(ctx).Spend(budget.Steps, int64(d.Steps()))
}

// Check is Holds for the conditions of a site, which read no variables.
type Check struct {
	ctx     context.Context
	visitor *Visitor
	Err     error // the first one; no condition holds after it
}

// Check returns a check of what the visitor sees.
func (v *Visitor) Check(ctx context.Context) *Check { return &Check{ctx: ctx, visitor: v} }

// Holds reports whether a condition holds.
func (c *Check) Holds(condition string) bool {
	if c.Err != nil {
		return false
	}
	var holds bool
	holds, c.Err = c.visitor.Holds(c.ctx, condition, nil, nil)
	return holds && c.Err == nil
}

// Listed reports whether the navigation lists a page: it is not hidden, and its
// condition holds. A hidden page can still be reached by its address.
func (v *Visitor) Listed(ctx context.Context, hidden bool, condition string, space, page docs.Variables) (bool, error) {
	if hidden {
		return false, nil
	}
	return v.Holds(ctx, condition, space, page)
}

// WithoutConditions returns a document without conditional blocks: what they
// hold takes their places where the condition holds. A condition that is not
// written as a block, such as one without an end, holds for nobody.
func WithoutConditions(ctx context.Context, doc *markup.Document, env map[string]any) (*markup.Document, error) {
	doc = markup.WithoutStrayConditions(doc)
	all := expr.NewDocument(env)
	doc = markup.Evaluate(doc, markup.Evaluator{Condition: func(src string) (show, keep bool) { return all.Condition(src), false }})
	return doc, spend(ctx, all)
}

var depending = regexp.MustCompile(`(?i)if|else|include`)

// MayDependOnVisitor reports whether what a visitor sees of a source may depend on who
// reads it: it has conditional blocks or what looks like them, or includes
// something that may have some.
func MayDependOnVisitor(source []byte) bool {
	return bytes.Contains(source, []byte("{%")) && depending.Match(source)
}
