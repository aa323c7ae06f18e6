package reading

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/expr"
)

// Limits of the reasons that Explain returns.
const (
	maxReasonInputs = 10
	maxReasonValue  = 100 // bytes
)

// Explain is Holds with a reason in plain words: the values that the condition read, or the
// error in the condition. The map dropped describes claims that were dropped, by path: their
// values, and why they were dropped.
func (v *Visitor) Explain(ctx context.Context, condition string, space, page docs.Variables, dropped map[string]string) (holds bool, reason string, err error) {
	if holds, err = v.Holds(ctx, condition, space, page); err != nil {
		return false, "", err
	}
	if strings.TrimSpace(condition) == "" {
		return holds, "There is no condition.", nil
	}
	p, wrong := expr.Parse(condition)
	if wrong != nil {
		return holds, fmt.Sprintf("The condition is not valid (%v), and such a condition hides.", wrong), nil
	}
	env := v.Environment(space, page)
	read := inputsRead(p, env, dropped)
	if _, wrong := p.Eval(env); wrong != nil {
		return holds, fmt.Sprintf("The condition cannot be evaluated (%v), and such a condition hides%s.", wrong, read), nil
	}
	if holds {
		return holds, "The condition holds" + read + ".", nil
	}
	return holds, "The condition does not hold" + read + ".", nil
}

// inputsRead describes the values that an expression read, after a colon.
func inputsRead(p *expr.Program, env map[string]any, dropped map[string]string) string {
	inputs := p.Inputs()
	if len(inputs) == 0 {
		return ", whoever reads"
	}
	var parts []string
	for i, path := range inputs {
		if i == maxReasonInputs {
			parts = append(parts, "and others")
			break
		}
		value := valueAt(env, path)
		if was, ok := dropped[path]; ok && value == missing {
			value = was
		}
		parts = append(parts, path+" is "+value)
	}
	return ": " + strings.Join(parts, "; ")
}

// missing describes a value that does not exist.
const missing = "missing"

// valueAt returns the value at a path of an environment as JSON, shortened.
func valueAt(env map[string]any, path string) string {
	var at any = env
	for _, name := range strings.Split(path, ".") {
		in, ok := at.(map[string]any)
		if !ok {
			break // a method or a property of the value
		}
		if at, ok = in[name]; !ok {
			return missing
		}
	}
	text, err := json.Marshal(at)
	if err != nil {
		return "not readable"
	}
	return docs.ClipBytes(string(text), maxReasonValue)
}
