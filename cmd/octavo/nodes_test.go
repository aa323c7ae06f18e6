package main_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestProcessesThatStartTogetherMigrateOnce(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, at place) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				stdout, stderr, err := octavo(at, "migrate")
				if err != nil || !strings.Contains(stdout, "schema") {
					t.Errorf("migrate: %v\n%s%s", err, stdout, stderr)
				}
			})
		}
		wg.Wait()
		mustOctavo(t, at, "doctor")
	})
}

// pair starts two nodes at the same time on one database.
func pair(t *testing.T, at place, more ...string) [2]*node {
	t.Helper()
	var nodes [2]*node
	var failed [2]error
	var wg sync.WaitGroup
	for i := range nodes {
		wg.Go(func() { nodes[i], failed[i] = start(at, more...) })
	}
	wg.Wait()
	for _, n := range nodes {
		if n != nil {
			t.Cleanup(n.kill)
		}
	}
	if err := errors.Join(failed[:]...); err != nil {
		t.Fatal(err)
	}
	return nodes
}

// eachWay runs a check several times with the roles of the nodes swapped, because a node
// may have cached an earlier response.
func eachWay(nodes [2]*node, rounds int, check func(a, b *node, round int)) {
	for round := range rounds {
		check(nodes[round%2], nodes[1-round%2], round)
	}
}

// Several nodes are intended for PostgreSQL. With SQLite, the command line shares the
// file with a server and must not see stale data either.
func TestNodesOnOneDatabaseAgreeAtOnce(t *testing.T) {
	t.Parallel()
	eachPlace(t, nodesAgree)
}

func nodesAgree(t *testing.T, at place) {
	admin := bootstrap(t, at, "Nodes")
	nodes := pair(t, at)
	org := "/v1/orgs/" + string(admin.Organization)

	t.Run("what one makes the other has", func(t *testing.T) {
		eachWay(nodes, 10, func(a, b *node, round int) {
			title := fmt.Sprint("Collection ", round)
			id := a.made(t, admin.Token, "POST", org+"/collections", map[string]any{"title": title})
			var got thing
			b.want(t, http.StatusOK, admin.Token, "GET", "/v1/collections/"+id, nil, &got)
			if got.Title != title {
				t.Errorf("title %q, want %q", got.Title, title)
			}
			b.want(t, http.StatusOK, admin.Token, "PATCH", "/v1/collections/"+id, map[string]any{"title": "Renamed"}, nil)
			a.want(t, http.StatusOK, admin.Token, "GET", "/v1/collections/"+id, nil, &got)
			if got.Title != "Renamed" {
				t.Errorf("title %q after the other node renamed it", got.Title)
			}
		})
	})

	t.Run("a token revoked at one is refused by the other", func(t *testing.T) {
		eachWay(nodes, 6, func(a, b *node, round int) {
			var made struct{ ID, Token string }
			a.want(t, http.StatusCreated, admin.Token, "POST", "/v1/user/tokens", map[string]any{"label": fmt.Sprint(round)}, &made)
			for _, path := range []string{"/v1/user", org, org + "/spaces"} {
				b.want(t, http.StatusOK, made.Token, "GET", path, nil, nil)
			}
			a.want(t, http.StatusResetContent, admin.Token, "DELETE", "/v1/user/tokens/"+made.ID, nil, nil)
			for _, path := range []string{"/v1/user", org, org + "/spaces", "/v1/spaces/none"} {
				b.want(t, http.StatusUnauthorized, made.Token, "GET", path, nil, nil)
			}
		})
	})

	t.Run("rights that change at one change at the other", func(t *testing.T) {
		eachWay(nodes, 4, func(a, b *node, round int) {
			email := fmt.Sprintf("member%d@octavo.example", round)
			var invited struct{ Users []string }
			a.want(t, http.StatusOK, admin.Token, "POST", org+"/invites", map[string]any{"emails": []string{email}, "role": "read"}, &invited)
			token := strings.TrimSpace(mustOctavo(t, at, "token create", "--email="+email))
			member := org + "/members/" + invited.Users[0]
			steps := []struct {
				method string // request of the admin at one node
				body   any
				status int
				sees   int // status for the member at the other node
				makes  int
			}{
				{"GET", nil, http.StatusOK, http.StatusOK, http.StatusForbidden},
				{"PATCH", map[string]any{"role": "create"}, http.StatusOK, http.StatusOK, http.StatusCreated},
				{"PATCH", map[string]any{"role": "read"}, http.StatusOK, http.StatusOK, http.StatusForbidden},
				{"DELETE", nil, http.StatusResetContent, http.StatusNotFound, http.StatusNotFound},
			}
			for _, s := range steps {
				a.want(t, s.status, admin.Token, s.method, member, s.body, nil)
				b.want(t, s.sees, token, "GET", org, nil, nil)
				b.want(t, s.makes, token, "POST", org+"/collections", map[string]any{}, nil)
			}
		})
	})

	t.Run("a job that repeats ran once", func(t *testing.T) {
		s := at.store(t)
		runs := func() int64 {
			n, err := s.JobRuns(context.Background(), "webhook.tidy", "every")
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		// Both nodes checked the queue when they started. The job is due again in an
		// hour.
		for end := time.Now().Add(patience); runs() == 0 && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		for _, n := range nodes {
			n.stop(t)
		}
		if n := runs(); n != 1 {
			t.Errorf("it ran %d times", n)
		}
	})
}
