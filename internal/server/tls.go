package server

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"

	"github.com/octavo-docs/octavo/internal/certs"
)

// ACME says how the server gets certificates. Without a directory it gets none
// and speaks plain HTTP.
type ACME struct {
	Directory  string
	Email      string         // whom the authority writes to
	HTTPListen string         // host:port for challenges over HTTP, and for sending browsers to HTTPS; empty: none
	Roots      *x509.CertPool // that the directory is trusted by; nil: those of the system
}

// secure makes a listener speak TLS, if that is configured.
func (s *Server) secure(l net.Listener) (net.Listener, error) {
	if s.ACME.Directory == "" {
		return l, nil
	}
	m := certs.New(s.Store, certs.Config{
		Directory: s.ACME.Directory, Email: s.ACME.Email, Roots: s.ACME.Roots, Serves: s.Sites.CheckHost,
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
