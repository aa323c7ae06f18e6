// Package testdns is a DNS server for tests: it listens on loopback and answers
// from a table that the test changes. It is for tests only.
package testdns

import (
	"context"
	"encoding/binary"
	"io"
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
	for range 10 { // a port can be free for UDP and not for TCP
		packets, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		streams, err := net.Listen("tcp", packets.LocalAddr().String())
		if err != nil {
			_ = packets.Close()
			continue
		}
		t.Cleanup(func() { _, _ = packets.Close(), streams.Close() })
		s := &Server{Addr: packets.LocalAddr().String(), texts: map[string][]string{}}
		go s.serve(packets)
		go s.accept(streams)
		return s
	}
	t.Fatal("there is no port for a DNS server")
	return nil
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

func (s *Server) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return // closed
		}
		go s.stream(conn)
	}
}

// stream answers one query over TCP, with two bytes of length in front.
func (s *Server) stream(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	var head [2]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return
	}
	query := make([]byte, binary.BigEndian.Uint16(head[:]))
	if _, err := io.ReadFull(conn, query); err != nil {
		return
	}
	reply := s.reply(query)
	_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
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
