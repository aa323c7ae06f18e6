package scim

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/octavo-docs/octavo/internal/errs"
)

// An identity provider reads the name of a field as a service says it, and not where the API
// has it in a request.
func TestFieldsHaveTheirPlainNames(t *testing.T) {
	h := &Handler{}
	r := httptest.NewRequest(http.MethodPost, "/scim/v2/Groups", nil)
	for want, err := range map[string]error{
		"title is long":                errs.Field("title", "is long"),
		"title is taken":               errs.Taken("title", "is taken"),
		"team: there is no team \"x\"": errs.At(errs.NotFound, "team", "there is no team %q", "x"),
		"rules names \"x\"":            errs.About(errs.NotFound, "rules", "names %q", "x"),
	} {
		body, is := h.failure(r, err).body.(failureBody)
		if !is || body.Detail != want {
			t.Errorf("%q, want %q", body.Detail, want)
		}
	}
}
