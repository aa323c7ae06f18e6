package main_test

import (
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// shore is an instance, a space and a repository whose server can be blocked.
type shore struct {
	*library
	origin *testgit.Origin
	url    string
	gate   gate
	edits  int
	before map[string]string // content of the space before the operation
	op     string
}

// gate blocks requests. Blocked requests wait until the gate opens, which aborts their
// connections.
type gate struct {
	mu     sync.Mutex
	part   string // part of the path of blocked requests; empty if open
	behind bool   // process the request and block only the response
	seen   chan struct{}
	opened chan struct{}
}

func (g *gate) hold(part string, behind bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.part, g.behind = part, behind
	g.seen, g.opened = make(chan struct{}, 16), make(chan struct{})
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.part != "" {
		g.part = ""
		close(g.opened)
	}
}

func (g *gate) wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		here := g.part != "" && strings.Contains(r.URL.Path, g.part)
		behind, seen, opened := g.behind, g.seen, g.opened
		g.mu.Unlock()
		if here && behind {
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
		if !here {
			h.ServeHTTP(w, r)
			return
		}
		seen <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-opened:
		}
		panic(http.ErrAbortHandler)
	})
}

const crashPages = 400

func openShore(t *testing.T) *shore {
	t.Helper()
	at := sqlitePlace(t)
	s := &shore{library: &library{at: at, admin: bootstrap(t, at, "Shore")}, origin: testgit.New(t)}
	server := httptest.NewServer(s.gate.wrap(s.origin.Handler("", "")))
	t.Cleanup(server.Close)
	t.Cleanup(s.gate.open)
	s.url = server.URL + "/repo.git"
	s.up(t)
	s.space = s.n.made(t, s.admin.Token, "POST", "/v1/orgs/"+string(s.admin.Organization)+"/spaces", map[string]any{"title": "Handbook", "editMode": "live"})
	s.there()
	s.ask(t, "import")
	s.ended(t, "success")
	return s
}

func (s *shore) up(t *testing.T) { s.n = serve(t, s.at, "--outbound-allow=127.0.0.1") }

// there changes every page of the repository; here changes some pages of the space.
func (s *shore) there() {
	s.edits++
	files := map[string]string{"README.md": "# Home\n"}
	for i := range crashPages {
		files[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("# Page %d\n\nThere %d.\n\nOne paragraph more.\n", i, s.edits)
	}
	if s.origin.Tip() != "" {
		s.origin.Pull()
	}
	s.origin.Commit(files)
}

func (s *shore) here(t *testing.T) {
	s.edits++
	var pages struct {
		Pages []struct{ ID, Title string }
	}
	s.get(t, "/content/pages", &pages)
	var changes []any
	for _, p := range pages.Pages {
		if strings.HasPrefix(p.Title, "Page ") && len(changes) < 50 {
			changes = append(changes, map[string]any{"operation": "update_page", "page": p.ID,
				"document": map[string]any{"markdown": fmt.Sprintf("Here %d.\n\nOne paragraph more.\n", s.edits)}})
		}
	}
	s.n.want(t, http.StatusOK, s.admin.Token, "POST", "/v1/spaces/"+s.space+"/content", map[string]any{"changes": changes}, nil)
}

func (s *shore) ask(t *testing.T, direction string) {
	t.Helper()
	body := map[string]any{"url": s.url, "ref": "refs/heads/main"}
	if direction == "export" {
		body["commitMessage"] = "Handbook"
	}
	s.n.want(t, http.StatusNoContent, s.admin.Token, "POST", "/v1/spaces/"+s.space+"/git/"+direction, body, nil)
	s.op = s.newest(t).ID
}

type gitOperation struct{ ID, State, Stage, Reason, Error string }

func (s *shore) newest(t *testing.T) gitOperation {
	t.Helper()
	var v struct{ Items []gitOperation }
	s.get(t, "/git/operations?limit=1", &v)
	return v.Items[0]
}

func (s *shore) ended(t *testing.T, state string) {
	t.Helper()
	for until := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		o := s.newest(t)
		if o.State == "success" || o.State == "failure" {
			if o.State != state {
				t.Fatalf("%+v", o)
			}
			return
		}
		if time.Now().After(until) {
			t.Fatalf("it does not end: %+v", o)
		}
	}
}

// crash is a point at which the server is killed.
type crash struct {
	direction, stage string
	part             string // part of the path of the blocked request; if empty, the stage is polled
	behind           bool
}

// A server is killed in every stage of an import and an export. After a restart the
// operation is completed exactly once, never partially.
func TestGitOperationsSurviveKill9(t *testing.T) {
	t.Parallel()
	crashes := []crash{
		{direction: "import", stage: "fetch", part: "git-upload-pack"},
		{direction: "import", stage: "check"},
		{direction: "import", stage: "process"},
		{direction: "import", stage: "finalize"},
		{direction: "export", stage: "fetch", part: "info/refs"},
		{direction: "export", stage: "process"},
		{direction: "export", stage: "finalize", part: "git-receive-pack"},
		{direction: "export", stage: "finalize", part: "git-receive-pack", behind: true},
	}
	if testing.Short() {
		crashes = []crash{crashes[2], crashes[7]}
	}
	var hits atomic.Int32
	t.Run("stages", func(t *testing.T) { // ends after all subtests
		for _, c := range crashes {
			name := c.direction + " " + c.stage
			if c.behind {
				name += " behind"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := openShore(t)
				if s.killIn(t, c) {
					hits.Add(1)
				}
				s.isDone(t)
			})
		}
	})
	if int(hits.Load()) < len(crashes)-1 { // one stage may be too short on this machine
		t.Errorf("only %d of %d stages were hit", hits.Load(), len(crashes))
	}
}

// killIn kills the server in a stage of an operation and restarts it. It reports whether
// the stage was hit: a stage that is polled may have ended before the kill.
func (s *shore) killIn(t *testing.T, c crash) bool {
	t.Helper()
	const tries = 6
	for range tries {
		if c.direction == "import" {
			s.there()
		} else {
			s.here(t)
		}
		s.before = contents(t, s.take(t))
		if c.part != "" {
			s.gate.hold(c.part, c.behind)
		}
		s.ask(t, c.direction)
		if c.part != "" {
			select {
			case <-s.gate.seen:
			case <-time.After(patience):
				t.Fatal("nothing was asked of the remote")
			}
		} else {
			for o := s.newest(t); o.State != "success" && o.Stage != c.stage; {
				o = s.newest(t)
			}
		}
		s.n.kill()
		o := s.leftBehind(t)
		// Either nothing or everything was applied.
		if now := contents(t, s.take(t)); !maps.Equal(now, s.before) && !maps.Equal(now, s.origin.Files("main")) {
			t.Error("the space has something in between")
		}
		s.up(t)
		s.gate.open() // until then, a process of the killed server waits there and locks the repository
		if o.Stage == c.stage && o.State == "running" {
			return true
		}
		s.ended(t, "success")
	}
	t.Log("it was never hit")
	return false
}

// leftBehind returns the newest operation as the killed server left it. It ends the
// leases of its jobs, which would otherwise delay the test.
func (s *shore) leftBehind(t *testing.T) (o gitOperation) {
	t.Helper()
	db := s.database(t)
	defer db.Close()
	if err := db.QueryRow(`SELECT state, stage FROM git_operations ORDER BY id DESC LIMIT 1`).Scan(&o.State, &o.Stage); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`UPDATE jobs SET lease_until = 0 WHERE state = 'running'`); err != nil {
		t.Fatal(err)
	}
	return o
}

// database opens the database file directly, without the server.
func (s *shore) database(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.at.data, "octavo.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// isDone fails unless the last operation ended successfully and nothing is left to do.
func (s *shore) isDone(t *testing.T) {
	t.Helper()
	s.ended(t, "success")
	if o := s.newest(t); o.ID != s.op || o.Reason == "parked" || o.Reason == "conflict" {
		t.Errorf("%+v", o)
	}
	if !maps.Equal(contents(t, s.take(t)), s.origin.Files("main")) {
		t.Error("the two differ")
	}
	s.ask(t, "export")
	s.ended(t, "success")
	if o := s.newest(t); o.Reason != "unchanged" {
		t.Errorf("something is left to be exported: %+v", o)
	}
	s.n.stop(t)
	s.verify(t)
}

// A large first import is stored in portions. If the server is killed between two
// portions, the space is unchanged, and the import is completed after a restart.
func TestALargeImportSurvivesKill9(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	s := &shore{library: &library{at: at, admin: bootstrap(t, at, "Shore")}, origin: testgit.New(t)}
	server := httptest.NewServer(s.origin.Handler("", ""))
	t.Cleanup(server.Close)
	s.url = server.URL + "/repo.git"
	s.up(t)
	s.space = s.n.made(t, s.admin.Token, "POST", "/v1/orgs/"+string(s.admin.Organization)+"/spaces", map[string]any{"title": "Handbook", "editMode": "live"})
	files := map[string]string{"README.md": "# Home\n"}
	for i := range 1200 {
		files[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("# Page %d\n\n[Next](p%d.md).\n\n%s\n", i, i+1, strings.Repeat("Words of a long page. ", 400))
	}
	s.origin.Commit(files)
	before := contents(t, s.take(t))
	layers := s.layers(t)
	s.ask(t, "import")
	for until := time.Now().Add(patience); s.layers(t) == layers; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("nothing was stored in advance")
		}
	}
	s.n.kill()
	if o := s.layers(t); o == layers {
		t.Log("it was faster than the kill")
	}
	s.up(t)
	if now := contents(t, s.take(t)); !maps.Equal(now, before) && !maps.Equal(now, s.origin.Files("main")) {
		t.Error("the space has something in between")
	}
	s.ended(t, "success")
	if !maps.Equal(contents(t, s.take(t)), s.origin.Files("main")) {
		t.Error("the two differ")
	}
	s.n.stop(t)
	s.verify(t)
}

// layers returns the number of layers of the index.
func (s *shore) layers(t *testing.T) (n int) {
	t.Helper()
	db := s.database(t)
	defer db.Close()
	if err := db.QueryRow(`SELECT COUNT(*) FROM layers`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
