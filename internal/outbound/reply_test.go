package outbound

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Post reads a response up to its limit, even if the response is endless.
func TestRepliesAreBounded(t *testing.T) {
	var sent atomic.Int64
	port, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for sent.Load() < 64<<20 && r.Context().Err() == nil {
			n, err := w.Write([]byte(strings.Repeat("x", 32<<10)))
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	p := policy(t, "127.0.0.0/8", nil).Poster(10 * time.Second)
	defer p.Close()
	a, err := p.Post(t.Context(), "http://127.0.0.1:"+port+"/", nil, []byte("{}"), 1000)
	if err != nil || len(a.Text) != 1000 {
		t.Errorf("%d bytes were read, %v", len(a.Text), err)
	}
	if n := sent.Load(); n >= 64<<20 {
		t.Errorf("the receiver sent %d bytes", n)
	}
}
