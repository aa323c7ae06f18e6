package outbound

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
)

const (
	maxURL   = 2048 // characters of a URL
	maxHost  = 253  // characters of a host name; the limit of DNS
	maxLabel = 63   // characters of a label of a host name
)

// refusedPorts are ports of other protocols, some of which would interpret the lines of a request as
// commands. Browsers refuse the same ports.
var refusedPorts = portSet(
	1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95,
	101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179,
	389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601,
	636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000,
	6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080)

func portSet(ports ...uint16) map[uint16]bool {
	set := map[uint16]bool{}
	for _, p := range ports {
		set[p] = true
	}
	return set
}

// CheckURL parses the URL of an outbound request: http or https, a host in plain form, no
// credentials. It checks the syntax only. The address of the host is checked when the connection
// is made. Errors are of kind errs.Invalid and say what to write instead.
func CheckURL(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, bad("is longer than %d characters", maxURL)
	}
	// url.Parse accepts characters that must not appear in a request line or a shell command.
	for i := range len(raw) {
		switch c := raw[i]; {
		case c <= ' ' || c == 0x7f:
			return nil, bad("contains a space, a line break or another control character; write it as %%%02X", c)
		case c == '\\':
			return nil, bad("contains a backslash; write / or %%5C")
		}
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The text of the error contains the URL, including a password.
		return nil, bad("cannot be read; it must look like https://example.com/path")
	}
	if err := checkParsed(u); err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// checkParsed is the part of CheckURL that also applies to redirects.
func checkParsed(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("must begin with https:// or http://")
	case u.Opaque != "" || u.Host == "":
		return bad("has no host; it must look like https://example.com/path")
	case u.User != nil:
		return bad("must not contain a user name or a password")
	}
	if _, err := checkHost(u.Hostname()); err != nil {
		return err
	}
	// Hostname removes the brackets. Without brackets, an IPv6 address cannot be separated from a
	// port.
	if strings.Contains(u.Hostname(), ":") != strings.HasPrefix(u.Host, "[") {
		return bad("has an IPv6 address that is not in [brackets]")
	}
	if strings.HasSuffix(u.Host, ":") {
		return bad("has a colon but no port behind the host")
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || port[0] == '0' {
			return bad("has a port that is not a number from 1 to 65535")
		}
		if refusedPorts[uint16(n)] {
			return bad("has the port %d, which belongs to another protocol", n)
		}
	}
	return nil
}

// checkHost returns a host name in lower case without the final dot, or an IP address in its canonical
// form.
func checkHost(host string) (string, error) {
	if strings.Contains(host, ":") {
		addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
		if err != nil || addr.Zone() != "" {
			return "", bad("has an IPv6 address that cannot be read")
		}
		return addr.String(), nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "" || len(name) > maxHost {
		return "", bad("has no host name, or one that is too long")
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return "", bad("has a host name that is not valid")
		}
		for i := range len(label) {
			c := label[i]
			switch {
			case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
			case c >= 0x80:
				return "", bad("has a host name with letters outside ASCII; write its xn-- form")
			default:
				return "", bad("has a host name that is not valid")
			}
		}
		last = label
	}
	// Some resolvers accept 2130706433, 0x7f.1 and 0177.0.0.1 as addresses. A host name cannot end in
	// a number, so only dotted decimal is accepted.
	if numeric(last) {
		addr, err := netip.ParseAddr(name)
		if err != nil || !addr.Is4() {
			return "", bad("has a number for a host; write an IPv4 address as four decimal numbers")
		}
	}
	return name, nil
}

func numeric(label string) bool {
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

func bad(format string, args ...any) error {
	return errs.E(errs.Invalid, "the URL "+format, args...)
}
