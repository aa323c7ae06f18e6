package readyconn

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// requests are the requests of random streams, with a number instead of #. None of them ends the connection.
var requests = []string{
	"GET /ready HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\n\r\n",
	"GET /ready HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\n\r\n",
	"GET /ready-9000 HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\n\r\n",
	"HEAD /ready-7 HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\n\r\n",
	"GET /ready-304 HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\n\r\n",
	"GET /ready?a HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\n\r\n",
	"GET /other HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\n\r\n",
	"HEAD /other-5 HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\n\r\n",
	"GET /other-slow HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\n\r\n",
	"GET /other-slow HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\n\r\n",
	"GET /other-9000 HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\n\r\n",
}

// rarely are the requests after which only net/http handles the connection.
var rarely = []string{
	"POST /other-body HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\nContent-Length: 27\r\n\r\nGET /ready HTTP/1.1\r\nHost: ",
	"POST /ready HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nGET /\r\n0\r\n\r\n",
	"GET /ready HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\nContent-Length: 4\r\n\r\nGET ",
	"GET /ready HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\nX-Long: " + strings.Repeat("x", 5000) + "\r\n\r\n",
	"POST /other-body HTTP/1.1\r\nHost: h\r\nX-Sent: #\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nGET ",
}

// numbered answers as answer does, with the number of the request in a header.
func numbered(w http.ResponseWriter, r *http.Request) {
	w.Header()["X-Number"] = []string{r.Header.Get("X-Sent") + " " + r.Method + r.RequestURI}
	if strings.HasSuffix(r.URL.Path, "-slow") {
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
	}
	answer(w, r)
}

var numbers = regexp.MustCompile(`X-Number: [^\r]*`)

// The responses equal those of net/http, in the same order, whether the bytes of a request
// arrive before, during or after the response to the previous request.
func TestRandomStreams(t *testing.T) {
	ready, bare := serve(t, true, time.Minute), serve(t, false, time.Minute)
	ready.Handler, bare.Handler = http.HandlerFunc(numbered), http.HandlerFunc(numbered)
	find := ready.ready.Find
	ready.ready.Find = func(r *http.Request) (http.Handler, bool) {
		_, ok := find(r)
		return http.HandlerFunc(numbered), ok
	}
	var wg sync.WaitGroup
	for seed := range uint64(150) {
		wg.Go(func() {
			pieces := randomStream(rand.New(rand.NewPCG(seed, 0)))
			got, want := play(ready.begin(t), pieces), play(bare.begin(t), pieces)
			if !slices.Equal(numbers.FindAllString(got, -1), numbers.FindAllString(want, -1)) || !sameStream(got, want) {
				t.Errorf("%v:\n%q, want\n%q", pieces, got, want)
			}
		})
	}
	wg.Wait()
	if n := ready.found.Load(); n < 50 {
		t.Errorf("%d requests were answered at once", n)
	}
}

// piece is a part of a stream, and the time until the next one.
type piece struct {
	text string
	wait time.Duration
}

// randomStream returns some requests, mostly one in a piece.
func randomStream(random *rand.Rand) (out []piece) {
	all := ""
	var ends []int
	for i := range 1 + random.IntN(12) {
		text := requests[random.IntN(len(requests))]
		if random.IntN(20) == 0 {
			text = rarely[random.IntN(len(rarely))]
		}
		all += strings.ReplaceAll(text, "#", fmt.Sprint(i))
		ends = append(ends, len(all))
	}
	for len(all) > 0 {
		size := ends[0]
		switch random.IntN(8) {
		case 0:
			size = 1 + random.IntN(len(all))
		case 1:
			size = 1
		}
		out = append(out, piece{all[:size], []time.Duration{0, 0, 100 * time.Microsecond, time.Millisecond, 3 * time.Millisecond}[random.IntN(5)]})
		all = all[size:]
		for i := range ends {
			ends[i] -= size
		}
		for len(ends) > 0 && ends[0] <= 0 {
			ends = ends[1:]
		}
	}
	return out
}

// play sends the pieces and returns the responses until the connection ends.
func play(c net.Conn, pieces []piece) string {
	defer c.Close()
	out := make(chan string)
	go func() {
		all, _ := io.ReadAll(c)
		out <- string(all)
	}()
	for _, p := range pieces {
		_, _ = io.WriteString(c, p.text)
		time.Sleep(p.wait)
	}
	_ = c.(*net.TCPConn).CloseWrite()
	return dates.ReplaceAllString(<-out, "Date: now\r\n")
}
