package authz_test

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
)

func TestNetworks(t *testing.T) {
	for _, c := range [][4]string{
		{"192.0.2.1", "192.0.2.1", "192.0.0.0/16", "192.0.2.0/24"},
		{"::ffff:192.0.2.1", "192.0.2.1", "192.0.0.0/16", "192.0.2.0/24"},
		{"2001:db8:1:2::3", "2001:db8:1:2::/64", "2001:db8::/32", "2001:db8:1::/48"},
		{"2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64", "2001:db8::/32", "2001:db8:1::/48"},
		{"2001:db8:1:3::3", "2001:db8:1:3::/64", "2001:db8::/32", "2001:db8:1::/48"},
		{"fe80::1%eth0", "fe80::/64", "fe80::/32", "fe80::/48"},
		{"@", "@", "", "@"},
		{"", "", "", ""},
	} {
		if got := authz.NeighbourhoodOf(c[0]); got != c[3] {
			t.Errorf("%s: beside %q, want %q", c[0], got, c[3])
		}
		network := authz.NetworkOf(c[0])
		if wide := authz.WideNetworkOf(network); network != c[1] || wide != c[2] {
			t.Errorf("%s: %q in %q, want %q in %q", c[0], network, wide, c[1], c[2])
		}
	}
}
