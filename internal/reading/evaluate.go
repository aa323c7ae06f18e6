package reading

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Evaluation selects the expressions of a document that are replaced by their values.
type Evaluation string

// Values of Evaluation. Any other value replaces nothing.
const (
	EvaluateNone Evaluation = "false"
	EvaluateAll  Evaluation = "true"
	// EvaluateDeterministic keeps expressions that depend on the visitor.
	EvaluateDeterministic Evaluation = "deterministic-only"
)

func (e Evaluation) evaluates() bool { return e == EvaluateAll || e == EvaluateDeterministic }

// evaluator returns an evaluator for the expressions of a document.
func evaluator(all *expr.Document, how Evaluation) markup.Evaluator {
	keep := func(src string) bool { return how == EvaluateDeterministic && dependsOnVisitor(src) }
	return markup.Evaluator{
		Text: func(src string) (string, bool) {
			if keep(src) {
				return "", true
			}
			v, err := all.Eval(src)
			if err != nil {
				return "", false
			}
			return expr.Text(v), false
		},
		Condition: func(src string) (bool, bool) {
			if keep(src) {
				return false, true
			}
			return all.Condition(src), false
		},
	}
}

func dependsOnVisitor(src string) bool {
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
