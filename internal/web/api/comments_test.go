package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// A page of a list ends early when the bodies are long, so that nobody makes
// an answer of any size by writing much. (security: bounded memory)
func TestLongTextsMakeShortPages(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Long"}`, "space")
		long := `{"body":{"markdown":"` + strings.Repeat("word ", 12_800) + `"}}` // 64 KB
		const posted = 20
		for range posted {
			w.must("admin", "POST", "/spaces/$space/comments?format=markdown", long, "comment")
		}
		for range posted {
			w.must("admin", "POST", "/spaces/$space/comments/$comment/replies?format=markdown", long)
		}
		words := strings.Repeat("word ", 12_800)
		for range posted {
			w.must("admin", "POST", "/spaces/$space/change-requests", `{"subject":"Long"}`, "cr")
			w.must("admin", "PATCH", "/spaces/$space/change-requests/$cr", `{"status":"open","description":{"object":"document","data":{},"nodes":[{"object":"block","type":"paragraph","isVoid":false,"data":{},"nodes":[{"object":"text","leaves":[{"object":"leaf","text":"`+words+`","marks":[]}]}]}]}}`)
		}
		for range posted {
			w.must("admin", "POST", "/spaces/$space/change-requests/$cr/reviews", `{"status":"approved","comment":{"markdown":"`+words+`"}}`)
		}
		for _, path := range []string{"/spaces/$space/comments?format=markdown&", "/spaces/$space/comments/$comment/replies?format=markdown&", "/spaces/$space/change-requests?", "/orgs/$org/change-requests?", "/spaces/$space/change-requests/$cr/reviews?"} {
			seen := map[string]bool{}
			pages := 0
			for cursor := ""; ; pages++ {
				a := w.must("admin", "GET", path+"limit=1000"+cursor, "")
				if len(a.body) > 3<<19 {
					t.Errorf("%s: an answer of %d bytes", path, len(a.body))
				}
				body := a.json().(map[string]any)
				for _, it := range body["items"].([]any) {
					seen[it.(map[string]any)["id"].(string)] = true
				}
				next, more := body["next"].(map[string]any)
				if !more {
					break
				}
				cursor = fmt.Sprintf("&page=%s", next["page"])
			}
			if len(seen) != posted || pages < 1 {
				t.Errorf("%s: %d items on %d pages", path, len(seen), pages+1)
			}
		}
	})
}
