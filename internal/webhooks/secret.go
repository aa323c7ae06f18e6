package webhooks

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Limits of a secret that somebody chooses. A shorter one could be guessed
// from a single delivery.
const (
	minSecret = 16
	maxSecret = 256
)

// newSecret gives one in the form that receivers know: 32 random bytes.
func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(b)
}

func checkSecret(s string) error {
	if len(s) < minSecret || len(s) > maxSecret {
		return errs.Field("body.secret", "must have %d to %d characters; leave it out to have one made", minSecret, maxSecret)
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return errs.Field("body.secret", "must be printable ASCII without blanks")
		}
	}
	return nil
}

// sealer keeps secrets unreadable to whoever sees a row, a log or a part of a
// backup. It does not protect them from somebody who has the whole database:
// the key is derived from the secret of the instance, which is in it.
func sealer(ctx context.Context, r store.Reader) (cipher.AEAD, error) {
	secret, err := r.Secret(ctx)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "octavo webhook secrets", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// seal encrypts the secret of a webhook; it opens for that webhook only.
func seal(ctx context.Context, r store.Reader, id docs.WebhookID, secret string) (string, error) {
	c, err := sealer(ctx, r)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, c.NonceSize())
	rand.Read(nonce) // never fails
	return base64.RawURLEncoding.EncodeToString(c.Seal(nonce, nonce, []byte(secret), []byte(id))), nil
}

var errSealed = errors.New("the secret of the webhook cannot be read")

func open(ctx context.Context, r store.Reader, w docs.Webhook) (string, error) {
	c, err := sealer(ctx, r)
	if err != nil {
		return "", err
	}
	b, err := base64.RawURLEncoding.DecodeString(w.Sealed)
	if err != nil || len(b) < c.NonceSize() {
		return "", errSealed
	}
	secret, err := c.Open(nil, b[:c.NonceSize()], b[c.NonceSize():], []byte(w.ID))
	if err != nil {
		return "", errSealed
	}
	return string(secret), nil
}

// signature is the value of the header by which a receiver knows that a body
// is ours and fresh: the moment, and a MAC of the moment and the body.
func signature(secret string, at docs.Time, body string) string {
	t := strconv.FormatInt(at.Std().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "." + body))
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
