// Package seal encrypts stored secrets that the server needs in clear text. A single row, a log or a
// part of a backup does not reveal them. It does not protect them from a person who has the whole
// database: the key is derived from the secret of the instance, which is in the database.
package seal

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Purpose separates secrets for different uses: a secret that was sealed for one purpose cannot be
// opened for another. The strings affect stored data and must not change.
type Purpose string

// The purposes. Each comment names the resource whose id is passed to Seal.
const (
	Webhook          Purpose = "octavo webhook secrets"              // webhook
	GitOperation     Purpose = "octavo git operation credentials"    // operation
	GitConnection    Purpose = "octavo git connection credentials"   // space
	ConversationHook Purpose = "octavo conversation webhook secrets" // organization and format
	GitHook          Purpose = "octavo git connection hook secrets"  // space
	ShareLink        Purpose = "octavo share link keys"              // share link
	VisitorKey       Purpose = "octavo visitor authentication keys"  // site
	MCPHeaders       Purpose = "octavo site mcp server headers"      // MCP server
	Certificate      Purpose = "octavo tls certificates"             // name of the certificate
	SAMLKey          Purpose = "octavo saml request keys"            // SAML provider
	OIDCClient       Purpose = "octavo oidc client secrets"          // provider
	Unsubscribe      Purpose = "octavo unsubscribe links"            // empty: the user is in the secret
)

// ErrSealed is returned for a secret that cannot be opened. It was damaged, moved from another row,
// or sealed by another instance.
var ErrSealed = errors.New("a stored secret cannot be read; set it again")

func box(ctx context.Context, r store.Reader, p Purpose) (cipher.AEAD, error) {
	secret, err := r.Secret(ctx)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, string(p), 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// Seal encrypts a secret. It can be opened only with the same purpose and id.
func Seal(ctx context.Context, r store.Reader, p Purpose, id, secret string) (docs.Sealed, error) {
	c, err := box(ctx, r, p)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, c.NonceSize())
	rand.Read(nonce) // never fails: crypto/rand ends the program instead
	return docs.Sealed(base64.RawURLEncoding.EncodeToString(c.Seal(nonce, nonce, []byte(secret), []byte(id)))), nil
}

// SealChanged is like Seal, but returns the sealed text that is stored if it is the same secret: what nobody
// changed stays the same.
func SealChanged(ctx context.Context, r store.Reader, p Purpose, id string, stored docs.Sealed, secret string) (docs.Sealed, error) {
	if stored != "" {
		if was, err := Open(ctx, r, p, id, stored); err == nil && was == secret {
			return stored, nil
		}
	}
	return Seal(ctx, r, p, id, secret)
}

// Open decrypts the result of Seal.
func Open(ctx context.Context, r store.Reader, p Purpose, id string, sealed docs.Sealed) (string, error) {
	c, err := box(ctx, r, p)
	if err != nil {
		return "", err
	}
	b, err := base64.RawURLEncoding.DecodeString(string(sealed))
	if err != nil || len(b) < c.NonceSize() {
		return "", ErrSealed
	}
	secret, err := c.Open(nil, b[:c.NonceSize()], b[c.NonceSize():], []byte(id))
	if err != nil {
		return "", ErrSealed
	}
	return string(secret), nil
}
