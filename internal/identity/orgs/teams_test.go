package orgs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// The audit log counts the people whose membership of a team changed, not those who were named.
func TestChangesOfATeamInTheLog(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := testservices.NewOrg(t, o, services.Settings{})
		a, b, c := w.Invite("a@octavo.example", docs.Edit, false), w.Invite("b@octavo.example", docs.Edit, false), w.Invite("c@octavo.example", docs.Edit, false)
		team, err := w.Orgs.Teams.Create(t.Context(), authz.OperatorGrant(w.Admin), w.ID, "Writers", []docs.UserID{a})
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range []orgs.TeamChange{
			{Add: []string{string(a), string(b), "b@octavo.example"}, Remove: []string{string(c), "nobody@octavo.example"}},
			{Memberships: map[docs.UserID]docs.TeamRole{a: docs.TeamOwner, b: docs.TeamMember, c: docs.TeamMember}},
			{Add: []string{string(a)}, Remove: []string{string(a), "a@octavo.example", string(b)}},
		} {
			g := w.Grant(w.Token, authz.Team(authz.ManageTeam), "teamId", string(team.ID))
			if err := w.Orgs.Teams.Change(t.Context(), g, team, change); err != nil {
				t.Fatal(err)
			}
		}
		got := w.Logged(w.ID, "team.members")
		want := []string{`{"added":1,"changed":0,"removed":0}`, `{"added":1,"changed":1,"removed":0}`, `{"added":0,"changed":0,"removed":2}`}
		if !slices.EqualFunc(got, want, strings.Contains) {
			t.Errorf("the log has %q, want %q", got, want)
		}
	})
}
