package openapi

import (
	"fmt"
	"strings"
	"testing"
)

// callTo returns the address of a request to a server with values for its variables.
func callTo(t *testing.T, server string, values map[string]string) (string, error) {
	t.Helper()
	src := `{"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "servers": [` + server + `], "paths": {"/p": {"get": {"responses": {"200": {"description": "OK"}}}}}}`
	d, err := Load(t.Context(), Bundle{Root: "a.json", Files: map[string][]byte{"a.json": []byte(src)}})
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]string{}
	for name, value := range values {
		inputs[VariableKey(0, name)] = value
	}
	c, err := d.Operations[0].Call(Values{Inputs: inputs})
	return c.URL, err
}

// A variable without choices can only be a label in a domain or a path that the
// description names.
func TestServerVariables(t *testing.T) {
	const (
		region = `{"url": "https://{region}.example.com:8443/v1", "variables": {"region": {"default": "eu"}}}`
		glued  = `{"url": "https://{x}example.com", "variables": {"x": {"default": "www."}}}`
		partly = `{"url": "https://api-{x}-v1.example.com", "variables": {"x": {"default": "eu"}}}`
		whole  = `{"url": "https://{host}/v1", "variables": {"host": {"default": "api.example.com"}}}`
		top    = `{"url": "https://{x}.com", "variables": {"x": {"default": "example"}}}`
		number = `{"url": "https://{x}.0.0.1", "variables": {"x": {"default": "127"}}}`
		ports  = `{"url": "{scheme}://{a}.{b}.example.com:{port}", "variables": {"scheme": {"default": "https", "enum": ["https", "http"]}, "a": {"default": "x"},
			"b": {"default": "eu", "enum": ["eu", "us"]}, "port": {"default": "443", "enum": [443, "8443"]}}}`
		loose  = `{"url": "{scheme}://example.com:{port}", "variables": {"scheme": {"default": "https"}, "port": {"default": "443"}}}`
		ending = `{"url": "https://{x}{end}.example.com", "variables": {"x": {"default": "a"}, "end": {"default": "-b", "enum": ["-b", "/", "@", "#", "?", ":80/"]}}}`
		nested = `{"url": "https://{a}.example.com", "variables": {"a": {"default": "x", "enum": ["x", "{b}", "y"]}, "b": {"default": "z"}}}`
		closed = `{"url": "https://{a}.example.com", "variables": {"a": {"default": "x", "enum": []}}}`
		path   = `{"url": "https://api.example.com/{base}/", "variables": {"base": {"default": "v1"}}}`
		mixed  = `{"url": "https://{x}.example.com/{x}", "variables": {"x": {"default": "a"}}}`
	)
	for _, c := range []struct {
		server, name, value, want string // no address: the value is refused
	}{
		{region, "", "", "https://eu.example.com:8443/v1/p"},
		{region, "region", "us-1", "https://us-1.example.com:8443/v1/p"},
		{region, "region", "a.b", "https://a.b.example.com:8443/v1/p"},
		{partly, "x", "us", "https://api-us-v1.example.com/p"},
		{ports, "a", "t", "https://t.eu.example.com:443/p"},
		{ports, "b", "us", "https://x.us.example.com:443/p"},
		{ports, "port", "8443", "https://x.eu.example.com:8443/p"},
		{ports, "scheme", "http", "http://x.eu.example.com:443/p"},
		{path, "base", "v2.1", "https://api.example.com/v2.1/p"},
		{mixed, "x", "b", "https://b.example.com/b/p"},
		{nested, "a", "y", "https://y.example.com/p"},
		// Variables that would choose the host, the port or the scheme keep their
		// defaults.
		{whole, "host", "evil.test", "https://api.example.com/v1/p"},
		{glued, "x", "evil-", "https://www.example.com/p"},
		{top, "x", "evil", "https://example.com/p"},
		{number, "x", "10", "https://127.0.0.1/p"},
		{loose, "port", "22", "https://example.com:443/p"},
		{loose, "scheme", "http", "https://example.com:443/p"},
		{closed, "a", "y", "https://x.example.com/p"},
		// Choices.
		{ports, "b", "evil.test/", ""},
		{ports, "port", "22", ""},
		{ports, "scheme", "ftp", ""},
		{nested, "a", "{b}", ""},
		{path, "base", "..", ""},
		{path, "base", "a/../..", ""},
	} {
		got, err := callTo(t, c.server, map[string]string{c.name: c.value})
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s, %s = %q: %q, %v", c.server, c.name, c.value, got, err)
		}
	}
	for _, value := range []string{
		"evil.test/", "evil.test#", "evil.test?", "evil.test\\", "evil.test:80/", "user@evil", "user:pass@evil", "evil.test%2f", "evil.test%00", "%65vil", "{region}",
		"evil.test/.", "[::1]", "::1", "//evil.test/", "https://evil.test/", " ", "a b", "a\tb", "a\r\nHost: evil.test", "a\x00", "a\n", "a_b", "ä", "。", "evil。test", "a／b", "a＠b",
		".", "..", ".a", "a.", "a..b", strings.Repeat("a", 64), strings.Repeat("a.", 200) + "a",
	} {
		for _, server := range []string{region, partly, path, mixed} {
			for _, name := range []string{"region", "x", "base"} {
				if got, err := callTo(t, server, map[string]string{name: value}); strings.Contains(server, "{"+name+"}") && err == nil {
					t.Errorf("%s, %s = %q is accepted: %s", server, name, value, got)
				}
			}
		}
	}
	// Choices that end the host early do not let a typed value become the host.
	for _, end := range []string{"/", "@", "#", "?", ":80/"} {
		if got, err := callTo(t, ending, map[string]string{"x": "evil.test", "end": end}); err == nil {
			t.Errorf("%q is accepted: %s", end, got)
		}
	}
	if got, err := callTo(t, ending, map[string]string{"x": "c"}); err != nil || got != "https://c-b.example.com/p" {
		t.Errorf("%s, %v", got, err)
	}
}

// A path cannot be appended to an address with a query or a fragment.
func TestServerWithFragment(t *testing.T) {
	for _, address := range []string{"https://example.com/#top", "https://example.com#", "https://example.com?", "https://example.com/?a=b"} {
		if got, err := callTo(t, fmt.Sprintf(`{"url": %q}`, address), nil); err == nil {
			t.Errorf("%s is called at %s", address, got)
		}
	}
}

// The numbers of variables and choices are bounded.
func TestServerVariablesAreBounded(t *testing.T) {
	var names, variables strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&names, "/{v%d}", i)
		fmt.Fprintf(&variables, `%s"v%d": {"default": "a", "enum": ["a"%s]}`, map[bool]string{true: ", "}[i > 0], i, strings.Repeat(`, "b"`, 500))
	}
	src := `{"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "servers": [{"url": "https://example.com` + names.String() + `", "variables": {` + variables.String() + `}}], "paths": {"/p": {"get": {"responses": {"200": {"description": "OK"}}}}}}`
	d, err := Load(t.Context(), Bundle{Root: "a.json", Files: map[string][]byte{"a.json": []byte(src)}})
	if err != nil {
		t.Fatal(err)
	}
	if all := d.Servers[0].choosable(); len(all) != maxVariables || len(all[0].Choices) != maxChoices {
		t.Errorf("%d variables", len(all))
	}
}
