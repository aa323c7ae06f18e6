package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// A deleted organization is out of reach, comes back whole within a week, and leaves no row in any table after it.
func TestOrganizationPurgeLeavesNothing(t *testing.T) {
	testdb.EachBare(t, func(t *testing.T, o store.Options) {
		ctx := context.Background()
		s := filled(t, o)
		db := raw(t, o)
		people := orgs.New(s, orgs.Config{})
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		var org docs.OrgID
		var space docs.SpaceID
		var site docs.SiteID
		var admin docs.UserID
		check(db.QueryRow(`SELECT s.org_id, s.id FROM spaces s JOIN change_requests q ON q.space_id = s.id`).Scan(&org, &space))
		check(db.QueryRow(`SELECT id FROM sites WHERE org_id = $1`, string(org)).Scan(&site))
		check(db.QueryRow(`SELECT user_id FROM members WHERE org_id = $1 AND role = 'admin'`, string(org)).Scan(&admin))
		tables, err := s.Tables(ctx)
		check(err)
		before := everything(t, s, db)

		names := map[string]string{string(org): "the organization"}
		for _, x := range tables {
			content := readTable(t, db, x.Name)
			at, own := slices.Index(content.columns, "org_id"), slices.Index(content.columns, "id")
			if at < 0 {
				continue
			}
			found := false
			for _, row := range content.rows {
				if row[at] != string(org) {
					continue
				}
				if found = true; own >= 0 && x.Name != "audit" && x.Name != "outbox" {
					names[row[own]] = "a row of " + x.Name
				}
			}
			if !found {
				t.Errorf("%s has no row of the organization; filled should make one", x.Name)
			}
		}

		reach := func() (n int) {
			allowed := authz.NewChecker(s.Reader)
			by := authz.Actor{User: admin}
			for _, ask := range []func() error{
				func() error { _, _, err := allowed.Org(ctx, by, authz.ViewOrg, org); return err },
				func() error { _, _, err := allowed.Space(ctx, by, authz.ViewSpace, space); return err },
				func() error { _, _, err := allowed.Site(ctx, by, authz.ViewSite, org, site); return err },
				func() error { _, err := s.Organization(ctx, org); return err },
				func() error { _, err := s.OrganizationByHostname(ctx, "octavo-docs"); return err },
				func() error { _, err := s.AnySAMLProvider(ctx, "i1"); return err },
				func() error { _, err := s.OIDCProviderByID(ctx, "i1"); return err },
				func() error { _, err := s.OpenAPISpecByID(ctx, "a1"); return err },
				func() error { _, err := s.OpenAPISpec(ctx, org, "pets"); return err }, // asked for without a token
			} {
				switch err := ask(); {
				case err == nil:
					n++
				case !errs.Is(err, errs.NotFound):
					t.Error(err)
				}
			}
			return n
		}
		if n := reach(); n != 9 {
			t.Fatalf("%d of 9 things are reached", n)
		}
		check(people.Operator.DeleteOrganization(ctx, org))
		if n := reach(); n != 0 {
			t.Errorf("%d things of a deleted organization are reached", n)
		}
		if err := people.Operator.DeleteOrganization(ctx, org); !errs.Is(err, errs.NotFound) {
			t.Errorf("twice: %v", err)
		}
		deleted, _, err := s.AnyOrganizations(ctx, true, store.Page{Limit: 10})
		if err != nil || len(deleted) != 1 || deleted[0].Org.ID != org {
			t.Errorf("%v %v", deleted, err)
		}
		payload := fmt.Appendf(nil, `{"Org": %q}`, org)
		check(people.Organizations.Purge(ctx, payload)) // too early
		if _, err := people.Operator.RestoreOrganization(ctx, org); err != nil || reach() != 9 {
			t.Fatalf("restored: %v", err)
		}
		for table, text := range everything(t, s, db) {
			if !slices.Contains([]string{"audit", "outbox", "organizations", "sites"}, table) && text != before[table] {
				t.Errorf("%s is not as it was before", table)
			}
		}

		check(people.Operator.DeleteOrganization(ctx, org))
		mustExec(t, db, `UPDATE organizations SET deleted_at = deleted_at - $1 WHERE deleted_at > 0`, int64(8*24*time.Hour/time.Millisecond))
		if _, err := people.Operator.RestoreOrganization(ctx, org); !errs.Is(err, errs.NotFound) {
			t.Errorf("restored after a week: %v", err)
		}
		check(people.Organizations.Purge(ctx, payload))
		check(people.Organizations.Purge(ctx, payload)) // again, after a node died before it could report
		for _, x := range tables {
			content := readTable(t, db, x.Name)
			for _, row := range content.rows {
				if x.Name == "jobs" || x.Name == "audit" && slices.Contains(row, orgs.PurgedAction) {
					continue
				}
				for i, v := range row {
					if what := names[v]; what != "" {
						t.Errorf("%s.%s still names %s (%s)", x.Name, content.columns[i], what, v)
					}
				}
			}
		}
		var reports int
		var report string
		check(db.QueryRow(`SELECT COUNT(*), MAX(data) FROM audit WHERE action = $1`, orgs.PurgedAction).Scan(&reports, &report))
		if reports != 1 || !strings.Contains(report, `"spaces":2`) || !strings.Contains(report, `"sites":1`) || !strings.Contains(report, `"saml_providers":2`) {
			t.Errorf("%d reports: %s", reports, report)
		}
		for _, table := range []string{"certificates", "saml_logins", "saml_assertions", "oidc_flows", "webhook_deliveries", "team_members", "layers", "search_pages"} {
			if n := len(readTable(t, db, table).rows); n != 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
		if _, err := s.UserByEmail(ctx, "ada@octavo.example"); err != nil {
			t.Errorf("a person: %v", err)
		}
	})
}
