package authz

import "net/netip"

// NetworkOf returns the network of a client with an address, which is what limits count
// by: an IPv4 address, or the /64 prefix that one customer has in IPv6, where a client
// could otherwise use a new address for each request. An address that is not an IP address
// is its own network.
func NetworkOf(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.String()
	}
	return netip.PrefixFrom(a, 64).Masked().String()
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
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	bits := 48
	if a.Is4() {
		bits = 24
	}
	return netip.PrefixFrom(a, bits).Masked().String()
}
