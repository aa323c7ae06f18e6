package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"
)

// row is one kind of expensive request.
type row struct {
	number  int
	name    string
	prepare func(ctx context.Context, a *attacker) error
	attack  func(ctx context.Context, a *attacker) string
}

// rows are all kinds of requests. Their numbers are those of the first measurements; see
// the manual page about limits.
var rows = []row{
	{1, "32 MB of documents in one batch", withSpace, largeBatch},
	{1, "50 pages restored in one batch", manyPages, revertPages},
	{1, "rollback of 50 pages of 80 KB", manyPages, rollBack},
	{2, "32 MB of small JSON values", withSpace, smallValues},
	{3, "400 expressions in 400 KB", expressions, readEvaluated},
	{4, "list of large comments", largeComments, listComments},
	{4, "list of change requests with large descriptions", largeRequests, listRequests},
	{5, "links into spaces with long rules", linkedSpaces, listLinks},
	{6, "20 compressed files in a refused batch", withSpace, fetchZeros},
	{7, "24 misspelled words", muchText, searchMisspelled},
	{8, "180,000 links of a change request", manyLinks, listRequestLinks},
	{9, "PDF of 4 MB", largeSpace, makePDF},
	{9, "PDF with large pictures", pictures, makePDF},
	{10, "800 stalled bodies without a token", withSpace, stalledStrangers},
	{10, "20 stalled bodies of 30 MB", withSpace, stalledBodies},
	{11, "git import of 40 packed pages of 2 MB", packedPages, importRepository},
	{11, "git import of SUMMARY.md of 2.2 MB", largeSummary, importRepository},
	{12, "50 pages of 80 KB in one batch", withSpace, insertPages},
	{13, "site of 1,000 pages with expensive conditions", conditions, readSite},
	{14, "readers of a site: search of 25 words", publicSite, getting(searched)},
	{14, "readers of a site: long paths of no page", publicSite, getting(absent)},
	{14, "readers of a site: llms-full.txt", publicSite, getting(fullText)},
	{14, "readers of a site: sitemaps", publicSite, getting(sitemaps)},
	{14, "readers of a site: pictures of links", publicSite, drawCards},
	{14, "readers of a site: new claims each time", publicSite, newClaims},
	{15, "48 MCP calls of 1 MB of small values", publicSite, mcpCalls(48, nestedCall)},
	{15, "120 MCP searches of 25 words", publicSite, mcpCalls(120, searchCall)},
	{16, "pages of 27 formulas of 2 KB", manyFormulas, whileNeighbor(readFormulas)},
	{16, "PDF of 20 such pages", manyFormulas, whileNeighbor(makePDF)},
}

func withSpace(ctx context.Context, a *attacker) (err error) {
	a.at["space"], err = a.space(ctx)
	return err
}

// answer returns a short description of a response.
func answer(status int, body []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d, %d KB", status, len(body)>>10)
}

// prose returns about n bytes of random text.
func prose(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "word%d other%d ", rand.IntN(5000), rand.IntN(50))
		switch i % 40 {
		case 20:
			b.WriteString("**strong** and [a link](https://example.com/x) ")
		case 39:
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// batch returns a request body that inserts pages.
func batch(texts ...string) string {
	var changes []any
	for i, text := range texts {
		changes = append(changes, map[string]any{"operation": "insert_page", "title": "Page " + strconv.Itoa(i), "document": map[string]any{"markdown": text}})
	}
	b, _ := json.Marshal(map[string]any{"changes": changes}) // strings only
	return string(b)
}

func texts(n, size int) (out []string) {
	for range n {
		out = append(out, prose(size))
	}
	return out
}

func largeBatch(ctx context.Context, a *attacker) string {
	return answer(a.send(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", batch(texts(17, 1_800_000)...)))
}

func insertPages(ctx context.Context, a *attacker) string {
	return answer(a.send(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", batch(texts(50, 80_000)...)))
}

// manyPages creates 50 pages of 80 KB and changes each of them.
func manyPages(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	var made struct {
		Revision string
		Changes  []struct{ Page struct{ ID string } }
	}
	path := "/v1/spaces/" + a.at["space"] + "/content"
	if err := a.must(ctx, http.MethodPost, path, json.RawMessage(batch(texts(50, 80_000)...)), &made); err != nil {
		return err
	}
	a.at["revision"] = made.Revision
	for _, c := range made.Changes {
		a.more = append(a.more, c.Page.ID)
		changes := []any{map[string]any{"operation": "update_page", "page": c.Page.ID, "document": map[string]any{"markdown": prose(80_000)}}}
		if err := a.must(ctx, http.MethodPost, path, map[string]any{"changes": changes}, nil); err != nil {
			return err
		}
	}
	return nil
}

func revertPages(ctx context.Context, a *attacker) string {
	var changes []any
	for _, id := range a.more {
		changes = append(changes, map[string]any{"operation": "revert_page", "page": id, "revision": a.at["revision"]})
	}
	b, _ := json.Marshal(map[string]any{"changes": changes})
	return answer(a.send(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", string(b)))
}

func rollBack(ctx context.Context, a *attacker) string {
	return answer(a.send(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/revisions/"+a.at["revision"]+"/rollback", ""))
}

func smallValues(ctx context.Context, a *attacker) string {
	body := `{"changes":[` + strings.Repeat("{},", 10_000_000) + `{}]}`
	return answer(a.send(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", body))
}

func expressions(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	// Each expression produces as much output as possible from a short input.
	one := `<code class="expression">page.vars.a.split("").map(c =&gt; page.vars.a + page.vars.a + page.vars.a).join(page.vars.a)</code> text. ` + strings.Repeat("word ", 100)
	text := "---\nvars:\n  a: " + strings.Repeat("y", 250) + "\n---\n\n# Expressions\n\n" + strings.Repeat(one+"\n\n", 400)
	var made struct {
		Changes []struct{ Page struct{ ID string } }
	}
	if err := a.must(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", json.RawMessage(batch(text)), &made); err != nil {
		return err
	}
	a.at["page"] = made.Changes[0].Page.ID
	return nil
}

func readEvaluated(ctx context.Context, a *attacker) string {
	path := "/v1/spaces/" + a.at["space"] + "/content/page/" + a.at["page"] + "?evaluated=true"
	got := answer(a.send(ctx, http.MethodGet, path, ""))
	return got + "; " + answer(a.send(ctx, http.MethodGet, path+"&format=markdown", ""))
}

// conditions publishes a site whose pages have conditions with as many evaluation steps as
// allowed.
func conditions(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	letters := `"` + strings.Repeat("a", 60) + `".split("")`
	page := "---\nif: '" + letters + ".every(x => " + letters + ".every(y => " + letters + ".every(z => x == z)))'\n---\n\nText.\n"
	for range 20 {
		if err := a.must(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", json.RawMessage(batch(slices.Repeat([]string{page}, 50)...)), nil); err != nil {
			return err
		}
	}
	var site struct{ ID string }
	if err := a.must(ctx, http.MethodPost, "/v1/orgs/"+a.org+"/sites", map[string]any{"title": "Site", "visibility": "public", "spaces": []string{a.at["space"]}}, &site); err != nil {
		return err
	}
	a.at["site"] = site.ID
	return a.must(ctx, http.MethodPost, "/v1/orgs/"+a.org+"/sites/"+site.ID+"/publish", nil, nil)
}

func readSite(ctx context.Context, a *attacker) string {
	return answer(a.send(ctx, http.MethodGet, "/s/"+a.at["site"]+"/", ""))
}

func largeComments(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	body := map[string]any{"body": map[string]any{"markdown": prose(60_000)}}
	for range 150 {
		if err := a.must(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/comments", body, nil); err != nil {
			return err
		}
	}
	return nil
}

func listComments(ctx context.Context, a *attacker) string {
	return answer(a.send(ctx, http.MethodGet, "/v1/spaces/"+a.at["space"]+"/comments?limit=1000", ""))
}

// largeRequests creates change requests whose descriptions have many short paragraphs.
func largeRequests(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	paragraph := map[string]any{"object": "block", "type": "paragraph", "isVoid": false, "data": map[string]any{}, "nodes": []any{
		map[string]any{"object": "text", "leaves": []any{map[string]any{"object": "leaf", "text": "word", "marks": []any{}}}},
	}}
	text := map[string]any{"status": "open", "description": map[string]any{"object": "document", "data": map[string]any{}, "nodes": slices.Repeat([]any{paragraph}, 5_000)}}
	for range 150 {
		var made struct{ ID string }
		if err := a.must(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/change-requests", map[string]any{"subject": "Large"}, &made); err != nil {
			return err
		}
		if err := a.must(ctx, http.MethodPatch, "/v1/spaces/"+a.at["space"]+"/change-requests/"+made.ID, text, nil); err != nil {
			return err
		}
	}
	return nil
}

func listRequests(ctx context.Context, a *attacker) string {
	return answer(a.send(ctx, http.MethodGet, "/v1/spaces/"+a.at["space"]+"/change-requests?limit=1000", ""))
}

// linkedSpaces creates a page with links to spaces with long merge rules.
func linkedSpaces(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	var rules []any
	for range 20 {
		rules = append(rules, map[string]any{"rule": "true && " + strings.Repeat("true && ", 100) + "true"})
	}
	var text strings.Builder
	for range 10 {
		target, err := a.space(ctx)
		if err != nil {
			return err
		}
		// Some versions refuse long rules. The links are expensive without them too.
		_, _, _ = a.send(ctx, http.MethodPatch, "/v1/spaces/"+target, string(mustJSON(map[string]any{"mergeRules": map[string]any{"type": "rules", "rules": rules}})))
		for i := range 100 {
			fmt.Fprintf(&text, "[link %d](/spaces/%s)\n\n", i, target)
		}
	}
	_, err := a.insert(ctx, a.at["space"], "Links", text.String())
	return err
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func listLinks(ctx context.Context, a *attacker) string {
	return answer(a.send(ctx, http.MethodGet, "/v1/spaces/"+a.at["space"]+"/links?limit=1000", ""))
}

// fetchZeros inserts highly compressible files by URL, in a batch that is refused, and
// reports how many bytes stay on disk.
func fetchZeros(ctx context.Context, a *attacker) string {
	var zeros bytes.Buffer
	z := gzip.NewWriter(&zeros)
	if _, err := io.CopyN(z, zeroReader{}, 49<<20); err != nil {
		return err.Error()
	}
	if err := z.Close(); err != nil {
		return err.Error()
	}
	from := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(zeros.Bytes())
	}))
	defer from.Close()
	var files []any
	for i := range 20 {
		files = append(files, map[string]any{"name": fmt.Sprintf("zeros%d.bin", i), "url": from.URL + "/" + strconv.Itoa(i)})
	}
	before := a.s.diskUsed()
	got := answer(a.send(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", string(mustJSON(map[string]any{"changes": []any{
		map[string]any{"operation": "insert_files", "files": files},
		map[string]any{"operation": "delete_page", "page": "absent"},
	}}))))
	return fmt.Sprintf("%s, %d MB left on disk", got, (a.s.diskUsed()-before)>>20)
}

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func muchText(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	for range 12 {
		var words []string
		for range 10 {
			var b strings.Builder
			for b.Len() < 150_000 {
				b.WriteString(strangeWord())
				b.WriteByte(' ')
			}
			words = append(words, b.String())
		}
		if err := a.must(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", json.RawMessage(batch(words...)), nil); err != nil {
			return err
		}
	}
	return nil
}

func strangeWord() string {
	b := make([]byte, 5+rand.IntN(5))
	for i := range b {
		b[i] = "abcdefghijklmnop"[rand.IntN(16)]
	}
	return string(b)
}

func searchMisspelled(ctx context.Context, a *attacker) string {
	var words []string
	for range 24 {
		words = append(words, strangeWord())
	}
	return answer(a.send(ctx, http.MethodGet, "/v1/orgs/"+a.org+"/search?query="+strings.Join(words, "+"), ""))
}

func manyLinks(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	var made struct{ ID string }
	if err := a.must(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/change-requests", map[string]any{"subject": "Links"}, &made); err != nil {
		return err
	}
	a.at["request"] = made.ID
	for part := range 9 {
		var b strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&b, "[l](https://example.com/%d/%d)\n", part, i)
			if i%50 == 49 {
				b.WriteString("\n")
			}
		}
		if err := a.must(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/change-requests/"+made.ID+"/content", json.RawMessage(batch(b.String())), nil); err != nil {
			return err
		}
	}
	return nil
}

func listRequestLinks(ctx context.Context, a *attacker) string {
	path := "/v1/spaces/" + a.at["space"] + "/change-requests/" + a.at["request"] + "/links?limit=100"
	first := answer(a.send(ctx, http.MethodGet, path, ""))
	began := time.Now()
	second := answer(a.send(ctx, http.MethodGet, path, ""))
	return fmt.Sprintf("%s; again %s in %.1f s", first, second, time.Since(began).Seconds())
}

func largeSpace(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	return a.must(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", json.RawMessage(batch(texts(4, 1_000_000)...)), nil)
}

// pictures creates a page with eight images of 4000 x 4000 pixels with 16 bits per channel.
func pictures(ctx context.Context, a *attacker) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	var text strings.Builder
	for i := range 8 {
		img := image.NewRGBA64(image.Rect(0, 0, 4000, 4000))
		for y := 0; y < 4000; y += 7 {
			for x := range 4000 {
				img.SetRGBA64(x, y, color.RGBA64{uint16(x * i), uint16(y * 3), uint16(x ^ y), 0xffff})
			}
		}
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
			return err
		}
		name := fmt.Sprintf("p%d.png", i)
		files := []any{map[string]any{"name": name, "contentType": "image/png", "base64": base64.StdEncoding.EncodeToString(b.Bytes())}}
		var made struct{ InsertedFiles []struct{ ID string } }
		err := a.must(ctx, http.MethodPost, "/v1/spaces/"+a.at["space"]+"/content", map[string]any{"changes": []any{map[string]any{"operation": "insert_files", "files": files}}}, &made)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "![](/files/%s)\n\n", made.InsertedFiles[0].ID)
	}
	_, err := a.insert(ctx, a.at["space"], "Pictures", text.String())
	return err
}

func makePDF(ctx context.Context, a *attacker) string {
	var where struct{ URL string }
	if err := a.must(ctx, http.MethodGet, "/v1/spaces/"+a.at["space"]+"/pdf", nil, &where); err != nil {
		return err.Error()
	}
	_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(where.URL, "http://"), "https://"), "/")
	return answer(a.send(ctx, http.MethodGet, "/"+path, ""))
}

func stalledStrangers(ctx context.Context, a *attacker) string {
	return stalled(ctx, a, 800, 1<<20, "")
}

func stalledBodies(ctx context.Context, a *attacker) string {
	return stalled(ctx, a, 20, 30<<20, a.token)
}

// stalled opens n connections, sends an incomplete body on each, and waits.
func stalled(ctx context.Context, a *attacker, n, size int, token string) string {
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	head := fmt.Sprintf("POST /v1/spaces/%s/content HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", a.at["space"], size)
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	body := []byte(`{"changes":[{"operation":"insert_page","title":"` + strings.Repeat("x", size-100))
	cut := 0
	for range n {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", a.s.nodes[0].address)
		if err != nil {
			cut++
			continue
		}
		open = append(open, c)
		_ = c.SetWriteDeadline(time.Now().Add(500 * time.Millisecond)) // the server may stop reading
		if _, err := io.Copy(c, io.MultiReader(strings.NewReader(head+"\r\n"), bytes.NewReader(body))); err != nil {
			cut++
		}
	}
	time.Sleep(2 * time.Second)
	return fmt.Sprintf("%d of %d not read to their end", cut, n)
}
