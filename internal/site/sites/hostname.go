package sites

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/challenge"
	"github.com/octavo-docs/octavo/internal/store"
)

// HostnameJob is the job that checks the host names of sites. It runs every HostnameEvery.
const (
	HostnameJob   = "site.hostnames"
	HostnameEvery = 10 * time.Minute
)

// Limits.
const (
	// maxHostname leaves room for the prefix of the name of the TXT record. A DNS name has
	// at most 253 characters.
	maxHostname = 253 - len(docs.HostnameRecord)
	maxChecks   = 200 // host names in one run of the job
)

// Regular expressions for the labels of host names.
const (
	label     = `([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])`
	lastLabel = `[a-z0-9][a-z0-9-]{0,61}[a-z0-9]`
)

var (
	// hostnameRE is the form that the API requires: at least three labels.
	hostnameRE = regexp.MustCompile(`^` + label + `{2,}` + lastLabel + `$`)
	trustedRE  = regexp.MustCompile(`^` + label + `+` + lastLabel + `$`)
)

// addressRE matches the end of names that browsers parse as an IP address.
var addressRE = regexp.MustCompile(`[.]([0-9]+|0x[0-9a-f]*)$`)

// hostname returns a host name in the form of the DNS: in lower case, with international names
// in ASCII. It refuses the host name of the server and names in the domain of sites.
func (h Hosts) hostname(text string) (string, error) {
	const field = "hostname"
	name, err := idna.Lookup.ToASCII(strings.TrimSuffix(text, "."))
	name = strings.ToLower(name)
	switch {
	case len(name) > maxHostname:
		return "", errs.Field(field, "must have at most %d characters", maxHostname)
	case err != nil || !hostnameRE.MatchString(name) || addressRE.MatchString(name):
		return "", errs.Field(field, "must be a host name of three parts or more, such as docs.example.com: no address, no port, no path")
	}
	if err := h.checkForeign(field, name); err != nil {
		return "", err
	}
	return name, nil
}

// checkForeign returns an error for the field if a host name belongs to this server.
func (h Hosts) checkForeign(field, name string) error {
	base, err := url.Parse(h.Base)
	switch {
	case err == nil && strings.EqualFold(base.Hostname(), name):
		return errs.Field(field, "is the host of this server; use a name of your own domain")
	case h.Domain != "" && (name == h.Domain || strings.HasSuffix(name, "."+h.Domain)):
		return errs.Field(field, "is in the domain of this server; set the basename of the site instead")
	}
	return nil
}

// isTrusted reports whether the operator of the server vouches for a host name.
func (h Hosts) isTrusted(name string) bool { return challenge.MatchesAny(h.Trusted, name) }

// Hostnames gives host names to sites, and addresses on other web sites that forward to this
// server, as long as the owners of the names agree.
type Hostnames struct {
	Store *store.Store
	hosts Hosts
	dns   challenge.Resolver // verifies the ownership of names
}

// Get returns the host name of the site of a grant, active or claimed.
func (s *Hostnames) Get(ctx context.Context, g *authz.Grant) (docs.SiteHostname, error) {
	return s.Store.SiteHostname(ctx, g.Site.ID)
}

// Set claims a host name for a site. It replaces the previous host name, which stops
// working at once. The name becomes active after a check has found its DNS record, or at once
// if the operator vouches for it. The error is Conflict if another site has the name.
func (s *Hostnames) Set(ctx context.Context, g *authz.Grant, text string) (docs.SiteHostname, error) {
	name, err := s.hosts.hostname(text)
	if err != nil {
		return docs.SiteHostname{}, err
	}
	var out docs.SiteHostname
	_, err = editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
		taken, err := c.taken(ctx, name)
		if taken {
			err = errs.E(errs.Conflict, "another site has the host name %s; remove it there first", name)
		}
		if err != nil {
			return audit.Event{}, err
		}
		out, err = c.tx.SiteHostname(ctx, c.site.ID)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return audit.Event{}, err
		}
		before := out
		if out.Name != name {
			now := c.tx.Now()
			out = docs.SiteHostname{Site: c.site.ID, Name: name, Token: "octavo-site-" + strings.ToLower(rand.Text()), CreatedAt: now, NextCheck: now}
		}
		if !out.Active && s.hosts.isTrusted(name) {
			out = out.Checked(docs.HostnameProved, "", c.tx.Now())
		}
		if audit.Same(before, out) {
			return audit.Event{}, nil
		}
		c.site.Hostname, c.touch = "", true
		if out.Active {
			c.site.Hostname = name
		}
		return hostnameEvent("set", out), c.tx.PutSiteHostname(ctx, out)
	})
	return out, err
}

// Remove removes the host name of a site.
func (s *Hostnames) Remove(ctx context.Context, g *authz.Grant) error {
	_, err := editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
		h, err := c.tx.SiteHostname(ctx, c.site.ID)
		if err != nil {
			return audit.Event{}, err
		}
		c.site.Hostname, c.touch, h.Active = "", true, false
		return hostnameEvent("remove", h), c.tx.DropSiteHostname(ctx, c.site.ID)
	})
	return err
}

// Check checks the DNS record of the host name of a site now.
func (s *Hostnames) Check(ctx context.Context, g *authz.Grant) (docs.SiteHostname, error) {
	h, err := s.Store.SiteHostname(ctx, g.Site.ID)
	if err != nil {
		return h, err
	}
	proof, problem := s.prove(ctx, h)
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.SiteHostname, error) {
		return apply(ctx, tx, g.Actor, g.Site, h, proof, problem)
	})
}

// CheckDue is the job that checks the DNS records of all host names and proxies that are
// due.
func (s *Hostnames) CheckDue(ctx context.Context, _ []byte) error {
	due, err := s.Store.DueHostnames(ctx, docs.TimeOf(s.Store.Clock()), maxChecks)
	if err != nil {
		return err
	}
	for _, h := range due {
		proof, problem := s.prove(ctx, h)
		if err := s.recheck(ctx, h, proof, problem); err != nil {
			return fmt.Errorf("check the host name %s: %w", h.Name, err)
		}
	}
	return s.checkProxies(ctx)
}

// recheck stores the result of a scheduled check.
func (s *Hostnames) recheck(ctx context.Context, h docs.SiteHostname, proof docs.HostnameProof, problem string) error {
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		site, err := tx.Site(ctx, h.Site)
		if err == nil {
			_, err = apply(ctx, tx, authz.System, site.It, h, proof, problem)
		}
		if errs.Is(err, errs.NotFound) {
			return nil // the site or its host name was deleted meanwhile
		}
		return err
	})
}

// prove checks the DNS record of a host name. The string describes the problem to the owner of
// the site.
func (s *Hostnames) prove(ctx context.Context, h docs.SiteHostname) (docs.HostnameProof, string) {
	if s.hosts.isTrusted(h.Name) {
		return docs.HostnameProved, ""
	}
	return challenge.LookUp(ctx, s.dns, h.Name, h.Token)
}

// apply stores the result of a check, and sets or removes the host name of the site. It
// ignores a result for a claim that was replaced meanwhile.
func apply(ctx context.Context, tx *store.Tx, by authz.Actor, site docs.Site, checked docs.SiteHostname, proof docs.HostnameProof, problem string) (docs.SiteHostname, error) {
	now, err := tx.SiteHostname(ctx, site.ID)
	if err != nil || now.Token != checked.Token {
		return now, err
	}
	c, err := begin(ctx, tx, site)
	if err != nil {
		return now, err
	}
	if taken, err := c.taken(ctx, now.Name); err != nil {
		return now, err
	} else if taken {
		proof, problem = docs.HostnameDenied, "another site has the host name; remove it there first"
	}
	after := now.Checked(proof, problem, tx.Now())
	if err := tx.PutSiteHostname(ctx, after); err != nil || after.Active == now.Active {
		return after, err
	}
	action := "lose"
	if c.site.Hostname = ""; after.Active {
		c.site.Hostname, action = after.Name, "verify"
	}
	return after, c.save(ctx, by, hostnameEvent(action, after))
}

// taken reports whether another site has a host name.
func (c *change) taken(ctx context.Context, name string) (bool, error) {
	other, err := c.tx.SiteByHostname(ctx, name)
	if errs.Is(err, errs.NotFound) {
		return false, nil
	}
	return other.ID != c.site.ID, err
}

func hostnameEvent(action string, h docs.SiteHostname) audit.Event {
	return audit.Event{Action: "site.hostname." + action, Data: map[string]any{"hostname": h.Name, "active": h.Active}}
}

// ParseTrusted parses the host names that an operator vouches for: a comma-separated list of
// names and patterns such as *.example.com.
func ParseTrusted(list string) ([]string, error) {
	var out []string
	for p := range strings.SplitSeq(list, ",") {
		p = strings.ToLower(strings.TrimSpace(p))
		switch name := strings.TrimPrefix(p, "*."); {
		case p == "":
		case !trustedRE.MatchString(name):
			return nil, fmt.Errorf("%q is neither a host name nor a pattern such as *.example.com", p)
		default:
			out = append(out, p)
		}
	}
	return out, nil
}
