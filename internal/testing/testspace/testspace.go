// Package testspace makes spaces with content for tests.
package testspace

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Random imports a folder of nested pages, groups and links, some of them
// hidden or with a condition, and returns its newest revision.
func Random(t *testing.T, r *rand.Rand) *revision.View {
	t.Helper()
	files := fstest.MapFS{}
	var summary strings.Builder
	summary.WriteString("# Table of contents\n\n")
	depth := 0
	for i := range 120 {
		if r.IntN(15) == 0 {
			fmt.Fprintf(&summary, "\n## Group %d\n\n", i)
			depth = 0
		}
		indent := strings.Repeat("  ", depth)
		if r.IntN(10) == 0 {
			fmt.Fprintf(&summary, "%s* [Link %d](https://example.com/%d)\n", indent, i, i)
			continue
		}
		name := fmt.Sprintf("p%d.md", i)
		fmt.Fprintf(&summary, "%s* [Page %d](%s)\n", indent, i, name)
		head := []string{"", "", "", "---\nhidden: true\n---\n\n", "---\nif: visitor.claims.beta\n---\n\n"}[r.IntN(5)]
		files[name] = &fstest.MapFile{Data: fmt.Appendf(nil, "%s# Page %d\n\nText.\n", head, i)}
		depth = r.IntN(min(depth+2, 5))
	}
	files["SUMMARY.md"] = &fstest.MapFile{Data: []byte(summary.String())}
	st := testdb.Open(t, testdb.SQLite(t))
	c := content.New(content.Config{Store: st, Blobs: testdb.Blobs(t)})
	b, err := orgs.New(st, orgs.Config{}).Operator.Bootstrap(t.Context(), "ada@acme.test", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	by := authz.OperatorGrant(b.User)
	top, _, err := authz.NewChecker(st.Reader).Org(t.Context(), by.Actor, authz.CreateContent, b.Organization)
	if err != nil {
		t.Fatal(err)
	}
	sp, _, err := (&spaces.Service{Store: st, Content: c}).Create(t.Context(), top, spaces.NewSpace{Title: "Random", EditMode: docs.EditLive, Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := folder.Read(files, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Import(t.Context(), by, sp, tree, func(string, int, int) {}); err != nil {
		t.Fatal(err)
	}
	stored, err := st.Space(t.Context(), sp.ID)
	if err != nil {
		t.Fatal(err)
	}
	view, err := c.Source.Head(t.Context(), stored.It)
	if err != nil {
		t.Fatal(err)
	}
	return view
}
