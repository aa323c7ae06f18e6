package docs

import (
	"testing"
	"time"
)

func TestDigestNext(t *testing.T) {
	for _, c := range []struct {
		name, now, want string
		d               Digest
	}{
		{"hourly", "2026-03-10T10:20:00Z", "2026-03-10T11:00:00Z", Digest{Period: DigestHourly}},
		{"hourly, at the hour", "2026-03-10T10:00:00Z", "2026-03-10T11:00:00Z", Digest{Period: DigestHourly}},
		{"today", "2026-03-10T06:20:00Z", "2026-03-10T07:00:00Z", Digest{DigestDaily, 8, 0, "Europe/Paris"}},
		{"tomorrow", "2026-03-10T07:00:00Z", "2026-03-11T07:00:00Z", Digest{DigestDaily, 8, 0, "Europe/Paris"}},
		{"summer begins", "2026-03-28T12:00:00Z", "2026-03-29T06:00:00Z", Digest{DigestDaily, 8, 0, "Europe/Paris"}},
		{"an hour that is left out", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", Digest{DigestDaily, 2, 0, "Europe/Paris"}},
		{"Monday", "2026-03-10T12:00:00Z", "2026-03-16T08:00:00Z", Digest{DigestWeekly, 8, time.Monday, "UTC"}},
		{"Monday, before", "2026-03-16T07:59:00Z", "2026-03-16T08:00:00Z", Digest{DigestWeekly, 8, time.Monday, "UTC"}},
		{"Monday where it is Sunday here", "2026-03-15T10:00:00Z", "2026-03-15T18:00:00Z", Digest{DigestWeekly, 8, time.Monday, "Pacific/Kiritimati"}},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.d.Next(now).UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestDigestCheck(t *testing.T) {
	if err := DefaultDigest.Check(); err != nil {
		t.Error(err)
	}
	for _, d := range []Digest{
		{}, {"monthly", 8, 0, "UTC"}, {DigestDaily, 24, 0, "UTC"}, {DigestDaily, -1, 0, "UTC"}, {DigestDaily, 8, 7, "UTC"},
		{DigestDaily, 8, 0, "Local"}, {DigestDaily, 8, 0, "../../etc/passwd"}, {DigestDaily, 8, 0, "Mars/Base"},
	} {
		if d.Check() == nil {
			t.Errorf("%+v is accepted", d)
		}
	}
}
