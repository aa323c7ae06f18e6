package docs

import (
	"encoding/json"
	"time"
)

// Time is a moment in milliseconds since 1970 UTC: what both databases store
// exactly and what the API prints. Zero means "never" or "not set".
type Time int64

// TimeOf cuts t to milliseconds.
func TimeOf(t time.Time) Time { return Time(t.UnixMilli()) }

const wireTime = "2006-01-02T15:04:05.000Z"

// Std returns the time.Time in UTC.
func (t Time) Std() time.Time { return time.UnixMilli(int64(t)).UTC() }

// Add returns the moment d later.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

func (t Time) String() string { return t.Std().Format(wireTime) }

// IsZero reports whether the moment is not set; encoding/json's omitzero asks.
func (t Time) IsZero() bool { return t == 0 }

// MarshalJSON prints RFC 3339 in UTC with milliseconds.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(t.Std().Format(`"` + wireTime + `"`)), nil }

// UnmarshalJSON reads any RFC 3339 moment.
func (t *Time) UnmarshalJSON(b []byte) error {
	var std time.Time
	if err := json.Unmarshal(b, &std); err != nil {
		return err
	}
	*t = TimeOf(std)
	return nil
}
