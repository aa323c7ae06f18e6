package outbound

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Poster sends to addresses that somebody typed in, such as webhooks. It
// follows no redirects: what is sent is meant for one address.
type Poster struct{ client *http.Client }

// Poster returns one that keeps to the policy. Make one and keep it: it has its
// own connections.
func (p Policy) Poster(timeout time.Duration) *Poster {
	return &Poster{p.Client(Options{Timeout: timeout, NoRedirects: true})}
}

// SlowPoster is Poster for a service that may take the whole timeout until it
// begins to answer, such as a language model.
func (p Policy) SlowPoster(timeout time.Duration) *Poster {
	t := p.transport()
	t.ResponseHeaderTimeout = timeout
	return &Poster{&http.Client{Timeout: timeout, Transport: guarded{t}, CheckRedirect: checkRedirect(true)}}
}

// Answer is what a server says to what was sent.
type Answer struct {
	Status     int
	RetryAfter string // as the server wrote it; see Wait
	Text       string // the beginning of the body, as far as it is text
	Broken     error  // why the text ends early; nil if it does not, or only because of its limit
}

// Post sends a body and reads at most max bytes of the answer. The error may
// be displayed to people; the end of the caller's own context is returned as it is.
func (p *Poster) Post(ctx context.Context, address string, header map[string]string, body []byte, max int64) (Answer, error) {
	u, err := CheckURL(address)
	if err != nil {
		return Answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return Answer{}, bad("cannot be read")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	// A repetition by the transport would be one that nobody counts.
	req.GetBody = nil
	resp, err := p.client.Do(req)
	if err != nil {
		return Answer{}, Explain(ctx, err)
	}
	defer resp.Body.Close()
	// The status is the answer; a body that breaks off does not change it.
	text, err := io.ReadAll(io.LimitReader(resp.Body, max))
	out := Answer{Status: resp.StatusCode, RetryAfter: resp.Header.Get("Retry-After"), Text: plain(string(text))}
	if err != nil {
		out.Broken = Explain(ctx, err)
	}
	return out, nil
}

// Close ends the connections that are kept for the next call.
func (p *Poster) Close() { p.client.CloseIdleConnections() }

// plain drops what is not text: a database refuses some of it, and a terminal
// would obey the rest.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r == 0x7f || r == '\uFFFD' || 0x80 <= r && r < 0xa0:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// Wait reads a Retry-After header: how long to wait from now on, 0 if it does
// not say so, at most the limit.
func Wait(retryAfter string, now time.Time, limit time.Duration) time.Duration {
	var d time.Duration
	if n, err := strconv.ParseUint(retryAfter, 10, 64); err == nil {
		d = limit
		if n < uint64(limit/time.Second) {
			d = time.Duration(n) * time.Second
		}
	} else if at, err := http.ParseTime(retryAfter); err == nil {
		d = at.Sub(now)
	}
	return max(0, min(d, limit))
}
