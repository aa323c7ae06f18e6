package outbound

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// An unrequested change of the protocol does not keep the caller waiting.
func TestAnotherProtocolIsRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = c.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"))
				_, _ = io.Copy(io.Discard, c) // until the other end closes it
			}()
		}
	}()
	p, err := Parse("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	at := "http://" + l.Addr().String()
	for name, call := range map[string]func(ctx context.Context) error{
		"client": func(ctx context.Context) error {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
			if err != nil {
				return err
			}
			res, err := p.Client(Options{}).Do(r)
			if err == nil {
				_, err = io.ReadAll(res.Body)
				res.Body.Close()
			}
			return Explain(ctx, err)
		},
		"fetch": func(ctx context.Context) error {
			_, err := p.Fetch(ctx, at, Limits{})
			return err
		},
	} {
		done := make(chan error, 1)
		go func() { done <- call(t.Context()) }()
		select {
		case err := <-done:
			if !errs.Is(err, errs.Invalid) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s waits for ever", name)
		}
	}
}
