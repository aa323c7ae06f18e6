package main_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Actions of the command line are in the audit log, marked as such.
func TestTheLogHasTheCommandLine(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	admin := bootstrap(t, at, "Acme")
	mustOctavo(t, at, "user create", "grace@octavo.example")
	mustOctavo(t, at, "token create", "--email=grace@octavo.example")
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "README.md"), []byte("# Home\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := serve(t, at)
	space := n.made(t, admin.Token, "POST", "/v1/orgs/"+string(admin.Organization)+"/spaces", map[string]any{"title": "Guide", "empty": true})
	n.stop(t)
	mustOctavo(t, at, "import", "--space="+space, folder)
	backup := filepath.Join(t.TempDir(), "backup")
	mustOctavo(t, at, "backup", "--to="+backup)
	restored := sqlitePlace(t)
	mustOctavo(t, restored, "restore", "--from="+backup)

	s := restored.store(t)
	var actions []string
	for _, org := range []docs.OrgID{"", admin.Organization} {
		rows, _, err := s.Audit(context.Background(), org, store.AuditFilter{}, store.Page{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if r.Request == authz.CommandLine {
				actions = append(actions, r.Action)
			}
		}
	}
	for _, want := range []string{"user.create", "token.create", "organization.create", "space.content", "instance.restore"} {
		if !slices.ContainsFunc(actions, func(a string) bool { return strings.HasPrefix(a, want) }) {
			t.Errorf("%s is not in the log: %v", want, actions)
		}
	}
}

// Actions of the operator on accounts are in the audit logs of their organizations, and
// octavo audit prints them.
func TestTheOperatorIsInTheLogOfOrganizations(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	admin := bootstrap(t, at, "Acme")
	mustOctavo(t, at, "token create", "--email=ada@octavo.example", "--label=ci")
	list := mustOctavo(t, at, "token list", string(admin.User))
	id, _, _ := strings.Cut(list, " ")
	mustOctavo(t, at, "token revoke", string(admin.User), id)
	mustOctavo(t, at, "user login-link", "--email=ada@octavo.example")
	log := mustOctavo(t, at, "audit", "--organization="+string(admin.Organization))
	for _, want := range []string{
		`"actor":"","request":"command line","action":"token.create","subjectKind":"token"`, `"label":"ci"`,
		`"actor":"","request":"command line","action":"token.revoke","subjectKind":"token","subject":"` + id + `"`,
		`"actor":"","request":"command line","action":"user.login-link","subjectKind":"user","subject":"` + string(admin.User) + `"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log has no %s:\n%s", want, log)
		}
	}
	if one := mustOctavo(t, at, "audit", "--action=user.login-link"); strings.Count(one, "\n") != 1 {
		t.Errorf("the log of the instance: %s", one)
	}
	if none := mustOctavo(t, at, "audit", "--until=2001-01-01T00:00:00Z"); none != "" {
		t.Errorf("before the beginning: %s", none)
	}
}
