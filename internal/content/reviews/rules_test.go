package reviews

import (
	"reflect"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/expr"
)

// Rules are checked against the names that they can read at a merge, no more and no less.
func TestRulesAreCheckedAgainstWhatTheyRead(t *testing.T) {
	c := &ruleCheck{reviews: make([]docs.SubmittedReview, 1)}
	if got := shapeOf(c.environment()); !reflect.DeepEqual(got, docs.MergeRuleData) {
		t.Error("docs.MergeRuleData is not the shape of what rules are evaluated over")
	}
}

func shapeOf(v any) *expr.Shape {
	s := &expr.Shape{}
	switch v := v.(type) {
	case map[string]any:
		s.Members = map[string]*expr.Shape{}
		for key, m := range v {
			s.Members[key] = shapeOf(m)
		}
	case []any:
		s.Items = shapeOf(v[0])
	}
	return s
}

// Rules that were set before names were checked are evaluated as before: an unknown
// member is undefined, and an unknown name is an error.
func TestStoredRulesAreEvaluatedAsBefore(t *testing.T) {
	c := &ruleCheck{}
	for expression, want := range map[string]string{"!changeRequest.archived": "", "request.subject": "request is not defined"} {
		if got := c.why(docs.MergeRule{Rule: "custom", Expression: expression}); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q", expression, got)
		}
	}
}
