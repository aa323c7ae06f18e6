package authz

import "net/netip"

// NetworkOf returns the network of a client with an address, which is what limits count
// by: an IPv4 address, or the /64 prefix that one customer has in IPv6, where a client
// could otherwise use a new address for each request. An address that is not an IP address
// is its own network.
func NetworkOf(address string) string {
	p, ok := around(address, 32, 64)
	switch {
	case !ok:
		return address
	case p.Addr().Is4():
		return p.Addr().String()
	}
	return p.String()
}

// around returns the network of an IP address with so many bits of IPv4 or of IPv6.
func around(address string, four, six int) (p netip.Prefix, ok bool) {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return p, false
	}
	a = a.Unmap().WithZone("")
	bits := six
	if a.Is4() {
		bits = four
	}
	return netip.PrefixFrom(a, bits).Masked(), true
}

// WideNetworkOf returns the wide network around the network of a client. Networks share its
// counter if there are too many of them to count each.
func WideNetworkOf(network string) string {
	p, err := netip.ParsePrefix(network)
	if err != nil {
		a, err := netip.ParseAddr(network)
		if err != nil {
			return ""
		}
		p = netip.PrefixFrom(a.Unmap(), 16)
	}
	if !p.Addr().Is4() {
		p = netip.PrefixFrom(p.Addr(), 32)
	}
	return p.Masked().String()
}

// NeighbourhoodOf returns what a household or a site has around the address of a client: the
// first 24 bits of IPv4 and the first 48 of IPv6. An address that is not an IP address is its own.
func NeighbourhoodOf(address string) string {
	p, ok := around(address, 24, 48)
	if !ok {
		return address
	}
	return p.String()
}
