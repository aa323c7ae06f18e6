package mcpserver_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/publish/mcpserver"
)

// connect serves a documentation and connects a client of the MCP library.
func connect(t *testing.T, d mcpserver.Documentation) *mcp.ClientSession {
	t.Helper()
	server := mcpserver.New()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		server.Serve(w, r, d)
	}))
	t.Cleanup(web.Close)
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// call calls a tool and returns its text, and whether that is an error.
func call(t *testing.T, s *mcp.ClientSession, tool, argument, value string) (string, bool) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{argument: value}})
	if err != nil {
		t.Fatal(err)
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s returned %v", tool, res.Content)
	}
	return text.Text, res.IsError
}

func TestTools(t *testing.T) {
	var log bytes.Buffer
	s := connect(t, mcpserver.Documentation{
		Title: "Acme", Log: slog.New(slog.NewTextHandler(&log, nil)),
		Search: func(query string) ([]mcpserver.Hit, error) {
			switch query {
			case "broken":
				return nil, errors.New("disk 7 is full")
			case "nothing":
				return nil, nil
			case "too much":
				return nil, fmt.Errorf("search: %w", errs.E(errs.Busy, "the server is busy with searches; try again in a few seconds"))
			}
			return []mcpserver.Hit{{Title: "Install", URL: "https://a.test/install", Snippet: query}}, nil
		},
		Page: func(address string) (string, bool, error) {
			switch address {
			case "broken":
				return "", false, errors.New("disk 8 is full")
			case "long":
				return strings.Repeat("é", 200<<10), true, nil
			}
			return "# Install", address == "install", nil
		},
	})
	if got := s.InitializeResult(); got.ServerInfo.Title != "Acme" || !strings.Contains(got.Instructions, "Documentation of Acme") {
		t.Errorf("the server is %+v: %s", got.ServerInfo, got.Instructions)
	}
	const later = "the server could not do this; try again later"
	for _, c := range []struct {
		tool, argument, value, want string
		failed                      bool
	}{
		{"searchDocumentation", "query", "zebra", `{"results":[{"snippet":"zebra","title":"Install","url":"https://a.test/install"}]}`, false},
		{"searchDocumentation", "query", "nothing", `{"results":[]}`, false},
		{"searchDocumentation", "query", "broken", later, true},
		{"searchDocumentation", "query", "too much", "the server is busy with searches; try again in a few seconds", true},
		{"getPage", "url", "install", "# Install", false},
		{"getPage", "url", "absent", "There is no page at this address; searchDocumentation finds pages.", true},
		{"getPage", "url", "broken", later, true},
		{"getPage", "url", "long", strings.Repeat("é", 128<<10) + fmt.Sprintf("\n\n(The page has %d bytes. It is cut here.)\n", 400<<10), false},
	} {
		if got, failed := call(t, s, c.tool, c.argument, c.value); got != c.want || failed != c.failed {
			t.Errorf("%s %s: %.200q, an error: %t", c.tool, c.value, got, failed)
		}
	}
	for _, cause := range []string{"disk 7 is full", "disk 8 is full"} {
		if !strings.Contains(log.String(), cause) {
			t.Errorf("the log does not have %q: %s", cause, log.String())
		}
	}
	if strings.Contains(log.String(), "busy") {
		t.Errorf("what everybody can cause is logged: %s", log.String())
	}
}
