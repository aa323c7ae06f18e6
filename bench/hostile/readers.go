package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Readers of a site need no account. They send these requests without a token, many at a time.
const (
	readersAtOnce = 8
	readersTime   = 5 * time.Second
)

// publicSite creates a site with long pages that all readers may read, and a page with a claim.
func publicSite(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	for range 4 {
		body := json.RawMessage(batch(texts(50, 20_000)...))
		if err := a.must(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", body, nil); err != nil {
			return err
		}
	}
	if _, err := a.insert(ctx, a.at["space"], "Adaptive", `{% if visitor.claims.unsigned.name == "x" %}`+"\nText.\n\n{% endif %}\n"); err != nil {
		return err
	}
	return a.publish(ctx)
}

// publish publishes the space of the attacker as a site with an MCP server and unsigned claims.
func (a *attacker) publish(ctx context.Context) error {
	var site struct{ ID string }
	if err := a.must(ctx, http.MethodPost, "/v1/orgs/"+a.org+"/sites", map[string]any{"title": "Site", "visibility": "public", "spaces": []string{a.at["space"]}}, &site); err != nil {
		return err
	}
	a.at["site"] = site.ID
	at := "/v1/orgs/" + a.org + "/sites/" + site.ID
	schema := map[string]any{"jsonSchema": map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{
		"unsigned": map[string]any{"type": "object", "description": "Unsigned", "additionalProperties": false, "properties": map[string]any{
			"name": map[string]any{"type": "string", "description": "Name"},
		}},
	}}}
	look := map[string]any{"pageActions": map[string]any{"items": []string{"markdown", "mcp", "pdf"}}}
	for _, step := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPatch, "", map[string]any{"adaptiveContent": map[string]any{"enabled": true}}},
		{http.MethodPut, "/adaptive-schema", schema},
		{http.MethodPut, "/customization", look},
		{http.MethodPost, "/publish", nil},
	} {
		if err := a.must(ctx, step.method, at+step.path, step.body, nil); err != nil {
			return err
		}
	}
	return nil
}

// reader sends requests to the site without a token.
func (a *attacker) reader(ctx context.Context, method, path, body string, change func(*http.Request)) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+a.s.nodes[0].address+"/s/"+a.at["site"]+"/"+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if change != nil {
		change(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	return res.StatusCode, b, err
}

// readers sends requests with several readers at once for some time, and returns how many were
// answered in which way.
func (a *attacker) readers(ctx context.Context, send func(ctx context.Context, i int) (int, error)) string {
	ctx, stop := context.WithTimeout(ctx, readersTime)
	defer stop()
	var mu sync.Mutex
	answers := map[string]int{}
	var all sync.WaitGroup
	for n := range readersAtOnce {
		all.Go(func() {
			for i := n; ctx.Err() == nil; i += readersAtOnce {
				status, err := send(ctx, i)
				if ctx.Err() != nil {
					return // the last one is cut off
				}
				mu.Lock()
				if answers[strconv.Itoa(status)]++; err != nil {
					answers[err.Error()]++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return fmt.Sprint(answers)
}

// getting returns an attack of readers who get paths.
func getting(path func(i int) string) func(context.Context, *attacker) string {
	return func(ctx context.Context, a *attacker) string {
		return a.readers(ctx, func(ctx context.Context, i int) (int, error) {
			status, _, err := a.reader(ctx, http.MethodGet, path(i), "", nil)
			return status, err
		})
	}
}

// searched is a path of a search with many misspelled words.
func searched(int) string {
	var words []string
	for range 25 {
		words = append(words, strangeWord())
	}
	return "~octavo/found?" + url.Values{"q": {strings.Join(words, " ")}}.Encode()
}

// absent is a long path of no page.
func absent(i int) string {
	return strings.Repeat("word"+strconv.Itoa(i)+"-other/", 100) + "page"
}

func fullText(i int) string { return []string{"llms-full.txt", "llms-full.txt/2", "llms.txt"}[i%3] }

func sitemaps(i int) string { return []string{"sitemap.xml", "sitemap-pages.xml"}[i%2] }

// drawCards gets the pictures of links of all pages.
func drawCards(ctx context.Context, a *attacker) string {
	var content struct {
		Pages []struct{ ID string }
	}
	if err := a.must(ctx, http.MethodGet, "/v1/spaces/"+a.at["space"]+"/content", nil, &content); err != nil {
		return err.Error()
	}
	return a.readers(ctx, func(ctx context.Context, i int) (int, error) { // the address with any hash redirects
		status, _, err := a.reader(ctx, http.MethodGet, "~octavo/ogimage/"+content.Pages[i%len(content.Pages)].ID+"/x.png", "", nil)
		return status, err
	})
}

// newClaims reads pages with claims that are other ones each time.
func newClaims(ctx context.Context, a *attacker) string {
	return a.readers(ctx, func(ctx context.Context, i int) (int, error) {
		status, _, err := a.reader(ctx, http.MethodGet, "", "", func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: "gitbook-visitor-public", Value: url.QueryEscape(`{"name":"` + strconv.Itoa(i) + strangeWord() + `"}`)})
		})
		return status, err
	})
}

// mcpCalls returns an attack with calls of the MCP server.
func mcpCalls(atOnce int, body func() string) func(context.Context, *attacker) string {
	return func(ctx context.Context, a *attacker) string {
		ctx, stop := context.WithTimeout(ctx, 4*readersTime)
		defer stop()
		var mu sync.Mutex
		answers := map[int]int{}
		var all sync.WaitGroup
		for range atOnce {
			all.Go(func() {
				status, _, _ := a.reader(ctx, http.MethodPost, "~octavo/mcp", body(), func(r *http.Request) { // status 0 is counted
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("Accept", "application/json, text/event-stream")
				})
				mu.Lock()
				answers[status]++
				mu.Unlock()
			})
		}
		all.Wait()
		return fmt.Sprint(answers)
	}
}

func nestedCall() string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getPage","arguments":{"url":` + strings.Repeat("[],", 330_000) + `1}}}`
}

func searchCall() string {
	var words []string
	for range 25 {
		words = append(words, strangeWord())
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"searchDocumentation","arguments":{"query":"` + strings.Join(words, " ") + `"}}}`
}

// manyFormulas creates a site with pages of 27 formulas of 2 KB: fractions in each other, and
// wide ones.
func manyFormulas(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	var pages []string
	for p := range 20 {
		var text strings.Builder
		for i := range 27 {
			one := strings.Repeat(`\frac{1}{`, 185) + strconv.Itoa(100*p+i) + strings.Repeat("}", 185)
			if i%3 == 0 {
				one = `\begin{matrix}` + strconv.Itoa(100*p+i) + strings.Repeat(`a&`, 950) + `\end{matrix}`
			}
			text.WriteString("$$\n" + one + "\n$$\n\n")
		}
		pages = append(pages, text.String())
	}
	if err := a.must(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", json.RawMessage(batch(pages...)), nil); err != nil {
		return err
	}
	if err := a.publish(ctx); err != nil {
		return err
	}
	return a.addNeighbor(ctx)
}

// addNeighbor adds another organization, whose site has a page with short formulas.
func (a *attacker) addNeighbor(ctx context.Context) error {
	n := &attacker{s: a.s}
	if err := n.sign(ctx, "Neighbor of "+a.org); err != nil {
		return err
	}
	if err := withSpace(ctx, n); err != nil {
		return err
	}
	if _, err := n.insert(ctx, n.at["space"], "Page", "In a line: $$e^{i\\pi} = -1$$.\n\n$$\n\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}\n$$\n"); err != nil {
		return err
	}
	a.neighbor = n
	return n.publish(ctx)
}

// whileNeighbor runs an attack, and measures in the middle of it how long a page and a PDF with
// formulas of another organization take.
func whileNeighbor(attack func(context.Context, *attacker) string) func(context.Context, *attacker) string {
	return func(ctx context.Context, a *attacker) string {
		seen := make(chan string, 1)
		go func() {
			time.Sleep(readersTime / 4)
			began := time.Now()
			page, _, _ := a.neighbor.reader(ctx, http.MethodGet, "page", "", nil)
			between := time.Now()
			pdf := makePDF(ctx, a.neighbor)
			seen <- fmt.Sprintf("page of another %d in %.2f s, PDF %s in %.2f s", page, between.Sub(began).Seconds(), pdf, time.Since(between).Seconds())
		}()
		got := attack(ctx, a)
		return got + "; " + <-seen
	}
}

// readFormulas reads the pages with readers who leave.
func readFormulas(ctx context.Context, a *attacker) string {
	return a.readers(ctx, func(ctx context.Context, i int) (int, error) {
		status, _, err := a.reader(ctx, http.MethodGet, "page-"+strconv.Itoa(i%20), "", nil)
		return status, err
	})
}
