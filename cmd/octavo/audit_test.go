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

// What the command line does is in the log, and the log says that it was the command
// line.
func TestTheLogHasTheCommandLine(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	admin := bootstrap(t, at, "Acme")
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
