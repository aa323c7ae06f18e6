package sso

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/saml"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// loginTime is the maximum time from the request until the browser returns.
const loginTime = 15 * time.Minute

// errSetup is returned for a provider whose settings are incomplete.
var errSetup = errs.E(errs.Precondition, "this single sign-on is not set up completely; ask an administrator of your organization")

// Metadata returns the metadata document of this server for an identity provider.
func (s *Service) Metadata(ctx context.Context, id docs.SAMLProviderID) ([]byte, error) {
	p, err := s.Store.AnySAMLProvider(ctx, id)
	if err != nil {
		return nil, err
	}
	protocol, err := s.protocol(ctx, p)
	if err != nil {
		return nil, err
	}
	return protocol.Metadata()
}

// protocol returns the provider as package saml represents it.
func (s *Service) protocol(ctx context.Context, p docs.SAMLProvider) (saml.Provider, error) {
	at := s.Addresses(p.ID)
	out := saml.Provider{
		EntityID: p.EntityID, SSOURL: p.SSOURL, Service: saml.Service{EntityID: at.EntityID, ACSURL: at.ACS}, EmailNameID: p.Attributes.Email == "",
	}
	var err error
	if out.Certificates, err = saml.ParseCertificates(p.Certificate); err != nil || !p.SignRequests || p.Sealed == "" {
		return out, err
	}
	key, err := seal.Open(ctx, s.Store.Reader, seal.SAMLKey, string(p.ID), p.Sealed)
	if err != nil {
		return out, err
	}
	out.Key, err = saml.DecodeKey(key)
	return out, err
}

// Named returns the label of a provider and its organization. It returns an error if the provider's
// settings are incomplete.
func (s *Service) Named(ctx context.Context, id docs.SAMLProviderID) (string, docs.Organization, error) {
	p, err := s.Store.AnySAMLProvider(ctx, id)
	if err != nil {
		return "", docs.Organization{}, err
	}
	if !p.Complete() {
		return "", docs.Organization{}, errSetup
	}
	o, err := s.Store.Organization(ctx, p.Org)
	return p.Label, o, err
}

// Start begins a sign-in and returns the URL to which the browser is redirected. browser is a secret
// in a cookie of the browser: only that browser can complete the sign-in. network is the network of
// the client.
func (s *Service) Start(ctx context.Context, id docs.SAMLProviderID, browser, network, next string) (address string, err error) {
	p, err := s.Store.AnySAMLProvider(ctx, id)
	if err != nil {
		return "", err
	}
	if !p.Complete() {
		return "", errSetup
	}
	protocol, err := s.protocol(ctx, p)
	if err != nil {
		return "", err
	}
	address, request, err := protocol.Request(s.Store.Clock())
	if err != nil {
		return "", err
	}
	return address, s.Store.Do(ctx, func(tx *store.Tx) error {
		return s.begin(ctx, tx, docs.SAMLLogin{ID: request, Provider: id, Browser: hash(browser), Network: network, Next: signin.LocalPath(next)}, "")
	})
}

// hash returns the hash of a secret in hexadecimal.
func hash(secret string) string {
	sum := docs.HashSecret(secret)
	return hex.EncodeToString(sum[:])
}

// begin stores a sign-in. ends is the hash of the secret that completes it, or empty before the
// response.
func (s *Service) begin(ctx context.Context, tx *store.Tx, l docs.SAMLLogin, ends string) error {
	if err := tx.DropExpiredAssertions(ctx); err != nil {
		return err
	}
	l.ExpiresAt = docs.TimeOf(tx.Now().Std().Add(loginTime))
	return tx.AddSAMLLogin(ctx, l, ends)
}

// Receive processes a response of an identity provider and returns a secret that completes the
// sign-in. relay is the path to open after a sign-in that began at the provider.
func (s *Service) Receive(ctx context.Context, id docs.SAMLProviderID, answer, relay, network, request string) (string, error) {
	p, err := s.Store.AnySAMLProvider(ctx, id)
	if err != nil {
		return "", err
	}
	if !p.Complete() {
		return "", errSetup
	}
	secret := docs.NewLinkSecret()
	err = s.storeIdentity(ctx, p, answer, relay, network, secret)
	var refusal *saml.Refusal
	if !errors.As(err, &refusal) {
		return secret, err
	}
	err = errs.E(errs.Forbidden, "Single sign-on by %s did not work: %s. If that happens again, tell an administrator of your organization: the settings of the provider say what to do.", p.Label, refusal.Reason)
	if broken := s.storeRefusal(ctx, p, refusal, request); broken != nil {
		return "", broken
	}
	return "", err
}

// storeIdentity verifies a response and stores the identity in it.
func (s *Service) storeIdentity(ctx context.Context, p docs.SAMLProvider, answer, relay, network, secret string) error {
	protocol, err := s.protocol(ctx, p)
	if err != nil {
		return err
	}
	a, err := protocol.Check(answer, s.Store.Clock())
	if err != nil {
		return err
	}
	who, err := identify(p, a)
	if err != nil {
		return err
	}
	who.ID, who.Provider, who.Network = a.InResponseTo, p.ID, network
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		if now, err := tx.AnySAMLProvider(ctx, p.ID); err != nil {
			return err
		} else if now.UpdatedAt != p.UpdatedAt {
			return errGone // the response was verified with the provider's old settings
		}
		if a.InResponseTo == "" {
			if !p.IdPInitiated {
				return &saml.Refusal{Reason: "nobody asked for this answer", Detail: "The sign-in began at the identity provider. Begin at " + s.Addresses(p.ID).Start + ", or allow it: idpInitiated."}
			}
			begun := who
			begun.ID, begun.Next = "~"+rand.Text(), signin.LocalPath(relay)
			if err := s.begin(ctx, tx, begun, hash(secret)); err != nil {
				return err
			}
		} else if waits, err := tx.AnswerSAMLLogin(ctx, who, docs.HashSecret(secret)); err != nil {
			return err
		} else if !waits {
			return &saml.Refusal{Reason: "this answer was used before, came too late, or belongs to another sign-in", Detail: "The request that it names does not wait for an answer. Begin again at " + s.Addresses(p.ID).Start + "."}
		}
		err := tx.AddSAMLAssertion(ctx, p.ID, a.ID, docs.TimeOf(a.Until))
		if errs.Is(err, errs.Conflict) {
			return &saml.Refusal{Reason: "this answer was used before", Detail: "The same assertion came twice. Somebody may have read it on the way."}
		}
		return err
	})
}

// identify returns the identity in an assertion, read from the attributes that the provider's settings
// name.
func identify(p docs.SAMLProvider, a saml.Assertion) (docs.SAMLLogin, error) {
	address := a.Name
	if p.Attributes.Email != "" {
		values := a.Attributes[p.Attributes.Email]
		if len(values) != 1 {
			return docs.SAMLLogin{}, &saml.Refusal{Reason: "the answer does not have your e-mail address", Detail: "The attribute " + p.Attributes.Email + " has to have one value: let the identity provider send it, or change attributes.email."}
		}
		address = values[0]
	}
	email, err := docs.ParseEmail(address)
	if err != nil {
		return docs.SAMLLogin{}, &saml.Refusal{Reason: "the answer does not have your e-mail address", Detail: "The NameID is not an e-mail address: let the identity provider send it, or name the attribute that has it: attributes.email."}
	}
	l := docs.SAMLLogin{Subject: string(email), Email: email}
	if a.Persistent {
		l.Subject = a.Name
	}
	if len(l.Subject) > maxSubject {
		return l, &saml.Refusal{Reason: "the answer has an unusual form", Detail: "The NameID is too long."}
	}
	var names []string
	for _, attr := range []string{p.Attributes.FirstName, p.Attributes.LastName} {
		if v := a.Attributes[attr]; attr != "" && len(v) > 0 {
			names = append(names, v[0])
		}
	}
	l.Name = docs.FirstBytes(strings.Join(names, " "), maxName)
	l.Groups = groupsOf(p, a)
	return l, nil
}

// groupsOf returns the person's groups that are mapped to a team. It returns nil if the assertion
// has no attribute with groups.
func groupsOf(p docs.SAMLProvider, a saml.Assertion) []string {
	values, sent := a.Attributes[p.Attributes.Groups]
	if p.Attributes.Groups == "" || !sent {
		return nil
	}
	groups := []string{}
	for _, name := range values {
		if _, mapped := p.Groups[name]; mapped && !slices.Contains(groups, name) {
			groups = append(groups, name)
		}
	}
	return groups
}

const (
	maxSubject = 512
	maxName    = 128
)

// recordEvery is the length of the periods in which one refusal is written to the audit log.
const recordEvery = docs.Time(time.Hour / time.Millisecond)

// storeRefusal stores the reason of a refusal for admins. It writes an audit entry for the first
// refusal in each period of recordEvery, and for the first one after a successful sign-in. The limit
// exists because anybody can send invalid responses.
func (s *Service) storeRefusal(ctx context.Context, p docs.SAMLProvider, r *saml.Refusal, request string) error {
	text := r.Reason + ". " + r.Detail
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		recorded := p.LastError != "" && tx.Now()/recordEvery == p.LastErrorAt/recordEvery
		if err := tx.PutSAMLError(ctx, p.ID, text); err != nil || recorded {
			return err
		}
		by := authz.System
		by.Request = request
		return audit.Record(ctx, tx, by, audit.Event{
			Org: p.Org, Action: "saml.refuse", Kind: "saml-provider", ID: string(p.ID), Data: map[string]any{"label": p.Label, "reason": text},
		})
	})
}

// errGone is returned for a sign-in that was completed already, has expired, or is unknown. It is also
// returned if the provider changed while a response was verified.
var errGone = errs.E(errs.NotFound, "this sign-in has ended, or it took too long; begin again")

// errBrowser is returned if a sign-in is completed in another browser than the one that began it.
var errBrowser = errs.E(errs.Forbidden, "this sign-in began in another browser; begin it again here")

// PendingLogin is a sign-in for which the provider's response was accepted.
type PendingLogin struct {
	Email    docs.Email
	Label    string // of the provider
	Org      docs.Organization
	Confirms bool // the sign-in began at the provider: the user must confirm it
}

// PendingLogin returns the sign-in that a secret completes in a browser.
func (s *Service) PendingLogin(ctx context.Context, id docs.SAMLProviderID, secret, browser string) (PendingLogin, error) {
	p, l, err := s.pendingLogin(ctx, s.Store.Reader, id, secret, browser, docs.TimeOf(s.Store.Clock()))
	if err != nil {
		return PendingLogin{}, err
	}
	o, err := s.Store.Organization(ctx, p.Org)
	return PendingLogin{l.Email, p.Label, o, l.Browser == ""}, err
}

func (s *Service) pendingLogin(ctx context.Context, r store.Reader, id docs.SAMLProviderID, secret, browser string, now docs.Time) (p docs.SAMLProvider, l docs.SAMLLogin, err error) {
	if secret == "" {
		return p, l, errGone
	}
	if p, err = r.AnySAMLProvider(ctx, id); err != nil {
		return p, l, err
	}
	l, err = r.SAMLLogin(ctx, id, docs.HashSecret(secret))
	switch {
	case errs.Is(err, errs.NotFound), err == nil && l.ExpiresAt <= now:
		err = errGone
	case err == nil && l.Browser != "" && (browser == "" || subtle.ConstantTimeCompare([]byte(l.Browser), []byte(hash(browser))) == 0):
		err = errBrowser
	}
	return p, l, err
}

// Finish completes a sign-in and opens a session.
func (s *Service) Finish(ctx context.Context, id docs.SAMLProviderID, secret, browser, agent, request string) (signin.NewSession, error) {
	type pending struct {
		p docs.SAMLProvider
		l docs.SAMLLogin
	}
	found, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (pending, error) {
		p, l, err := s.pendingLogin(ctx, tx.Reader, id, secret, browser, tx.Now())
		if err != nil {
			return pending{}, err
		}
		if had, err := tx.DropSAMLLogin(ctx, l.ID); err != nil {
			return pending{}, err
		} else if !had {
			return pending{}, errGone
		}
		if p.LastError != "" {
			err = tx.PutSAMLError(ctx, p.ID, "")
		}
		return pending{p, l}, err
	})
	if err != nil {
		return signin.NewSession{}, err
	}
	p, l := found.p, found.l
	opened, err := s.SignIn.SignInToOrganization(ctx, signin.Assertion{
		Org: p.Org, Provider: string(p.ID), Method: docs.SignInBySAML, Subject: l.Subject, Email: string(l.Email), Proved: true, Name: l.Name,
		Role: p.DefaultRole, Team: p.DefaultTeam, Teams: signin.TeamsOf(p.Groups, l.Groups), AsOf: p.UpdatedAt, Recyclable: l.Subject == string(l.Email),
		Agent: agent, Request: request, Next: l.Next,
	})
	if errs.Is(err, errs.Forbidden) { // an admin can fix the cause
		err = errors.Join(err, s.storeRefusal(ctx, p, &saml.Refusal{Reason: string(l.Email) + " was not let in", Detail: errs.Message(err)}, request))
	}
	return opened, err
}
