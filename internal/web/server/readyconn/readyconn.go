// Package readyconn answers requests for cached responses before net/http parses them.
// For a cached page of a few kilobytes, net/http spends most of its processor time on
// things that such a response does not need: a goroutine that waits for the client to
// disconnect, a context, deadlines for each request, two buffers.
//
// net/http reads the connection as usual. When it waits for a request, it calls Read. A
// request that is plain and complete and has a ready response is answered inside of Read,
// and net/http continues to wait. All other requests are passed to net/http unchanged.
//
// Two readers of one connection must never disagree about where a request ends. So a
// request is plain only if it is unambiguous: GET or HEAD, HTTP/1.1, no body, visible
// ASCII only, correct line ends. After the first bytes that are not a plain and complete
// request, only net/http handles the connection.
//
// The first request of a connection always goes to net/http. Until net/http has answered
// a request, it measures the timeout from the start of the connection, and does not close
// the connection when the server stops.
package readyconn

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Find returns a handler with a ready response to a request, or false. The handler must
// write the body, if there is one, in a single call, and must not retain the request.
type Find func(*http.Request) (http.Handler, bool)

// Listener accepts connections for a server of net/http whose ConnState is State.
type Listener struct {
	net.Listener
	// May reports whether a host and path may have a ready response. Requests for others
	// are not processed any further, so that they cost little.
	May  func(host, path string) bool
	Find Find
	// Timeout is the maximum time that a connection waits for a request or for the client
	// to read.
	Timeout time.Duration
	late    atomic.Int64 // responses in progress on connections that net/http has closed
}

// Accept returns the next connection. It wraps TCP connections only; others, such as TLS
// connections, are returned unchanged.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp, listener: l}, err
	}
	return c, err
}

// Wait waits until no response is in progress, or returns an error when ctx ends. Call
// Wait after Shutdown of the server. Shutdown does not wait for the responses of this
// package, because it considers their connections idle.
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

// State is the ConnState hook of the server. It records that net/http waits for the next
// request, or that a handler has hijacked the connection.
func State(nc net.Conn, s http.ConnState) {
	c, ok := nc.(*conn)
	switch {
	case ok && s == http.StateIdle:
		c.begun, c.passed, c.extended = true, false, time.Time{}
	case ok && s == http.StateHijacked:
		c.foreign = true
	}
}

// conn is a connection. Only one goroutine reads it at a time.
type conn struct {
	*net.TCPConn
	listener *Listener
	extended time.Time // when the deadlines were set; zero if net/http set them
	begun    bool      // net/http has answered a request
	passed   bool      // net/http has a request and has not answered it yet
	foreign  bool      // only net/http can find the start of the next request
	early    []byte    // data read before net/http had answered, at most one byte
	phase    atomic.Int32
}

// The phases of a connection. If Close is called during a response, the connection is
// closed after the response.
const (
	waits int32 = iota
	answers
	closing
)

// Read answers requests until there is one without a ready response, which it returns.
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
		if err != nil { // the response is incomplete, so nothing can follow it
			_ = c.TCPConn.Close() // may be closed already
			return 0, io.EOF
		}
		if len(rest) > 0 {
			return copy(p, rest), nil
		}
	}
}

// watch returns when the client disconnects, or when net/http has answered and sets a
// deadline in the past to interrupt the read. While it answers, net/http reads in order to
// detect a disconnect. It would keep the first byte of the next request, which a fast
// client can send between the response and the deadline. watch stores this byte in early.
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

// answerAll answers the requests in data, and returns the rest that net/http must read.
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

// ready returns the handler with the ready response to a request, if there is one.
func (c *conn) ready(r *request) (http.Handler, bool) {
	if !c.begun || r.url.Path == "" || !c.listener.May(r.Host, r.url.Path) {
		return nil, false
	}
	r.fill()
	return c.listener.Find(&r.Request)
}

// answer sends the response of a handler.
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

// extend sets the deadlines of the connection, unless it did so recently. Setting them for
// each request would be a large part of its cost.
func (c *conn) extend() error {
	now := time.Now()
	if now.Sub(c.extended) < c.listener.Timeout/4 {
		return nil
	}
	c.extended = now
	return c.SetDeadline(now.Add(c.listener.Timeout))
}

// Close closes the connection. If a response is in progress, Close returns at once and the
// connection is closed after the response, because a server that stops closes connections
// that it considers idle.
func (c *conn) Close() error {
	if c.phase.CompareAndSwap(answers, closing) {
		c.listener.late.Add(1)
		return nil
	}
	return c.TCPConn.Close()
}
