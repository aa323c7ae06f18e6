package readyconn

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// served is a server that has answers ready for paths below /ready.
type served struct {
	*http.Server
	addr  string
	ready *Listener    // nil if there are none
	found atomic.Int64 // requests that were answered at once
}

// serve starts a server. Without ready answers, net/http does all.
func serve(t testing.TB, ready bool, timeout time.Duration) *served {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &served{addr: l.Addr().String()}
	s.Server = &http.Server{
		Handler: http.HandlerFunc(answer), ConnState: State, IdleTimeout: timeout, ReadTimeout: timeout, WriteTimeout: timeout,
		ErrorLog: log.New(io.Discard, "", 0),
	}
	if ready {
		s.ready = &Listener{Listener: l, Timeout: timeout, May: func(_, path string) bool { return path != "/never" }, Find: func(r *http.Request) (http.Handler, bool) {
			if !strings.HasPrefix(r.URL.Path, "/ready") {
				return nil, false
			}
			s.found.Add(1)
			return http.HandlerFunc(answer), true
		}}
		l = s.ready
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-done
	})
	return s
}

// answer responds with as many bytes as the number at the end of the path, and with
// properties of the request.
func answer(w http.ResponseWriter, r *http.Request) {
	body := []byte(r.Method + " " + r.Host + r.URL.String() + " " + strings.Join(r.Header["X-Sent"], ",") + "\n")
	_, digits, _ := strings.Cut(r.URL.Path, "-")
	if n, err := strconv.Atoi(digits); err == nil {
		body = append(body, bytes.Repeat([]byte{byte('a' + n%26)}, n)...)
	}
	switch digits {
	case "panic":
		panic("as asked")
	case "twice":
		_, _ = w.Write(body)
	case "hijack":
		c, data, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.CopyN(c, data, 5)
			_ = c.Close()
		}
		return
	case "304":
		w.WriteHeader(http.StatusNotModified)
		return
	case "short":
		w.Header().Set("Content-Length", "9")
		return
	case "body":
		sent, err := io.ReadAll(r.Body)
		body = fmt.Appendf(body, "%s %v", sent, err)
	}
	w.Header()["Etag"] = []string{`"x` + "\r\n" + `y"`}
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// dial returns a new connection.
func (s *served) dial(t testing.TB) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// begin returns a connection on which net/http has answered a request, so that the next
// one may be answered at once.
func (s *served) begin(t testing.TB) net.Conn {
	t.Helper()
	c := s.dial(t)
	ask(t, c, "GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
	return c
}

// ask sends pieces of a request, with a pause after each, and returns the body of its answer.
func ask(t testing.TB, c net.Conn, pieces ...string) string {
	t.Helper()
	send(c, pieces)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil || res.Body.Close() != nil {
		t.Fatal(err)
	}
	return string(body)
}

func send(c net.Conn, pieces []string) {
	for i, p := range pieces {
		if i > 0 {
			time.Sleep(2 * time.Millisecond)
		}
		if _, err := io.WriteString(c, p); err != nil {
			break // the server has closed it
		}
	}
}

// talk sends pieces of a stream and returns the responses until the connection ends.
func talk(c net.Conn, pieces ...string) string {
	defer c.Close()
	var out bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&out, c) // also until it is reset
	}()
	send(c, pieces)
	_ = c.(*net.TCPConn).CloseWrite()
	<-read
	return dates.ReplaceAllString(out.String(), "Date: now\r\n")
}

var dates = regexp.MustCompile(`Date: [^\r]*\r\n`)

// fields counts the lines of a stream: headers have no order.
func fields(stream string) map[string]int {
	out := map[string]int{}
	for line := range strings.SplitSeq(stream, "\r\n") {
		out[line]++
	}
	return out
}

func sameStream(a, b string) bool {
	x, y := fields(a), fields(b)
	for line, n := range x {
		if y[line] != n {
			return false
		}
	}
	return len(x) == len(y)
}

// Ready responses equal those of net/http, for any requests before and after them on the
// connection, and for any division of the stream.
func TestAnswersAreThoseOfNetHTTP(t *testing.T) {
	ready, bare := serve(t, true, time.Minute), serve(t, false, time.Minute)
	const (
		first = "GET /ready HTTP/1.1\r\nHost: h\r\nX-Sent: 1\r\n\r\n"
		other = "GET /other?a=%20b HTTP/1.1\r\nHost: h\r\nX-Sent: 2\r\n\r\n"
		last  = "HEAD /ready-9 HTTP/1.1\r\nHost: h\r\n\r\nGET /ready HTTP/1.1\r\nHost: h\r\nX-Sent: 3\r\n\r\n"
		body  = "POST /other HTTP/1.1\r\nHost: h\r\nContent-Length: 43\r\n\r\n" + "GET /ready HTTP/1.1\r\nHost: h\r\nX-Sent: no\r\n\r\n"
	)
	streams := [][]string{
		{first}, {first, first}, {first + first}, {first + other + first}, {first, other, first}, {other, other, first, other, last},
		{"GET /other-hijack HTTP/1.1\r\nHost: h\r\n\r\n", "G", "ET /"}, {first + "GET /other-hijack HTTP/1.1\r\nHost: h\r\n\r\nGET /"},
		{body, first}, {first, body + first}, {body[:60], body[60:], first}, {last, first[:9], first[9:]}, {first + other[:9], other[9:], last},
	}
	for _, a := range attacks {
		a = strings.ReplaceAll(a, " /a", " /ready")
		streams = append(streams, []string{a}, []string{first + a + first}, []string{first, a, first}, []string{other, a + last})
	}
	for cut := range len(first) {
		streams = append(streams, []string{first[:cut], first[cut:], last})
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, 32)
	for _, pieces := range streams {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			want := talk(bare.dial(t), pieces...)
			for _, c := range []net.Conn{ready.begin(t), ready.dial(t)} {
				if got := talk(c, pieces...); !sameStream(got, want) {
					t.Errorf("%q:\n%q, want\n%q", pieces, got, want)
				}
			}
		})
	}
	wg.Wait()
	if n := ready.found.Load(); n < 100 {
		t.Errorf("%d requests were answered at once", n)
	}
}

// Answers of every length arrive whole, one after the other on one connection, also
// between those of net/http.
func TestAnswersArriveWhole(t *testing.T) {
	s := serve(t, true, time.Minute)
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer client.CloseIdleConnections()
	lengths := []int{0, 1, 3000, 4000, 4095, 4096, 4097, 12_000, 70_000, 1 << 20}
	for _, n := range lengths {
		for _, path := range []string{"/ready-", "/ready-", "/other-", "/ready-"} {
			res, err := client.Get("http://" + s.addr + path + strconv.Itoa(n))
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(res.Body)
			if _, text, _ := bytes.Cut(b, []byte("\n")); err != nil || res.Body.Close() != nil || len(text) != n || res.Header.Get("Etag") != `"x  y"` || res.Header.Get("Date") == "" {
				t.Errorf("%s%d: %d bytes, %v: %v", path, n, len(b), res.Header, err)
			}
		}
	}
	if n, want := s.found.Load(), int64(3*len(lengths)-1); n != want { // the first one is for net/http
		t.Errorf("%d requests were answered at once, want %d", n, want)
	}
}

// A handler that panics, or whose body does not match its header, ends the connection and
// affects nothing else.
func TestWrongAnswersEndTheConnection(t *testing.T) {
	s := serve(t, true, time.Minute)
	for _, path := range []string{"/ready-panic", "/ready-twice", "/ready-short"} {
		got := talk(s.begin(t), "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\nGET /ready HTTP/1.1\r\nHost: h\r\n\r\n")
		if strings.Contains(got, "/ready ") {
			t.Errorf("%s: the next request is answered: %q", path, got)
		}
	}
	if got := talk(s.begin(t), "GET /ready-304 HTTP/1.1\r\nHost: h\r\n\r\nGET /ready HTTP/1.1\r\nHost: h\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 304 ") || !strings.Contains(got, "h/ready ") {
		t.Errorf("304, and the next: %q", got)
	}
}

// A server that stops completes responses in progress, although net/http considers their
// connections idle.
func TestStopEndsAnswers(t *testing.T) {
	s := serve(t, true, time.Minute)
	c := s.begin(t)
	const size = 32 << 20 // more than the system holds for a reader who waits
	if _, err := io.WriteString(c, "GET /ready-"+strconv.Itoa(size)+" HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err != nil { // it is being answered
		t.Fatal(err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.ready.Wait(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting while the answer is sent: %v", err)
	}
	if n, err := io.Copy(io.Discard, c); err != nil || n < size {
		t.Errorf("%d bytes arrived after the server stopped: %v", n, err)
	}
	if err := s.ready.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

// A server that stops closes a waiting connection even if it had only ready responses,
// because a further request on it would get no response.
func TestStopClosesConnections(t *testing.T) {
	s := serve(t, true, time.Minute)
	c := s.dial(t)
	for range 3 {
		ask(t, c, "GET /ready HTTP/1.1\r\nHost: h\r\n\r\n")
	}
	soon, cancel := context.WithTimeout(t.Context(), 3*time.Second) // less than net/http waits for a request on a new connection
	defer cancel()
	if err := s.Shutdown(soon); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// A client that sends nothing, sends slowly or does not read cannot hold a connection. A
// client that keeps sending requests does not lose it.
func TestTimeouts(t *testing.T) {
	const timeout = 2 * time.Second
	s := serve(t, true, timeout)
	const request = "GET /ready HTTP/1.1\r\nHost: h\r\n\r\n"
	for name, play := range map[string]func(c net.Conn) error{
		"sends nothing": func(net.Conn) error { return nil },
		"sends one":     func(c net.Conn) error { _, err := io.WriteString(c, request); return err },
		"sends a part":  func(c net.Conn) error { _, err := io.WriteString(c, request+request[:20]); return err },
		"does not read": func(c net.Conn) error {
			_, err := io.WriteString(c, "GET /ready-33554432 HTTP/1.1\r\nHost: h\r\n\r\n")
			time.Sleep(3 * timeout)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := s.begin(t)
			if err := play(c); err != nil {
				t.Fatal(err)
			}
			if n, _ := io.Copy(io.Discard, c); n > 32<<20 { // ends when the server closes it
				t.Errorf("%d bytes", n)
			}
		})
	}
	t.Run("asks again", func(t *testing.T) {
		t.Parallel()
		client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
		defer client.CloseIdleConnections()
		for i, paths := 0, []string{"/ready", "/ready", "/other"}; i < 45; i++ {
			res, err := client.Get("http://" + s.addr + paths[i%len(paths)])
			if err != nil {
				t.Fatal(i, err)
			}
			_, err = io.Copy(io.Discard, res.Body)
			if err != nil || res.Body.Close() != nil {
				t.Fatal(i, err)
			}
			time.Sleep(timeout / 20)
		}
	})
	t.Run("sends a body later", func(t *testing.T) {
		t.Parallel()
		c := s.dial(t)
		for range 11 {
			ask(t, c, request)
			time.Sleep(timeout / 8)
		}
		if got := ask(t, c, "POST /other-body HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n", "he", "llo"); !strings.HasSuffix(got, "hello <nil>") {
			t.Error(got)
		}
	})
}
