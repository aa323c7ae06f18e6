package api_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// verifyUsage asks that the counters of a space are what its content says.
func (w *world) verifyUsage(ctx context.Context, r store.Reader, sp docs.Space) error {
	used, err := r.SpaceUsage(ctx, sp.ID)
	if err != nil {
		return err
	}
	v, err := w.srv.Content.Source.At(ctx, r, sp, sp.Revision)
	if err != nil {
		return err
	}
	var pages int64
	err = v.Scan(ctx, revision.KeyPage, "", func(string, []byte) (bool, error) {
		pages++
		return true, nil
	})
	if used[docs.QuotaPages] != pages {
		w.t.Errorf("space %s (%s) has %d pages, and %d were counted", sp.ID, sp.Title, pages, used[docs.QuotaPages])
	}
	return err
}

// limit sets quotas of Acme, or of its space.
func (w *world) limit(space string, q docs.Quotas) {
	w.t.Helper()
	if err := w.srv.Orgs.Operator.SetQuotas(context.Background(), docs.OrgID(w.vars["org"]), docs.SpaceID(space), q, nil); err != nil {
		w.t.Fatal(err)
	}
}

// used returns what the API says of a quota of Acme.
func (w *world) used(of string) int64 {
	w.t.Helper()
	a := w.call("admin", "GET", w.expand("/orgs/$org/usage"), "")
	is, _ := a.json().(map[string]any)
	one, _ := is[of].(map[string]any)
	n, _ := one["used"].(float64)
	return int64(n)
}

// refusedBy asks that a request is refused because of a quota, which the message names.
func (w *world) refusedBy(quota, method, path, body string) {
	w.t.Helper()
	a := w.call("admin", method, w.expand(path), w.expand(body))
	if a.status != http.StatusRequestEntityTooLarge || !strings.Contains(string(a.body), `quota \"`+quota+`\"`) {
		w.t.Errorf("%s %s: %d %s, want 413 by the quota %q", method, path, a.status, a.body, quota)
	}
}

// Whoever has as much as the quotas allow gets no more, and can have less.
func TestQuotas(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.liveSpace()
		w.addUser("editor", "edit")
		insert := `{"changes":[{"operation":"insert_page","title":"More","document":{"markdown":"Words.\n"}}]}`
		w.limit("", docs.Quotas{docs.QuotaPages: 2})
		second := w.insert(`{"title":"Second","document":{"markdown":"x\n"}}`)
		w.refusedBy("pages", "POST", "/spaces/$space/content", insert)
		w.refusedBy("pages", "POST", "/spaces/$space/duplicate", "")
		w.refusedBy("pages", "POST", "/orgs/$org/spaces", `{"title":"New"}`)
		w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"update_page","page":"$page","document":{"markdown":"Other words.\n"}}]}`)
		w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"delete_page","page":"`+second+`"}]}`)
		w.must("admin", "POST", "/spaces/$space/content", insert)
		w.limit(w.vars["space"], docs.Quotas{docs.QuotaFiles: 10})
		file := `{"changes":[{"operation":"insert_files","files":[{"name":"a.txt","contentType":"text/plain","base64":"%s"}]}]}`
		w.must("admin", "POST", "/spaces/$space/content", fmt.Sprintf(file, "MTIzNDU2"))
		w.refusedBy("files", "POST", "/spaces/$space/content", fmt.Sprintf(file, "YWJjZGVm"))
		w.limit("", docs.Quotas{docs.QuotaContent: w.used("content") + 50})
		w.refusedBy("content", "POST", "/spaces/$space/content", `{"changes":[{"operation":"update_page","page":"$page","document":{"markdown":"`+strings.Repeat("Long words. ", 50)+`"}}]}`)
		w.limit("", docs.Quotas{docs.QuotaContent: 1 << 30, docs.QuotaWebhooks: 0, docs.QuotaMembers: w.used("members"), docs.QuotaGitOperations: 0})
		w.refusedBy("webhooks", "POST", "/orgs/$org/webhooks", `{"url":"https://example.com/","events":["space_content_updated"]}`)
		w.refusedBy("members", "POST", "/orgs/$org/invites", `{"emails":["late@acme.test"],"role":"read"}`)
		w.refusedBy("gitOperations", "POST", "/spaces/$space/git/import", `{"url":"https://example.com/x.git","ref":"refs/heads/main"}`)
		w.limit("", docs.Quotas{docs.QuotaMembers: 1})
		if a := w.call("admin", "POST", w.expand("/orgs/$org/invites"), `{"emails":["late@acme.test"],"role":"read"}`); !strings.Contains(string(a.body), "is 1 member, and") {
			t.Errorf("%s", a.body)
		}
		w.refusedBy("gitOperations", "PUT", "/spaces/$space/git/connection", `{"url":"https://example.com/x.git","ref":"refs/heads/main"}`)
		w.verify()
	})
}

// Copies count as much as their originals, and nobody exceeds the quotas of an organization by
// transferring spaces to it.
func TestQuotasOfCopiesAndTransfers(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.liveSpace()
		w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"insert_files","files":[{"name":"a.txt","contentType":"text/plain","base64":"MTIzNDU2"}]}]}`)
		content := w.used("content")
		for of, most := range map[docs.Quota]int64{docs.QuotaFiles: 11, docs.QuotaContent: 2*content - 1} {
			w.limit("", docs.Quotas{of: most})
			w.refusedBy(string(of), "POST", "/spaces/$space/duplicate", "")
			w.limit("", docs.Quotas{of: most + 1})
		}
		w.must("admin", "POST", "/orgs/$org/collections", `{"title":"Both"}`, "collection")
		w.must("admin", "POST", "/spaces/$space/duplicate", "", "copy")
		if n := w.used("files"); n != 12 || w.used("content") != 2*content {
			t.Errorf("%d bytes of files and %d of content, of a space with %d and its copy", n, w.used("content"), content)
		}
		for _, space := range []string{"$space", "$copy"} {
			w.must("admin", "POST", "/spaces/"+space+"/move", `{"parent":"$collection"}`)
		}
		w.must("mallory", "POST", "/orgs/$beta/invites", `{"emails":["admin@acme.test"],"role":"create"}`)
		acme, beta := w.vars["org"], w.vars["beta"]
		for quota, most := range map[docs.Quota]int64{docs.QuotaContent: content, docs.QuotaFiles: 6, docs.QuotaPages: 1} {
			w.vars["org"] = beta
			w.limit("", docs.Quotas{docs.QuotaContent: 1 << 30, docs.QuotaFiles: 1 << 30, docs.QuotaPages: 100, quota: most})
			w.refusedBy(string(quota), "POST", "/collections/$collection/transfer", `{"organization":"$beta"}`)
			w.limit("", docs.Quotas{quota: most - 1})
			w.refusedBy(string(quota), "POST", "/spaces/$copy/transfer", `{"organization":"$beta"}`)
		}
		w.limit("", docs.Quotas{docs.QuotaContent: content, docs.QuotaFiles: 6, docs.QuotaPages: 1})
		// The space has more than it may by itself, which is no matter of whom it belongs to.
		w.vars["org"] = acme
		w.limit(w.vars["copy"], docs.Quotas{docs.QuotaPages: 0})
		w.must("admin", "POST", "/spaces/$copy/transfer", `{"organization":"$beta"}`)
		w.refusedBy("content", "POST", "/collections/$collection/transfer", `{"organization":"$beta"}`)
		w.verify()
	})
}

// Many who add at the same time do not exceed a quota together.
func TestQuotasBesideOthers(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.liveSpace()
		spaces := []string{w.vars["space"]}
		for range 3 {
			w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Live","editMode":"live","empty":true}`, "other")
			spaces = append(spaces, w.vars["other"])
		}
		w.limit("", docs.Quotas{docs.QuotaPages: 10})
		var wg sync.WaitGroup
		for i := range 24 {
			wg.Go(func() {
				w.call("admin", "POST", "/spaces/"+spaces[i%len(spaces)]+"/content", fmt.Sprintf(`{"changes":[{"operation":"insert_page","title":"Page %d","document":{"markdown":"x"}}]}`, i))
			})
		}
		wg.Wait()
		if n := w.used("pages"); n != 10 {
			t.Errorf("%d pages, and the quota is 10", n)
		}
		w.verify()
	})
}

// The pages and files of spaces that are older than the counters are counted later, once.
func TestOldSpacesAreCounted(t *testing.T) {
	o := testdb.SQLite(t)
	w := newWorld(t, o, nil)
	w.liveSpace()
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file:"+o.Path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE spaces SET counted = 0, page_count = 0, file_bytes = 0`); err != nil {
		t.Fatal(err)
	}
	w.insert(`{"title":"Second","document":{"markdown":"x\n"}}`)
	for range 2 {
		if err := w.srv.Content.CountUsage(ctx, nil); err != nil {
			t.Fatal(err)
		}
	}
	// Another node was faster, and somebody has changed the space since.
	counted, err := store.InTx(ctx, w.srv.Store, func(tx *store.Tx) (bool, error) {
		return tx.SetCounted(ctx, docs.SpaceID(w.vars["space"]), "gone", 7, 7)
	})
	if err != nil || !counted {
		t.Errorf("a space that was counted is counted again: %v", err)
	}
	w.verify()
}
