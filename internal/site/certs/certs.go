// Package certs gets certificates for the hosts of the server from an ACME
// certificate authority when somebody first asks for them, and renews them. They
// are kept in the database, sealed: all nodes have the same certificates, and
// each can answer the challenge that another one began.
package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// LetsEncrypt is the directory of the authority that is asked without another.
const LetsEncrypt = acme.LetsEncryptURL

// Config says who is asked for certificates, and for which hosts.
type Config struct {
	Directory string         // of the authority
	Email     string         // whom the authority writes to; empty: nobody
	Roots     *x509.CertPool // that the authority is trusted by; nil: those of the system
	// Serves returns an error unless the server has a host. Nobody else decides
	// what certificates are asked for: authorities limit how many there are.
	Serves func(ctx context.Context, host string) error
}

// Manager has the certificates of a server.
type Manager struct{ m *autocert.Manager }

// New returns the manager of a store. Using it accepts the terms of the
// authority.
func New(s *store.Store, c Config) *Manager {
	client := &acme.Client{DirectoryURL: c.Directory, HTTPClient: &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: c.Roots, MinVersion: tls.VersionTLS12}},
	}}
	return &Manager{&autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: cache{s}, HostPolicy: c.Serves, Email: c.Email, Client: client,
	}}
}

// TLS returns the configuration of a listener.
func (m *Manager) TLS() *tls.Config {
	c := m.m.TLSConfig()
	c.MinVersion = tls.VersionTLS12
	return c
}

// HTTPHandler returns the handler of a listener without TLS: it answers challenges and
// sends everybody else to HTTPS.
func (m *Manager) HTTPHandler() http.Handler { return m.m.HTTPHandler(nil) }

// cache keeps certificates, the key of the account and challenges.
type cache struct{ s *store.Store }

func (c cache) Get(ctx context.Context, name string) ([]byte, error) {
	sealed, err := c.s.Certificate(ctx, name)
	if errs.Is(err, errs.NotFound) {
		return nil, autocert.ErrCacheMiss
	}
	if err != nil {
		return nil, err
	}
	text, err := seal.Open(ctx, c.s.Reader, seal.Certificate, name, sealed)
	return []byte(text), err
}

func (c cache) Put(ctx context.Context, name string, data []byte) error {
	sealed, err := seal.Seal(ctx, c.s.Reader, seal.Certificate, name, string(data))
	if err != nil {
		return err
	}
	return c.s.Do(ctx, func(tx *store.Tx) error { return tx.PutCertificate(ctx, name, sealed) })
}

func (c cache) Delete(ctx context.Context, name string) error {
	return c.s.Do(ctx, func(tx *store.Tx) error { return tx.DropCertificate(ctx, name) })
}
