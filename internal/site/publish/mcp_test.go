package publish_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

const withMCP = `{"pageActions":{"items":["markdown","mcp"]}}`

// header is a transport that sets a header of every request.
type header struct {
	http.RoundTripper
	name, value string
}

func (h header) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(h.name, h.value)
	return h.RoundTripper.RoundTrip(r)
}

// serve starts a server for the sites.
func (w *world) serve() *httptest.Server {
	s := httptest.NewServer(w.handler)
	w.Cleanup(s.Close)
	return s
}

// web starts a server for the sites, and returns a transport that connects every request to
// that server.
func (w *world) web() http.RoundTripper {
	s := w.serve()
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", s.Listener.Addr().String())
	}}
}

// assistant connects a client of the MCP library.
func (w *world) assistant(at string, through http.RoundTripper) (*mcp.ClientSession, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(w.Context(), &mcp.StreamableClientTransport{Endpoint: at, HTTPClient: &http.Client{Transport: through}, MaxRetries: -1}, nil)
	if err == nil {
		w.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

// call calls a tool and returns its text, and whether that is an error.
func (w *world) call(s *mcp.ClientSession, tool, argument, value string) (string, bool) {
	w.Helper()
	res, err := s.CallTool(w.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{argument: value}})
	must(w.T, err)
	var b strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String(), res.IsError
}

func TestAssistants(t *testing.T) {
	w := newWorld(t)
	w.acme()
	net := w.web()
	const named = "(streamable HTTP): https://acme.docs.test/~octavo/mcp\n"
	llms := func() string {
		_, text := w.get("http://acme.docs.test/llms.txt")
		return text
	}
	if text := llms(); !strings.HasPrefix(text, "# Acme docs\n\nAssistants can ") || !strings.Contains(text, named) {
		t.Errorf("llms.txt does not name the MCP server:\n%s", text)
	}
	w.customize(`{"mcp":{"enabled":false},"pageActions":{"items":["markdown","mcp"]}}`)
	if _, err := w.assistant("http://acme.docs.test/~gitbook/mcp", net); err == nil || strings.Contains(llms(), "~octavo/mcp") {
		t.Fatalf("a site has an MCP server that its customization turns off: %v", err)
	}
	if _, page := w.get("http://acme.docs.test/"); strings.Contains(page, "~octavo/mcp") {
		t.Error("the menu has an MCP server that is off")
	}
	w.customize(`{}`) // as sites are that were never customized
	for _, at := range []string{"http://acme.docs.test/~gitbook/mcp", "http://acme.docs.test/~octavo/mcp", "http://base.test/s/acme/~octavo/mcp"} {
		s, err := w.assistant(at, net)
		must(t, err)
		list, err := s.ListTools(t.Context(), nil)
		must(t, err)
		if len(list.Tools) != 2 || list.Tools[0].Name != "getPage" || list.Tools[1].Name != "searchDocumentation" || !list.Tools[0].Annotations.ReadOnlyHint {
			t.Fatalf("%s has the tools %v", at, list.Tools)
		}
		found, failed := w.call(s, "searchDocumentation", "query", "zebra")
		if failed || !strings.Contains(found, `"url":"https://acme.docs.test/install#linux"`) || strings.Contains(found, "password") {
			t.Errorf("%s finds %s", at, found)
		}
		if old, _ := w.call(s, "searchDocumentation", "query", "the old way"); !strings.Contains(old, `"url":"https://acme.docs.test/v1/install`) {
			t.Errorf("%s finds nothing in other variants: %s", at, old)
		}
		for page, want := range map[string]string{
			"https://acme.docs.test/install#linux": "Unpack the zebra archive", "/install.md": "Unpack the zebra archive", "install/": "Unpack", "old/install": "Unpack", "": "For everybody", "/index.md": "For everybody",
			"/api/": "Calls.", "https://acme.docs.test/v1/install": "The old way", "hidden": "# Hidden",
		} {
			if text, failed := w.call(s, "getPage", "url", page); failed || !strings.Contains(text, want) {
				t.Errorf("%s reads %q as %q", at, page, text)
			}
		}
		for _, page := range []string{"secret", "/secret.md", "old/secret", "absent", "https://evil.test/install", "https://acme.docs.test.evil.test/install", "%ff", "~/revisions/x/install", "~octavo/mcp", strings.Repeat("a", 9000)} {
			if text, failed := w.call(s, "getPage", "url", page); !failed || !strings.Contains(text, "There is no page") {
				t.Errorf("%s reads %q as %q", at, page, text)
			}
		}
	}
}

// A visitor with a token can read with an MCP client the content that the claims allow. Without a
// token nothing can be read.
func TestAssistantsOfVisitors(t *testing.T) {
	w := newWorld(t)
	w.change = func(s string) string { return strings.ReplaceAll(s, "claims.unsigned.beta", "claims.beta") }
	w.acme()
	w.customize(withMCP)
	w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityAuth), Adaptive: opt.Of(true)})
	_, _, err := w.sites.Settings.SetSchema(t.Context(), w.grant(), []byte(`{"type":"object","properties":{"beta":{"type":"boolean","description":"Beta"}},"additionalProperties":false}`))
	must(t, err)
	_, err = w.sites.Settings.ReplaceKey(t.Context(), w.grant())
	must(t, err)
	auth, err := w.sites.Settings.UpdateAuth(t.Context(), w.grant(), sites.AuthPatch{Backend: docs.AuthCustom, FallbackURL: opt.Of("https://login.test/in")})
	must(t, err)
	token := func(beta bool) string {
		return sign(t, auth.PrivateKey, jwt.MapClaims{"exp": time.Now().Add(time.Hour).Unix(), "beta": beta})
	}
	const at = "http://acme.docs.test/~gitbook/mcp"
	net := w.web()
	for _, through := range []http.RoundTripper{net, header{net, "Authorization", "Bearer " + token(true) + "x"}, header{net, "Authorization", "Bearer " + w.token}} {
		if _, err := w.assistant(at, through); err == nil || !strings.Contains(err.Error(), "Unauthorized") {
			t.Errorf("a client without a visitor: %v", err)
		}
	}
	for _, beta := range []bool{true, false} {
		for _, c := range []struct {
			at      string
			through http.RoundTripper
		}{
			{at, header{net, "Authorization", "Bearer " + token(beta)}}, {at, header{net, "Cookie", "gitbook-visitor-token=" + token(beta)}},
			{at + "?jwt_token=" + token(beta), net}, {at + "?access_token=" + token(beta), net},
		} {
			s, err := w.assistant(c.at, c.through)
			must(t, err)
			found, _ := w.call(s, "searchDocumentation", "query", "password")
			page, failed := w.call(s, "getPage", "url", "https://acme.docs.test/secret")
			if strings.Contains(found, "/secret") != beta || strings.Contains(page, "The zebra password.") != beta || failed == beta {
				t.Errorf("beta is %t: found %s, read %s", beta, found, page)
			}
			home, _ := w.call(s, "getPage", "url", "/")
			if strings.Contains(home, "Only for beta readers") != beta {
				t.Errorf("beta is %t: read %s", beta, home)
			}
		}
	}
}

// An address with a share key leads to the MCP server as it leads to pages.
func TestAssistantsWithAShareLink(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityLink)})
	link, err := w.sites.ShareLinks.Add(t.Context(), w.grant(), "Friends")
	must(t, err)
	net := w.web()
	if _, err := w.assistant("http://acme.docs.test/"+string(link.Key)+"/~octavo/mcp", net); err == nil {
		t.Error("a site that is not public is an MCP server though nobody asked for it")
	}
	w.customize(withMCP)
	s, err := w.assistant("http://acme.docs.test/"+string(link.Key)+"/~octavo/mcp", net)
	must(t, err)
	if found, _ := w.call(s, "searchDocumentation", "query", "zebra"); !strings.Contains(found, "https://acme.docs.test/"+string(link.Key)+"/install#linux") {
		t.Errorf("found %s", found)
	}
	for _, at := range []string{"http://acme.docs.test/~octavo/mcp", "http://acme.docs.test/wrong/~octavo/mcp"} {
		if _, err := w.assistant(at, net); err == nil {
			t.Errorf("%s answers", at)
		}
	}
}

// Requests that are not valid calls are refused before anything is done.
func TestCallsAreBounded(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.customize(withMCP)
	post := func(body string) func(*http.Request) {
		return func(r *http.Request) {
			r.Method, r.Body = "POST", io.NopCloser(strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
		}
	}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, c := range []struct {
		at     string
		change func(*http.Request)
		status int
		want   string
	}{
		{"~octavo/mcp", post(ping), 200, `"result":{}`},
		{"~octavo/mcp", post(`[` + ping + `,` + ping + `]`), 400, "one message"},
		{"~octavo/mcp", post(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("a", 2<<20) + `"}}`), 413, "at most 16 KB"},
		{"~octavo/mcp", post(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}}`), 400, "values"},
		{"~octavo/mcp", post("nothing"), 400, ""},
		{"~octavo/mcp", func(r *http.Request) { post(ping)(r); r.Header.Set("Origin", "https://evil.test") }, 403, "other web sites"},
		{"~octavo/mcp", func(r *http.Request) { r.Method = "DELETE" }, 405, ""},
		{"~octavo/mcp", func(*http.Request) {}, 405, "POST"},
		{"~octavo/mcp", func(r *http.Request) { r.Header.Set("Accept", "text/html") }, 200, "https://acme.docs.test/~octavo/mcp</code>"},
		{"install", post(ping), 405, ""},
		{"api/~octavo/mcp", post(ping), 405, ""},
		{"~octavo/search", post(ping), 405, ""},
	} {
		a, body := w.get(root+c.at, c.change)
		if a.StatusCode != c.status || !strings.Contains(body, c.want) || strings.Contains(a.Header.Get("Cache-Control"), "public") {
			t.Errorf("%s: %s %v\n%s", c.at, a.Status, a.Header, body)
		}
	}
}

// Anonymous calls of 1 MB do not take memory. (security d11)
func TestCallsTakeLittleMemory(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.customize(withMCP)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getPage","arguments":{"url":` + strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000) + `}}}`
	call := func() {
		a, _ := w.get(root+"~octavo/mcp", func(r *http.Request) {
			r.Method, r.Body = "POST", io.NopCloser(strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
		})
		if a.StatusCode != 413 {
			t.Fatal(a.Status)
		}
	}
	call()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 48 {
		call()
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / 48; each > 256<<10 {
		t.Errorf("a call of 1 MB takes %d KB", each>>10)
	}
}
