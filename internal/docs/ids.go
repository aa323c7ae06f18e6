package docs

import (
	"crypto/rand"
	"crypto/sha256"
	"time"
)

// Ids are opaque to callers. Each noun has its own type so that the compiler
// refuses a team where a space is wanted.
type (
	UserID       string
	TokenID      string
	OrgID        string
	TeamID       string
	CollectionID string
	SpaceID      string
	RevisionID   string
	InviteID     string

	ChangeRequestID string
	ReviewID        string
	WebhookID       string
	DeliveryID      string
)

// alphabet is in ASCII order, so ids sort by the time they were made.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const (
	idTimeChars   = 11 // 62^11 nanoseconds outlast the calendar
	idRandomChars = 14 // 83 bits that nobody can guess
)

// NewID returns an id made of letters and digits. The leading time keeps index
// pages warm; the rest is random, so knowing one id says nothing of another.
func NewID[T ~string](now time.Time) T {
	return T(timeText(now) + randomText(idRandomChars))
}

// IDsFrom returns what sorts before every id that was made at a moment or later,
// and behind all earlier ones.
func IDsFrom(t time.Time) string { return timeText(t) }

// timeText returns a moment as text that sorts by time.
func timeText(now time.Time) string {
	var b [idTimeChars]byte
	for i, ns := len(b)-1, now.UnixNano(); i >= 0; i-- {
		b[i] = alphabet[ns%62]
		ns /= 62
	}
	return string(b[:])
}

// TokenPrefix marks our secrets so that scanners and people recognise them.
const TokenPrefix = "octavo_"

// NewSecret returns a personal token with 238 bits of randomness.
func NewSecret() string { return TokenPrefix + randomText(40) }

// HashSecret returns what the store keeps of a token. The secret has far more
// entropy than can be searched, so a plain hash is enough and stays fast.
func HashSecret(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }

// randomText returns n unbiased characters of the alphabet.
func randomText(n int) string {
	out := make([]byte, 0, n)
	buf := make([]byte, n+n/2)
	for len(out) < n {
		rand.Read(buf) // never fails: crypto/rand ends the program instead
		for _, c := range buf {
			if c < 248 && len(out) < n { // 248 = 4*62: anything above would favour some characters
				out = append(out, alphabet[c%62])
			}
		}
	}
	return string(out)
}
