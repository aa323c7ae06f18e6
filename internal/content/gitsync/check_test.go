package gitsync

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

func TestDirectories(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "/": "", ".": "", "./": "", "docs": "docs", "/docs": "docs", "docs/": "docs", "/docs/": "docs", "./docs": "docs", "a/b c/ü": "a/b c/ü",
		"..": "!", "../docs": "!", "docs/..": "!", "docs/../..": "!", "//docs": "!", "docs//x": "!", "docs/./x": "!", `docs\x`: "!", `C:\docs`: "!",
		"a\x00b": "!", "a\nb": "!", ".git": "!", "docs/.GIT/x": "!", "git~1": "!", "con": "!", "docs.": "!", "a\u202eb": "!", "\xff": "!",
		strings.Repeat("x/", 600) + "x": "!",
	} {
		got, err := checkDirectory("directory", in)
		if err != nil {
			got = "!"
		}
		if got != want || err != nil && !errs.Is(err, errs.Invalid) {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestRefs(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{ // the directions that accept it
		"refs/heads/main": "import export", "refs/heads/a/b": "import export", "refs/tags/v1": "import",
		"main": "", "refs/heads/": "", "refs/heads/-x": "", "refs/heads/a..b": "", "refs/heads/a.lock": "", "--output=x": "", "refs/notes/x": "", "HEAD": "", "": "",
		"refs/heads/a b": "", "refs/heads/" + strings.Repeat("x", 300): "", "refs/heads/a\nb": "",
	} {
		var got []string
		if checkRef("ref", ref, false) == nil {
			got = append(got, "import")
		}
		if checkRef("ref", ref, true) == nil {
			got = append(got, "export")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %q", ref, got, want)
		}
	}
}

func TestShortRefsAreBranches(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{"main": "refs/heads/main", "docs/next": "refs/heads/docs/next", "refs/tags/v1": "refs/tags/v1", "-h": ""} {
		remote, _, err := Input{URL: "https://git.example/a.git", Ref: ref}.remote(docs.GitImport)
		if got := remote.Ref; err == nil && got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", ref, got, err)
		}
	}
}

// A template is refused if it has placeholders that would be written to commits
// literally.
func TestTemplates(t *testing.T) {
	t.Parallel()
	full := strings.Join(messageNames, " ")
	for text, want := range map[string]bool{
		DefaultMessage: true, "docs: update": true, full: true, "{Not ours} {} { a } {a b}": true,
		"{subject}": false, "{change_request_subject}: {auhtor_name}": false, "": false, strings.Repeat("x", MaxTemplate+1): false,
	} {
		if err := checkTemplate("commitTemplate", text); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	if got := messageOf(full, message{number: "1", subject: "s", space: "t", author: "a", revision: "r"}); got != "1 s t a r" {
		t.Errorf("names that are allowed are not filled in: %q", got)
	}
}

func TestInfoOfARepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ url, want string }{
		{"https://github.com/acme/docs.git", "github acme/docs https://github.com/acme/docs https://github.com/acme/docs/commit https://github.com/acme/docs/blob/main"},
		{"https://gitlab.com/a/b/docs", "gitlab b/docs https://gitlab.com/a/b/docs https://gitlab.com/a/b/docs/-/commit https://gitlab.com/a/b/docs/-/blob/main"},
		{"git@github.com:acme/docs.git", "github acme/docs   "},
		{"ssh://git@git.example:2222/docs.git", " docs   "},
		{"https://git.example/docs", " docs https://git.example/docs  "},
	} {
		i := infoOf(docs.GitRemote{URL: c.url, Ref: "refs/heads/main", Directory: "guide x"}, docs.GitRequest{}, 1)
		if got := strings.Join([]string{i.Provider, i.RepoName, i.URL, i.CommitURL, i.TreeURL}, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.url, got, c.want)
		}
	}
	i := infoOf(docs.GitRemote{URL: "https://github.com/a/b"}, docs.GitRequest{Provider: GitLab, InfoURL: "https://x.example/", TreeURL: "https://t.example", CommitURL: "https://c.example"}, 1)
	if i.Provider != GitLab || i.URL != "https://x.example/" || i.TreeURL != "https://t.example" || i.CommitURL != "https://c.example" {
		t.Errorf("the request's values do not come first: %+v", i)
	}
}

// Error messages contain no part of an address.
func TestErrorsDoNotRepeatSecrets(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"https://user:hunter2@", "https://user:hunter2@host", "https://user:hunter2@ho st/x", "https://user:hunter2@host/x?y", "hunter2://host/x",
		"https://user:hunter2\n@host/x", "ssh://git:hunter2@host/x", "hunter2", "https://user:hunter2@host:99999/x", "https://user:hunter2@host:22/x",
	} {
		_, _, err := checkURL("url", url)
		if err == nil {
			t.Errorf("%s is accepted", url)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error repeats it: %v", err)
		}
	}
	key := "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n-----END OPENSSH PRIVATE KEY-----"
	for _, c := range []CredentialsInput{
		{Username: "hunter2:x", Password: "hunter2"}, {Username: "u", Password: "hunter2\x01"}, {Username: "hunter2", PrivateKey: key},
		{PrivateKey: key}, {PrivateKey: "hunter2"}, {Username: "u", Password: strings.Repeat("hunter2", 1000)},
	} {
		for _, url := range []string{"https://host/x", "git@host:x"} {
			_, err := c.check(url)
			if err == nil {
				t.Errorf("%s: accepted", url)
			} else if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error repeats it: %v", err)
			}
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	// The first lines of keys that ssh-keygen writes without and with a passphrase.
	const open = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt\n-----END OPENSSH PRIVATE KEY-----\n"
	const closed = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABDDRTKM\n-----END OPENSSH PRIVATE KEY-----\n"
	for key, want := range map[string]string{
		open: "", closed: "passphrase", strings.ReplaceAll(open, "\n", "\r\n"): "",
		"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----": "passphrase",
		"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----":                     "",
		"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----":                     "ssh-keygen",
		"": "ssh-keygen", "ssh-ed25519 AAAA": "ssh-keygen", strings.Repeat("x", MaxPrivateKey+1): "too long",
	} {
		if got := badKey(key); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%.40q…: %q, want %q", key, got, want)
		}
	}
	c, err := CredentialsInput{PrivateKey: strings.TrimSpace(strings.ReplaceAll(open, "\n", "\r\n"))}.check("git@host:x")
	if err != nil || string(c.PrivateKey) != open {
		t.Errorf("%q, %v", c.PrivateKey, err)
	}
}

// Parsing a call terminates and returns harmless values for any input.
func FuzzCall(f *testing.F) {
	f.Add("push", "application/json", []byte(`{"ref":"refs/heads/main","after":"0000","deleted":false,"repository":{"pushed_at":1760000000}}`), "t=1760000000,v1=00")
	f.Add("Push Hook", "", []byte(`{"ref":"refs/heads/main","repository":{"pushed_at":"2026-01-01"}}`), "sha256=")
	f.Add("", "application/x-www-form-urlencoded", []byte(`payload=%7B%22ref%22%3A%22x%22%7D`), ",,,t=,v1=")
	f.Add("ping", "text/plain", []byte(`[[[[`), "t=9223372036854775807,v1=zz")
	f.Fuzz(func(t *testing.T, kind, contentType string, body []byte, signature string) {
		const now = docs.Time(1_760_000_000_000)
		c := Call{Body: body, Header: func(name string) string {
			switch name {
			case "X-GitHub-Event":
				return kind
			case "Content-Type":
				return contentType
			}
			return signature
		}}
		if _, ok := c.verify("a secret that nobody knows", now); ok {
			t.Fatal("it was accepted without the secret")
		}
		p, _ := c.push()
		if at := p.at(now); at < 0 || at > now.Add(maxFuture) {
			t.Fatalf("a time that cannot be: %v", at)
		}
		_ = p.deleted()
	})
}

func TestTimesOfPushes(t *testing.T) {
	t.Parallel()
	const now = docs.Time(1_760_000_000_000)
	for in, want := range map[string]docs.Time{
		`1759999999`: 1_759_999_999_000, `"2026-01-01T00:00:00Z"`: 0, `-5`: 0, `0`: 0, `9999999999999`: 0, `1760200000`: 0, `null`: 0, `1.5`: 0, `1e400`: 0,
	} {
		p := push{}
		p.Repository.PushedAt = json.RawMessage(in)
		if got := p.at(now); got != want {
			t.Errorf("%s: %d, want %d", in, got, want)
		}
	}
}
