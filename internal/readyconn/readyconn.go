// Package readyconn answers requests whose answers are ready before net/http has
// seen them. For a kept page of a few kilobytes, most of the processor time of
// net/http is spent on what such an answer does not need: a goroutine that waits
// for the client to leave, a context, deadlines for each request, two buffers.
//
// A connection is read by net/http as ever. When net/http waits for a request, it
// calls Read; a request that is plain and whole, and has an answer, is answered
// there, and net/http goes on waiting. It gets all others, as they were sent.
//
// Two readers of one connection must never disagree where a request ends. So a
// request is plain only if there is nothing to disagree about: GET or HEAD, of
// HTTP/1.1, without a body, of visible ASCII, with lines that end as they should.
// After the first bytes that are not a plain and whole request, the connection
// is net/http's alone.
//
// The first request of a connection is for net/http in any case. Until it has
// answered one, it counts the time for a request from the beginning of the
// connection, and does not close the connection when the server stops.
package readyconn

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Find returns what answers a request at once, or false. The handler must write
// the body, if there is one, in one piece, and keep nothing of the request.
type Find func(*http.Request) (http.Handler, bool)

// Listener accepts connections for a server of net/http whose ConnState is State.
type Listener struct {
	net.Listener
	// May reports whether an address may have an answer. Requests for others are not looked at any
	// further, so that they cost little.
	May  func(host, path string) bool
	Find Find
	// Timeout is how long a connection waits for a request or for a reader at most.
	Timeout time.Duration
	late    atomic.Int64 // answers under way on connections that net/http has closed
}

// Accept returns the next connection. One with TLS is returned as it is.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp, listener: l}, err
	}
	return c, err
}

// Wait returns when nothing is sent any more, or with an error when ctx ends. It is
// for after Shutdown of the server, which does not wait for the answers of readyconn:
// it takes their connections for idle.
func (l *Listener) Wait(ctx context.Context) error {
	for l.late.Load() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// State notes that net/http waits for the next request, or has given the connection away.
func State(nc net.Conn, s http.ConnState) {
	c, ok := nc.(*conn)
	switch {
	case ok && s == http.StateIdle:
		c.begun, c.passed, c.extended = true, false, time.Time{}
	case ok && s == http.StateHijacked:
		c.foreign = true
	}
}

// conn is a connection. Its reader is one goroutine at a time.
type conn struct {
	*net.TCPConn
	listener *Listener
	extended time.Time // when the deadlines were set; zero if net/http set them
	begun    bool      // net/http has answered a request
	passed   bool      // net/http has a request, and has not answered it
	foreign  bool      // nobody but net/http knows where a request begins
	early    []byte    // what was read before net/http had answered, a byte at most
	phase    atomic.Int32
}

// The phases of a connection. One that is closed while it answers is closed
// after the answer.
const (
	waits int32 = iota
	answers
	closing
)

// Read answers requests until there is one that it has no answer for.
func (c *conn) Read(p []byte) (int, error) {
	for {
		if c.passed && !c.foreign {
			return 0, c.watch(p)
		}
		n := copy(p, c.early)
		if c.early = c.early[n:]; n > 0 && c.foreign {
			return n, nil
		}
		read, err := c.TCPConn.Read(p[n:])
		n += read
		if c.foreign || err != nil {
			return n, err
		}
		rest, err := c.answerAll(p[:n])
		if err != nil { // what was sent is incomplete, so nothing can follow it
			_ = c.TCPConn.Close() // also a second time
			return 0, io.EOF
		}
		if len(rest) > 0 {
			return copy(p, rest), nil
		}
	}
}

// watch returns when the client has gone, or when net/http has answered and sets a deadline that
// is over. Until then net/http reads to notice the former, and would keep the first byte of the
// next request, which a quick client sends in the instant between the answer and the deadline.
func (c *conn) watch(p []byte) error {
	n, err := c.TCPConn.Read(p[:1])
	if n == 0 {
		return err
	}
	c.early = append(c.early, p[0])
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Read(func(uintptr) bool { return false })
}

// answerAll answers the requests in data, and returns what net/http must read.
func (c *conn) answerAll(data []byte) ([]byte, error) {
	x := exchanges.Get().(*exchange)
	defer x.release()
	for len(data) > 0 {
		size := x.request.parse(data)
		if size == 0 {
			c.foreign = true
			return data, nil
		}
		h, ok := c.ready(&x.request)
		if !ok {
			c.passed, c.foreign = true, size < len(data)
			return data, nil
		}
		if err := c.answer(x, h); err != nil {
			return nil, err
		}
		data = data[size:]
	}
	return nil, nil
}

// ready returns what answers a request.
func (c *conn) ready(r *request) (http.Handler, bool) {
	if !c.begun || r.url.Path == "" || !c.listener.May(r.Host, r.url.Path) {
		return nil, false
	}
	r.fill()
	return c.listener.Find(&r.Request)
}

// answer sends an answer.
func (c *conn) answer(x *exchange, h http.Handler) (err error) {
	if err := c.extend(); err != nil {
		return err
	}
	if !c.phase.CompareAndSwap(waits, answers) {
		return net.ErrClosed
	}
	defer func() {
		if !c.phase.CompareAndSwap(answers, waits) {
			err = net.ErrClosed
			c.listener.late.Add(-1)
		}
	}()
	x.begin(c.TCPConn)
	h.ServeHTTP(x, &x.request.Request)
	return x.finish()
}

// extend sets the deadlines of the connection. To set them for each request would be
// a good part of its cost.
func (c *conn) extend() error {
	now := time.Now()
	if now.Sub(c.extended) < c.listener.Timeout/4 {
		return nil
	}
	c.extended = now
	return c.SetDeadline(now.Add(c.listener.Timeout))
}

// Close closes the connection. One that answers is closed after the answer, without
// waiting for it: a server that stops closes those that it takes for idle.
func (c *conn) Close() error {
	if c.phase.CompareAndSwap(answers, closing) {
		c.listener.late.Add(1)
		return nil
	}
	return c.TCPConn.Close()
}
