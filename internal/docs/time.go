package docs

import (
	"encoding/json"
	"time"
)

// Time is a time in milliseconds since 1970 UTC, the precision of the databases
// and the API. Zero means "never" or "not set".
type Time int64

// TimeOf truncates t to milliseconds.
func TimeOf(t time.Time) Time { return Time(t.UnixMilli()) }

const wireTime = "2006-01-02T15:04:05.000Z"

// Std returns t as a time.Time in UTC.
func (t Time) Std() time.Time { return time.UnixMilli(int64(t)).UTC() }

// Add returns t+d.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

func (t Time) String() string { return t.Std().Format(wireTime) }

// IsZero reports whether t is not set. encoding/json uses it for the option omitzero.
func (t Time) IsZero() bool { return t == 0 }

// MarshalJSON returns t in RFC 3339 format in UTC with milliseconds.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(t.Std().Format(`"` + wireTime + `"`)), nil }

// UnmarshalJSON parses a time in RFC 3339 format.
func (t *Time) UnmarshalJSON(b []byte) error {
	var std time.Time
	if err := json.Unmarshal(b, &std); err != nil {
		return err
	}
	*t = TimeOf(std)
	return nil
}
