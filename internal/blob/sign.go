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

// Signer signs the addresses of downloads. A signed address is valid only for the signed
// file and until it expires. A signature does not replace a permission check when the
// file is requested.
type Signer struct{ key []byte }

const (
	// signVersion must be increased when the signature scheme changes. Signatures of
	// other versions are refused.
	signVersion = "1"
	// signPurpose separates these signatures from other uses of the same key.
	signPurpose = "octavo download " + signVersion

	minSignKey   = 32  // minimum size of the secret in bytes
	maxSignature = 128 // maximum length in characters; a valid signature has about 60
)

// NewSigner returns a signer for a secret of at least 32 bytes.
func NewSigner(secret []byte) (*Signer, error) {
	if len(secret) < minSignKey {
		return nil, errors.New("the secret that signs downloads needs at least 32 bytes")
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(signPurpose))
	return &Signer{key: mac.Sum(nil)}, nil
}

// Sign returns a signature for a list of parts, such as the IDs of the space and the
// file, and the hash. The order of the parts matters. The signature consists of letters,
// digits and ".-_" and includes its expiry time in whole seconds.
func (s *Signer) Sign(expires time.Time, parts ...string) string {
	at := strconv.FormatInt(max(expires.Unix(), 0), 10)
	return signVersion + "." + at + "." + s.mac(at, parts)
}

// Verify returns nil if Sign returned the signature for exactly these parts and it has
// not expired. An invalid signature is errs.NotFound, so that the caller does not learn
// whether the file exists. An expired signature is errs.Forbidden.
func (s *Signer) Verify(signature string, now time.Time, parts ...string) error {
	if len(signature) > maxSignature {
		return errs.Missing("file")
	}
	version, rest, _ := strings.Cut(signature, ".")
	at, text, _ := strings.Cut(rest, ".")
	// Compare the encoded text, because the decoder accepts several texts for the same
	// bytes.
	if version != signVersion || !hmac.Equal([]byte(text), []byte(s.mac(at, parts))) {
		return errs.Missing("file")
	}
	// The signature is authentic from here on.
	expires, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return errs.Missing("file")
	}
	if now.Unix() >= expires {
		return errs.E(errs.Forbidden, "this link has expired; load the page that has it again")
	}
	return nil
}

// mac returns the encoded MAC. The number of parts and the length of each part are
// included, so that different lists of parts never have the same bytes.
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
