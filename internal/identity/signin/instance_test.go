package signin_test

import (
	"fmt"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// An identity signs in to one account, and an account has a limited number of them.
func TestIdentitiesThatAreNotLinked(t *testing.T) {
	w := testservices.NewOrg(t, testdb.SQLite(t), services.Settings{})
	ctx, eve := t.Context(), w.Other("eve@octavo.example", "Other")
	identity := func(subject string) signin.Assertion {
		return signin.Assertion{Provider: "server-1", Method: docs.SignInByOIDC, Subject: subject, Email: "ada@octavo.example", Request: "test"}
	}
	for range 2 { // the second time there is nothing to do
		if err := w.SignIn.LinkIdentity(ctx, identity("ada"), w.Admin); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.Logged("", "user.link")); n != 1 {
		t.Errorf("the log has %d entries", n)
	}
	if err := w.SignIn.LinkIdentity(ctx, identity("ada"), eve.User); !errs.Is(err, errs.Conflict) {
		t.Errorf("the identity of somebody else: %v", err)
	}
	for i := range signin.MaxIdentities - 1 {
		if err := w.SignIn.LinkIdentity(ctx, identity(fmt.Sprint(i)), w.Admin); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.SignIn.LinkIdentity(ctx, identity("one more"), w.Admin); !errs.Is(err, errs.Precondition) {
		t.Errorf("one more than the maximum: %v", err)
	}
	in := identity("ada")
	in.Email = "nothing"
	if _, err := w.SignIn.SignInByOperator(ctx, in, true); !errs.Is(err, errs.Forbidden) {
		t.Errorf("without an address: %v", err)
	}
}
