package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/conversations"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/translation/translations"
	"github.com/octavo-docs/octavo/internal/web/api"
)

// TestScripts runs testdata/scripts/*.txtar against a real server on both
// databases, and then asks that every operation has succeeded once and was
// denied once. The format is described in testdata/scripts/README.md.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			if kind == "sqlite" {
				watchTransactions(t)
			}
			each := make([]*accounts, len(files)) // nil: skipped, chosen with -run, or reported already
			t.Cleanup(func() { accountFor(t, kind, each) })
			for i, file := range files {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
					t.Parallel() // most of the time the disk is waited for
					o := testdb.SQLite
					if kind == "postgres" {
						o = testdb.Postgres
					}
					w := newWorld(t, o(t), nil)
					w.seen = newAccounts(w.srv.API.Operations())
					w.script(file)
					w.verify()
					each[i] = w.seen
				})
			}
		})
	}
}

// accountFor asks of all scripts together what no one of them can say.
func accountFor(t *testing.T, kind string, each []*accounts) {
	if slices.Contains(each, nil) {
		return
	}
	seen := each[0]
	for _, other := range each[1:] { // in the order of the files: examples are the same in every run
		seen.add(other)
	}
	for _, m := range seen.missing() {
		t.Error(m)
	}
	if kind == "sqlite" {
		seen.examples.check(t)
	}
}

func (w *world) script(file string) {
	w.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	archive := txtar.Parse(data)
	for line := range strings.Lines(string(archive.Comment)) {
		// user NAME ROLE [SCOPE…] makes an actor.
		if f := strings.Fields(line); len(f) >= 3 && f[0] == "user" {
			var scopes []docs.Scope
			for _, s := range f[3:] {
				scopes = append(scopes, docs.Scope(s))
			}
			w.addUser(f[1], f[2], scopes...)
		}
	}
	var last answer
	var request string
	at := 0
	defer func() {
		if w.t.Failed() && at < len(archive.Files) {
			w.t.Logf("%s:%d: -- %s --", file, headingLine(data, archive.Files[:at+1]), archive.Files[at].Name)
		}
	}()
	files := fstest.MapFS{}
	for i, f := range archive.Files {
		at = i
		first, rest, _ := strings.Cut(f.Name, " ")
		switch first {
		case "#": // a heading
			continue
		case "file": // of a folder
			files[rest] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
			continue
		case "import": // the folder, into a space
			w.importFolder(w.expand(rest), files)
			files = fstest.MapFS{}
			continue
		case "session": // of an actor: the cookie is $cookie, the token of its forms $csrf
			w.signIn(rest)
			continue
		case "uses": // of tokens, which the server writes now and then
			w.flushUses()
			continue
		case "notices": // of what happened, which a job writes
			w.notify()
			continue
		case "specifications": // that were set, which a job processes
			w.processSpecs()
			continue
		case "analysis": // of conversations, which a job does
			w.analyse()
			continue
		case "translations": // that were asked for, which a job does
			w.translate()
			continue
		case "dns": // NAME VALUE…: the TXT records of a name; none: it does not exist
			if name, values, _ := strings.Cut(w.expand(rest), " "); values == "" {
				w.dns.Remove(name)
			} else {
				w.dns.Set(name, strings.Fields(values)...)
			}
			continue
		}
		body := strings.TrimSpace(string(f.Data))
		if status, err := strconv.Atoi(first); err == nil {
			w.expect(request, last, status, rest, body)
			continue
		}
		parts := strings.Split(rest, " with ")
		path, who, as := strings.Cut(parts[0], " as ")
		if !as {
			who = "admin"
		}
		var headers []string
		for _, h := range parts[1:] {
			headers = append(headers, w.expand(h))
		}
		request = f.Name
		path = strings.TrimPrefix(generated(w.expand(path)), w.srv.URL()+api.Prefix)
		last = w.call(who, first, path, generated(w.expand(body)), headers...)
	}
}

// headingLine returns the number of the line with the heading of the last of the files.
func headingLine(script []byte, files []txtar.File) int {
	n := 0
	for line := range strings.Lines(string(script)) {
		n++
		if strings.TrimSpace(line) != "-- "+files[0].Name+" --" {
			continue
		}
		if files = files[1:]; len(files) == 0 {
			break
		}
	}
	return n
}

// notify runs the jobs that write notices.
func (w *world) notify() {
	w.t.Helper()
	ctx := context.Background()
	run := jobs.New(w.srv.Store, w.srv.Log)
	run.Handle(audit.NoticeJob, w.srv.Inbox.Notify)
	for _, org := range []string{w.vars["org"], w.vars["beta"]} {
		rows, _, err := w.srv.Store.Audit(ctx, docs.OrgID(org), store.AuditFilter{}, store.Page{Limit: 1000})
		for _, row := range rows {
			if err == nil {
				_, err = run.RunOnly(ctx, audit.NoticeJob, row.ID)
			}
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// processSpecs runs the jobs that process OpenAPI specifications.
func (w *world) processSpecs() {
	w.t.Helper()
	w.runJobs(apispec.ProcessJob, w.srv.APISpecs.Process, func(ctx context.Context, org docs.OrgID) (keys []string, err error) {
		all, _, err := w.srv.Store.OpenAPISpecs(ctx, org, store.Page{Limit: 1000})
		for _, spec := range all {
			keys = append(keys, string(spec.ID))
		}
		return keys, err
	})
}

// analyse runs the jobs that analyse conversations.
func (w *world) analyse() {
	w.t.Helper()
	w.runJobs(conversations.AnalyseJob, w.srv.Conversations.Analyse, func(_ context.Context, org docs.OrgID) ([]string, error) {
		return []string{string(org)}, nil
	})
}

// translate runs the jobs that translate.
func (w *world) translate() {
	w.t.Helper()
	w.runJobs(translations.RunJob, w.srv.Translations.Run, func(ctx context.Context, org docs.OrgID) (keys []string, err error) {
		all, _, err := w.srv.Store.Translations(ctx, org, store.Page{Limit: 1000})
		for _, t := range all {
			keys = append(keys, string(t.ID))
		}
		return keys, err
	})
}

// runJobs runs the jobs of one kind, by the keys that they have in both organizations.
func (w *world) runJobs(kind string, do jobs.Handler, keysOf func(context.Context, docs.OrgID) ([]string, error)) {
	w.t.Helper()
	ctx := context.Background()
	run := jobs.New(w.srv.Store, w.srv.Log)
	run.Handle(kind, do)
	for _, org := range []string{w.vars["org"], w.vars["beta"]} {
		keys, err := keysOf(ctx, docs.OrgID(org))
		for _, key := range keys {
			if err == nil {
				_, err = run.RunOnly(ctx, kind, key)
			}
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// signIn opens a session of an actor, as somebody who opens the link in a mail does.
func (w *world) signIn(who string) {
	w.t.Helper()
	ctx := context.Background()
	u, err := w.srv.Store.User(ctx, docs.UserID(w.vars["user_"+who]))
	if err != nil {
		w.t.Fatal(err)
	}
	link, err := w.srv.SignIn.LinkFor(ctx, string(u.Email))
	if err != nil {
		w.t.Fatal(err)
	}
	_, key, _ := strings.Cut(link, "key=")
	s, err := w.srv.SignIn.UseLink(ctx, key, "", signin.Client{Agent: "Script/1.0", Request: "test"})
	if err != nil {
		w.t.Fatal(err)
	}
	list, _, err := w.srv.Store.Tokens(ctx, store.TokenFilter{User: u.ID, Sessions: true}, store.Page{Limit: 100})
	if err != nil || len(list) == 0 {
		w.t.Fatalf("%d sessions: %v", len(list), err)
	}
	w.vars["session"] = string(list[len(list)-1].ID)
	w.vars["cookie"], w.vars["csrf"] = signin.Cookie(w.srv.URL())+"="+s.Secret, signin.CSRF(s.Secret)
}

// generated replaces @repeat:TEXT:N@ by N times the text, for large inputs.
func generated(s string) string {
	for {
		head, rest, ok := strings.Cut(s, "@repeat:")
		if !ok {
			return s
		}
		spec, tail, _ := strings.Cut(rest, "@")
		colon := strings.LastIndexByte(spec, ':')
		n, err := strconv.Atoi(spec[colon+1:])
		if err != nil || colon < 0 {
			return s
		}
		s = head + strings.Repeat(spec[:colon], n) + tail
	}
}

func (w *world) expect(request string, got answer, status int, header, body string) {
	w.t.Helper()
	if got.status != status {
		w.t.Fatalf("%s\ngot %d, want %d: %s", w.expand(request), got.status, status, got.body)
	}
	if name, value, ok := strings.Cut(header, ": "); ok {
		if have := got.header.Get(name); !strings.Contains(have, w.expand(value)) {
			w.t.Fatalf("%s\nheader %s is %q, want %q", request, name, have, w.expand(value))
		}
	}
	if body == "" {
		return
	}
	var want any
	if err := json.Unmarshal([]byte(body), &want); err != nil {
		w.t.Fatalf("%s\nthe expectation is not JSON: %v\n%s", request, err, body)
	}
	if err := w.match("body", got.json(), want); err != nil {
		w.t.Fatalf("%s\n%v\ngot %s", w.expand(request), err, pretty(got.json()))
	}
}

// match compares an answer with a pattern: an object must have at least the
// keys of the pattern, a list must have its length. In texts, "$x=" names
// the value x, "*" is anything, "~text" contains text, "-" is absent.
func (w *world) match(path string, got, want any) error {
	switch want := want.(type) {
	case map[string]any:
		m, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v, want an object", path, got)
		}
		keys := make([]string, 0, len(want))
		for k := range want {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			v, there := m[k]
			if want[k] == "-" {
				if there {
					return fmt.Errorf("%s.%s is there: %v", path, k, v)
				}
				continue
			}
			if !there {
				return fmt.Errorf("%s.%s is not there", path, k)
			}
			if err := w.match(path+"."+k, v, want[k]); err != nil {
				return err
			}
		}
		return nil
	case []any:
		l, ok := got.([]any)
		if !ok || len(l) != len(want) {
			return fmt.Errorf("%s has %d items, want %d", path, len(l), len(want))
		}
		for i := range want {
			if err := w.match(fmt.Sprintf("%s[%d]", path, i), l[i], want[i]); err != nil {
				return err
			}
		}
		return nil
	case string:
		return w.matchText(path, got, want)
	}
	if got != want {
		return fmt.Errorf("%s is %v, want %v", path, got, want)
	}
	return nil
}

func (w *world) matchText(path string, got any, want string) error {
	if want == "*" {
		if got == nil || got == "" {
			return fmt.Errorf("%s is empty", path)
		}
		return nil
	}
	text, ok := got.(string)
	if !ok {
		return fmt.Errorf("%s is %v, want %q", path, got, want)
	}
	if name, ok := strings.CutSuffix(want, "="); ok && strings.HasPrefix(name, "$") {
		w.vars[name[1:]] = text
		return nil
	}
	if part, ok := strings.CutPrefix(want, "~"); ok {
		if !strings.Contains(text, w.expand(part)) {
			return fmt.Errorf("%s is %q, which does not contain %q", path, text, w.expand(part))
		}
		return nil
	}
	if text != w.expand(want) {
		return fmt.Errorf("%s is %q, want %q", path, text, w.expand(want))
	}
	return nil
}
