package publish_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

var menu = regexp.MustCompile(`(?s)<details class="drop actions".*?</details>`)

// The menu of a page has the actions that the customization names and the site supports.
func TestPageActions(t *testing.T) {
	w := newWorld(t)
	w.acme()
	has := func(at string, want ...string) {
		t.Helper()
		_, body := w.get(root + at)
		list := menu.FindString(body)
		var got []string
		for _, m := range regexp.MustCompile(`<a href="([^"]*)"`).FindAllStringSubmatch(list, -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("the menu of /%s has %q, want %q", at, got, want)
		}
	}
	w.customize(`{"pageActions":{"items":["git","mcp","markdown","assistant"]}}`)
	has("install", "/~octavo/mcp", "/install.md")
	all, _, err := w.sites.Store.Spaces(t.Context(), store.Viewer{Org: w.org, User: w.actor.User, Role: docs.Admin}, store.SpaceFilter{}, store.Page{Limit: 9})
	must(t, err)
	for _, sp := range all {
		must(t, w.sites.Store.Do(t.Context(), func(tx *store.Tx) error {
			return tx.PutGitInfo(t.Context(), sp.It.ID, docs.GitInfo{Provider: "github", URL: "https://github.test/a/b", TreeURL: "https://github.test/a/b/blob/main", Directory: "doc s"})
		}))
	}
	has("install", "https://github.test/a/b/edit/main/doc%20s/install.md", "/~octavo/mcp", "/install.md")
	if _, body := w.get(root + "install"); !strings.Contains(menu.FindString(body), "Edit on GitHub</a>") {
		t.Errorf("the host of the repository is not named: %s", menu.FindString(body))
	}
	has("group/one", "https://github.test/a/b/edit/main/doc%20s/group/one.md", "/~octavo/mcp", "/group/one.md")
	has("", "https://github.test/a/b/edit/main/doc%20s/README.md", "/~octavo/mcp", "/index.md")
	w.customize(`{"pageActions":{"items":[]}}`)
	has("install")
}
