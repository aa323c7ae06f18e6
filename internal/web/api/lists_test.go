package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

// filling makes something that lists have, and remembers its id under a name. list-N is
// replaced by one that is new.
type filling struct{ method, path, body, name string }

var fill = []filling{
	{"POST", "/orgs/$org/collections", `{"title":"List"}`, ""},
	{"POST", "/orgs/$org/collections", `{"title":"List","parent":"$collection"}`, ""},
	{"POST", "/orgs/$org/spaces", `{"title":"List"}`, ""},
	{"POST", "/orgs/$org/spaces", `{"title":"List","parent":"$collection"}`, ""},
	{"POST", "/orgs/$org/spaces", `{"title":"List","language":"en"}`, "translated"},
	{"PUT", "/orgs/$org/teams", `{"title":"List","members":["$user_victim"]}`, "last"},
	{"POST", "/orgs/$org/invites", `{"emails":["list-N@acme.test"],"role":"read"}`, ""},
	{"PUT", "/orgs/$org/teams/$team/members", `{"add":["list-N@acme.test"]}`, ""},
	{"POST", "/spaces/$space/permissions", `{"role":"read","users":["list-N@acme.test"],"teams":["$last"]}`, ""},
	{"POST", "/collections/$collection/permissions", `{"role":"read","users":["list-N@acme.test"],"teams":["$last"]}`, ""},
	{"POST", "/orgs/$org/sites/$site/permissions", `{"role":"read","users":["list-N@acme.test"],"teams":["$last"]}`, ""},
	{"POST", "/orgs/$org/link-invites", `{"role":"read"}`, ""},
	{"POST", "/user/tokens", `{"label":"List"}`, ""},
	{"POST", "/orgs", `{"title":"List"}`, "gone"},
	{"DELETE", "/orgs/$gone", "", ""},
	{"POST", "/orgs/$org/service-accounts", `{"name":"List","role":"read"}`, ""},
	{"POST", "/orgs/$org/service-accounts/$machine/tokens", `{"label":"List"}`, ""},
	{"POST", "/orgs/$org/webhooks", `{"url":"https://list.example/"}`, ""},
	{"POST", "/orgs/$org/webhooks/$webhook/test", "", ""},
	{"POST", "/orgs/$org/openapi", `{"slug":"list-N","source":{"text":"List"}}`, ""},
	{"POST", "/orgs/$org/conversations", `{"id":"list-N","parts":[{"type":"message","role":"user","body":"Why does the webhook of list-N fail?"}]}`, ""},
	{"POST", "/orgs/$org/translations", `{"source":{"space":"$translated"},"language":"fr"}`, ""},
	{"PUT", "/orgs/$org/translations-glossary", `{"operations":[{"type":"insert","translations":{"en":"List"}}]}`, ""},
	{"POST", "/orgs/$org/saml", `{"label":"List"}`, ""},
	{"POST", "/orgs/$org/oidc", `{"label":"List","issuer":"https://login.example","clientId":"list"}`, ""},
	{"POST", "/orgs/$org/sites", `{"title":"List"}`, ""},
	{"POST", "/orgs/$org/sites/$site/sections", `{"title":"List","spaceId":"$space"}`, ""},
	{"POST", "/orgs/$org/sites/$site/section-groups", `{"title":"List"}`, ""},
	{"POST", "/orgs/$org/sites/$site/site-spaces", `{"spaceId":"$space"}`, ""},
	{"POST", "/orgs/$org/sites/$site/share-links", `{"name":"List"}`, ""},
	{"POST", "/orgs/$org/sites/$site/redirects", `{"source":"/list-N","destination":{"kind":"external","url":"https://list.example/"}}`, ""},
	{"POST", "/orgs/$org/sites/$site/mcp-servers", `{"name":"List","url":"https://list.example/","headers":{}}`, ""},
	{"POST", "/spaces/$space/change-requests", `{"subject":"List"}`, ""},
	{"POST", "/spaces/$space/change-requests/$request/reviews", `{"status":"approved"}`, ""},
	{"POST", "/spaces/$space/change-requests/$request/content", `{"changes":[{"operation":"insert_page","title":"List","document":{"markdown":"[home](/pages/$page) [file](/files/$file)"}}]}`, ""},
	{"POST", "/spaces/$space/content", `{"changes":[{"operation":"insert_page","title":"List","document":{"markdown":"List, [home](/pages/$page), [file](/files/$file), [lost](/nowhere-N)"}},
		{"operation":"insert_files","files":[{"name":"list.txt","contentType":"text/plain","base64":"TGlzdA=="}]}]}`, ""},
	{"POST", "/spaces/$space/comments", `{"page":"$page","body":{"markdown":"List"}}`, ""},
	{"POST", "/spaces/$space/comments/$comment/replies", `{"body":{"markdown":"List"}}`, ""},
	{"POST", "/spaces/$space/change-requests/$request/comments", `{"body":{"markdown":"List"}}`, "comment2"},
	{"POST", "/spaces/$space/change-requests/$request/comments/$comment2/replies", `{"body":{"markdown":"List"}}`, ""},
}

// walk reads a list by pages and returns its items, each as its id or as it is.
func (w *world) walk(path string, limit int, between func()) (items []string) {
	w.t.Helper()
	next := ""
	for range 1000 {
		join := "?"
		if strings.Contains(path, "?") {
			join = "&"
		}
		at := fmt.Sprintf("%s%slimit=%d", path, join, limit)
		if next != "" {
			at += "&page=" + url.QueryEscape(next)
		}
		var page struct {
			Items []json.RawMessage
			Next  struct{ Page string }
		}
		a := w.must("admin", "GET", at, "")
		if err := json.Unmarshal(a.body, &page); err != nil {
			w.t.Fatalf("%s: %v", at, err)
		}
		if len(page.Items) > limit {
			w.t.Errorf("%s has %d items", at, len(page.Items))
		}
		for _, raw := range page.Items {
			items = append(items, identity(raw))
		}
		if next = page.Next.Page; next == "" {
			return items
		}
		if between != nil {
			between()
		}
	}
	w.t.Fatalf("%s does not end", path)
	return nil
}

// identity returns what an item of a list is known by.
func identity(raw json.RawMessage) string {
	var item map[string]any
	if json.Unmarshal(raw, &item) != nil || item["id"] == nil {
		return string(raw)
	}
	return fmt.Sprint(item["id"])
}

// listed are the queries of lists that show nothing, or something else, without.
var listed = map[string]string{
	"listChangeRequestsForSpace":        "?status=draft",
	"listChangeRequestsForOrganization": "?status=draft",
	"searchSpaceContent":                "?query=list",
}

// Every list of the API is the same by pages of any size, although all items have the same time and
// most the same title.
func TestListsByPages(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w, f := newLists(t, o)
		var short []string
		for _, op := range w.srv.API.Operations() {
			if op.Method != http.MethodGet || !w.isList(op.Path) || op.ID == "searchOrganizationContent" { // whose pages are of hits
				continue
			}
			path := w.list(f, op.Path) + cmp.Or(listed[op.ID], queries[op.ID])
			all := w.walk(path, 1000, nil)
			if len(all) < 3 {
				short = append(short, op.ID)
			}
			for _, limit := range []int{1, 2, 7} {
				if got := w.walk(path, limit, nil); !slices.Equal(got, all) {
					t.Errorf("%s by pages of %d:\n%q\nat once:\n%q", op.ID, limit, got, all)
				}
			}
		}
		if len(short) > 14 {
			t.Errorf("these lists are too short to say something: %q", short)
		}
	})
}

// While items are added to a list and removed from it, those that stay are found once.
func TestListsThatChangeWhileTheyAreRead(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w, f := newLists(t, o)
		number, walked := 8, 0
		for _, op := range w.srv.API.Operations() {
			made := slices.ContainsFunc(fill, func(x filling) bool { return f.w.expand(x.path) == f.path(op.Path) })
			if op.Method != http.MethodGet || !made || !w.isList(op.Path) || !w.removes(op.Path) {
				continue
			}
			walked++
			path := w.list(f, op.Path)
			query := listed[op.ID]
			before := w.walk(path+query, 1000, nil)
			gone := w.unused(before)
			got := w.walk(path+query, 2, func() {
				w.fill(number, path)
				number++
				w.call("admin", http.MethodDelete, path+"/"+gone, "") // once; then it is gone
			})
			times := map[string]int{}
			for _, id := range got {
				times[id]++
			}
			for _, id := range before {
				if id != gone && times[id] != 1 {
					t.Errorf("%s: %s was found %d times", op.ID, id, times[id])
				}
			}
			if times[gone] > 1 {
				t.Errorf("%s: what was removed was found %d times", op.ID, times[gone])
			}
		}
		if walked < 8 {
			t.Errorf("only %d lists were walked", walked)
		}
	})
}

// unused returns the item nearest to the middle of a list below which no other
// list is.
func (w *world) unused(items []string) string {
	for i := range items {
		at := (len(items)/2 + i) % len(items)
		used := false
		for _, id := range w.vars {
			used = used || id == items[at]
		}
		if !used {
			return items[at]
		}
	}
	w.t.Fatal("everything of the list is used by others")
	return ""
}

// newLists returns a world with several of everything, all made in one moment.
func newLists(t *testing.T, o store.Options) (*world, fixture) {
	t.Helper()
	now := time.Now()
	o.Clock = func() time.Time { return now }
	w := newWorld(t, o, nil)
	f := newFixture(w)
	for n := range 8 {
		w.fill(n, "")
		w.signIn("admin")
		w.wonder(fmt.Sprint("question ", n))
		w.must("admin", "PUT", "/orgs/$org/openapi/"+marker, fmt.Sprintf(`{"source":{"text":"{openapi: 3.0.3, info: {title: List, version: '%d'}, paths: {}}"}}`, n))
		w.processSpecs()
		w.must("author", "POST", "/spaces/$space/comments/$comment/replies", `{"body":{"markdown":"List"}}`)
	}
	w.notify()
	for n, topic := range []string{"cancel my subscription", "invite a colleague", "restore a deleted page", "embed a video"} {
		w.must("admin", "POST", "/orgs/$org/conversations", fmt.Sprintf(`{"id":"topic-%d","parts":[{"type":"message","role":"user","body":"How do I %s?"}]}`, n, topic))
	}
	w.analyse()
	w.flushUses()
	return w, f
}

// fill adds one of everything, or of what is made at a path.
func (w *world) fill(number int, path string) {
	w.t.Helper()
	for _, x := range fill {
		needed := x.path == "/orgs/$org/invites" || x.name == "translated" // of whom others are made members, and what is translated
		if path != "" && w.expand(x.path) != path && !needed {
			continue
		}
		a := w.must("admin", x.method, x.path, strings.ReplaceAll(x.body, "list-N", fmt.Sprintf("list-%d", number)))
		if x.name == "last" || x.name == "translated" || x.name != "" && w.vars[x.name] == "" {
			w.vars[x.name] = identity(a.body)
		}
	}
}

// list returns the path of a list of the fixture.
func (w *world) list(f fixture, pattern string) string {
	if strings.Contains(pattern, "{changeRequestId}") {
		pattern = strings.ReplaceAll(pattern, "{commentId}", w.vars["comment2"])
	}
	return f.path(pattern)
}

// removes reports whether items of a list are deleted below its path.
func (w *world) removes(path string) bool {
	return slices.ContainsFunc(w.srv.API.Operations(), func(op kernel.OperationInfo) bool {
		rest, is := strings.CutPrefix(op.Path, path+"/{")
		return is && op.Method == http.MethodDelete && !strings.Contains(rest, "/")
	})
}

// isList reports whether an operation is described as a list by pages.
func (w *world) isList(path string) bool {
	w.t.Helper()
	if w.lists == nil {
		var spec struct {
			Paths map[string]struct {
				Get struct{ Parameters []struct{ Name string } }
			}
		}
		if err := json.Unmarshal(w.must("nobody", "GET", "/openapi.json", "").body, &spec); err != nil {
			w.t.Fatal(err)
		}
		w.lists = map[string]bool{}
		for path, at := range spec.Paths {
			for _, p := range at.Get.Parameters {
				w.lists[path] = w.lists[path] || p.Name == "limit"
			}
		}
	}
	return w.lists[path]
}
