package blob

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/errs"
)

var signKey = bytes.Repeat([]byte("k"), 32)

func newSigner(t testing.TB, key []byte) *Signer {
	t.Helper()
	s, err := NewSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSignatures(t *testing.T) {
	s := newSigner(t, signKey)
	now := time.Unix(1_800_000_000, 0)
	good := s.Sign(now.Add(time.Hour), "space", "file", "hash")
	if strings.Trim(good, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || len(good) > maxSignature {
		t.Errorf("%q does not fit into a URL", good)
	}
	if err := s.Verify(good, now, "space", "file", "hash"); err != nil {
		t.Error(err)
	}
	version, rest, _ := strings.Cut(good, ".")
	at, mac, _ := strings.Cut(rest, ".")
	last := mac[len(mac)-1:]
	// The last of the 43 characters has two unused bits.
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	sibling := string(alphabet[strings.Index(alphabet, last)^1])
	for name, sig := range map[string]string{
		"empty":               "",
		"dots":                "..",
		"no version":          rest,
		"an old version":      "0." + rest,
		"a new version":       "2." + rest,
		"a longer version":    "01." + rest,
		"an empty version":    "." + rest,
		"a later end":         version + ".1900000000." + mac,
		"a zero in front":     version + ".0" + at + "." + mac,
		"a plus in front":     version + ".+" + at + "." + mac,
		"no end":              version + ".." + mac,
		"no mac":              version + "." + at + ".",
		"half a mac":          version + "." + at + "." + mac[:20],
		"another last letter": good[:len(good)-1] + sibling,
		"padding":             good + "=",
		"a line break":        good[:30] + "\n" + good[30:],
		"something behind":    good + ".x",
		"a space":             good + " ",
		"upper case":          strings.ToUpper(good),
		"very long":           good + strings.Repeat("A", 1<<20),
	} {
		if err := s.Verify(sig, now, "space", "file", "hash"); !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Other parts, another order, other boundaries.
	for _, parts := range [][]string{
		{}, {"space"}, {"space", "file"}, {"space", "file", "hash", ""}, {"file", "space", "hash"}, {"spacefile", "hash"},
		{"spacef", "ile", "hash"}, {"", "spacefile", "hash"}, {"space", "file", "Hash"}, {"other", "file", "hash"},
	} {
		if err := s.Verify(good, now, parts...); !errs.Is(err, errs.NotFound) {
			t.Errorf("%q: %v", parts, err)
		}
	}
	for d, ok := range map[time.Duration]bool{0: true, time.Hour - 1: true, time.Hour: false, 24 * 365 * time.Hour: false} {
		err := s.Verify(good, now.Add(d), "space", "file", "hash")
		if (err == nil) != ok || !ok && !errs.Is(err, errs.Forbidden) {
			t.Errorf("after %v: %v", d, err)
		}
	}
	if err := newSigner(t, bytes.Repeat([]byte("K"), 32)).Verify(good, now, "space", "file", "hash"); !errs.Is(err, errs.NotFound) {
		t.Errorf("another key: %v", err)
	}
	if err := s.Verify(s.Sign(time.Time{}, "x"), now, "x"); !errs.Is(err, errs.Forbidden) {
		t.Errorf("no end: %v", err)
	}
	if _, err := NewSigner(signKey[:31]); err == nil {
		t.Error("a short key was accepted")
	}
}

// Existing signatures must remain valid after an update. Change the version if they do
// not.
func TestSignaturesStayTheSame(t *testing.T) {
	const want = "1.1800000000.YIFSCZTb9VXnde69PMMe_Vpmnxf9nkv6tyVgirokE_4"
	if got := newSigner(t, signKey).Sign(time.Unix(1_800_000_000, 0), "space", "file", "hash"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestASignatureIsForOneListOfParts(t *testing.T) {
	s := newSigner(t, signKey)
	now := time.Unix(1_800_000_000, 0)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringN(0, 4, -1), 0, 4)
		a, b := list.Draw(t, "a"), list.Draw(t, "b")
		sig := s.Sign(now.Add(time.Second), a...)
		if err := s.Verify(sig, now, a...); err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(sig, now, b...); (err == nil) != slices.Equal(a, b) {
			t.Fatalf("%q signs %q: %v", a, b, err)
		}
	})
}

func FuzzVerify(f *testing.F) {
	s := newSigner(f, signKey)
	now := time.Unix(1_800_000_000, 0)
	f.Add(s.Sign(now.Add(time.Hour), "a", "b"), "a", "b")
	f.Add(s.Sign(now, "a", "b"), "a", "b")
	f.Add("1.1800000000.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "", "")
	f.Fuzz(func(t *testing.T, sig, a, b string) {
		err := s.Verify(sig, now, a, b)
		switch {
		case err == nil:
			// Only the exact output of Sign is accepted.
			at := strings.Split(sig, ".")[1]
			d, perr := time.ParseDuration(at + "s")
			if perr != nil || s.Sign(time.Unix(0, 0).Add(d), a, b) != sig {
				t.Fatalf("%q was accepted for %q, %q", sig, a, b)
			}
		case !errs.Is(err, errs.NotFound) && !errs.Is(err, errs.Forbidden):
			t.Fatal(err)
		}
	})
}
