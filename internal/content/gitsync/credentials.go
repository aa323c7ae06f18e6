package gitsync

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// sealedCredentials is the plain form of stored credentials, before they are sealed.
type sealedCredentials struct {
	Username   string `json:"username,omitempty"`
	Password   string `json:"password,omitempty"`
	PrivateKey []byte `json:"privateKey,omitempty"`
	KnownHosts []byte `json:"knownHosts,omitempty"`
}

// sealCredentials returns the sealed credentials, or "" if there are none.
func sealCredentials(ctx context.Context, r store.Reader, p seal.Purpose, id string, c git.Credentials) (docs.Sealed, error) {
	plain := sealedCredentials(c)
	b, err := json.Marshal(plain)
	if err != nil || string(b) == "{}" {
		return "", err
	}
	return seal.Seal(ctx, r, p, id, string(b))
}

func openCredentials(ctx context.Context, r store.Reader, p seal.Purpose, id string, sealed docs.Sealed) (git.Credentials, error) {
	if sealed == "" {
		return git.Credentials{}, nil
	}
	text, err := seal.Open(ctx, r, p, id, sealed)
	var plain sealedCredentials
	if errors.Is(err, seal.ErrSealed) || err == nil && json.Unmarshal([]byte(text), &plain) != nil {
		return git.Credentials{}, errs.E(errs.Precondition, "the stored credentials cannot be read; send them again")
	}
	if err != nil {
		return git.Credentials{}, err
	}
	return git.Credentials(plain), nil
}

// errDisconnected is the error of operations of a connection that was removed or changed.
var errDisconnected = errs.E(errs.Precondition, "the space is no longer connected to this repository")

// credentials returns the credentials of an operation. An operation of a connection uses
// the current credentials of the connection.
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

// check returns an error for credentials that cannot be valid for the address.
func (c CredentialsInput) check(address string) (git.Credentials, error) {
	none := git.Credentials{}
	const field = "credentials"
	ssh := !strings.HasPrefix(address, "http")
	switch {
	case c.PrivateKey != "" && (c.Username != "" || c.Password != ""):
		return none, errs.Field(field, "must be either a user name and a password, or a private key")
	case c.PrivateKey == "" && c.Username == "" && c.Password == "":
		return none, errs.Field(field, "must contain a user name and a password, or a private key; null removes those that are stored")
	case ssh && c.PrivateKey == "":
		return none, errs.Field(field, "must contain a private key for an ssh address")
	case !ssh && c.PrivateKey != "":
		return none, errs.Field(field+".privateKey", "is for ssh addresses; send a user name and a password or token for https")
	case len(c.Username) > MaxSecret || len(c.Password) > MaxSecret:
		return none, errs.Field(field, "are longer than %d characters", MaxSecret)
	case strings.ContainsFunc(c.Username+c.Password, func(r rune) bool { return r < ' ' || r == 0x7f }) || strings.Contains(c.Username, ":"):
		return none, errs.Field(field, "must not have control characters, nor a colon in the user name")
	case len(c.KnownHosts) > MaxKnownHosts || strings.ContainsRune(c.KnownHosts, 0):
		return none, errs.Field(field+".knownHosts", "must be lines of a known_hosts file, at most %s", errs.Size(MaxKnownHosts))
	}
	if c.PrivateKey != "" {
		if why := badKey(c.PrivateKey); why != "" {
			return none, errs.Field(field+".privateKey", "%s", why)
		}
		if !strings.HasSuffix(c.PrivateKey, "\n") {
			c.PrivateKey += "\n" // ssh rejects a key without a final line break
		}
	}
	out := git.Credentials{Username: c.Username, Password: c.Password}
	if c.PrivateKey != "" {
		out.PrivateKey = []byte(strings.ReplaceAll(c.PrivateKey, "\r\n", "\n"))
	}
	if c.KnownHosts != "" {
		out.KnownHosts = []byte(c.KnownHosts)
	}
	return out, nil
}

// badKey returns why ssh cannot use a key, or "". The text contains no part of the key.
func badKey(key string) string {
	if len(key) > MaxPrivateKey {
		return "is too long for a private key"
	}
	block, _ := pem.Decode([]byte(key))
	if block == nil || !strings.HasSuffix(block.Type, "PRIVATE KEY") {
		return "must be a private key as ssh-keygen writes it, with its first and last line"
	}
	const protected = "is protected by a passphrase; create a key without one for this purpose"
	if strings.HasPrefix(block.Type, "ENCRYPTED") || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED") {
		return protected
	}
	if rest, ok := bytes.CutPrefix(block.Bytes, []byte("openssh-key-v1\x00")); ok {
		// The name of the cipher follows: its length in four bytes, then its text.
		if len(rest) < 8 || !bytes.HasPrefix(rest, []byte("\x00\x00\x00\x04none")) {
			return protected
		}
	}
	return ""
}
