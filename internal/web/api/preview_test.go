package api_test

import (
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// TestFilesOfAPreviewEndWithIt: the address of a file that a preview returned is
// of use as long as the member who made the preview sees the space on the site.
func TestFilesOfAPreviewEndWithIt(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Guide","empty":true}`, "space")
		w.importFolder(w.vars["space"], fstest.MapFS{
			"README.md": {Data: []byte("# Hello\n\n![](map.png)\n")}, "map.png": {Data: []byte("\x89PNG\r\n\x1a\n")},
		})
		w.must("admin", "POST", "/orgs/$org/sites", `{"title":"Docs","spaces":["$space"]}`, "site")
		preview := w.must("admin", "GET", "/orgs/$org/sites/$site/publishing/preview", "").json().(map[string]any)["url"].(string)
		u, err := url.Parse(preview)
		if err != nil {
			t.Fatal(err)
		}
		a := w.call("nobody", "GET", w.expand("/spaces/$space/content/files"), "", "Authorization: Bearer "+u.Query().Get("token"))
		items := a.json().(map[string]any)["items"].([]any)
		address := items[0].(map[string]any)["downloadURL"].(string)
		if got := fetch(t, "GET", address); got.status != 200 || !strings.Contains(address, "user="+w.vars["user_admin"]) {
			t.Fatalf("%s: %d %s", address, got.status, got.body)
		}
		for _, forged := range []string{strings.Replace(address, "user=", "user=x", 1), strings.Replace(address, "&user="+w.vars["user_admin"], "", 1)} {
			if got := fetch(t, "GET", forged); got.status != 404 {
				t.Errorf("%s: %d", forged, got.status)
			}
		}
		w.must("admin", "DELETE", "/orgs/$org/sites/$site", "")
		if got := fetch(t, "GET", address); got.status != 404 {
			t.Errorf("after the site was deleted: %d", got.status)
		}
	})
}
