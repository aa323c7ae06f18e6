package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdns"
	"github.com/octavo-docs/octavo/internal/web/api"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// world is a running server with two organizations that must not know of
// each other: Acme with its admin, and Beta with mallory as its admin.
type world struct {
	t      *testing.T
	srv    *server.Server
	vars   map[string]string // ids by name, for paths and bodies
	tokens map[string]string // by the name of an actor; "nobody" has none
	seen   *accounts
	log    *safeBuffer
	dns    *testdns.Server
	lists  map[string]bool // paths of lists by pages
}

func newWorld(t *testing.T, o store.Options, seen *accounts) *world {
	t.Helper()
	w := &world{t: t, vars: map[string]string{}, tokens: map[string]string{"nobody": ""}, seen: seen, log: &safeBuffer{}, dns: testdns.Start(t)}
	srv, err := server.Start(context.Background(), server.Config{
		Settings: services.Settings{
			DNS: w.dns.Addr, SiteHostnames: []string{"*.vouched.test"}, Log: slog.New(slog.NewTextHandler(w.log, nil)),
		},
		Listen: "127.0.0.1:0", Database: o, Files: server.Files{Folder: filepath.Join(t.TempDir(), "files")}, Version: "test", Build: "test", Quiet: true,
		Proxies: server.Proxies{netip.MustParsePrefix("127.0.0.1/32")}, Limit: kernel.Limit{Requests: 1 << 30, Period: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.srv = srv
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := srv.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
		if s := w.log.String(); strings.Contains(s, "octavo_") {
			t.Errorf("the log holds a token:\n%s", s)
		}
	})
	w.bootstrap("admin", "admin@acme.test", "Acme", "org")
	w.bootstrap("mallory", "mallory@beta.test", "Beta", "beta")
	return w
}

// bootstrap makes an organization ($org) with an admin (an actor and $user_NAME).
func (w *world) bootstrap(name, email, title, org string) {
	w.t.Helper()
	b, err := w.srv.Orgs.Operator.Bootstrap(context.Background(), email, title, "test")
	if err != nil {
		w.t.Fatal(err)
	}
	w.tokens[name], w.vars["user_"+name], w.vars[org] = b.Token, string(b.User), string(b.Organization)
}

// addUser makes an actor; role "-" is outside of Acme, "guest" a guest in it.
func (w *world) addUser(name, role string, scopes ...docs.Scope) {
	w.t.Helper()
	ctx := context.Background()
	email := name + "@acme.test"
	if role != "-" {
		as := docs.Role(role)
		if role == "guest" {
			as = docs.Guest
		}
		op := authz.OperatorGrant(docs.UserID(w.vars["user_admin"]))
		if _, err := w.srv.Orgs.Members.Invite(ctx, op, docs.OrgID(w.vars["org"]), []orgs.Invitee{{Email: email, Role: as}}, false); err != nil {
			w.t.Fatal(err)
		}
	} else if _, err := w.srv.Orgs.Operator.CreateUser(ctx, email); err != nil && !errs.Is(err, errs.Conflict) {
		w.t.Fatal(err)
	}
	secret, err := w.srv.Orgs.Operator.CreateToken(ctx, email, orgs.NewToken{Label: "test", Scopes: scopes})
	if err != nil {
		w.t.Fatal(err)
	}
	u, err := w.srv.Store.UserByEmail(ctx, docs.Email(email))
	if err != nil {
		w.t.Fatal(err)
	}
	w.tokens[name], w.vars["user_"+name] = secret, string(u.ID)
}

// importFolder makes files the content of a space, as the command line does:
// reusable contents, groups and variables come in no other way.
func (w *world) importFolder(space string, files fstest.MapFS) {
	w.t.Helper()
	ctx := context.Background()
	tree, err := folder.Read(files, folder.Limits{})
	if err != nil {
		w.t.Fatal(err)
	}
	sp, err := w.srv.Store.Space(ctx, docs.SpaceID(space))
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.srv.Content.Import(ctx, authz.OperatorGrant(sp.It.CreatedBy), sp.It, tree, func(string, int, int) {}); err != nil {
		w.t.Fatal(err)
	}
}

// verify asks that search and links of every space are what its content says,
// as doctor --verify does.
func (w *world) verify() {
	w.t.Helper()
	ctx := context.Background()
	spaces, err := w.srv.Store.AllSpaces(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	counts, err := w.srv.Store.JobCounts(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	waiting := slices.ContainsFunc(counts, func(c store.JobCount) bool { return c.Kind == index.RebuildJob })
	for _, id := range spaces {
		if waiting { // a language was changed, or there are many copies
			if err := w.srv.Content.Index.Rebuild(ctx, []byte(`{"space":"`+string(id)+`"}`)); err != nil {
				w.t.Error(err)
			}
		}
		err := w.srv.Store.Snapshot(ctx, func(r store.Reader) error {
			sp, err := r.Space(ctx, id)
			if err != nil {
				return err
			}
			found, err := w.srv.Content.Index.Verify(ctx, r, sp.It)
			for _, line := range found {
				w.t.Errorf("space %s (%s): %s", id, sp.It.Title, line)
			}
			if err != nil {
				return err
			}
			return w.verifyUsage(ctx, r, sp.It)
		})
		if err != nil {
			w.t.Error(err)
		}
	}
}

// answer is what a request got.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) json() any {
	var v any
	if len(a.body) > 0 {
		_ = json.Unmarshal(a.body, &v) // nil when it is not JSON
	}
	return v
}

// call makes a request as an actor; path is below /v1, headers are such as
// "If-Match: x".
func (w *world) call(who, method, path, body string, headers ...string) answer {
	w.t.Helper()
	a := w.send(who, method, path, strings.NewReader(body), headers...)
	if w.seen != nil {
		w.seen.note(method, path, who, a.status)
		w.seen.examples.add(w.seen.operation(method, path), w.srv.URL(), path, body, a)
		if method != http.MethodGet && a.status < 300 {
			w.noteAudit(w.seen.operation(method, path), a)
		}
	}
	return a
}

func (w *world) send(who, method, path string, body io.Reader, headers ...string) answer {
	w.t.Helper()
	a := w.ask(who, method, path, body, headers...)
	w.check(method, path, a)
	return a
}

// ask is send for answers that need not hold what is true of the others.
func (w *world) ask(who, method, path string, body io.Reader, headers ...string) answer {
	w.t.Helper()
	token, known := w.tokens[who]
	if !known {
		w.t.Fatalf("there is no actor %q", who)
	}
	req, err := http.NewRequest(method, "http://"+w.srv.Addr()+api.Prefix+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, b}
}

// check holds what is true of every answer.
func (w *world) check(method, path string, a answer) {
	w.t.Helper()
	for _, h := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"} {
		if a.header.Get(h) == "" {
			w.t.Errorf("%s %s: no header %s", method, path, h)
		}
	}
	switch {
	case a.status >= 500:
		w.t.Errorf("%s %s: %d %s\n%s", method, path, a.status, a.body, w.log)
	case a.status >= 400:
		var e struct {
			Error struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal(a.body, &e); err != nil || e.Error.Code != a.status || e.Error.Message == "" {
			w.t.Errorf("%s %s: %d is not in the error envelope: %s", method, path, a.status, a.body)
		}
	case a.status == http.StatusNoContent || a.status == http.StatusResetContent:
		if len(a.body) > 0 {
			w.t.Errorf("%s %s: %d with a body: %s", method, path, a.status, a.body)
		}
	}
}

// expand replaces $name by its value, longest names first.
func (w *world) expand(s string) string {
	names := make([]string, 0, len(w.vars))
	for name := range w.vars {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		s = strings.ReplaceAll(s, "$"+name, w.vars[name])
	}
	return s
}

// accounts remembers which operations were seen to succeed and to be denied.
type accounts struct {
	ops       []kernel.OperationInfo
	mux       *http.ServeMux
	succeeded map[string]bool
	denied    map[string]bool
	audited   map[string]bool
	described map[string]bool // the log says what changed from what to what
	examples  examples
}

func newAccounts(ops []kernel.OperationInfo) *accounts {
	a := &accounts{ops: ops, mux: http.NewServeMux(), succeeded: map[string]bool{}, denied: map[string]bool{}, audited: map[string]bool{}, described: map[string]bool{}, examples: examples{}}
	for _, o := range ops {
		a.mux.Handle(o.Method+" "+o.Path, opHandler(o.ID))
	}
	return a
}

// add takes over what another one has seen.
func (a *accounts) add(other *accounts) {
	maps.Copy(a.succeeded, other.succeeded)
	maps.Copy(a.denied, other.denied)
	maps.Copy(a.audited, other.audited)
	maps.Copy(a.described, other.described)
	for id, x := range other.examples {
		a.examples.keep(id, x)
	}
}

type opHandler string

func (opHandler) ServeHTTP(http.ResponseWriter, *http.Request) {}

// operation returns which operation a request is.
func (a *accounts) operation(method, path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return ""
	}
	h, pattern := a.mux.Handler(&http.Request{Method: method, URL: u, Host: "test"})
	if pattern == "" {
		return ""
	}
	if id, ok := h.(opHandler); ok {
		return string(id)
	}
	return ""
}

func (a *accounts) note(method, path, who string, status int) {
	id := a.operation(method, path)
	absent := status == http.StatusNotFound || (method == http.MethodDelete && status == http.StatusNoContent)
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, absent && who != "admin":
		a.denied[id] = true
	case status < 300 && !absent:
		a.succeeded[id] = true
	}
}

// missing lists what was never seen to succeed, or never to be denied.
func (a *accounts) missing() []string {
	var out []string
	for _, o := range a.ops {
		if !a.succeeded[o.ID] {
			out = append(out, o.ID+" was never called with success")
		}
		if !a.denied[o.ID] && !o.Public {
			out = append(out, o.ID+" was never denied to anybody")
		}
		if o.Method != http.MethodGet && a.succeeded[o.ID] && a.audited[o.ID] == changesNothing[o.ID] {
			out = append(out, fmt.Sprintf("%s wrote an audit row: %t", o.ID, a.audited[o.ID]))
		}
		if o.Method == http.MethodPatch && a.audited[o.ID] && !a.described[o.ID] {
			out = append(out, o.ID+": the audit row does not say what changed")
		}
	}
	return out
}

// safeBuffer is a buffer that the server and the test use at once.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func pretty(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// flushUses writes which tokens were used, as the server does now and then.
func (w *world) flushUses() {
	w.t.Helper()
	if err := w.srv.Guard.Flush(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}
