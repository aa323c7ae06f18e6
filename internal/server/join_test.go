package server

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"
)

// Answers of every length arrive whole, one after the other on the same connection.
func TestAnswersInOnePiece(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{ConnContext: withConn, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		whole := inOnePiece(w, r)
		if _, ok := whole.(joinedWriter); !ok {
			t.Error("the connection is not one that joins")
		}
		n, _ := strconv.Atoi(r.URL.Path[1:])
		w.Header().Set("Content-Length", strconv.Itoa(n))
		if r.Method != http.MethodHead {
			_, _ = whole.Write(bytes.Repeat([]byte{byte('a' + n%26)}, n))
		}
	})}
	go func() { _ = srv.Serve(joining{l}) }()
	defer srv.Close()
	for _, n := range []int{0, 1, 3000, 3900, 4000, 4095, 4096, 4097, 5000, 8192, 12_000, maxHeld, maxHeld + 1, 1 << 20} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} {
			req, err := http.NewRequest(method, "http://"+l.Addr().String()+"/"+strconv.Itoa(n), nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(res.Body)
			if err != nil || res.Body.Close() != nil {
				t.Fatalf("%s of %d bytes: %v", method, n, err)
			}
			if want := bytes.Repeat([]byte{byte('a' + n%26)}, n); method == http.MethodGet && !bytes.Equal(b, want) {
				t.Errorf("%d bytes arrived, want %d", len(b), n)
			}
		}
	}
}
