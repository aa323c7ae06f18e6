package webhooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// lock encrypts the secret of a webhook. It can be decrypted for that webhook only.
func lock(ctx context.Context, r store.Reader, w docs.Webhook, secret string) (docs.Sealed, error) {
	return seal.SealChanged(ctx, r, seal.Webhook, string(w.ID), w.Sealed, secret)
}

func open(ctx context.Context, r store.Reader, w docs.Webhook) (string, error) {
	return seal.Open(ctx, r, seal.Webhook, string(w.ID), w.Sealed)
}

// signature returns the value of the signature header: the time, and a MAC of the time and the body.
// With it, a receiver verifies that a body is authentic and recent.
func signature(secret string, at docs.Time, body string) string {
	t := strconv.FormatInt(at.Std().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "." + body))
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
