package docs_test

import (
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

func TestRedirectSources(t *testing.T) {
	for in, want := range map[string]string{
		"/a": "/a", "/A/B-c": "/a/b-c", "/a/*": "/a/*", "/a*": "/a*", "/%61%2e%7eb": "/a.~b", "/%c3%a9": "/%c3%a9", "/%C3%A9": "/%c3%a9", "/a%2Fb": "/a%2fb", "/a%2fb": "/a%2fb",
		"/a+b_c": "/a+b_c", "/": "", "": "", "a": "", "/*": "", "*": "", "/a/": "", "/a//b": "", "/a/*/b": "", "/a**": "", "/a b": "", "/a?x": "", "/a#x": "",
		"/..": "", "/a/./b": "", "/a/%2e%2E/b": "", "/a%00": "", "/a%0d%0aSet-Cookie": "", "/a%7f": "", "/a%zz": "", "/é": "", "//evil.test/x": "", `/\evil`: "",
		"/" + strings.Repeat("a", 512): "",
	} {
		got, err := docs.ParseRedirectSource("body.source", in)
		if string(got) != want || (want == "") != errs.Is(err, errs.Invalid) {
			t.Errorf("%q gives %q, %v, want %q", in, got, err, want)
		}
	}
}

func TestRedirectsMatchPaths(t *testing.T) {
	for _, test := range []struct{ source, path, suffix string }{
		{"/a/b", "/a/b", ""}, {"/a/b", "/A/B/", ""}, {"/a/b", "/a/b/c", "-"}, {"/a/b", "/a", "-"},
		{"/a/*", "/a/b/c", "b/c"}, {"/a/*", "/a", "-"}, {"/a/*", "/ab", "-"}, {"/a*", "/abc/d", "bc/d"}, {"/a*", "/a", ""},
		{"/%61", "/a", ""}, {"/a", "/%61", ""}, {"/a/*", "/a/../b", "-"}, {"/a*", "//a", ""}, {"/a/b", "/x/..//a/./b//", ""}, {"/a", "/%2E%2e/A", ""}, {"/a", "/b/../a", ""}, {"/%21", "/!", ""}, {"/a", "/a%0a", "-"}, {"/a", "/a%", "-"}, {"/a", "", "-"}, {"/a", "/a*", "-"},
	} {
		source, err := docs.ParseRedirectSource("source", test.source)
		if err != nil {
			t.Fatal(err)
		}
		path, possible := docs.NormalSitePath(test.path)
		suffix, ok := source.Match(path)
		if ok = ok && possible; ok != (test.suffix != "-") || ok && suffix != test.suffix {
			t.Errorf("%s and %s: %q, %v", test.source, test.path, suffix, ok)
		}
		if _, ok := source.Match(source.Example()); !ok {
			t.Errorf("%s does not match its own example", test.source)
		}
	}
}
