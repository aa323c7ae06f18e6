package readyconn

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// exchange is a request and its http.ResponseWriter. Exchanges are pooled and reused.
type exchange struct {
	request request
	conn    net.Conn
	header  http.Header
	head    []byte
	status  int
	sent    bool
	err     error
}

var exchanges = sync.Pool{New: func() any { return &exchange{header: http.Header{}} }}

func (x *exchange) begin(c net.Conn) {
	clear(x.header)
	x.conn, x.status, x.sent, x.err = c, 0, false, nil
}

func (x *exchange) release() {
	x.begin(nil)
	exchanges.Put(x)
}

func (x *exchange) Header() http.Header { return x.header }

func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
}

// Write sends the header and the body with one system call. The length of the body must
// equal the Content-Length header.
func (x *exchange) Write(body []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	switch {
	case x.sent, x.request.Method == http.MethodHead, x.status == http.StatusNotModified:
		x.err = http.ErrBodyNotAllowed
	case x.header.Get("Content-Length") != strconv.Itoa(len(body)):
		x.err = http.ErrContentLength
	default:
		buffers := net.Buffers{x.printHead(), body}
		_, x.err = buffers.WriteTo(x.conn)
	}
	x.sent = true
	if x.err != nil {
		return 0, x.err
	}
	return len(body), nil
}

// finish sends the header if there is no body. After an error, the connection is not
// usable.
func (x *exchange) finish() error {
	if x.sent {
		return x.err
	}
	x.WriteHeader(http.StatusOK)
	if x.request.Method != http.MethodHead && x.status != http.StatusNotModified {
		return http.ErrContentLength // the client would wait for a body
	}
	_, err := x.conn.Write(x.printHead())
	return err
}

func (x *exchange) printHead() []byte {
	b := append(x.head[:0], "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(x.status), 10)
	b = append(append(b, ' '), http.StatusText(x.status)...)
	b = append(append(b, "\r\nDate: "...), date()...)
	for name, values := range x.header {
		for _, value := range values {
			b = append(append(append(b, "\r\n"...), name...), ": "...)
			b = append(b, oneLine(value)...)
		}
	}
	x.head = append(b, "\r\n\r\n"...)
	return x.head
}

// oneLine returns the value of a header without line ends.
func oneLine(s string) string {
	if strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return lineEnds.Replace(s)
}

var lineEnds = strings.NewReplacer("\n", " ", "\r", " ")

// second caches the value of the Date header for one second.
type second struct {
	unix int64
	text string
}

var thisSecond atomic.Pointer[second]

func date() string {
	now := time.Now()
	s := thisSecond.Load()
	if s == nil || s.unix != now.Unix() {
		s = &second{now.Unix(), now.UTC().Format(http.TimeFormat)}
		thisSecond.Store(s)
	}
	return s.text
}
