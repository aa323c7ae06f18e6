package outbound

import (
	"net/netip"
	"slices"
)

// The ranges that are not the public Internet, from the registries of special-purpose addresses of IANA
// (RFC 6890): https://www.iana.org/assignments/iana-ipv4-special-registry and
// https://www.iana.org/assignments/iana-ipv6-special-registry. Multicast is added. New ranges of IPv6 need no entry
// unless they are inside of global unicast, because everything outside is refused.

// unicast6 is the range of global unicast addresses, the only one of IPv6 that is assigned to the Internet.
var unicast6 = netip.MustParsePrefix("2000::/3")

// nat64 is the range of addresses with an IPv4 address inside, for networks without IPv4.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// special lists the ranges that are refused.
var special = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared by the customers of a carrier
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.31.196.0/24", // AS112
	"192.52.193.0/24", // AMT
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"192.175.48.0/24", // AS112
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, and broadcast

	"2001::/23",         // protocol assignments; Teredo, which has an IPv4 address inside
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4, which has an IPv4 address inside
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation
)

// private lists the ranges that a host name in the allow-list allows.
var private = prefixes(
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"172.16.0.0/12",
	"192.168.0.0/16",
	"fc00::/7",
	"::1/128",
)

// metadata lists the addresses at which clouds serve credentials to their machines, although they
// look public or merely private. Only a range in the allow-list allows them: a person who controls a
// name must not reach them.
var metadata = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("169.254.169.254"),
	netip.MustParseAddr("fd00:42::42"),
	netip.MustParseAddr("fd00:c1::a9fe:a9fe"),
	netip.MustParseAddr("fd00:ec2::23"),
	netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("fd20:ce::254"),
}

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, s := range texts {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// within reports whether a range of a list contains an address. No range contains an address with a zone.
func within(ranges []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(ranges, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// isPublic reports whether an address, which is not an IPv4-mapped one, belongs to the public Internet.
func isPublic(addr netip.Addr) bool {
	return addr.IsValid() && addr.Zone() == "" && !addr.Is4In6() && (addr.Is4() || unicast6.Contains(addr)) && !within(special, addr)
}
