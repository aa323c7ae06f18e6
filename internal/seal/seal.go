// Package seal keeps secrets that the server needs in clear unreadable to
// whoever sees a row, a log or a part of a backup. It does not protect them
// from somebody who has the whole database: the key is derived from the
// secret of the instance, which is in it.
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

	"github.com/octavo-docs/octavo/internal/store"
)

// Purpose keeps apart what is sealed for different uses: what was sealed for
// one does not open for another. The texts are part of the stored data.
type Purpose string

// The purposes, each with what the id names.
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
	Unsubscribe      Purpose = "octavo unsubscribe links"            // nothing: the user is inside
)

// ErrSealed is the error of everything that does not open: it was
// damaged, moved from another row, or sealed by another instance.
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

// Seal encrypts a secret of a thing; it opens for that thing only.
func Seal(ctx context.Context, r store.Reader, p Purpose, id, secret string) (string, error) {
	c, err := box(ctx, r, p)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, c.NonceSize())
	rand.Read(nonce) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(c.Seal(nonce, nonce, []byte(secret), []byte(id))), nil
}

// Open returns what was sealed.
func Open(ctx context.Context, r store.Reader, p Purpose, id, sealed string) (string, error) {
	c, err := box(ctx, r, p)
	if err != nil {
		return "", err
	}
	b, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil || len(b) < c.NonceSize() {
		return "", ErrSealed
	}
	secret, err := c.Open(nil, b[:c.NonceSize()], b[c.NonceSize():], []byte(id))
	if err != nil {
		return "", ErrSealed
	}
	return string(secret), nil
}
