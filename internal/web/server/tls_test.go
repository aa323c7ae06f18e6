package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testdns"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// freeAddr returns an address of loopback that nothing listens on.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func port(addr string) string { _, p, _ := net.SplitHostPort(addr); return p }

// authority runs the certificate authority Pebble, which validates hosts at tlsAddr and
// httpAddr. It returns the address of its directory and the root certificate to trust.
func authority(t *testing.T, tlsAddr, httpAddr string) (directory string, roots *x509.CertPool, stop func()) {
	t.Helper()
	program := os.Getenv("OCTAVO_TEST_PEBBLE")
	if program == "" {
		t.Skip("OCTAVO_TEST_PEBBLE names no ACME server; scripts/with-acme does")
	}
	dns := testdns.Start(t)
	for _, name := range []string{"octavo.test", "handbook.sites.test", "docs.acme.test", "stranger.test", "unknown.sites.test"} {
		dns.Set(name)
	}
	dir, at := t.TempDir(), freeAddr(t)
	roots = selfSigned(t, dir)
	config := fmt.Sprintf(`{"pebble": {"listenAddress": %q, "certificate": %q, "privateKey": %q, "tlsPort": %s, "httpPort": %s}}`,
		at, filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), port(tlsAddr), port(httpAddr))
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-config", filepath.Join(dir, "config.json"), "-dnsserver", dns.Addr)
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() } // also when it has ended
	t.Cleanup(stop)
	for range 100 {
		if c, err := net.Dial("tcp", at); err == nil {
			_ = c.Close()
			return "https://" + at + "/dir", roots, stop
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the ACME server does not start")
	return "", nil, nil
}

// selfSigned writes a certificate for loopback.
func selfSigned(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	pool.AppendCertsFromPEM(text)
	for name, b := range map[string][]byte{"cert.pem": text, "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return pool
}

// node starts a server with certificates on a store.
func node(t *testing.T, o store.Options, files server.Files, listen string, authority server.ACME) *server.Server {
	t.Helper()
	srv, err := server.Start(context.Background(), server.Config{
		Settings: services.Settings{
			BaseURL: "https://octavo.test", SitesDomain: "sites.test", SiteHostnames: []string{"docs.acme.test"}, Log: slog.New(slog.DiscardHandler),
		},
		Listen: listen, ACME: authority, Database: o, Files: files, Version: "test", Quiet: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := srv.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// addSite makes a site with a basename and a host name.
func addSite(t *testing.T, srv *server.Server) {
	t.Helper()
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	b, err := srv.Orgs.Operator.Bootstrap(ctx, "ada@octavo.test", "Acme", "test")
	must(err)
	actor := authz.Actor{User: b.User}
	top, _, err := authz.NewChecker(srv.Store.Reader).Org(ctx, actor, authz.CreateContent, b.Organization)
	must(err)
	site, err := srv.Sites.Create(ctx, top, sites.NewSite{Title: "Handbook"})
	must(err)
	on := func() *authz.Grant {
		g, _, err := authz.NewChecker(srv.Store.Reader).Site(ctx, actor, authz.AdminSite, b.Organization, site.ID)
		must(err)
		return g
	}
	_, err = srv.Sites.Update(ctx, on(), sites.SitePatch{Basename: opt.Of("handbook")})
	must(err)
	h, err := srv.Sites.Hostnames.Set(ctx, on(), "docs.acme.test")
	must(err)
	if h != (docs.SiteHostname{}) && !h.Active {
		t.Fatalf("the host name is not in use: %+v", h)
	}
}

// certificate returns the DNS names and the issuer of the certificate that a server sends
// for a host.
func certificate(addr, host string) ([]string, string, error) {
	d := &net.Dialer{Timeout: 30 * time.Second}
	conn, err := tls.DialWithDialer(d, "tcp", addr, &tls.Config{ServerName: host, InsecureSkipVerify: true}) //nolint:gosec // the test looks at the names
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = conn.Close() }()
	leaf := conn.ConnectionState().PeerCertificates[0]
	return leaf.DNSNames, leaf.Issuer.CommonName, nil
}

// Every host of the server gets a certificate of the authority, and no other host does. A
// second node reads the same certificates from the store without a request to the
// authority.
func TestCertificatesByACME(t *testing.T) {
	listen, plain, second := freeAddr(t), freeAddr(t), freeAddr(t)
	directory, roots, stop := authority(t, listen, plain)
	o := testdb.SQLite(t)
	ca := server.ACME{Directory: directory, Email: "ops@octavo.test", Roots: roots, HTTPListen: plain}
	files := folder(t)
	srv := node(t, o, files, listen, ca)
	addSite(t, srv)
	hosts := []string{"octavo.test", "handbook.sites.test", "docs.acme.test"}
	for _, host := range hosts {
		names, issuer, err := certificate(listen, host)
		if err != nil || !slices.Equal(names, []string{host}) || !strings.Contains(issuer, "Pebble") {
			t.Errorf("%s shows %v of %q: %v", host, names, issuer, err)
		}
	}
	for _, host := range []string{"stranger.test", "unknown.sites.test", "sites.test", "localhost"} {
		if names, _, err := certificate(listen, host); err == nil {
			t.Errorf("%s shows %v", host, names)
		}
	}
	stop()
	ca.HTTPListen = ""
	node(t, o, files, second, ca)
	for _, host := range hosts {
		if _, _, err := certificate(second, host); err != nil {
			t.Errorf("%s on a second node: %v", host, err)
		}
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequest(http.MethodGet, "http://"+plain+"/a?b=c", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "docs.acme.test"
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if to := res.Header.Get("Location"); to != "https://docs.acme.test/a?b=c" {
		t.Errorf("plain HTTP is answered with %d %q", res.StatusCode, to)
	}
}

// The private key of a certificate is not readable in the database. TLS works without the
// authority as long as the store has a certificate.
func TestCertificatesAreSealed(t *testing.T) {
	listen := freeAddr(t)
	directory, roots, _ := authority(t, listen, freeAddr(t))
	o := testdb.SQLite(t)
	srv := node(t, o, folder(t), listen, server.ACME{Directory: directory, Roots: roots})
	client := &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // the authority is the test's
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, listen)
		},
	}}
	defer client.CloseIdleConnections()
	res, err := client.Get("https://octavo.test/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if b, err := io.ReadAll(res.Body); err != nil || string(b) != "ok\n" || res.ProtoMajor != 2 {
		t.Errorf("%s %q: %v", res.Proto, b, err)
	}
	for _, name := range []string{"octavo.test", "acme_account+key"} {
		sealed, err := srv.Store.Certificate(context.Background(), name)
		if err != nil || sealed == "" || strings.Contains(string(sealed), "PRIVATE KEY") {
			t.Errorf("%s is kept as %.40q: %v", name, sealed, err)
		}
	}
}
