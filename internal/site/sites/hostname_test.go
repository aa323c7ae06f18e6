package sites

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
)

func TestHostnames(t *testing.T) {
	hosts := Hosts{Base: "https://app.example.com:8443", Domain: "sites.example.com", Trusted: []string{"*.acme.com", "help.other.org"}}
	for text, want := range map[string]string{
		"docs.acme.com":          "docs.acme.com",
		"DOCS.Acme.com.":         "docs.acme.com",
		"docs.bücher.example":    "docs.xn--bcher-kva.example",
		"a.b.xn--p1ai":           "a.b.xn--p1ai",
		"acme.com":               "",
		"docs.acme.com:443":      "",
		"https://docs.acme.com":  "",
		"docs..acme.com":         "",
		"docs.acme.com..":        "",
		"*.acme.com":             "",
		"docs-.acme.com":         "",
		"do cs.acme.com":         "",
		"10.1.2.30":              "",
		"10.1.2.0x1e":            "",
		"[::1]":                  "",
		"app.example.com":        "",
		"APP.example.com":        "",
		"sites.example.com":      "",
		"x.sites.example.com":    "",
		"a.x.sites.example.com.": "",
		"notsites.example.com":   "notsites.example.com",
	} {
		got, err := hosts.hostname(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
	for name, want := range map[string]bool{
		"docs.acme.com": true, "a.docs.acme.com": true, "acme.com": false, "notacme.com": false, "help.other.org": true, "x.help.other.org": false,
	} {
		if hosts.isTrusted(name) != want {
			t.Errorf("vouched for %s: %v", name, !want)
		}
	}
	for _, list := range []string{"*", "*.", "a", "*.*.com", "a.com:80", "http://a.com"} {
		if _, err := ParseTrusted(list); err == nil {
			t.Errorf("%q is accepted", list)
		}
	}
}

// A site loses its host name if the record is missing for longer than the grace period. It
// does not lose the name if the DNS lookup fails.
func TestHostnameIsLostSlowly(t *testing.T) {
	start := docs.Time(1_800_000_000_000)
	h := docs.SiteHostname{Name: "docs.acme.com", CreatedAt: start}
	now := start
	check := func(p docs.HostnameProof, active, failing bool) {
		t.Helper()
		if h = h.Checked(p, "", now); h.Active != active || (h.FailingSince != 0) != failing || h.NextCheck <= now {
			t.Fatalf("after %v: %+v", (now - start), h)
		}
		now = h.NextCheck
	}
	check(docs.HostnameDenied, false, false)
	check(docs.HostnameUnknown, false, false)
	check(docs.HostnameProved, true, false)
	check(docs.HostnameDenied, true, true)
	check(docs.HostnameProved, true, false)
	for range 100 {
		check(docs.HostnameUnknown, true, false)
	}
	check(docs.HostnameDenied, true, true)
	lost := now.Add(docs.HostnameGrace)
	for h.Active && now < lost {
		h = h.Checked(docs.HostnameDenied, "", now)
		now = h.NextCheck
	}
	if h.Active || h.VerifiedAt != 0 {
		t.Errorf("it is still in use: %+v", h)
	}
}
