package git

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][3]string{ // clean, user, password
		"https://example.com/a/b.git":                        {"https://example.com/a/b.git"},
		"https://EXAMPLE.com.:443/a":                         {"https://example.com/a"},
		"https://user:p%40ss@example.com/a":                  {"https://example.com/a", "user", "p@ss"},
		"https://ghp_token@example.com/a":                    {"https://example.com/a", "ghp_token", ""},
		"https://example.com:8443/a%20b":                     {"https://example.com:8443/a%20b"},
		"https://[2001:DB8::1]/a":                            {"https://[2001:db8::1]/a"},
		"http://example.com:80/a":                            {"http://example.com/a"},
		"ssh://example.com/a":                                {"ssh://git@example.com/a"},
		"ssh://me@Example.com:22/~/a":                        {"ssh://me@example.com/~/a"},
		"ssh://me@example.com:2222/a b":                      {},
		"ssh://me@example.com:2222/a%20b":                    {"ssh://me@example.com:2222/a%20b"},
		"git@example.com:a/b.git":                            {"git@example.com:a/b.git"},
		"git@example.com:/srv/b.git":                         {"git@example.com:/srv/b.git"},
		"git@[2001:db8::1]:a":                                {"git@[2001:db8::1]:a"},
		"":                                                   {},
		"ext::sh -c touch% /tmp/x":                           {},
		"ext::sh%20-c%20touch":                               {},
		"git@ext::sh":                                        {},
		"fd::17":                                             {},
		"-u./payload":                                        {},
		"--upload-pack=touch":                                {},
		"--upload-pack=x@host:path":                          {},
		"file:///etc":                                        {},
		"/etc/passwd":                                        {},
		"../x":                                               {},
		"git://example.com/a":                                {},
		"ftp://example.com/a":                                {},
		"gopher://example.com/a":                             {},
		"https:///host":                                      {},
		"https://":                                           {},
		"https://example.com":                                {},
		"https://example.com/":                               {},
		"https::https://example.com/a":                       {},
		"http://good@evil\\@example.com/a":                   {},
		"https://example.com/a\r\nHost: x":                   {},
		"https://example.com/a\x00":                          {},
		"https://example.com/a?x=1":                          {},
		"https://example.com/a?":                             {},
		"https://example.com/a#x":                            {},
		"https://example.com:22/a":                           {},
		"https://example.com:0/a":                            {},
		"https://example.com:/a":                             {},
		"https://2130706433/a":                               {},
		"https://0x7f.1/a":                                   {},
		"https://us%0aer:pass@example.com/a":                 {},
		"ssh://-oProxyCommand=touch/x":                       {},
		"ssh://-oProxyCommand=touch@example.com/":            {},
		"ssh://git@-oProxyCommand=touch/x":                   {},
		"-oProxyCommand=x@example.com:a":                     {},
		"git@-oProxyCommand=x:a":                             {},
		"git@example.com:-x":                                 {},
		"git@example.com:":                                   {},
		"ssh://git@example.com/-x":                           {},
		"ssh://git@example.com/":                             {},
		"ssh://git@example.com":                              {},
		"ssh://git:secret@example.com/a":                     {},
		"ssh://git@example.com:25/a":                         {},
		"ssh://git@example.com:/a":                           {},
		"ssh://git@example.com/a%0ab":                        {},
		"ssh://g%20it@example.com/a":                         {},
		"ssh://git@example.com/" + strings.Repeat("x", 3000): {},
		"C:\\repo":                                           {},
		"host:path":                                          {},
	} {
		clean, c, err := ParseURL(raw)
		if want[0] == "" {
			if !errs.Is(err, errs.Invalid) || ReasonOf(err) != BadAddress || clean != "" {
				t.Errorf("%q: %q, %v", raw, clean, err)
			}
			if strings.Contains(raw, "secret") && strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: the error repeats the password: %v", raw, err)
			}
			continue
		}
		if err != nil || clean != want[0] || c.Username != want[1] || c.Password != want[2] {
			t.Errorf("%q: %q, %q, %q, %v", raw, clean, c.Username, c.Password, err)
		}
		if again, c, err := ParseURL(clean); again != clean || c.Username+c.Password != "" || err != nil {
			t.Errorf("%q again: %q, %v", clean, again, err)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{
		"https://user:p%40ss@example.com:8443/a%20b", "ssh://me@example.com:2222/~/a", "git@example.com:a/b.git",
		"git@[2001:db8::1]:a", "https://[::1]/a", "ext::sh -c x", "-oProxyCommand=x@h:p", "ssh://git@h/%2d-x", "https://a:b@c@d/e",
		"git@example.com:a::b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		clean, c, err := ParseURL(raw)
		if err != nil {
			return
		}
		again, none, err := ParseURL(clean)
		if err != nil || again != clean || none.Username+none.Password != "" {
			t.Fatalf("%q becomes %q, which becomes %q, %v", raw, clean, again, err)
		}
		if clean[0] == '-' || strings.ContainsFunc(clean, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			t.Fatalf("%q becomes %q", raw, clean)
		}
		if !strings.HasPrefix(clean, "https://") && !strings.HasPrefix(clean, "http://") && !strings.HasPrefix(clean, "ssh://") {
			before, _, ok := strings.Cut(clean, ":")
			if !ok || !strings.Contains(before, "@") { // else git might take it for a transport, such as ext::
				t.Fatalf("%q becomes %q", raw, clean)
			}
		}
		if len(c.Password) > 8 && strings.Contains(clean, c.Password) && strings.Count(raw, c.Password) == 1 {
			t.Fatalf("%q becomes %q with its password", raw, clean)
		}
	})
}

func TestCheckRef(t *testing.T) {
	t.Parallel()
	for ref, ok := range map[string]bool{
		"main": true, "feature/x.y_z-1": true, "refs/heads/main": true, "v1.0": true, "ünï": true, "HEAD": true, "a@b": true, "#1": true,
		"": false, "--output=x": false, "-h": false, "refs/heads/../../x": false, "a..b": false, "a b": false, "a~1": false,
		"a^": false, "a:b": false, "+a": false, "a?": false, "a*": false, "a[": false, "a\\b": false, "/a": false, "a/": false,
		"a//b": false, ".a": false, "a/.b": false, "a.lock": false, "a.lock/b": false, "a.": false, "@": false, "a@{1}": false,
		"a\nb": false, "a\x00": false, "a\x7f": false, "\xff": false,
	} {
		if err := CheckRef(ref); (err == nil) != ok || err != nil && ReasonOf(err) != BadAddress {
			t.Errorf("%q: %v", ref, err)
		}
	}
	if CheckRef(strings.Repeat("a", maxRef+1)) == nil {
		t.Error("a long one is accepted")
	}
}

// git accepts every ref that CheckRef accepts.
func TestGitAcceptsTheRefsThatWeAccept(t *testing.T) {
	t.Parallel()
	testgit.Need(t, "git")
	part := rapid.SampledFrom([]string{"a", ".", "..", "/", "@", "{", "-", ".lock", "~", "é", "\\", " ", "x", "^{}", "refs", "heads", "*"})
	rapid.Check(t, func(t *rapid.T) {
		ref := strings.Join(rapid.SliceOfN(part, 1, 6).Draw(t, "parts"), "")
		if CheckRef(ref) == nil {
			if err := exec.Command("git", "check-ref-format", "--allow-onelevel", ref).Run(); err != nil {
				t.Fatalf("%q: %v", ref, err)
			}
		}
	})
}
