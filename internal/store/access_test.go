package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// graph is a random organization: people, teams, nested collections, spaces
// and grants of all kinds.
type graph struct {
	org         docs.OrgID
	users       []docs.UserID
	collections []docs.Collection
	spaces      []docs.Space
	sites       []docs.Site // the first has all spaces
}

func randomGraph(t *testing.T, s *store.Store, rng *rand.Rand, n int) graph {
	t.Helper()
	ctx := context.Background()
	g := graph{org: docs.OrgID(fmt.Sprintf("org%d", n))}
	pick := func(k int) int { return rng.IntN(k) }
	roles := []docs.Role{docs.Guest, docs.Read, docs.Comment, docs.Edit, docs.Review, docs.Create, docs.Admin}
	levels := []docs.Level{docs.LevelInherit, docs.LevelInherit, docs.LevelInherit, docs.LevelNone, "read", "edit", "create"}
	err := s.Do(ctx, func(tx *store.Tx) error {
		for i := range 6 {
			u := docs.User{ID: docs.UserID(fmt.Sprintf("u%d-%d", n, i)), Email: docs.Email(fmt.Sprintf("u%d-%d@x.test", n, i))}
			if err := tx.AddUser(ctx, u); err != nil {
				return err
			}
			g.users = append(g.users, u.ID)
		}
		if err := tx.AddOrganization(ctx, docs.NewOrganization(g.org, "T", g.users[0], tx.Now())); err != nil {
			return err
		}
		for _, u := range g.users[:5] { // the last one stays outside
			m := docs.Member{Org: g.org, User: docs.User{ID: u}, Role: roles[pick(len(roles))], Disabled: pick(10) == 0}
			if err := tx.AddMember(ctx, m); err != nil {
				return err
			}
		}
		var teams []docs.TeamID
		for i := range 3 {
			team := docs.Team{ID: docs.TeamID(fmt.Sprintf("t%d-%d", n, i)), Org: g.org, Title: "T"}
			if err := tx.AddTeam(ctx, team); err != nil {
				return err
			}
			teams = append(teams, team.ID)
			for _, u := range g.users[:5] {
				if pick(2) == 0 {
					if err := tx.PutTeamMember(ctx, g.org, team.ID, u, docs.TeamMember); err != nil {
						return err
					}
				}
			}
		}
		share := func(node docs.Node) error {
			if pick(3) == 0 {
				if err := tx.PutGrant(ctx, g.org, docs.Grant{Node: node, User: g.users[pick(5)], Role: roles[1+pick(6)]}); err != nil {
					return err
				}
			}
			for range pick(3) {
				if err := tx.PutGrant(ctx, g.org, docs.Grant{Node: node, Team: teams[pick(3)], Role: roles[1+pick(6)]}); err != nil {
					return err
				}
			}
			return nil
		}
		parent := func() docs.CollectionID {
			if len(g.collections) == 0 || pick(3) == 0 {
				return ""
			}
			return g.collections[pick(len(g.collections))].ID
		}
		for i := range 8 {
			c := docs.Collection{
				ID: docs.CollectionID(fmt.Sprintf("c%d-%d", n, i)), Org: g.org, Parent: parent(), Level: levels[pick(len(levels))],
				CreatedBy: g.users[pick(6)], Rank: docs.RankAtEnd(time.Now()),
			}
			if err := tx.AddCollection(ctx, c); err != nil {
				return err
			}
			if err := share(c.Node()); err != nil {
				return err
			}
			g.collections = append(g.collections, c)
		}
		for i := range 10 {
			sp := docs.Space{
				ID: docs.SpaceID(fmt.Sprintf("s%d-%d", n, i)), Org: g.org, Parent: parent(), Level: levels[pick(len(levels))],
				CreatedBy: g.users[pick(6)], Rank: docs.RankAtEnd(time.Now()), Revision: docs.RevisionID(fmt.Sprintf("r%d-%d", n, i)),
				MergeRules: docs.MergeRules{Type: docs.MergeInherit},
			}
			if err := tx.AddSpace(ctx, sp); err != nil {
				return err
			}
			if err := share(sp.Node()); err != nil {
				return err
			}
			g.spaces = append(g.spaces, sp)
		}
		for i := range 4 {
			site := docs.Site{
				ID: docs.SiteID(fmt.Sprintf("w%d-%d", n, i)), Org: g.org, Level: levels[pick(len(levels))], CreatedBy: g.users[pick(6)],
			}
			if err := tx.AddSite(ctx, site); err != nil {
				return err
			}
			if err := share(site.Node()); err != nil {
				return err
			}
			g.sites = append(g.sites, site)
		}
		for _, sp := range g.spaces {
			item := docs.SiteItem{ID: docs.SiteItemID("i" + sp.ID), Kind: docs.SiteSpace, Space: sp.ID}
			if err := tx.PutSiteItem(ctx, g.sites[0].ID, item); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The rule is written twice, in Go for one thing and in SQL for lists. Whatever
// the organization looks like, both give the same roles.
func TestListsFollowTheSameRuleAsSingleReads(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		ctx := context.Background()
		s := testdb.Open(t, o)
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 1))
		t.Logf("seed %d", seed)
		all := store.Page{Limit: 1000}
		for n := range 40 {
			g := randomGraph(t, s, rng, n)
			for _, u := range g.users {
				access, err := s.Access(ctx, g.org, u)
				if err != nil {
					t.Fatal(err)
				}
				if !access.Inside() {
					continue // no list is made for outsiders
				}
				v := store.Viewer{Org: g.org, User: u, Role: access.OrgRole()}
				want := map[string]docs.Role{}
				for _, c := range g.collections {
					above, err := s.Path(ctx, c.Parent)
					if err != nil {
						t.Fatal(err)
					}
					want[string(c.ID)] = access.Resolve(append([]docs.Node{c.Node()}, above...)).Role
				}
				for _, sp := range g.spaces {
					above, err := s.Path(ctx, sp.Parent)
					if err != nil {
						t.Fatal(err)
					}
					want[string(sp.ID)] = access.Resolve(append([]docs.Node{sp.Node()}, above...)).Role
				}
				got := map[string]docs.Role{}
				cs, _, err := s.Collections(ctx, v, store.CollectionFilter{}, all)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range cs {
					got[string(c.It.ID)] = c.Role
				}
				sps, _, err := s.Spaces(ctx, v, store.SpaceFilter{}, all)
				if err != nil {
					t.Fatal(err)
				}
				for _, sp := range sps {
					got[string(sp.It.ID)] = sp.Role
				}
				for id, role := range want {
					if got[id] != role {
						t.Errorf("graph %d, user %s, role %q: the list says %q of %s, the rule %q", n, u, v.Role, got[id], id, role)
					}
				}
				aggregated(t, s, g, u, want)
				onSites(t, s, g, access, want)
			}
		}
	})
}

// aggregated checks that the access of a page of members resolves the same.
func aggregated(t *testing.T, s *store.Store, g graph, u docs.UserID, want map[string]docs.Role) {
	t.Helper()
	ctx := context.Background()
	sp := g.spaces[0]
	above, err := s.Path(ctx, sp.Parent)
	if err != nil {
		t.Fatal(err)
	}
	path := append([]docs.Node{sp.Node()}, above...)
	members, _, err := s.AccessOn(ctx, g.org, path, store.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		if m.User.ID == u && m.Access.Resolve(path).Role != want[string(sp.ID)] {
			t.Errorf("the aggregate says %q of %s for %s, the rule %q", m.Access.Resolve(path).Role, sp.ID, u, want[string(sp.ID)])
		}
	}
}

// onSites checks which sites a member sees, and which spaces on them.
func onSites(t *testing.T, s *store.Store, g graph, access *docs.Access, want map[string]docs.Role) {
	t.Helper()
	ctx := context.Background()
	v := store.Viewer{Org: g.org, User: access.User, Role: access.OrgRole()}
	listed, _, err := s.Sites(ctx, v, store.SiteFilter{}, store.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[docs.SiteID]bool{}
	for _, site := range listed {
		seen[site.It.ID] = true
	}
	for _, site := range g.sites {
		if role := access.Resolve([]docs.Node{site.Node()}).Role; seen[site.ID] != role.Valid() {
			t.Errorf("user %s: the list shows %s: %v, the rule says %q", access.User, site.ID, seen[site.ID], role)
		}
	}
	spaces, err := s.SpacesOnSite(ctx, v, g.sites[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	got := map[docs.SpaceID]docs.Role{}
	for _, sp := range spaces {
		got[sp.It.ID] = sp.Role
	}
	for _, sp := range g.spaces {
		if got[sp.ID] != want[string(sp.ID)] {
			t.Errorf("user %s: the site says %q of %s, the rule %q", access.User, got[sp.ID], sp.ID, want[string(sp.ID)])
		}
	}
}
