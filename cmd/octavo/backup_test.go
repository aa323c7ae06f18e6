package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-docs/octavo/internal/identity/orgs"
)

// furnish creates an organization with objects of every kind that lists show. The
// collection Guides is created before its later parent.
func furnish(t *testing.T, n *node, admin orgs.Bootstrapped) {
	t.Helper()
	org := "/v1/orgs/" + string(admin.Organization)
	post := func(path string, body map[string]any) string {
		t.Helper()
		return n.made(t, admin.Token, "POST", path, body)
	}
	var invited struct{ Users []string }
	n.want(t, http.StatusOK, admin.Token, "POST", org+"/invites", map[string]any{
		"emails": []string{"grace@octavo.example", "linus@octavo.example"}, "role": "review",
	}, &invited)
	n.made(t, admin.Token, "PUT", org+"/teams", map[string]any{"title": "Writers", "members": invited.Users})
	guides := post(org+"/collections", map[string]any{"title": "Guides <&> „Ünïcode“ \\ \""})
	top := post(org+"/collections", map[string]any{"title": "Top"})
	n.want(t, http.StatusOK, admin.Token, "POST", "/v1/collections/"+guides+"/move", map[string]any{"parent": top}, nil)
	inner := post(org+"/collections", map[string]any{"title": "Inner", "parent": guides})
	post(org+"/spaces", map[string]any{"title": "Handbook", "emoji": "1f4d6", "parent": inner, "language": "en"})
	post(org+"/spaces", map[string]any{"title": "Notes", "editMode": "live"})
	trashed := post(org+"/spaces", map[string]any{"title": "Trash"})
	n.want(t, http.StatusResetContent, admin.Token, "DELETE", "/v1/spaces/"+trashed, nil, nil)
}

// portrait returns the responses of a node, without its address and without times that
// the requests themselves change.
func portrait(t *testing.T, n *node, admin orgs.Bootstrapped) string {
	t.Helper()
	org := "/v1/orgs/" + string(admin.Organization)
	var out strings.Builder
	for _, path := range []string{"/v1/user", "/v1/orgs", org, org + "/members", org + "/teams", org + "/collections", org + "/spaces", org + "/audit"} {
		a, err := n.call(admin.Token, "GET", path, nil)
		if err != nil || a.status != http.StatusOK {
			t.Fatalf("GET %s: %d, %v\n%s", path, a.status, err, a.body)
		}
		fmt.Fprintf(&out, "%s\n%s\n", path, canonical(t, bytes.ReplaceAll(a.body, []byte(n.url), []byte("http://octavo.example"))))
	}
	return out.String()
}

func canonical(t *testing.T, body []byte) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	drop(v, "lastSeenAt")
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// drop removes a field at all levels.
func drop(v any, field string) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, field)
		for _, sub := range v {
			drop(sub, field)
		}
	case []any:
		for _, sub := range v {
			drop(sub, field)
		}
	}
}

func TestBackupOfARunningServerAnswersTheSameElsewhere(t *testing.T) {
	t.Parallel()
	places := []struct {
		name     string
		from, to func(testing.TB) place
	}{
		{"sqlite to sqlite", sqlitePlace, sqlitePlace},
		{"sqlite to postgres", sqlitePlace, postgresPlace},
		{"postgres to sqlite", postgresPlace, sqlitePlace},
	}
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			from, to := p.from(t), p.to(t)
			n := serve(t, from)
			admin := bootstrap(t, from, "Kept")
			furnish(t, n, admin)
			w := startWriter(t, n, admin.Token)
			before := w.waitFor(t, 20)
			file := filepath.Join(t.TempDir(), "backup")
			mustOctavo(t, from, "backup", "--to="+file)
			w.stop()
			want := portrait(t, n, admin)
			n.stop(t)

			mustOctavo(t, to, "restore", "--from="+file)
			again := serve(t, to)
			if got := portrait(t, again, admin); got != want {
				t.Errorf("the restored server answers\n%s\nthe original\n%s", got, want)
			}
			w.check(t, again, admin.Token, before)
			again.stop(t)
			checkWholeTransactions(t, to) // also across tables, the data is consistent
			mustOctavo(t, to, "doctor")
		})
	}
}

// writer creates numbered collections one after the other, in a separate organization.
type writer struct {
	path string
	quit chan struct{}
	wg   sync.WaitGroup
	mu   sync.Mutex
	made int
	err  error
	many chan struct{} // closed when there are enough collections
}

func startWriter(t *testing.T, n *node, token string) *writer {
	t.Helper()
	org := n.made(t, token, "POST", "/v1/orgs", map[string]any{"title": "Busy"})
	w := &writer{path: "/v1/orgs/" + org + "/collections", quit: make(chan struct{}), many: make(chan struct{})}
	w.wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-w.quit:
				return
			default:
			}
			a, err := n.call(token, "POST", w.path, map[string]any{"title": fmt.Sprint(i)})
			if err == nil && a.status != http.StatusCreated {
				err = fmt.Errorf("status %d: %s", a.status, a.body)
			}
			w.mu.Lock()
			w.made, w.err = i+1, err
			w.mu.Unlock()
			if i == 20 || err != nil {
				close(w.many)
			}
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(w.stop)
	return w
}

// waitFor waits for enough collections and returns their number.
func (w *writer) waitFor(t *testing.T, enough int) int {
	t.Helper()
	<-w.many
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.made < enough {
		t.Fatalf("%d collections, then %v", w.made, w.err)
	}
	return w.made
}

func (w *writer) stop() {
	w.mu.Lock()
	select {
	case <-w.quit:
	default:
		close(w.quit)
	}
	w.mu.Unlock()
	w.wg.Wait()
}

// check fails unless the collections are a prefix of those that were written, and include
// all from before the backup.
func (w *writer) check(t *testing.T, n *node, token string, least int) {
	t.Helper()
	if w.err != nil {
		t.Errorf("a write failed during the backup: %v", w.err)
	}
	got := list[thing](t, n, token, w.path)
	if len(got) < least {
		t.Errorf("%d collections are there, %d were acknowledged before the backup", len(got), least)
	}
	for i, c := range got {
		if c.Title != fmt.Sprint(i) {
			t.Fatalf("collection %d has the title %s: the backup is not of one moment", i, c.Title)
		}
	}
	t.Logf("%d before the backup, %d in it, %d at the end", least, len(got), w.made)
}

func TestRestoreRefusesWithoutAnyChange(t *testing.T) {
	t.Parallel()
	source := sqlitePlace(t)
	admin := bootstrap(t, source, "Source")
	good := filepath.Join(t.TempDir(), "good")
	mustOctavo(t, source, "backup", "--to="+good)
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(content)
	flipped[len(flipped)/2] ^= 1
	for _, damaged := range []struct {
		name    string
		content []byte
		says    string
	}{
		{"one bit is flipped", flipped, "the backup "},
		{"the end is cut off", content[:len(content)*2/3], "the backup cannot be read"},
		{"the last byte is cut off", content[:len(content)-1], "the backup cannot be read"},
		{"it is empty", nil, "the backup cannot be read"},
		{"it is something else", []byte("octavo"), "the backup cannot be read"},
	} {
		t.Run(damaged.name, func(t *testing.T) {
			at := sqlitePlace(t)
			file := filepath.Join(t.TempDir(), "damaged")
			if err := os.WriteFile(file, damaged.content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, stderr, err := octavo(at, "restore", "--from="+file)
			if err == nil || !strings.Contains(stderr, damaged.says) {
				t.Errorf("%v: %s", err, stderr)
			}
			if left := entries(t, at.data); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
			mustOctavo(t, at, "restore", "--from="+good)
		})
	}
	eachPlace(t, func(t *testing.T, at place) {
		here := bootstrap(t, at, "Here")
		n := serve(t, at)
		want := portrait(t, n, here)
		_, stderr, err := octavo(at, "restore", "--from="+good)
		if err == nil || !strings.Contains(stderr, "restore into an empty one") {
			t.Errorf("%v: %s", err, stderr)
		}
		if got := portrait(t, n, here); got != want {
			t.Errorf("the data has changed\n%s\nit was\n%s", got, want)
		}
		n.want(t, http.StatusUnauthorized, admin.Token, "GET", "/v1/user", nil, nil)
		n.stop(t)
	})
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// A new installation has often been started once before a backup is restored into it.
func TestRestoreIntoAServerThatWasNeverUsed(t *testing.T) {
	t.Parallel()
	source := sqlitePlace(t)
	n := serve(t, source) // queues the recurring jobs
	admin := bootstrap(t, source, "Source")
	n.stop(t)
	file := filepath.Join(t.TempDir(), "backup")
	mustOctavo(t, source, "backup", "--to="+file)
	eachPlace(t, func(t *testing.T, at place) {
		serve(t, at).stop(t)
		mustOctavo(t, at, "restore", "--from="+file)
		again := serve(t, at)
		again.want(t, http.StatusOK, admin.Token, "GET", "/v1/orgs/"+string(admin.Organization), nil, nil)
		again.stop(t)
	})
}

func TestBackupKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	bootstrap(t, at, "Source")
	file := filepath.Join(t.TempDir(), "backup")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, err := octavo(at, "backup", "--to="+file)
	if err == nil || !strings.Contains(stderr, "exists") {
		t.Errorf("%v: %s", err, stderr)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "precious" {
		t.Errorf("the file is now %q, %v", b, err)
	}
}
