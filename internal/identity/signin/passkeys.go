package signin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/store"
)

// Limits of passkeys.
const (
	MaxPasskeys   = 20 // of a user
	challengeTime = 5 * time.Minute
)

// errKey is returned if a passkey does not sign anybody in. It names no reason, so that a client
// that tries passkeys learns nothing.
var errKey = errs.E(errs.Forbidden, "this passkey does not work here; sign in by mail, and add it in your account")

// relyingParty returns the WebAuthn relying party of this server. Passkeys are bound to a host
// name, so a server whose base URL has an IP address cannot use them.
func (s *Service) relyingParty() (*webauthn.WebAuthn, error) {
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return nil, err
	}
	if net.ParseIP(u.Hostname()) != nil {
		return nil, errs.E(errs.Precondition, "passkeys need a server with a host name; open it by its name, or ask its operator to set --base-url")
	}
	return webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: s.name(), RPOrigins: []string{u.Scheme + "://" + u.Host},
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
	})
}

// HasPasskeys reports whether this server supports passkeys.
func (s *Service) HasPasskeys() bool {
	_, err := s.relyingParty()
	return err == nil
}

// keyHolder implements webauthn.User.
type keyHolder struct {
	docs.User
	keys []webauthn.Credential
}

func (h keyHolder) WebAuthnID() []byte                         { return []byte(h.ID) }
func (h keyHolder) WebAuthnName() string                       { return string(h.Email) }
func (h keyHolder) WebAuthnDisplayName() string                { return h.DisplayName }
func (h keyHolder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// holder reads a user and the user's passkeys.
func holder(ctx context.Context, r store.Reader, id docs.UserID) (keyHolder, error) {
	u, err := r.User(ctx, id)
	if err != nil {
		return keyHolder{}, err
	}
	list, err := r.Passkeys(ctx, id)
	h := keyHolder{User: u}
	for _, p := range list {
		var c webauthn.Credential
		if err := json.Unmarshal([]byte(p.Credential), &c); err != nil {
			return h, err
		}
		h.keys = append(h.keys, c)
	}
	return h, err
}

// storeChallenge stores the data of a challenge until the authenticator answers it.
func (s *Service) storeChallenge(ctx context.Context, network string, asked *webauthn.SessionData) error {
	data, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		return tx.AddPasskeyChallenge(ctx, docs.HashSecret(asked.Challenge), string(data), network, docs.TimeOf(tx.Now().Std().Add(challengeTime)))
	})
}

// takeChallenge returns the data of a challenge and deletes it: each challenge can be answered
// once.
func (s *Service) takeChallenge(ctx context.Context, challenge string) (asked webauthn.SessionData, err error) {
	data, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (string, error) {
		return tx.TakePasskeyChallenge(ctx, docs.HashSecret(challenge))
	})
	if errs.Is(err, errs.NotFound) {
		return asked, errs.E(errs.Forbidden, "this took too long; try again")
	}
	if err != nil {
		return asked, err
	}
	return asked, json.Unmarshal([]byte(data), &asked)
}

// mayHavePasskey returns an error unless the caller may change their passkeys. That requires a
// session, and one that is not limited to an organization.
func mayHavePasskey(g *authz.Grant) error {
	if !g.Actor.Session {
		return errs.E(errs.Forbidden, "sign in to change your passkeys; a token cannot do it")
	}
	return g.Actor.RequireFullAccount()
}

// BeginPasskeyCreation returns the options with which a browser creates a passkey for the caller.
func (s *Service) BeginPasskeyCreation(ctx context.Context, g *authz.Grant, network string) (*protocol.CredentialCreation, error) {
	if err := mayHavePasskey(g); err != nil {
		return nil, err
	}
	rp, err := s.relyingParty()
	if err != nil {
		return nil, err
	}
	h, err := holder(ctx, s.Store.Reader, g.Actor.User)
	if err != nil {
		return nil, err
	}
	if len(h.keys) >= MaxPasskeys {
		return nil, errs.E(errs.Precondition, "you have %d passkeys, which is the maximum; remove one first", len(h.keys))
	}
	made, asked, err := rp.BeginRegistration(h, webauthn.WithExclusions(webauthn.Credentials(h.keys).CredentialDescriptors()))
	if err != nil {
		return nil, err
	}
	return made, s.storeChallenge(ctx, network, asked)
}

// AddPasskey stores a passkey that a browser has created.
func (s *Service) AddPasskey(ctx context.Context, g *authz.Grant, label string, answer []byte) error {
	if err := mayHavePasskey(g); err != nil {
		return err
	}
	rp, err := s.relyingParty()
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return errs.E(errs.Invalid, "the answer of the browser cannot be read; try again")
	}
	asked, err := s.takeChallenge(ctx, parsed.Response.CollectedClientData.Challenge)
	if err != nil {
		return err
	}
	u, err := s.Store.User(ctx, g.Actor.User)
	if err != nil {
		return err
	}
	made, err := rp.CreateCredential(keyHolder{User: u}, asked, parsed)
	if err != nil {
		return errs.E(errs.Invalid, "the passkey cannot be used; try again, or use another device")
	}
	data, err := json.Marshal(made)
	if err != nil {
		return err
	}
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		have, err := tx.Passkeys(ctx, g.Actor.User)
		if err != nil {
			return err
		}
		if len(have) >= MaxPasskeys {
			return errs.E(errs.Precondition, "you have %d passkeys, which is the maximum; remove one first", len(have))
		}
		p := docs.Passkey{ID: keyID(made.ID), User: g.Actor.User, Label: label, Credential: string(data), CreatedAt: tx.Now()}
		if err := tx.AddPasskey(ctx, p); err != nil {
			return err
		}
		if err := enqueueAdded(ctx, tx, p.User, "passkey "+p.ID, "can be signed in to with a new passkey: "+mail.Line(label)); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, audit.Event{Action: "passkey.add", Kind: "user", ID: string(p.User), Data: map[string]any{"label": label}})
	})
}

func keyID(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// Passkeys lists the caller's passkeys.
func (s *Service) Passkeys(ctx context.Context, g *authz.Grant) ([]docs.Passkey, error) {
	if g.Actor.RequireFullAccount() != nil {
		return nil, nil
	}
	return s.Store.Passkeys(ctx, g.Actor.User)
}

// RemovePasskey deletes one of the caller's passkeys.
func (s *Service) RemovePasskey(ctx context.Context, g *authz.Grant, id string) error {
	if err := mayHavePasskey(g); err != nil {
		return err
	}
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		had, err := tx.DropPasskey(ctx, g.Actor.User, id)
		if err != nil {
			return err
		}
		if !had {
			return errs.Missing("passkey")
		}
		return audit.Record(ctx, tx, g.Actor, audit.Event{Action: "passkey.remove", Kind: "user", ID: string(g.Actor.User)})
	})
}

// BeginPasskeySignIn returns the options with which a browser signs in by passkey. They do not
// depend on the user: the response of the passkey names the user.
func (s *Service) BeginPasskeySignIn(ctx context.Context, network string) (*protocol.CredentialAssertion, error) {
	rp, err := s.relyingParty()
	if err != nil {
		return nil, err
	}
	ask, asked, err := rp.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, err
	}
	return ask, s.storeChallenge(ctx, network, asked)
}

// UsePasskey opens a session for the owner of a passkey.
func (s *Service) UsePasskey(ctx context.Context, answer []byte, from Client) (NewSession, error) {
	rp, err := s.relyingParty()
	if err != nil {
		return NewSession{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return NewSession{}, errs.E(errs.Invalid, "the answer of the browser cannot be read; try again")
	}
	asked, err := s.takeChallenge(ctx, parsed.Response.CollectedClientData.Challenge)
	if err != nil {
		return NewSession{}, err
	}
	refused := Refusal{Method: docs.SignInByKey, Reason: "nobody has the passkey"}
	who, used, err := rp.ValidatePasskeyLogin(func(raw, handle []byte) (webauthn.User, error) {
		p, err := s.Store.Passkey(ctx, keyID(raw))
		if err != nil || string(p.User) != string(handle) {
			return nil, errKey
		}
		refused.User, refused.Reason = p.User, "the answer of the passkey is wrong"
		return holder(ctx, s.Store.Reader, p.User)
	}, asked, parsed)
	if err == nil && used.Authenticator.CloneWarning {
		refused.Reason, err = "the counter of the passkey went back: there may be a copy of it", errKey
	}
	if err != nil {
		s.RecordRefusal(ctx, refused, from)
		return NewSession{}, errKey
	}
	return s.openByKey(ctx, docs.UserID(who.WebAuthnID()), used, from)
}

// openByKey opens a session for the owner of a verified passkey.
func (s *Service) openByKey(ctx context.Context, user docs.UserID, used *webauthn.Credential, from Client) (NewSession, error) {
	data, err := json.Marshal(used)
	if err != nil {
		return NewSession{}, err
	}
	secret := docs.NewSessionSecret()
	t, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (docs.Token, error) {
		by := authz.Actor{User: user, Request: from.Request, Session: true}
		p, err := tx.Passkey(ctx, keyID(used.ID))
		if errs.Is(err, errs.NotFound) || err == nil && p.User != by.User { // removed meanwhile
			return docs.Token{}, errKey
		}
		if err != nil {
			return docs.Token{}, err
		}
		p.Credential, p.LastUsedAt = string(data), tx.Now()
		if err := tx.UsePasskey(ctx, p); err != nil {
			return docs.Token{}, err
		}
		return s.open(ctx, tx, by, docs.SignInByKey, from.Agent, secret)
	})
	return NewSession{Secret: secret, Until: t.ExpiresAt.Std()}, err
}
