package blob

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Signer signs the addresses of downloads, so that only those work that we
// gave out, for what they were given out for, until they expire. A signature
// replaces no permission: ask again when the file is fetched.
type Signer struct{ key []byte }

const (
	// signVersion is raised when the way of signing changes. Signatures of
	// other versions are refused.
	signVersion = "1"
	// signPurpose keeps a key that also signs something else from lending
	// its signatures.
	signPurpose = "octavo download " + signVersion

	minSignKey   = 32  // bytes of secret
	maxSignature = 128 // characters; a real one has about 60
)

// NewSigner makes a signer of a secret of at least 32 bytes.
func NewSigner(secret []byte) (*Signer, error) {
	if len(secret) < minSignKey {
		return nil, errors.New("the secret that signs downloads needs at least 32 bytes")
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(signPurpose))
	return &Signer{key: mac.Sum(nil)}, nil
}

// Sign returns a signature for the parts, such as the ids of the space and of
// the file and the hash, in this order. It is made of letters, digits and
// ".-_" and holds the moment, in whole seconds, at which it expires.
func (s *Signer) Sign(expires time.Time, parts ...string) string {
	at := strconv.FormatInt(max(expires.Unix(), 0), 10)
	return signVersion + "." + at + "." + s.mac(at, parts)
}

// Verify reports whether Sign gave the signature for exactly these parts and it
// has not expired. A wrong one is errs.NotFound, as what it would lead to is
// none of the caller's business; one that was right is errs.Forbidden.
func (s *Signer) Verify(signature string, now time.Time, parts ...string) error {
	if len(signature) > maxSignature {
		return errs.Missing("file")
	}
	version, rest, _ := strings.Cut(signature, ".")
	at, text, _ := strings.Cut(rest, ".")
	// The text is compared and not what it decodes to: the decoder accepts
	// several texts for the same bytes.
	if version != signVersion || !hmac.Equal([]byte(text), []byte(s.mac(at, parts))) {
		return errs.Missing("file")
	}
	// From here on we wrote it ourselves.
	expires, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return errs.Missing("file")
	}
	if now.Unix() >= expires {
		return errs.E(errs.Forbidden, "this link has expired; load the page that has it again")
	}
	return nil
}

// mac writes the number of the parts and the length of each in front of it,
// so that no two lists of parts are the same bytes.
func (s *Signer) mac(at string, parts []string) string {
	mac := hmac.New(sha256.New, s.key)
	number := func(n int) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(n))
		mac.Write(b[:])
	}
	number(len(parts) + 1)
	for _, p := range append([]string{at}, parts...) {
		number(len(p))
		mac.Write([]byte(p))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
