package errs_test

import (
	"errors"
	"testing"

	"github.com/octavo-docs/octavo/internal/errs"
)

func TestMistakes(t *testing.T) {
	title, slug, taken := errs.Field("body.title", "is blank"), errs.Field("body.slug", "is long"), errs.Taken("body.path", "is taken")
	missing, failed := errs.Missing("space"), errors.New("the disk is broken")
	for name, c := range map[string]struct {
		in      []error
		kind    errs.Kind
		says    string
		details int
	}{
		"two":                    {[]error{nil, title, slug}, errs.Invalid, "body.title is blank; body.slug is long", 2},
		"one is as it was":       {[]error{nil, taken}, errs.Conflict, "body.path is taken", 1},
		"a conflict and another": {[]error{taken, title}, errs.Invalid, "body.path is taken; body.title is blank", 2},
		"the same":               {[]error{title, title}, errs.Invalid, "body.title is blank", 1},
		"nothing at a place":     {[]error{missing, title}, errs.Invalid, "body.title is blank", 1},
		"nothing at any place":   {[]error{missing, errs.Missing("page")}, errs.NotFound, "space not found", 0},
		"a failure":              {[]error{title, missing, failed}, errs.Internal, "", 0},
	} {
		err := errs.All(c.in...)
		var e *errs.Error
		errors.As(err, &e)
		if errs.KindOf(err) != c.kind || errs.Message(err) != c.says || e != nil && len(e.Details) != c.details {
			t.Errorf("%s: %v", name, err)
		}
	}
	var many errs.Mistakes
	for range 100 {
		many.Add(errs.Fields([]errs.Detail{{Path: "a", Message: "is wrong"}, {Path: "b", Message: "too"}}))
	}
	if err := many.Err(); errs.Message(err) != "a is wrong; b too" {
		t.Error(err)
	}
	if err := errs.All(nil, nil); err != nil {
		t.Error(err)
	}
}
