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

// Poster sends POST requests to addresses that users enter, such as webhooks. It does not follow
// redirects: the content is for the configured address only.
type Poster struct{ client *http.Client }

// Poster returns a Poster that enforces the policy. It has its own connections, so create one and reuse
// it.
func (p Policy) Poster(timeout time.Duration) *Poster {
	return &Poster{p.Client(Options{Timeout: timeout, NoRedirects: true})}
}

// SlowPoster is like Poster, but the service may use the whole timeout until it begins to respond. An
// example is a language model.
func (p Policy) SlowPoster(timeout time.Duration) *Poster {
	t := p.transport()
	t.ResponseHeaderTimeout = timeout
	return &Poster{&http.Client{Timeout: timeout, Transport: guarded{t}, CheckRedirect: checkRedirect(true)}}
}

// Answer is the response to a POST request.
type Answer struct {
	Status     int
	RetryAfter string // value of the header; see Wait
	Text       string // beginning of the body, without control characters
	Broken     error  // error that ended the body early; nil if it was complete or reached its limit
}

// Post sends a body and reads at most max bytes of the response. The error may be shown to users, except
// that the error of ctx is returned unchanged.
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
	// Without GetBody, the transport cannot retry the request. Callers count attempts.
	req.GetBody = nil
	resp, err := p.client.Do(req)
	if err != nil {
		return Answer{}, Explain(ctx, err)
	}
	defer resp.Body.Close()
	// The status decides. An incomplete body does not change it.
	text, err := io.ReadAll(io.LimitReader(resp.Body, max))
	out := Answer{Status: resp.StatusCode, RetryAfter: resp.Header.Get("Retry-After"), Text: sanitize(string(text))}
	if err != nil {
		out.Broken = Explain(ctx, err)
	}
	return out, nil
}

// Close closes idle connections.
func (p *Poster) Close() { p.client.CloseIdleConnections() }

// sanitize removes control characters and invalid UTF-8. A database rejects some of them, and a
// terminal would interpret others.
func sanitize(s string) string {
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

// Wait parses a Retry-After header and returns the time to wait from now, at most limit. It returns 0 if
// the header is missing or invalid.
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
