// Package testmail runs an SMTP server for tests.
package testmail

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// Server receives messages on the loopback interface.
type Server struct {
	Addr string
	mu   sync.Mutex
	got  []Message
	deny bool
	more chan struct{}
}

// Message is one that arrived.
type Message struct {
	From, To, Subject, Text, HTML string
	Header                        mail.Header
}

// Start runs a server until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{more: make(chan struct{}, 1)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Addr = l.Addr().String()
	srv := smtp.NewServer(backend{s})
	srv.Domain, srv.ReadTimeout, srv.WriteTimeout = "localhost", time.Minute, time.Minute
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(l) // ends with the test
	}()
	t.Cleanup(func() {
		_ = srv.Close()
		<-done
	})
	return s
}

// URL returns the address for --smtp.
func (s *Server) URL() string { return "smtp+plain://" + s.Addr }

// Refuse makes the server refuse messages, or accept them again.
func (s *Server) Refuse(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deny = yes
}

// Messages returns what has arrived.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message{}, s.got...)
}

// Await waits until a message to an address has come and returns the newest one after skip of
// them.
func (s *Server) Await(t testing.TB, to string, skip int) Message {
	t.Helper()
	deadline := time.After(3 * time.Minute)
	for {
		var mine []Message
		for _, m := range s.Messages() {
			if m.To == to {
				mine = append(mine, m)
			}
		}
		if len(mine) > skip {
			return mine[len(mine)-1]
		}
		select {
		case <-s.more:
		case <-time.After(100 * time.Millisecond):
		case <-deadline:
			t.Fatalf("no mail to %s came", to)
		}
	}
}

type backend struct{ s *Server }

func (b backend) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{s: b.s}, nil }

type session struct {
	s        *Server
	from, to string
}

func (c *session) Reset()        { c.from, c.to = "", "" }
func (c *session) Logout() error { return nil }

func (c *session) Mail(from string, _ *smtp.MailOptions) error {
	c.from = from
	return nil
}

func (c *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.to = to
	return nil
}

func (c *session) Data(r io.Reader) error {
	m, err := read(r)
	if err != nil {
		return err
	}
	m.From, m.To = c.from, c.to
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.s.deny {
		return errors.New("not today")
	}
	c.s.got = append(c.s.got, m)
	select {
	case c.s.more <- struct{}{}:
	default:
	}
	return nil
}

// read returns the parts of a message.
func read(r io.Reader) (out Message, err error) {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return out, err
	}
	out.Header = m.Header
	if out.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return out, err
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		return out, err
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		p, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		b, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			return out, err
		}
		text := strings.ReplaceAll(string(b), "\r\n", "\n")
		if strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
			out.HTML = text
		} else {
			out.Text = text
		}
	}
}
