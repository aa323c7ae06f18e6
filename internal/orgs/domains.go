package orgs

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"slices"
	"sync"

	"github.com/octavo-docs/octavo/internal/challenge"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// EmailDomain is a domain whose people may join an organization, once it is proved
// that the domain belongs to it.
type EmailDomain struct {
	Domain  string
	Proved  bool
	Record  string // the name of the TXT record that proves it
	Value   string // and its value
	Problem string // what is wrong with the record; empty if nothing is
}

// maxLookups is how many domains of an organization are looked up at once.
const maxLookups = 8

// EmailDomains returns the domains of an organization, each with its proof as it is
// now.
func (s *Service) EmailDomains(ctx context.Context, id docs.OrgID) ([]EmailDomain, error) {
	o, err := s.Store.Organization(ctx, id)
	if err != nil {
		return nil, err
	}
	key, err := s.domainKey(ctx)
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
			if !challenge.MatchesAny(s.Vouched, domain) {
				proof, d.Problem = challenge.LookUp(ctx, s.resolver(), domain, d.Value)
			}
			d.Proved = proof == docs.HostnameProved
			out[i] = d
			<-slots
		})
	}
	wg.Wait()
	return out, ctx.Err() // what was broken off is no answer of a name server
}

// domainKey returns the secret that the values of records are made with.
func (s *Service) domainKey(ctx context.Context) ([]byte, error) {
	secret, err := s.Store.Secret(ctx)
	return []byte(secret), err
}

// domainValue returns what the record of a domain says for one organization. Another
// organization that names the same domain needs another value.
func domainValue(key []byte, org docs.OrgID, domain string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("email-domain\x00" + string(org) + "\x00" + domain))
	return "octavo-domain-" + hex.EncodeToString(mac.Sum(nil)[:16])
}

func (s *Service) resolver() challenge.Resolver {
	if s.DNS == nil {
		return net.DefaultResolver
	}
	return s.DNS
}

// proved returns those of organizations whose claim of a domain is proved. One lookup
// is enough: the record may have a value for each.
func (s *Service) proved(ctx context.Context, domain string, all []docs.Organization) ([]docs.Organization, error) {
	if len(all) == 0 || challenge.MatchesAny(s.Vouched, domain) {
		return all, nil
	}
	key, err := s.domainKey(ctx)
	if err != nil {
		return nil, err
	}
	values, _, _ := challenge.Values(ctx, s.resolver(), domain)
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

// OwnsDomain reports whether an organization names a domain of addresses and has proved it at this moment.
func (s *Service) OwnsDomain(ctx context.Context, org docs.OrgID, domain string) (bool, error) {
	o, err := s.Store.Organization(ctx, org)
	if err != nil || !slices.Contains(o.EmailDomains, domain) {
		return false, err
	}
	proved, err := s.proved(ctx, domain, []docs.Organization{o})
	return len(proved) > 0, err
}

// admits returns an error if people join an organization by an address of a domain
// that it did not prove to have. It makes a call, so it runs before the transaction,
// which compares the domain again.
func (s *Service) admits(ctx context.Context, org docs.OrgID, user docs.UserID) error {
	o, err := s.Store.Organization(ctx, org)
	if err != nil {
		return err
	}
	u, err := s.Store.User(ctx, user)
	if err != nil {
		return err
	}
	domain := u.Email.Domain()
	if !u.Verified || !slices.Contains(o.EmailDomains, domain) {
		return nil // which the transaction refuses
	}
	if _, err := s.Store.Member(ctx, org, user); !errs.Is(err, errs.NotFound) {
		return err // joining twice changes nothing
	}
	proved, err := s.proved(ctx, domain, []docs.Organization{o})
	if err == nil && len(proved) == 0 {
		err = errs.E(errs.Invalid, "the organization has not proved that %s belongs to it, so nobody joins by an address of it; ask for an invite, or an admin to set the DNS record of the domain", domain)
	}
	return err
}

// joinable returns the organizations that somebody could join by the domain of
// their address, and those of them that they are in.
func (s *Service) joinable(ctx context.Context, user docs.UserID, domain string) ([]store.OrgAccess, error) {
	all, err := s.Store.OrganizationsByDomain(ctx, domain)
	if err != nil {
		return nil, err
	}
	proved, err := s.proved(ctx, domain, all)
	if err != nil {
		return nil, err
	}
	open := map[docs.OrgID]bool{}
	for _, o := range proved {
		open[o.ID] = true
	}
	out := []store.OrgAccess{}
	for _, o := range all {
		access, err := s.Store.Access(ctx, o.ID, user)
		if err != nil {
			return nil, err
		}
		if open[o.ID] || access.Member {
			out = append(out, store.OrgAccess{Org: o, Access: access})
		}
	}
	return out, nil
}
