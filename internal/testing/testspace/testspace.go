// Package testspace makes spaces with content for tests.
//
// A Desk is a space to write in; what tests of one package ask of it is a method there.
package testspace

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Random imports a folder of nested pages, groups and links, some of them
// hidden or with a condition, and returns its newest revision.
func Random(t *testing.T, r *rand.Rand) *revision.View {
	t.Helper()
	files := map[string]string{}
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
		files[name] = fmt.Sprintf("%s# Page %d\n\nText.\n", head, i)
		depth = r.IntN(min(depth+2, 5))
	}
	files["SUMMARY.md"] = summary.String()
	d := New(t, testdb.SQLite(t))
	d.Import(t, files)
	return d.Head(t, d.ID)
}
