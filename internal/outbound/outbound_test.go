package outbound

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/octavo-docs/octavo/internal/errs"
)

// lines reads a file with test cases.
func lines(t testing.TB, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// names is a DNS server for tests. A response may depend on how often the name was queried.
type names struct {
	answer func(name string, asked int) []string
	mu     sync.Mutex
	asked  map[string]int
}

func (n *names) resolver(t testing.TB) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			size, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply := n.reply(buf[:size]); reply != nil {
				conn.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (n *names) reply(query []byte) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	n.mu.Lock()
	if n.asked == nil {
		n.asked = map[string]int{}
	}
	asked := n.asked[name]
	if q.Type == dnsmessage.TypeA {
		n.asked[name]++
	}
	n.mu.Unlock()
	m.Response, m.Additionals = true, nil
	known := n.answer(name, asked)
	if known == nil {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, s := range known {
		addr := netip.MustParseAddr(s)
		head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}
		switch {
		case addr.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: addr.As4()}})
		case addr.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

// fixed returns a DNS server that answers from a table.
func fixed(table map[string][]string) *names {
	return &names{answer: func(name string, _ int) []string { return table[name] }}
}

var inside = map[string][]string{
	"private.test":  {"127.0.0.1"},
	"mapped.test":   {"::ffff:127.0.0.1"},
	"metadata.test": {"169.254.169.254"},
	"six.test":      {"::1", "fd00::1"},
	"mixed.test":    {"10.0.0.1", "127.0.0.1", "169.254.169.254"},
}

func policy(t testing.TB, allow string, n *names) Policy {
	t.Helper()
	p, err := Parse(allow)
	if err != nil {
		t.Fatal(err)
	}
	if n != nil {
		p.resolver = n.resolver(t)
	}
	return p
}

// serve starts a server on the loopback address and counts the connections.
func serve(t testing.TB, h http.Handler) (port string, connections func() int) {
	t.Helper()
	var mu sync.Mutex
	seen := 0
	s := httptest.NewUnstartedServer(h)
	// Listen on every loopback address, IPv6 included if available.
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	s.Listener.Close()
	s.Listener = l
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			mu.Lock()
			seen++
			mu.Unlock()
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), func() int {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

var hello = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte("hello"))
})

func TestBadURLsAreRefused(t *testing.T) {
	for _, line := range lines(t, "testdata/bad-urls.txt") {
		raw, err := strconv.Unquote(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		u, err := CheckURL(raw)
		if !errs.Is(err, errs.Invalid) {
			t.Errorf("%s: accepted as %v, %v", line, u, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error repeats the password: %v", line, err)
		}
		if _, err := policy(t, "0.0.0.0/0,::/0", nil).Fetch(t.Context(), raw, Limits{}); !errs.Is(err, errs.Invalid) {
			t.Errorf("%s: fetched: %v", line, err)
		}
	}
	if _, err := CheckURL("https://example.com/" + strings.Repeat("x", maxURL)); !errs.Is(err, errs.Invalid) {
		t.Errorf("a long URL: %v", err)
	}
}

func TestGoodURLs(t *testing.T) {
	for raw, want := range map[string]string{
		"https://example.com":                         "https://example.com",
		"HTTPS://Example.com/A":                       "https://Example.com/A",
		"http://example.com:8080/a?b=c&d=%20#part":    "http://example.com:8080/a?b=c&d=%20",
		"https://xn--bcher-kva.example/":              "https://xn--bcher-kva.example/",
		"https://example.com./":                       "https://example.com./",
		"https://example.com/@user/x":                 "https://example.com/@user/x",
		"https://example.com/über":                    "https://example.com/%C3%BCber",
		"https://my_host.example-1.com/":              "https://my_host.example-1.com/",
		"http://93.184.216.34/":                       "http://93.184.216.34/",
		"http://[2606:2800:220:1:248:1893:25c8:1946]": "http://[2606:2800:220:1:248:1893:25c8:1946]",
		"http://[2606:2800::1]:8080/":                 "http://[2606:2800::1]:8080/",
		"https://1password.example/":                  "https://1password.example/",
		"https://0xide.computer/":                     "https://0xide.computer/",
		"http://gitea:3000/":                          "http://gitea:3000/",
	} {
		u, err := CheckURL(raw)
		if err != nil || u.String() != want {
			t.Errorf("%s: %v, %v; want %s", raw, u, err, want)
		}
	}
}

func TestPrivateAddressesAreRefusedAtDial(t *testing.T) {
	port, connections := serve(t, hello)
	p := policy(t, "", fixed(inside))
	client := p.Client(Options{Timeout: 10 * time.Second})
	for _, raw := range lines(t, "testdata/private-urls.txt") {
		raw = strings.ReplaceAll(raw, "{port}", port)
		if _, err := p.Fetch(t.Context(), raw, Limits{Timeout: 10 * time.Second}); !errs.Is(err, errs.Invalid) {
			t.Errorf("Fetch %s: %v", raw, err)
		} else if leak := errs.KindOf(err); leak == errs.Invalid && leaks(err) {
			t.Errorf("Fetch %s: the message contains an address: %v", raw, err)
		}
		resp, err := client.Get(raw)
		if err == nil {
			resp.Body.Close()
			t.Errorf("Client %s: answered", raw)
		}
	}
	if n := connections(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// leaks reports whether the public message of an error contains an address.
func leaks(err error) bool {
	e, ok := err.(*errs.Error)
	if !ok {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(e.Message, func(r rune) bool { return r == ' ' || r == ',' }), func(word string) bool {
		if _, err := netip.ParseAddr(word); err == nil {
			return true
		}
		_, err := netip.ParseAddrPort(word)
		return err == nil
	})
}

func TestAnUnknownNameLooksLikeAPrivateOne(t *testing.T) {
	p := policy(t, "", fixed(inside))
	_, private := p.Fetch(t.Context(), "http://private.test/", Limits{})
	_, unknown := p.Fetch(t.Context(), "http://unknown.test/", Limits{})
	if private.(*errs.Error).Message != unknown.(*errs.Error).Message {
		t.Errorf("private: %v\nunknown: %v", private, unknown)
	}
}

func TestTheAllowListOpens(t *testing.T) {
	port, _ := serve(t, hello)
	n := fixed(inside)
	for _, c := range []struct {
		allow, host string
		opens       bool
	}{
		{"127.0.0.1", "127.0.0.1", true},
		{"127.0.0.0/8", "127.0.0.1", true},
		{"10.0.0.0/8, 127.0.0.0/8,", "127.0.0.1", true},
		{"127.0.0.1", "private.test", true},
		{"127.0.0.1/32", "[::ffff:127.0.0.1]", true},
		{"::ffff:127.0.0.1", "127.0.0.1", true},
		{"private.test", "private.test", true},
		{"PRIVATE.test.", "Private.Test", true},
		{"private.test", "127.0.0.1", false},
		{"private.test", "mapped.test", false},
		{"other.test", "private.test", false},
		{"test", "private.test", false},
		{"10.0.0.0/8", "127.0.0.1", false},
		{"metadata.test", "metadata.test", false},
		{"localhost", "localhost", true},
		{"::1", "127.0.0.1", false},
	} {
		resp, err := policy(t, c.allow, n).Fetch(t.Context(), "http://"+c.host+":"+port+"/", Limits{Timeout: 5 * time.Second})
		if (err == nil) != c.opens {
			t.Errorf("allow %q, host %s: %v", c.allow, c.host, err)
		}
		if err == nil {
			resp.Body.Close()
		}
	}
}

func TestBadAllowListsNameTheEntry(t *testing.T) {
	for _, entry := range []string{
		"10.0.0.0/33", "10.0.0.1/8", "::ffff:10.0.0.0/104", "http://gitea/", "gitea:3000", "*.internal",
		"10.0.0", "fe80::1%eth0", "a b", "host/path", "1234",
	} {
		_, err := Parse("10.0.0.0/8," + entry)
		if err == nil || !strings.Contains(err.Error(), strconv.Quote(entry)) || !strings.Contains(err.Error(), AllowVariable) {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

// A host name in the allow-list opens private addresses, but none at which a cloud serves
// credentials: whoever can change the name must not get at those.
func TestNamesDoNotOpenCredentialsOfClouds(t *testing.T) {
	for _, addr := range []string{
		"169.254.169.254", "169.254.170.2", "169.254.170.23", "100.100.100.200", "168.63.129.16", "192.0.0.192",
		"fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42",
	} {
		if err := policy(t, "git.test", nil).check("git.test", netip.MustParseAddr(addr)); err == nil {
			t.Errorf("a name opens %s", addr)
		}
		if err := policy(t, addr, nil).check("git.test", netip.MustParseAddr(addr)); err != nil {
			t.Errorf("the operator cannot open %s: %v", addr, err)
		}
	}
}

// An IPv4-mapped IPv6 address is treated as the IPv4 address.
func TestMappedAddresses(t *testing.T) {
	for addr, allow := range map[string]string{"::ffff:93.184.216.34": "", "::ffff:10.1.2.3": "10.0.0.0/8"} {
		if err := policy(t, allow, nil).check("x", netip.MustParseAddr(addr)); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, addr := range []string{"::ffff:10.1.2.3", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:168.63.129.16", "fe80::1%lo", "::1%lo"} {
		if err := policy(t, "192.168.0.0/16", nil).check("x", netip.MustParseAddr(addr)); err == nil {
			t.Errorf("%s is allowed", addr)
		}
	}
}

// A network without IPv4 allows the NAT64 range. The embedded IPv4 address is still checked.
func TestNAT64IsLookedThrough(t *testing.T) {
	p := policy(t, "64:ff9b::/96", nil)
	for addr, ok := range map[string]bool{"64:ff9b::5db8:d822": true, "64:ff9b::7f00:1": false, "64:ff9b::a9fe:a9fe": false} {
		if err := p.check("x", netip.MustParseAddr(addr)); (err == nil) != ok {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

func TestResolvePinsOnlyAllowedAddresses(t *testing.T) {
	table := map[string][]string{"public.test": {"93.184.216.34", "2606:2800::1"}, "half.test": {"93.184.216.34", "10.0.0.1"}}
	for k, v := range inside {
		table[k] = v
	}
	p := policy(t, "", fixed(table))
	got, err := p.Resolve(t.Context(), "public.test")
	if err != nil || len(got) != 2 {
		t.Errorf("public.test: %v, %v", got, err)
	}
	for _, host := range []string{"half.test", "private.test", "mapped.test", "unknown.test", "127.0.0.1", "::1", "[::1]", "0x7f.1", "-o", ""} {
		if got, err := p.Resolve(t.Context(), host); !errs.Is(err, errs.Invalid) {
			t.Errorf("%s: %v, %v", host, got, err)
		}
	}
	p = policy(t, "private.test", fixed(table))
	if got, err := p.Resolve(t.Context(), "Private.test"); err != nil || len(got) != 1 {
		t.Errorf("private.test, allowed: %v, %v", got, err)
	}
}

// Clouds serve credentials at link-local addresses. Neither a public policy nor a host name in the
// allow-list allows any of them.
func TestLinkLocalAddressesStayClosed(t *testing.T) {
	for name, p := range map[string]Policy{"public": policy(t, "", nil), "a name": policy(t, "inside.test", nil)} {
		for _, addr := range []string{"169.254.0.1", "169.254.1.2", "169.254.169.253", "169.254.170.2", "169.254.255.254", "::ffff:169.254.1.2", "fe80::1"} {
			if err := p.check("inside.test", netip.MustParseAddr(addr)); err == nil {
				t.Errorf("%s opens %s", name, addr)
			}
		}
	}
	if err := policy(t, "inside.test", nil).check("inside.test", netip.MustParseAddr("10.1.2.3")); err != nil {
		t.Errorf("a name opens no private address: %v", err)
	}
}

// Ports are also checked when a connection is made, because programs such as git do not call
// CheckURL.
func TestRefusedPortsAreRefusedAtDial(t *testing.T) {
	for _, allow := range []string{"", "93.184.216.0/24"} {
		control := policy(t, allow, nil).dialer("public.test").Control
		for port := range refusedPorts {
			if err := control("tcp4", netip.AddrPortFrom(netip.MustParseAddr("93.184.216.34"), port).String(), nil); err == nil {
				t.Errorf("with %q, port %d can be dialled", allow, port)
			}
		}
		if err := control("tcp4", "93.184.216.34:443", nil); err != nil {
			t.Errorf("with %q: %v", allow, err)
		}
	}
}
