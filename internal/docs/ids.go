package docs

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"
	"strings"
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

// alphabet is in ASCII order, so that IDs sort by creation time, except those of people.
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

// NewUserID returns the ID of a person, which is random as a whole. Who invites an address
// gets the ID of its account, and must not learn whether that is older than the invitation.
func NewUserID() UserID { return UserID(randomText(idTimeChars + idRandomChars)) }

// MinID returns a text that sorts after all IDs created before t, and before all other
// IDs.
func MinID(t time.Time) string { return timeText(t) }

// UUID returns a UUID (version 8) for an ID: its time, and a hash of the rest. It is for
// clients that expect UUIDs; UUIDPrefix helps to find the ID again.
func UUID(id string) string {
	var n uint64
	for _, c := range []byte(id[:min(len(id), idTimeChars)]) {
		n = n*62 + uint64(max(0, strings.IndexByte(alphabet, c)))
	}
	h := sha256.Sum256([]byte(id))
	return fmt.Sprintf("%08x-%04x-8%03x-%04x-%012x", n>>32, n>>16&0xffff, n>>4&0xfff, 0x8000|n&0xf<<10|uint64(h[0])<<2|uint64(h[1])>>6, h[2:8])
}

// UUIDPrefix returns the text with which all IDs begin that can have a UUID. It returns false
// if no ID has it.
func UUIDPrefix(uuid string) (prefix string, ok bool) {
	hex := strings.ReplaceAll(uuid, "-", "")
	if len(uuid) != 36 || len(hex) != 32 {
		return "", false
	}
	high, err := strconv.ParseUint(hex[:12]+hex[13:16], 16, 64)
	low, err2 := strconv.ParseUint(hex[16:20], 16, 64)
	n := high<<4 | low>>10&0xf
	if err != nil || err2 != nil || n > math.MaxInt64 {
		return "", false
	}
	return timeText(time.Unix(0, int64(n))), true
}

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
