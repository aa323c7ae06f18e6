package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// load sends prepared requests over keep-alive connections. Each connection waits
// for a response before it sends the next request. load does not use the client
// of net/http, which costs more than the server that is measured.
type load struct {
	addr     string
	requests [][]byte  // sent in turn
	editors  []*editor // if set, provide the requests instead, one for each connection
	conns    int
	most     int // maximum requests of a connection; 0 is maxSamples
}

// sample is the result of one run of a load.
type sample struct {
	count   int
	errors  int
	failure error // the last failures of the connections, joined
	took    time.Duration
	sorted  []time.Duration
	cpu     *time.Duration // processor time; nil: measured as that of the server
}

func (s sample) rate() float64 { return float64(s.count) / s.took.Seconds() }

// quantile returns the latency that a share q of the requests did not exceed.
func (s sample) quantile(q float64) time.Duration {
	if len(s.sorted) == 0 {
		return 0
	}
	return s.sorted[min(len(s.sorted)-1, int(q*float64(len(s.sorted))))]
}

// maxSamples is the maximum number of requests of a connection in a run,
// independent of its duration.
const maxSamples = 1 << 20

// run loads the server for a while.
func (l load) run(ctx context.Context, length time.Duration) (sample, error) {
	clients := make([]*client, l.conns)
	for i := range clients {
		c, err := dial(l.addr, length)
		if err != nil {
			return sample{}, err
		}
		defer c.conn.Close()
		clients[i] = c
	}
	var wg sync.WaitGroup
	start := time.Now()
	end := start.Add(length)
	for i, c := range clients {
		// Every connection starts at another request, so that they do not all
		// send the same request at the same time.
		wg.Go(func() { c.loop(ctx, l.from(i), cmp.Or(l.most, maxSamples), end) })
	}
	wg.Wait()
	out := sample{took: time.Since(start)}
	for _, c := range clients {
		out.count += len(c.took)
		out.errors += c.errors
		out.failure = errors.Join(out.failure, c.failure)
		out.sorted = append(out.sorted, c.took...)
	}
	slices.Sort(out.sorted)
	if out.count == 0 {
		return out, fmt.Errorf("no request succeeded: %w", errors.Join(ctx.Err(), out.failure))
	}
	return out, ctx.Err()
}

// from returns a function that returns the next request of a connection.
func (l load) from(conn int) func() []byte {
	if l.editors != nil {
		return l.editors[conn].next
	}
	at := conn*len(l.requests)/l.conns - 1
	return func() []byte {
		at++
		return l.requests[at%len(l.requests)]
	}
}

// client is one connection and its measurements.
type client struct {
	conn    net.Conn
	in      *bufio.Reader
	took    []time.Duration
	errors  int
	failure error
}

func dial(addr string, length time.Duration) (*client, error) {
	conn, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return nil, err
	}
	// A server that hangs must not hang the benchmark.
	if err := conn.SetDeadline(time.Now().Add(length + 15*time.Second)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &client{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), took: make([]time.Duration, 0, 1<<16)}, nil
}

func (c *client) loop(ctx context.Context, next func() []byte, most int, end time.Time) {
	for len(c.took)+c.errors < most && ctx.Err() == nil {
		request := next()
		start := time.Now()
		if !start.Before(end) {
			return
		}
		status, err := c.do(request)
		switch {
		case err != nil: // the connection cannot be used any more
			c.errors, c.failure = c.errors+1, err
			return
		case status/100 != 2:
			c.errors, c.failure = c.errors+1, fmt.Errorf("answered with status %d", status)
		default:
			c.took = append(c.took, time.Since(start))
		}
	}
}

var (
	contentLength = []byte("content-length:")
	chunked       = []byte("transfer-encoding: chunked")
)

// do sends one request and reads its answer to the end.
func (c *client) do(request []byte) (status int, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return 0, fmt.Errorf("not an HTTP/1.1 answer: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length := -1
	inChunks := false
	for {
		if line, err = c.in.ReadSlice('\n'); err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case len(line) == 0 && inChunks:
			return status, c.skipChunks()
		case len(line) == 0 && length < 0:
			return 0, errors.New("an answer without a length")
		case len(line) == 0:
			_, err = c.in.Discard(length)
			return status, err
		case len(line) > len(contentLength) && bytes.EqualFold(line[:len(contentLength)], contentLength):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(contentLength):]))); err != nil {
				return 0, err
			}
		case bytes.EqualFold(line, chunked): // net/http sends long responses in chunks
			inChunks = true
		}
	}
}

func (c *client) skipChunks() error {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimRight(line, "\r\n")), 16, 32)
		if err != nil {
			return err
		}
		if _, err := c.in.Discard(int(n) + 2); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
	}
}

// request prepares the bytes of a request.
func request(method, addr, path, token, body string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", method, path, addr, token)
	if body != "" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return b.Bytes()
}
