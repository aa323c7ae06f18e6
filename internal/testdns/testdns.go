// Package testdns is a DNS server for tests: it listens on loopback and answers
// from a table that the test changes. It is for tests only.
package testdns

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Server is a running DNS server. A name that it does not know does not exist;
// every name that it knows has the address 127.0.0.1.
type Server struct {
	Addr string // host and port

	mu     sync.Mutex
	texts  map[string][]string
	broken bool
}

// Start starts a server that stops with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Addr: conn.LocalAddr().String(), texts: map[string][]string{}}
	t.Cleanup(func() { _ = conn.Close() })
	go s.serve(conn)
	return s
}

// Resolver returns a resolver that asks this server.
func (s *Server) Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Addr)
	}}
}

// Set makes a name have these TXT records, and an address.
func (s *Server) Set(name string, texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[strings.ToLower(name)] = texts
}

// Remove makes a name unknown.
func (s *Server) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.texts, strings.ToLower(name))
}

// Break makes the server fail for every name, or work again.
func (s *Server) Break(broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = broken
}

func (s *Server) serve(conn net.PacketConn) {
	buf := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return // closed
		}
		if reply := s.reply(buf[:n]); reply != nil {
			_, _ = conn.WriteTo(reply, from) // the client asks again
		}
	}
}

func (s *Server) reply(query []byte) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) != 1 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q := m.Questions[0]
	texts, known := s.texts[strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))]
	m.Response, m.Additionals = true, nil
	head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}
	add := func(body dnsmessage.ResourceBody) {
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: body})
	}
	switch {
	case s.broken:
		m.RCode = dnsmessage.RCodeServerFailure
	case !known:
		m.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeA:
		add(&dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}})
	case q.Type == dnsmessage.TypeTXT:
		for _, text := range texts {
			add(&dnsmessage.TXTResource{TXT: []string{text}})
		}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}
