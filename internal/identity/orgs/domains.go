package orgs

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/challenge"
	"github.com/octavo-docs/octavo/internal/store"
)

// Domains are the e-mail domains of organizations, and what they permit: people with a
// verified address may join by themselves.
type Domains struct {
	store   *store.Store
	dns     challenge.Resolver // proves domains
	trusted []string           // need no proof, as in challenge.MatchesAny
}

// EmailDomain is an e-mail domain of an organization. People with an address of the
// domain may join, once it is proved that the domain belongs to the organization.
type EmailDomain struct {
	Domain  string
	Proved  bool
	Record  string // name of the TXT record that proves it
	Value   string // value of the TXT record
	Problem string // what is wrong with the record; empty if nothing is
}

// maxLookups is the maximum number of concurrent DNS lookups for the domains of an
// organization.
const maxLookups = 8

// List returns the domains of an organization. It looks up the current proof of
// each of them.
func (s *Domains) List(ctx context.Context, id docs.OrgID) ([]EmailDomain, error) {
	o, err := s.store.Organization(ctx, id)
	if err != nil {
		return nil, err
	}
	key, err := s.key(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]EmailDomain, len(o.EmailDomains))
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxLookups)
	for i, domain := range o.EmailDomains {
		slots <- struct{}{}
		wg.Go(func() {
			d := EmailDomain{Domain: domain, Record: docs.HostnameRecord + domain, Value: domainValue(key, o.ID, domain)}
			proof := docs.HostnameProved
			if !challenge.MatchesAny(s.trusted, domain) {
				proof, d.Problem = challenge.LookUp(ctx, s.dns, domain, d.Value)
			}
			d.Proved = proof == docs.HostnameProved
			out[i] = d
			<-slots
		})
	}
	wg.Wait()
	return out, ctx.Err() // a cancelled lookup does not mean that the record is missing
}

// key returns the secret from which the values of records are derived.
func (s *Domains) key(ctx context.Context) ([]byte, error) {
	secret, err := s.store.Secret(ctx)
	return []byte(secret), err
}

// domainValue returns the value of the record of a domain for an organization. Another
// organization that claims the same domain needs another value.
func domainValue(key []byte, org docs.OrgID, domain string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("email-domain\x00" + string(org) + "\x00" + domain))
	return "octavo-domain-" + hex.EncodeToString(mac.Sum(nil)[:16])
}

// proved returns the organizations of all whose claim of a domain is proved. One lookup
// is enough, because a record can have several values.
func (s *Domains) proved(ctx context.Context, domain string, all []docs.Organization) ([]docs.Organization, error) {
	if len(all) == 0 || challenge.MatchesAny(s.trusted, domain) {
		return all, nil
	}
	key, err := s.key(ctx)
	if err != nil {
		return nil, err
	}
	values, _, _ := challenge.Values(ctx, s.dns, domain)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out []docs.Organization
	for _, o := range all {
		if slices.Contains(values, domainValue(key, o.ID, domain)) {
			out = append(out, o)
		}
	}
	return out, nil
}

// Owns reports whether a domain is an e-mail domain of an organization and is
// proved at this moment.
func (s *Domains) Owns(ctx context.Context, org docs.OrgID, domain string) (bool, error) {
	o, err := s.store.Organization(ctx, org)
	if err != nil || !slices.Contains(o.EmailDomains, domain) {
		return false, err
	}
	proved, err := s.proved(ctx, domain, []docs.Organization{o})
	return len(proved) > 0, err
}

// check returns NotFound if the organization has not proved the domain of the
// user's address. It sends a DNS query, so it runs before the transaction, which compares
// the domain again.
func (s *Domains) check(ctx context.Context, g *authz.Grant, org docs.OrgID, u docs.User) error {
	if err := checkVerified(u); err != nil {
		return err
	}
	if err := checkAccepted(ctx, s.store.Reader, g, org); err != nil {
		return err
	}
	if _, err := s.store.Member(ctx, org, u.ID); !errs.Is(err, errs.NotFound) {
		return err // joining twice changes nothing
	}
	owns, err := s.Owns(ctx, org, u.Email.Domain())
	if err == nil && !owns {
		err = errs.Missing("organization")
	}
	return err
}

// joinable returns the organizations that a caller could join by the domain of the address,
// and those with the domain of which the caller is already a member.
func (s *Domains) joinable(ctx context.Context, g *authz.Grant, domain string) ([]store.OrgAccess, error) {
	all, err := s.store.OrganizationsByDomain(ctx, caller(g), domain)
	if err != nil {
		return nil, err
	}
	orgs := make([]docs.Organization, len(all))
	for i, it := range all {
		orgs[i] = it.Org
	}
	proved, err := s.proved(ctx, domain, orgs)
	if err != nil {
		return nil, err
	}
	open := map[docs.OrgID]bool{}
	for _, o := range proved {
		open[o.ID] = true
	}
	out := []store.OrgAccess{}
	for _, it := range all {
		if !open[it.Org.ID] && !it.Access.Member {
			continue
		}
		if authz.AsksProvider(g.Actor, it.Access) {
			it.Access.Member = false // only what non-members may see, as in OrganizationsOf
		}
		out = append(out, it)
	}
	return out, nil
}

// Organizations returns the organizations that the caller could join with their
// verified address.
func (s *Domains) Organizations(ctx context.Context, g *authz.Grant, domain string) ([]store.OrgAccess, error) {
	if err := g.Actor.RequireFullAccount(); err != nil {
		return nil, err
	}
	u, err := s.store.User(ctx, g.Actor.User)
	if err != nil {
		return nil, err
	}
	if !u.Verified || u.Email.Domain() != strings.ToLower(domain) {
		return nil, errs.E(errs.Forbidden, "you need a verified address of this domain to see its organizations")
	}
	return s.joinable(ctx, g, u.Email.Domain())
}

// Join makes the caller a guest of the organization. The caller needs a verified address
// in one of the organization's domains, which must be proved. Joining twice changes
// nothing. An organization that the caller cannot join looks as if it did not exist.
func (s *Domains) Join(ctx context.Context, g *authz.Grant, org docs.OrgID) error {
	if err := g.Actor.RequireFullAccount(); err != nil {
		return err
	}
	u, err := s.store.User(ctx, g.Actor.User)
	if err != nil {
		return err
	}
	if err := s.check(ctx, g, org, u); err != nil {
		return hideUnjoinable(err, u)
	}
	return hideUnjoinable(authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error { return join(ctx, tx, g, org) }), u)
}

// hideUnjoinable gives organizations that do not exist and those that a person cannot join one message.
func hideUnjoinable(err error, u docs.User) error {
	if errs.Is(err, errs.NotFound) {
		return errs.E(errs.NotFound, "there is no organization with this id that people with an address of %s can join by themselves; ask for an invite", u.Email.Domain())
	}
	return err
}

func join(ctx context.Context, tx *store.Tx, g *authz.Grant, org docs.OrgID) error {
	u, err := tx.User(ctx, g.Actor.User)
	if err != nil {
		return err
	}
	if err := checkVerified(u); err != nil {
		return err
	}
	if err := checkAccepted(ctx, tx.Reader, g, org); err != nil {
		return err
	}
	o, err := tx.Organization(ctx, org)
	if err != nil {
		return err
	}
	m, err := tx.Member(ctx, org, g.Actor.User)
	if err == nil {
		return refuseDisabled(m)
	}
	if !errs.Is(err, errs.NotFound) {
		return err
	}
	if !slices.Contains(o.EmailDomains, u.Email.Domain()) {
		return errs.Missing("organization")
	}
	removed, err := tx.RemovedAt(ctx, org, g.Actor.User)
	if err != nil {
		return err
	}
	if !removed.IsZero() {
		return errs.E(errs.Invalid, "you were removed from this organization; ask an admin to invite you again")
	}
	if err := tx.AddMember(ctx, docs.Member{Org: org, User: u, Role: docs.Guest, JoinedAt: tx.Now(), LastSeenAt: tx.Now()}); err != nil {
		return err
	}
	return audit.Record(ctx, tx, g.Actor, memberEvent(org, "join", g.Actor.User, nil))
}

func checkVerified(u docs.User) error {
	if u.Verified {
		return nil
	}
	return errs.E(errs.Invalid, "your address %s is not verified; ask the operator of this instance", u.Email)
}

func refuseDisabled(m docs.Member) error {
	if m.Disabled {
		return errs.E(errs.Forbidden, "your membership is disabled; ask an admin of the organization")
	}
	return nil
}
