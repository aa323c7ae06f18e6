package webhooks

import (
	"context"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, action string
		want            bool
	}{
		{"*", "space.update", true},
		{"space.*", "space.update", true},
		{"space.*", "space.content.edits", true},
		{"space.content.*", "space.content.edits", true},
		{"space.content.*", "space.contents", false},
		{"space.*", "spaces.update", false},
		{"space.*", "space", false},
		{"space.update", "space.update", true},
		{"space.update", "space.update.more", false},
		{"space_content_updated", "space.content.edits", false},
	} {
		if got := matches([]string{"other.thing", c.pattern}, c.action); got != c.want {
			t.Errorf("%s matches %s: %v", c.pattern, c.action, got)
		}
	}
	for _, bad := range []string{"", " ", "space.", ".space", "space..update", "*.update", "space*", "space.**", "Space.update", "space.update.*.*", "**", "space update", "a\n", "a.b", "space.updated", "user.update", "webhook.test", strings.Repeat("a", 101)} {
		if _, err := checkPatterns([]string{bad}); err == nil {
			t.Errorf("%q is a pattern", bad)
		}
	}
	if got, err := checkPatterns([]string{"team.create", "invite-link.*", "change_request.content.*", "team.create"}); err != nil || len(got) != 3 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := checkPatterns(nil); err != nil || len(got) != 1 || got[0] != "*" {
		t.Errorf("%v, %v", got, err)
	}
}

// An accepted pattern is stored unchanged, and matches whole names only.
func TestPatternsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.StringMatching(`[a-z*._-]{0,12}`).Draw(t, "pattern")
		action := rapid.StringMatching(`[a-z]{1,3}(\.[a-z]{1,3}){0,3}`).Draw(t, "action")
		got, err := checkPatterns([]string{p})
		if err != nil {
			return
		}
		if f := strings.Fields(strings.Join(got, " ")); len(f) != 1 || f[0] != p {
			t.Fatalf("%q is stored as %q", p, f)
		}
		group, is := strings.CutSuffix(p, ".*")
		want := p == "*" || p == action || is && strings.HasPrefix(action+".", group+".") && action != group
		if matches(got, action) != want {
			t.Fatalf("%q matches %q: %v", p, action, !want)
		}
	})
}

func TestASecretOpensForItsWebhookOnly(t *testing.T) {
	s := testdb.Open(t, testdb.SQLite(t))
	ctx := context.Background()
	sealed, err := lock(ctx, s.Reader, docs.Webhook{ID: "one"}, "the secret")
	if err != nil || strings.Contains(string(sealed), "secret") {
		t.Fatal(sealed, err)
	}
	if got, err := open(ctx, s.Reader, docs.Webhook{ID: "one", Sealed: sealed}); err != nil || got != "the secret" {
		t.Errorf("%q, %v", got, err)
	}
	other := testdb.Open(t, testdb.SQLite(t))
	for name, try := range map[string]func() (string, error){
		"another webhook":  func() (string, error) { return open(ctx, s.Reader, docs.Webhook{ID: "two", Sealed: sealed}) },
		"another instance": func() (string, error) { return open(ctx, other.Reader, docs.Webhook{ID: "one", Sealed: sealed}) },
		"a cut one":        func() (string, error) { return open(ctx, s.Reader, docs.Webhook{ID: "one", Sealed: sealed[:8]}) },
		"none":             func() (string, error) { return open(ctx, s.Reader, docs.Webhook{ID: "one"}) },
		"a changed one": func() (string, error) {
			return open(ctx, s.Reader, docs.Webhook{ID: "one", Sealed: "A" + sealed[1:] + "A"})
		},
	} {
		if got, err := try(); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestPausesGrow(t *testing.T) {
	for i := 1; i < 40; i++ {
		d := retryDelays[min(i, len(retryDelays))-1]
		for range 20 {
			if p := retryDelay(i); p < d || p > d+d/10+1 {
				t.Fatalf("after %d attempts %v", i, p)
			}
		}
		if q := pauseTime(i); q > maxPause || q > d || i < pauseAfter && q != 0 || i >= pauseAfter && q < firstPause {
			t.Errorf("after %d failures %v", i, q)
		}
	}
	if pauseTime(1_000_000) != maxPause {
		t.Error(pauseTime(1_000_000))
	}
	if got := signature("key", docs.TimeOf(time.Unix(1700000000, 999)), `{}`); got != "t=1700000000,v1="+wantMAC {
		t.Error(got)
	}
}

// wantMAC is the output of: printf '1700000000.{}' | openssl dgst -sha256 -hmac key
const wantMAC = "9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae"
