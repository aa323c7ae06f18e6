package server

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"

	"github.com/octavo-docs/octavo/internal/site/certs"
)

// ACME configures how the server gets certificates. Without a directory it gets none and
// serves plain HTTP.
type ACME struct {
	Directory  string
	Email      string         // contact address for the certificate authority
	HTTPListen string         // host:port for HTTP challenges and for redirects to HTTPS; empty for none
	Roots      *x509.CertPool // certificates that sign that of the directory; nil for those of the system
}

// secure returns a TLS listener on top of l, if certificates are configured.
func (s *Server) secure(l net.Listener) (net.Listener, error) {
	if s.ACME.Directory == "" {
		return l, nil
	}
	m := certs.New(s.Store, certs.Config{
		Directory: s.ACME.Directory, Email: s.ACME.Email, Roots: s.ACME.Roots, Serves: s.Audience.CheckHost,
	})
	if s.ACME.HTTPListen != "" {
		plain, err := net.Listen("tcp", s.ACME.HTTPListen)
		if err != nil {
			return l, fmt.Errorf("cannot listen on %s: %w", s.ACME.HTTPListen, err)
		}
		s.serve(plain, m.HTTPHandler())
	}
	return tls.NewListener(l, m.TLS()), nil
}
