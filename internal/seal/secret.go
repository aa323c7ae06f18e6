package seal

import (
	"crypto/rand"
	"encoding/base64"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Limits of the length of a secret that is shared with the other end of a webhook. A shorter
// secret could be guessed from a single delivery. Git hosts do not accept a longer one.
const (
	minShared = 16
	maxShared = 256
)

// NewShared returns a new shared secret: 32 random bytes in base64, which hosts and receivers accept.
func NewShared() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(b)
}

// CheckShared returns an error if a secret that a user chose is not acceptable.
func CheckShared(at, s string) error {
	if len(s) < minShared || len(s) > maxShared {
		return errs.Field(at, "must have %d to %d characters; leave it out to have one made", minShared, maxShared)
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return errs.Field(at, "must be printable ASCII without blanks")
		}
	}
	return nil
}
