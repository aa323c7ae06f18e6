package docs

import (
	"crypto/rand"
	"crypto/sha256"
	"time"
)

// Ids are opaque to callers. Each kind has its own type, so that the compiler
// refuses the id of a team where that of a space is expected.
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
	SAMLProviderID  string
)

// alphabet is in ASCII order, so that ids sort by time of creation.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const (
	idTimeChars   = 11 // 62^11 nanoseconds outlast the calendar
	idRandomChars = 14 // 83 bits that nobody can guess
)

// NewID returns an id of letters and digits. It begins with the time, so that new
// rows are adjacent in an index; the rest is random, so that nobody can guess an
// id from another.
func NewID[T ~string](now time.Time) T {
	return T(timeText(now) + randomText(idRandomChars))
}

// MinID returns a text that sorts before every id that was created at t or
// later, and after all earlier ones.
func MinID(t time.Time) string { return timeText(t) }

// timeText returns a time as text that sorts by time.
func timeText(now time.Time) string {
	var b [idTimeChars]byte
	for i, ns := len(b)-1, now.UnixNano(); i >= 0; i-- {
		b[i] = alphabet[ns%62]
		ns /= 62
	}
	return string(b[:])
}

// TokenPrefix begins every token, so that people and scanners for secrets
// recognise them.
const TokenPrefix = "octavo_"

// SessionPrefix begins every secret of a session, and LinkPrefix that of a link by
// mail. Neither is a token.
const (
	SessionPrefix = "octavos_"
	LinkPrefix    = "octavol_"
)

// NewSessionSecret returns the secret of a session.
func NewSessionSecret() string { return SessionPrefix + randomText(40) }

// NewLinkSecret returns the secret of a link by mail.
func NewLinkSecret() string { return LinkPrefix + randomText(40) }

// NewSecret returns a personal token with 238 bits of randomness.
func NewSecret() string { return TokenPrefix + randomText(40) }

// HashSecret returns the hash of a token that the store keeps. The secret has
// enough entropy for a fast hash without a salt.
func HashSecret(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }

// randomText returns n unbiased characters of the alphabet.
func randomText(n int) string {
	out := make([]byte, 0, n)
	buf := make([]byte, n+n/2)
	for len(out) < n {
		rand.Read(buf) // never fails: crypto/rand crashes the program instead
		for _, c := range buf {
			if c < 248 && len(out) < n { // 248 = 4*62: larger values would favour some characters
				out = append(out, alphabet[c%62])
			}
		}
	}
	return string(out)
}
