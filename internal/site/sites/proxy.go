package sites

import (
	"context"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/challenge"
	"github.com/octavo-docs/octavo/internal/store"
)

// checkProxy returns an error unless a site may have an address on another web site that
// forwards to this server. It queries the DNS, so it runs before the transaction.
func (s *Hostnames) checkProxy(ctx context.Context, site docs.Site, proxy string) error {
	const field = "proxy"
	if !docs.ValidProxy(proxy) {
		return errs.Field(field, "must be a host and a path, such as company.com/docs")
	}
	if err := s.hosts.checkForeign(field, proxyHost(proxy)); err != nil {
		return err
	}
	if proof, problem := s.proveProxy(ctx, site, proxy); proof != docs.HostnameProved {
		return errs.Field(field, "the host is not proved: %s. Set the TXT record %s to %s and repeat this, or ask the operator of the server to allow the host",
			problem, docs.HostnameRecord+proxyHost(proxy), site.ProxyToken())
	}
	return nil
}

func proxyHost(proxy string) string {
	host, _, _ := strings.Cut(strings.ToLower(proxy), "/")
	return host
}

// proveProxy checks whether the owner of the host of a proxy agrees that the site has an
// address there. Pages and search engines will use that address. The proof is one of: the
// site has that host name, the operator vouches for it, or its DNS record names the site.
func (s *Hostnames) proveProxy(ctx context.Context, site docs.Site, proxy string) (docs.HostnameProof, string) {
	host := proxyHost(proxy)
	if host == site.Hostname || s.hosts.isTrusted(host) {
		return docs.HostnameProved, ""
	}
	return challenge.LookUp(ctx, s.dns, host, site.ProxyToken())
}

// checkProxies repeats the proofs of proxies that are due, because domains change owners.
func (s *Hostnames) checkProxies(ctx context.Context) error {
	due, err := s.Store.DueProxies(ctx, docs.TimeOf(s.Store.Clock()), maxChecks)
	if err != nil {
		return err
	}
	for _, site := range due {
		proof, problem := s.proveProxy(ctx, site, site.Proxy)
		err := s.Store.Do(ctx, func(tx *store.Tx) error { return recheckProxy(ctx, tx, site, proof, problem) })
		if err != nil {
			return fmt.Errorf("check the proxy %s: %w", site.Proxy, err)
		}
	}
	return nil
}

// recheckProxy stores the result of a scheduled check. After several failures it removes the
// address from the site. It ignores a result for a proxy that was replaced meanwhile.
func recheckProxy(ctx context.Context, tx *store.Tx, checked docs.Site, proof docs.HostnameProof, problem string) error {
	now, err := tx.Site(ctx, checked.ID)
	if errs.Is(err, errs.NotFound) || err == nil && now.It.Proxy != checked.Proxy {
		return nil
	}
	if err != nil {
		return err
	}
	after := now.It.ProxyChecked(proof, problem, tx.Now())
	if after.Proxy == now.It.Proxy {
		return tx.PutProxyState(ctx, after.ID, after.ProxyState)
	}
	c, err := begin(ctx, tx, now.It)
	if err != nil {
		return err
	}
	c.site.Proxy, c.site.ProxyState = after.Proxy, after.ProxyState
	return c.save(ctx, authz.System, audit.Event{Action: "site.proxy.lose", Data: map[string]any{"proxy": checked.Proxy, "problem": problem}})
}
