package server

import "testing"

// A node whose disk is full keeps its readers. One that stops, or has no database, does not.
func TestReadiness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		database, stops, full bool
		status                int
		text                  string
	}{
		{true, false, false, 200, "ready"},
		{true, false, true, 200, "ready, but the disk is full: writes fail"},
		{true, true, true, 503, "stopping"},
		{false, false, true, 503, "the database does not answer"},
		{false, true, false, 503, "stopping"},
	} {
		if status, text := readiness(c.database, c.stops, c.full); status != c.status || text != c.text {
			t.Errorf("%+v: %d %q", c, status, text)
		}
	}
}
