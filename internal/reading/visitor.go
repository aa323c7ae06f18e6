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

// Visitor is a reader of a published site. Content whose condition does not hold for the claims
// of the visitor is filtered out: pages, blocks, and links to them. A nil Visitor is a member
// of the organization, who sees the content as stored.
type Visitor struct {
	claims  map[string]any
	key     string
	passing bool
}

// Nobody is a visitor without claims.
var Nobody = &Visitor{key: "nobody"}

// NewVisitor returns a visitor with verified claims: the signed ones, and under "unsigned" those
// that anybody can set.
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

// Key returns a cache key. Visitors with the same key see the same content. It is empty for a
// member.
func (v *Visitor) Key() string {
	if v == nil {
		return ""
	}
	return v.key
}

// Guesses reports whether the visitor has claims that anybody can make up.
func (v *Visitor) Guesses() bool {
	unsigned, _ := v.claims["unsigned"].(map[string]any)
	return len(unsigned) > 0
}

// Passing returns the visitor as one of too many with different claims: nothing that was made for this
// visitor should be kept.
func (v *Visitor) Passing() *Visitor {
	out := *v
	out.passing = true
	return &out
}

// Kept reports whether caches may keep what was made for the visitor.
func (v *Visitor) Kept() bool { return v == nil || !v.passing }

// Environment returns the variables of expressions: the variables of the space and of the page, and
// the claims of the visitor. A member has no claims, so conditions on claims do not hold.
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

// Holds reports whether a condition holds. An empty condition holds. An invalid condition, or one
// that reads a missing claim, does not. The steps of the evaluation are charged to the budget
// of the request.
func (v *Visitor) Holds(ctx context.Context, condition string, space, page docs.Variables) (bool, error) {
	if condition == "" {
		return true, nil
	}
	d := expr.NewDocument(v.Environment(space, page))
	return d.Condition(condition), spend(ctx, d)
}

// spend charges the steps of expressions to the budget of the request.
func spend(ctx context.Context, d *expr.Document) error {
	return budget.FromContext(ctx).Spend(budget.Steps, int64(d.Steps()))
}

// Check evaluates the conditions of a site, which read no variables.
type Check struct {
	ctx     context.Context
	visitor *Visitor
	Err     error // the first error; no condition holds after it
}

// Check returns a Check for the visitor.
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

// Listed reports whether the navigation lists a page: it is not hidden, and its condition holds.
// A hidden page can still be read at its address.
func (v *Visitor) Listed(ctx context.Context, hidden bool, condition string, space, page docs.Variables) (bool, error) {
	if hidden {
		return false, nil
	}
	return v.Holds(ctx, condition, space, page)
}

// WithoutConditions returns a document without conditional blocks. A block whose condition holds
// is replaced by its content, and others are removed. A malformed condition, such as one
// without an end, holds for nobody.
func WithoutConditions(ctx context.Context, doc *markup.Document, env map[string]any) (*markup.Document, error) {
	doc = markup.WithoutStrayConditions(doc)
	all := expr.NewDocument(env)
	doc = markup.Evaluate(doc, markup.Evaluator{Condition: func(src string) (show, keep bool) { return all.Condition(src), false }})
	return doc, spend(ctx, all)
}

var depending = regexp.MustCompile(`(?i)if|else|include`)

// MayDependOnVisitor reports whether the content of a source may depend on the visitor: it has
// conditional blocks or similar text, or includes content that may have conditional blocks.
func MayDependOnVisitor(source []byte) bool {
	return bytes.Contains(source, []byte("{%")) && depending.Match(source)
}
