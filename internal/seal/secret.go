package seal

import (
	"crypto/rand"
	"encoding/base64"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Limits of a secret that both sides of a webhook know. A shorter one could
// be guessed from a single delivery; for a longer one hosts have no room.
const (
	minShared = 16
	maxShared = 256
)

// NewShared returns one in the form that hosts and receivers know: 32 random
// bytes.
func NewShared() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(b)
}

// CheckShared reports what is wrong with one that somebody chose.
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
