package readyconn

import (
	"bufio"
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// attacks are requests that two readers may understand in two ways. None of them is plain.
var attacks = []string{
	"GET /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nGET /",
	"GET /a HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nContent-Length : 44\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nContent-Length\x00: 44\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nX: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nX: y\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nX: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\n\tContent-Length: 5\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nHost: other\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost:\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nhost:other\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost : h\r\n\r\n",
	"GET /a HTTP/1.1\r\n Host: h\r\n\r\n",
	"GET /a HTTP/1.1\r\n\r\n",
	"GET /a HTTP/1.1\r\n: h\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nX Y: z\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nX: \xff\r\n\r\n",
	"GET /a HTTP/1.1\nHost: h\n\n",
	"GET /a HTTP/1.1\r\nHost: h\n\r\n\r\n",
	"\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n",
	" GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET  /a HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a  HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET\t/a HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.1 \r\nHost: h\r\n\r\n",
	"GET /a b HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.0\r\nHost: h\r\n\r\n",
	"GET /a HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n",
	"GET /a HTTP/1.2\r\nHost: h\r\n\r\n",
	"GET /a HTTP/2.0\r\nHost: h\r\n\r\n",
	"GET /a http/1.1\r\nHost: h\r\n\r\n",
	"get /a HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET /a\r\nHost: h\r\n\r\n",
	"GET http://h/a HTTP/1.1\r\nHost: other\r\n\r\n",
	"GET * HTTP/1.1\r\nHost: h\r\n\r\n",
	"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
	"CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n",
	"POST /a HTTP/1.1\r\nHost: h\r\n\r\n",
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, close\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nTrailer: X\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\nPragma: no-cache\r\n\r\n",
	"GET /a HTTP/1.1\r\nHost: h\r\n" + strings.Repeat("X: y\r\n", maxFields+1) + "\r\n",
}

// plain are requests as clients send them.
var plain = []string{
	"GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
	"HEAD /a HTTP/1.1\r\nhost:h\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: h:80\r\nConnection: Keep-Alive\r\nAccept-Encoding: gzip, br\r\nCookie: a=b\r\ncookie: c=d\r\nX-Empty:\r\n\r\n",
	"GET //h/../a HTTP/1.1\r\nHost: h\r\nContent_Length: 4\r\n\r\n",
}

func TestAttacksAreNotPlain(t *testing.T) {
	for _, a := range attacks {
		if size := new(request).parse([]byte(a)); size != 0 {
			t.Errorf("%q is taken for a plain request of %d bytes", a, size)
		}
	}
}

func TestPlainRequests(t *testing.T) {
	for _, p := range plain {
		agrees(t, []byte(p))
		r := new(request)
		if size := r.parse([]byte(p + "GET")); size != len(p) || r.URL.Path == "" {
			t.Errorf("%q has %d bytes and the path %q", p, size, r.URL.Path)
		}
		for cut := range len(p) {
			if r.parse([]byte(p[:cut])) != 0 {
				t.Errorf("%q is not whole", p[:cut])
			}
		}
	}
	for _, target := range []string{"/a?b", "/a%20b", "/a#b", "/a;b", `/a"b`, "/a:b"} {
		r := new(request)
		if text := "GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n"; r.parse([]byte(text)) != len(text) || r.URL.Path != "" {
			t.Errorf("the path of %s is %q", target, r.URL.Path)
		}
	}
}

// A request that reuses the memory of another has no data of it.
func TestRequestsShareNothing(t *testing.T) {
	r := new(request)
	for _, text := range append(slices.Clone(attacks), plain...) {
		if r.parse([]byte(text)) == 0 {
			continue
		}
		r.fill()
		fresh := new(request)
		fresh.parse([]byte(text))
		fresh.fill()
		if !sameRequest(&r.Request, &fresh.Request) {
			t.Errorf("%q: %v, want %v", text, r.Request, fresh.Request)
		}
	}
}

func sameRequest(a, b *http.Request) bool {
	return a.Method == b.Method && a.Host == b.Host && a.RequestURI == b.RequestURI && a.Proto == b.Proto && *a.URL == *b.URL && maps.EqualFunc(a.Header, b.Header, slices.Equal)
}

// agrees reports an error unless net/http parses a plain request in the same way.
func agrees(t *testing.T, data []byte) {
	r := new(request)
	size := r.parse(data)
	if size == 0 {
		return
	}
	r.fill()
	input := bytes.NewReader(data)
	lines := bufio.NewReader(input)
	want, err := http.ReadRequest(lines)
	if err != nil && r.URL.Path == "" {
		return // it is not answered, and net/http closes the connection
	}
	if err != nil {
		t.Fatalf("net/http refuses %q: %v", data[:size], err)
	}
	if read := len(data) - input.Len() - lines.Buffered(); read != size {
		t.Errorf("net/http reads %d bytes of %q, not %d", read, data, size)
	}
	if want.Body != http.NoBody || want.Close || want.ContentLength != 0 || len(want.TransferEncoding) > 0 {
		t.Errorf("%q has a body, or is the last one", data[:size])
	}
	if r.URL.Path == "" {
		r.URL = want.URL // not parsed
	}
	if !sameRequest(&r.Request, want) {
		t.Errorf("%q is %v with %v, want %v with %v", data[:size], r.URL, r.Header, want.URL, want.Header)
	}
}

func FuzzRequest(f *testing.F) {
	for _, text := range append(slices.Clone(attacks), plain...) {
		f.Add([]byte(text))
	}
	f.Fuzz(agrees)
}
