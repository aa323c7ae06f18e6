package reading

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Evaluation says which expressions of a document are replaced by their
// values.
type Evaluation string

// The evaluations; any other value replaces nothing.
const (
	EvaluateNone Evaluation = "false"
	EvaluateAll  Evaluation = "true"
	// EvaluateDeterministic leaves expressions that depend on who reads.
	EvaluateDeterministic Evaluation = "deterministic-only"
)

func (e Evaluation) evaluates() bool { return e == EvaluateAll || e == EvaluateDeterministic }

// evaluator answers expressions of a document.
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
