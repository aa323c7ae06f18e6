package outbound

import (
	"net/netip"
	"testing"
)

// TestSpecialRanges compares both ends of each range in the registries of IANA, and the addresses beside them.
// The rows are the addresses of the registries (as of 2025), not the prefixes of the program.
func TestSpecialRanges(t *testing.T) {
	for _, r := range []struct{ before, first, last, after string }{ // before and after are public; "" if not
		{"", "0.0.0.0", "0.255.255.255", "1.0.0.0"},
		{"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
		{"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
		{"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
		{"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
		{"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
		{"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
		{"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
		{"192.31.195.255", "192.31.196.0", "192.31.196.255", "192.31.197.0"},
		{"192.52.192.255", "192.52.193.0", "192.52.193.255", "192.52.194.0"},
		{"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
		{"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
		{"192.175.47.255", "192.175.48.0", "192.175.48.255", "192.175.49.0"},
		{"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
		{"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
		{"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
		{"223.255.255.255", "224.0.0.0", "255.255.255.255", ""},

		{"", "::", "::ffff:ffff", ""}, // unspecified, loopback, and IPv4 addresses in an old form
		{"", "64:ff9b::", "64:ff9b::ffff:ffff", ""},
		{"", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", ""},
		{"", "100::", "100::ffff:ffff:ffff:ffff", ""},
		{"", "100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff", ""},
		{"", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"},
		{"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"},
		{"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"},
		{"2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"},
		{"2620:4f:7fff:ffff:ffff:ffff:ffff:ffff", "2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "2620:4f:8001::"},
		{"3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"},
		{"3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "4000::1", ""},
		{"", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""},
		{"", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""},
		{"", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""},
		{"", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""},
		{"", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""},
	} {
		for _, c := range []struct {
			addr   string
			public bool
		}{{r.before, true}, {r.first, false}, {r.last, false}, {r.after, true}} {
			if c.addr == "" {
				continue
			}
			if got := isPublic(netip.MustParseAddr(c.addr)); got != c.public {
				t.Errorf("%s: public is %t", c.addr, got)
			}
			if err := (Policy{}).check("x.test", netip.MustParseAddr(c.addr)); (err == nil) != c.public {
				t.Errorf("%s: %v", c.addr, err)
			}
		}
	}
	for _, addr := range []netip.Addr{{}, netip.MustParseAddr("2606:2800::1%eth0"), netip.MustParseAddr("::ffff:93.184.216.34")} {
		if isPublic(addr) {
			t.Errorf("%q is public", addr)
		}
	}
}

// TestAddressesOfAttacks has the addresses that attackers use, as a name resolves to them: none is dialled.
// What is no address in decimal notation is refused before, by TestBadURLsAreRefused.
func TestAddressesOfAttacks(t *testing.T) {
	control := (Policy{}).dialer("attacker.test").Control
	for _, addr := range []string{
		"127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "0.0.0.0", "::", "::ffff:0.0.0.0",
		"169.254.169.254", "::ffff:169.254.169.254", "fd00::1", "fdff:ffff::1", "100.64.0.1", "100.127.255.254", "100.100.100.200",
		"10.0.0.1", "172.16.0.1", "192.168.1.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:80ff:fffe",
		"fe80::1", "fe80::1%eth0", "ff02::1", "255.255.255.255",
	} {
		network := "tcp6"
		if a := netip.MustParseAddr(addr); a.Is4() {
			network = "tcp4"
		}
		if err := control(network, netip.AddrPortFrom(netip.MustParseAddr(addr), 80).String(), nil); err == nil {
			t.Errorf("%s is dialled", addr)
		}
	}
	for _, c := range []struct{ network, address string }{{"unix", "/var/run/docker.sock"}, {"tcp", "93.184.216.34:80"}, {"tcp4", "localhost:80"}, {"udp4", "93.184.216.34:80"}} {
		if err := control(c.network, c.address, nil); err == nil {
			t.Errorf("%s %s is dialled", c.network, c.address)
		}
	}
	for _, address := range []string{"93.184.216.34:443", "[2606:2800::1]:443"} {
		network := "tcp4"
		if address[0] == '[' {
			network = "tcp6"
		}
		if err := control(network, address, nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
