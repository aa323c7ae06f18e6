package docs

import (
	"crypto/rand"
	"crypto/sha256"
	"time"
)

// IDs are opaque to clients. Each kind has its own type, so that the compiler rejects the
// ID of a team where the ID of a space is expected.
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

// alphabet is in ASCII order, so that IDs sort by creation time.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const (
	idTimeChars   = 11 // 62^11 nanoseconds exceed the range of time.Time.UnixNano
	idRandomChars = 14 // 83 random bits, which cannot be guessed
)

// NewID returns an ID of letters and digits. It begins with the time, so that new rows
// are adjacent in an index. The rest is random, so that an ID cannot be guessed from
// another.
func NewID[T ~string](now time.Time) T {
	return T(timeText(now) + randomText(idRandomChars))
}

// MinID returns a text that sorts after all IDs created before t, and before all other
// IDs.
func MinID(t time.Time) string { return timeText(t) }

// timeText returns a time as text that sorts chronologically.
func timeText(now time.Time) string {
	var b [idTimeChars]byte
	for i, ns := len(b)-1, now.UnixNano(); i >= 0; i-- {
		b[i] = alphabet[ns%62]
		ns /= 62
	}
	return string(b[:])
}

// TokenPrefix is the prefix of every token. People and secret scanners recognise tokens
// by it.
const TokenPrefix = "octavo_"

// SessionPrefix is the prefix of the secrets of sessions, LinkPrefix the prefix of the
// secrets of links in mails. Neither is a token.
const (
	SessionPrefix = "octavos_"
	LinkPrefix    = "octavol_"
)

// NewSessionSecret returns the secret of a session.
func NewSessionSecret() string { return SessionPrefix + randomText(40) }

// NewLinkSecret returns the secret of a link in a mail.
func NewLinkSecret() string { return LinkPrefix + randomText(40) }

// NewSecret returns a personal token with 238 bits of randomness.
func NewSecret() string { return TokenPrefix + randomText(40) }

// HashSecret returns the hash of a secret for storage. The secret has enough entropy for
// a fast hash without a salt.
func HashSecret(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }

// randomText returns n random characters of the alphabet, uniformly distributed.
func randomText(n int) string {
	out := make([]byte, 0, n)
	buf := make([]byte, n+n/2)
	for len(out) < n {
		rand.Read(buf) // never fails: crypto/rand crashes the program instead
		for _, c := range buf {
			if c < 248 && len(out) < n { // 248 = 4*62; larger values would introduce a bias
				out = append(out, alphabet[c%62])
			}
		}
	}
	return string(out)
}
