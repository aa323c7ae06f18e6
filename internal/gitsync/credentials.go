package gitsync

import (
	"context"
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/git"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// sealedCredentials is the stored form of credentials, before it is sealed.
type sealedCredentials struct {
	Username   string `json:"username,omitempty"`
	Password   string `json:"password,omitempty"`
	PrivateKey []byte `json:"privateKey,omitempty"`
	KnownHosts []byte `json:"knownHosts,omitempty"`
}

// sealCredentials gives "" if there are none.
func sealCredentials(ctx context.Context, r store.Reader, p seal.Purpose, id string, c git.Credentials) (string, error) {
	plain := sealedCredentials(c)
	b, err := json.Marshal(plain)
	if err != nil || string(b) == "{}" {
		return "", err
	}
	return seal.Seal(ctx, r, p, id, string(b))
}

func openCredentials(ctx context.Context, r store.Reader, p seal.Purpose, id, sealed string) (git.Credentials, error) {
	if sealed == "" {
		return git.Credentials{}, nil
	}
	text, err := seal.Open(ctx, r, p, id, sealed)
	if err != nil {
		return git.Credentials{}, err
	}
	var plain sealedCredentials
	if err := json.Unmarshal([]byte(text), &plain); err != nil {
		return git.Credentials{}, seal.ErrSealed // not err, which may quote the text
	}
	return git.Credentials(plain), nil
}

// errDisconnected ends operations of a connection that is no more.
var errDisconnected = errs.E(errs.Precondition, "the space is no longer connected to this repository")

// credentials gives those of an operation: its own, or those that the
// connection of the space has now.
func credentials(ctx context.Context, r store.Reader, o docs.GitOperation) (git.Credentials, error) {
	if !o.Request.Connected {
		return openCredentials(ctx, r, seal.GitOperation, string(o.ID), o.Sealed)
	}
	c, ok, err := r.GitConnection(ctx, o.Space)
	if err != nil {
		return git.Credentials{}, err
	}
	if !ok || c.Remote != o.Remote {
		return git.Credentials{}, errDisconnected
	}
	return openCredentials(ctx, r, seal.GitConnection, string(o.Space), c.Sealed)
}
