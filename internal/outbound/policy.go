// Package outbound makes all of Octavo's requests to addresses that users enter: files by URL,
// OpenAPI documents, webhooks, git.
//
// Every connection is checked when it is made, with the address that the name was resolved to.
// Therefore neither a redirect nor a name that resolves differently later leads into the operator's
// own network. Private addresses are allowed only by the operator's allow-list.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"github.com/octavo-docs/octavo/internal/errs"
)

// AllowVariable is the environment variable with the allow-list. Messages contain it, so that
// operators see which setting to change.
const AllowVariable = "OCTAVO_OUTBOUND_ALLOW"

// Policy decides which addresses may be called. The zero value allows public addresses only. A Policy
// is immutable and safe for concurrent use.
type Policy struct {
	prefixes []netip.Prefix
	hosts    map[string]bool
	resolver *net.Resolver // nil: the system's resolver; tests set their own
}

// Parse parses the operator's allow-list: CIDR ranges, addresses and host names, separated by commas.
// A range allows its addresses under any name. A host name allows the private and loopback addresses
// that the name resolves to, except addresses at which clouds serve credentials. An error contains
// the invalid entry.
func Parse(allow string) (Policy, error) {
	p := Policy{hosts: map[string]bool{}}
	for entry := range strings.SplitSeq(allow, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		if prefix, ok, err := parsePrefix(entry); err != nil {
			return Policy{}, fmt.Errorf("%s: %q: %w", AllowVariable, entry, err)
		} else if ok {
			p.prefixes = append(p.prefixes, prefix)
			continue
		}
		host, err := checkHost(entry)
		if err != nil {
			return Policy{}, fmt.Errorf("%s: %q is not a CIDR range, an address or a host name without port and scheme", AllowVariable, entry)
		}
		p.hosts[host] = true
	}
	return p, nil
}

// parsePrefix parses a CIDR range or a single address. ok is false if s looks like neither.
func parsePrefix(s string) (_ netip.Prefix, ok bool, _ error) {
	if addr, err := netip.ParseAddr(s); err == nil {
		if addr.Zone() != "" {
			return netip.Prefix{}, false, errors.New("an address with a zone cannot be allowed")
		}
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), true, nil
	}
	if !strings.Contains(s, "/") || strings.Contains(s, "://") {
		return netip.Prefix{}, false, nil
	}
	prefix, err := netip.ParsePrefix(s)
	switch {
	case err != nil:
		return prefix, false, errors.New("is not a CIDR range such as 10.0.0.0/8")
	case prefix.Addr().Is4In6():
		return prefix, false, errors.New("write the range in IPv4 form, such as 10.0.0.0/8")
	case prefix != prefix.Masked():
		return prefix, false, fmt.Errorf("has bits behind the prefix; did you mean %s?", prefix.Masked())
	}
	return prefix, true, nil
}

// errRefused is the error of a connection that the policy does not allow. It does not contain the
// address, because the internal addresses of a name must not be revealed.
var errRefused = errors.New("the address is not public and not in " + AllowVariable)

// check returns errRefused unless an address that a host resolved to is allowed.
func (p Policy) check(host string, addr netip.Addr) error {
	addr = addr.Unmap()
	switch {
	case within(p.prefixes, addr):
		return p.checkEmbedded(host, addr)
	case slices.Contains(metadata, addr):
		return errRefused
	case isPublic(addr), p.hosts[strings.ToLower(strings.TrimSuffix(host, "."))] && within(private, addr):
		return nil
	}
	return errRefused
}

// checkEmbedded checks the IPv4 address inside a NAT64 address. A network without IPv4 must allow
// 64:ff9b::/96 to reach anything, which would otherwise allow 127.0.0.1 too.
func (p Policy) checkEmbedded(host string, addr netip.Addr) error {
	if !nat64.Contains(addr) {
		return nil
	}
	b := addr.As16()
	return p.check(host, netip.AddrFrom4([4]byte(b[12:])))
}

// dialer returns a dialer for one host. It checks the address in Control, immediately before the system
// call that connects. So the name cannot resolve to another address in between.
func (p Policy) dialer(host string) *net.Dialer {
	return &net.Dialer{
		Timeout:  connectTimeout,
		Resolver: p.resolver,
		Control: func(network, address string, _ syscall.RawConn) error {
			if network != "tcp4" && network != "tcp6" {
				return errRefused
			}
			ap, err := netip.ParseAddrPort(address)
			if err != nil {
				return errRefused
			}
			if refusedPorts[ap.Port()] {
				return errRefused
			}
			return p.check(host, ap.Addr())
		},
	}
}

func (p Policy) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return p.dialer(host).DialContext(ctx, network, address)
}

// Resolve returns the addresses of a host, for programs that make their own connections, such as git.
// They must connect to one of these addresses only. If any address of the name is not allowed,
// Resolve returns an error.
func (p Policy) Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	name, err := checkHost(host)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	var addrs []netip.Addr
	if literal, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		addrs = []netip.Addr{literal}
	} else {
		resolver := p.resolver
		if resolver == nil {
			resolver = net.DefaultResolver
		}
		if addrs, err = resolver.LookupNetIP(ctx, "ip", name); err != nil {
			return nil, explain(err)
		}
	}
	for i, addr := range addrs {
		if err := p.check(name, addr); err != nil {
			return nil, explain(err)
		}
		addrs[i] = addr.Unmap()
	}
	if len(addrs) == 0 {
		return nil, errs.E(errs.Invalid, "%s", unreachable)
	}
	return addrs, nil
}

// Allowing returns a policy that also allows a host from the operator's configuration. host is a name
// or an address, with the same effect as in the allow-list.
func (p Policy) Allowing(host string) (Policy, error) {
	more, err := Parse(host)
	if err != nil {
		return p, err
	}
	out := p
	out.prefixes = slices.Concat(p.prefixes, more.prefixes)
	out.hosts = maps.Clone(p.hosts)
	if out.hosts == nil {
		out.hosts = map[string]bool{}
	}
	maps.Copy(out.hosts, more.hosts)
	return out, nil
}
