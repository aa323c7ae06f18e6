package gate

import (
	"net/url"
	"testing"
)

// After signing in, a reader comes back to a page of this site, and nowhere else.
func TestLocalPaths(t *testing.T) {
	for in, want := range map[string]string{
		"/install": "/install", "/guide/": "/guide/", "/a?q=b": "/a?q=b", "/": "/", "": "/", "install": "/",
		"https://evil.test/": "/", "//evil.test/": "/", `/\evil.test`: "/", "/~octavo/auth/login": "/", "/a%2F%2Fb": "/",
		"/a?jwt_token=t&q=b": "/a?q=b", "/a?visitor.plan=pro": "/a",
	} {
		if got := localPath(in); got != want {
			t.Errorf("localPath(%q) = %q, not %q", in, got, want)
		}
	}
}

// The parameter token is a credential only with the value of one: other sites use the name too.
func TestCredentialsLeaveTheQuery(t *testing.T) {
	got := WithoutCredentials(url.Values{
		"q": {"b"}, "jwt_token": {"t"}, "visitor.plan": {"pro"}, "token": {"blue", "eyJhbGciOiJIUzI1NiJ9.e30.c2ln"},
	})
	if want := "q=b&token=blue"; got.Encode() != want {
		t.Errorf("%s is left, not %s", got.Encode(), want)
	}
}

func TestCookiesThatIdentify(t *testing.T) {
	for cookies, want := range map[string]bool{
		"theme=dark": false, "octavo-visitor-token=x": false, "a=b; octavo-preview-token=x": true, "octavo-login-round=1": true,
	} {
		if Identifies(cookies) != want {
			t.Errorf("%s: %t", cookies, !want)
		}
	}
}
