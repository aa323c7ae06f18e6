package oidc

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// chain answers a request for a URL with a redirect to the URL that follows it.
type chain []string

func (c chain) RoundTrip(r *http.Request) (*http.Response, error) {
	res := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}
	for i, address := range c[:len(c)-1] {
		if address == r.URL.String() {
			res.StatusCode = http.StatusFound
			res.Header.Set("Location", c[i+1])
		}
	}
	return res, nil
}

// No redirect of a provider leads from https to http, where others could replace the
// discovery document or the keys.
func TestRedirectsKeepHTTPS(t *testing.T) {
	for _, c := range []struct {
		chain   chain
		refused bool
	}{
		{chain{"https://login.example/a", "https://login.example/b"}, false},
		{chain{"https://login.example/a", "https://other.example/b", "https://third.example/c"}, false},
		{chain{"http://127.0.0.1/a", "http://127.0.0.1/b"}, false},
		{chain{"http://127.0.0.1/a", "https://login.example/b"}, false},
		{chain{"https://login.example/a", "http://login.example/b"}, true},
		{chain{"https://login.example/a", "https://login.example/b", "http://login.example/c", "https://login.example/d"}, true},
		{chain{"https://login.example/a", "http://127.0.0.1/b"}, true},
	} {
		client := New(Config{}).http
		client.Transport = c.chain
		res, err := client.Get(c.chain[0])
		if err == nil {
			res.Body.Close()
		}
		if refused := err != nil; refused != c.refused {
			t.Errorf("%v: %v", c.chain, err)
		} else if refused && !strings.Contains(explain(t.Context(), err).Error(), "https") {
			t.Errorf("%v: the reason is %v", c.chain, explain(t.Context(), err))
		}
	}
}
