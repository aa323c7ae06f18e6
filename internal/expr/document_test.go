package expr

import (
	"errors"
	"strings"
	"testing"
)

// The expressions of a document share one budget.
func TestDocumentIsBounded(t *testing.T) {
	d := NewDocument(map[string]any{"a": strings.Repeat("y", 256)})
	made := 0
	for range 1000 {
		v, err := d.Eval(`a.split("").map(c => a + a).join(a)`)
		if err != nil {
			if !errors.Is(err, ErrBudget) {
				t.Fatal(err)
			}
			break
		}
		made += len(Text(v))
	}
	if made == 0 || made > documentTimes*MaxBytes {
		t.Errorf("%d bytes were made", made)
	}
	if d.Condition(`a.split("").map(c => a + a).join(a) != ""`) {
		t.Error("a condition behind the limit holds")
	}
	if !d.Condition(" ") {
		t.Error("a blank condition does not hold")
	}
}
