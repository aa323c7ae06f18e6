package orgs_test

import (
	"context"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// goes are the ways in which an organization can lose an admin.
var goes = map[string]func(ctx context.Context, w *testservices.Org, by *authz.Grant) error{
	"another role": func(ctx context.Context, w *testservices.Org, by *authz.Grant) error {
		_, err := w.Orgs.Members.SetRole(ctx, by, w.ID, w.Admin, docs.Create)
		return err
	},
	"deactivated": func(ctx context.Context, w *testservices.Org, by *authz.Grant) error {
		_, err := w.Orgs.Members.SetDisabled(ctx, by, w.ID, w.Admin, true)
		return err
	},
	"removed": func(ctx context.Context, w *testservices.Org, by *authz.Grant) error {
		return w.Orgs.Members.Remove(ctx, by, w.ID, w.Admin)
	},
	"leaves": func(ctx context.Context, w *testservices.Org, _ *authz.Grant) error {
		g, err := w.Ask(w.Token, authz.OrgOrLeaving(authz.AdminOrg), "userId", string(w.Admin))
		if err != nil {
			return err
		}
		return w.Orgs.Members.Remove(ctx, g, w.ID, w.Admin)
	},
	"another role in the directory": func(ctx context.Context, w *testservices.Org, by *authz.Grant) error {
		_, err := w.Orgs.Directory.UpdateUser(ctx, by, w.ID, w.Admin, orgs.Person{Role: opt.Of(docs.Read)})
		return err
	},
	"not active in the directory": func(ctx context.Context, w *testservices.Org, by *authz.Grant) error {
		_, err := w.Orgs.Directory.UpdateUser(ctx, by, w.ID, w.Admin, orgs.Person{Active: opt.Of(false)})
		return err
	},
	"removed by the directory": func(ctx context.Context, w *testservices.Org, by *authz.Grant) error {
		return w.Orgs.Directory.RemoveUser(ctx, by, w.ID, w.Admin)
	},
	"deletes the account": func(ctx context.Context, w *testservices.Org, _ *authz.Grant) error {
		return w.Orgs.Accounts.DeleteMe(ctx, w.Grant(w.SessionOf("ada@octavo.example"), authz.FullToken()), "ada@octavo.example")
	},
	"deleted by the operator": func(ctx context.Context, w *testservices.Org, _ *authz.Grant) error {
		_, err := w.Orgs.Operator.DeleteUser(ctx, "ada@octavo.example")
		return err
	},
}

// The last admin of an organization stays, whatever the way out: neither people with less, nor
// those who are deactivated, nor machines can administer it.
func TestTheLastAdminStays(t *testing.T) {
	w := testservices.NewOrg(t, testdb.SQLite(t), services.Settings{})
	refused := func(others string) {
		t.Helper()
		for way, leave := range goes {
			if err := leave(t.Context(), w, w.Grant(w.Token, authz.Org(authz.AdminOrg))); !errs.Is(err, errs.Precondition) {
				t.Errorf("%s beside %s: %v", way, others, err)
			}
		}
		if m, err := w.Orgs.Members.Get(t.Context(), w.ID, w.Admin); err != nil || m.Role != docs.Admin || m.Disabled {
			t.Fatalf("beside %s: %+v %v", others, m, err)
		}
	}
	by := authz.OperatorGrant(w.Admin)
	refused("nobody")
	w.Invite("cat@octavo.example", docs.Create, false)
	refused("somebody with less")
	off := w.Invite("off@octavo.example", docs.Admin, false)
	if _, err := w.Orgs.Members.SetDisabled(t.Context(), by, w.ID, off, true); err != nil {
		t.Fatal(err)
	}
	refused("an admin who is deactivated")
	if _, err := w.Orgs.ServiceAccounts.Create(t.Context(), w.Grant(w.Token, authz.Org(authz.AdminOrg)), w.ID, "CI", docs.Admin); err != nil {
		t.Fatal(err)
	}
	refused("a machine")
	for way, leave := range goes {
		w := testservices.NewOrg(t, testdb.SQLite(t), services.Settings{})
		w.Invite("bob@octavo.example", docs.Admin, false)
		if err := leave(t.Context(), w, w.Grant(w.Token, authz.Org(authz.AdminOrg))); err != nil {
			t.Errorf("%s beside another admin: %v", way, err)
		}
	}
}
