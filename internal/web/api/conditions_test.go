package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// conditioned is the folder of a space whose pages all have a condition.
func conditioned(pages int, condition, text string) fstest.MapFS {
	files := fstest.MapFS{"README.md": {Data: []byte("# Home\n\nFirst.\n"), Mode: 0o644}}
	list := "# Table of contents\n\n* [Home](README.md)\n"
	for i := range pages {
		name := fmt.Sprintf("p%d.md", i)
		files[name] = &fstest.MapFile{Data: fmt.Appendf(nil, "---\nif: '%s'\n---\n\n# P%d\n\n%s\n", condition, i, text), Mode: 0o644}
		list += fmt.Sprintf("* [P%d](%s)\n", i, name)
	}
	files["SUMMARY.md"] = &fstest.MapFile{Data: []byte(list), Mode: 0o644}
	return files
}

// costlyExpression takes nearly all steps that one expression may take, and is true.
var costlyExpression = func() string {
	list := func(n int) string { return `"` + strings.Repeat("a", n) + `".split("")` }
	return list(50) + ".every(x => " + list(30) + ".every(y => " + list(10) + ".every(z => x == z)))"
}()

// Conditions and expressions of all pages that a request reads share one budget: one reader could
// keep a processor busy for as many milliseconds as a site has pages otherwise, again
// for each visitor who is known by something else.
func TestConditionsOfARequestShareABudget(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	publish := func(files fstest.MapFS) string {
		w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Docs","empty":true}`, "space")
		w.importFolder(w.vars["space"], files)
		w.must("admin", "POST", "/orgs/$org/sites", `{"title":"Site","visibility":"public","spaces":["$space"]}`, "site")
		w.must("admin", "POST", "/orgs/$org/sites/$site/publish", "")
		return w.srv.URL() + "/s/" + w.vars["site"]
	}
	paths := []string{"/", "/p1", "/sitemap-pages.xml", "/llms.txt", "/llms-full.txt", "/~gitbook/search?q=text"}
	ask := func(address string) (int, string) {
		res, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || res.Body.Close() != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	for name, files := range map[string]fstest.MapFS{
		"costly conditions":  conditioned(400, costlyExpression, "Text."),
		"costly expressions": conditioned(120, "1 == 1", strings.Repeat(`<code class="expression">`+costlyExpression+"</code>\n\n", 4)),
	} {
		site, refused := publish(files), 0
		for _, path := range paths {
			status, body := ask(site + path)
			switch {
			case status == http.StatusUnprocessableEntity && strings.Contains(body, "steps of expressions and conditions"):
				refused++
			case status >= 500:
				t.Errorf("%s, %s: %d %s", name, path, status, body)
			}
		}
		if refused == 0 {
			t.Errorf("%s: nothing is refused", name)
		}
	}
	site := publish(conditioned(2000, `page.vars.level > 1 || visitor.claims.plan == "a" || 1 == 1`, `<code class="expression">1 + 1</code> words.`))
	for _, path := range paths {
		if status, body := ask(site + path); status != http.StatusOK {
			t.Errorf("ordinary conditions, %s: %d %s", path, status, body)
		}
	}
}
