package signin_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

func TestWhoMayAddAPasskey(t *testing.T) {
	w := testservices.NewOrg(t, testdb.SQLite(t), services.Settings{BaseURL: "http://localhost"})
	bound, err := w.SignIn.SignInToOrganization(t.Context(), arrival(t, w, "g1", "grace@acme.example"))
	if err != nil {
		t.Fatal(err)
	}
	whole := w.Grant(w.SessionOf("ada@octavo.example"), authz.FullToken())
	if _, err := w.SignIn.BeginPasskeyCreation(t.Context(), whole, ""); err != nil {
		t.Errorf("a person cannot add a passkey: %v", err)
	}
	for what, g := range map[string]*authz.Grant{
		"a session of a provider": w.Grant(bound.Secret, authz.FullToken()), "a token": w.Grant(w.Token, authz.FullToken()),
	} {
		_, err := w.SignIn.BeginPasskeyCreation(t.Context(), g, "")
		if err := errors.Join(err, w.SignIn.AddPasskey(t.Context(), g, "x", []byte("{}"))); !errs.Is(err, errs.Forbidden) {
			t.Errorf("%s adds a passkey: %v", what, err)
		}
	}
	for _, answer := range []string{"", "{}", "[]", strings.Repeat("{", 10_000), `{"id":"YQ","rawId":"YQ","type":"public-key","response":{}}`} {
		if _, err := w.SignIn.UsePasskey(t.Context(), []byte(answer), signin.Client{Request: "test"}); !errs.Is(err, errs.Invalid) {
			t.Errorf("%.20q signs in: %v", answer, err)
		}
	}
	ip := &signin.Service{Store: w.Store, BaseURL: "http://192.0.2.1"}
	if _, err := ip.BeginPasskeyCreation(t.Context(), whole, ""); !errs.Is(err, errs.Precondition) || ip.HasPasskeys() {
		t.Errorf("at an address without a name: %v", err)
	}
}
