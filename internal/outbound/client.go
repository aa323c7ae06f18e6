package outbound

import (
	"net/http"
	"net/url"
	"time"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/errs"
)

const (
	connectTimeout   = 10 * time.Second // name resolution and connecting
	handshakeTimeout = 10 * time.Second // TLS
	headerTimeout    = 20 * time.Second // from the request to the header of the response
	idleTimeout      = 30 * time.Second // until an idle connection is closed
	defaultTimeout   = 30 * time.Second // the whole exchange, including the body
	maxRedirects     = 5
	maxHeaderBytes   = 64 << 10 // of a response
	maxIdle          = 16       // idle connections
)

// userAgent is the User-Agent header by which operators of other servers recognize this one.
const userAgent = "Octavo"

// Options configures a client.
type Options struct {
	// Timeout limits the whole exchange, until the body was read. Zero means 30 seconds.
	Timeout time.Duration
	// NoRedirects makes the client return the first response, even a redirect. A webhook is
	// delivered to the configured address or not at all.
	NoRedirects bool
}

// Client returns an HTTP client that enforces the policy. Each client has its own connections, so
// create one and reuse it. It ignores proxies in the environment, because the policy cannot check the
// connections of a proxy. Use Explain before showing its errors to users.
func (p Policy) Client(o Options) *http.Client {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	return &http.Client{
		Timeout:       o.Timeout,
		Transport:     guarded{p.transport()},
		CheckRedirect: checkRedirect(o.NoRedirects),
	}
}

func (p Policy) transport() *http.Transport {
	return &http.Transport{
		DialContext:            p.dial,
		TLSHandshakeTimeout:    handshakeTimeout,
		ResponseHeaderTimeout:  headerTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConns:           maxIdle,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// guarded checks the URL of each request, including redirects.
type guarded struct{ next *http.Transport }

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := checkParsed(r.URL); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	if r.Header.Get("User-Agent") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", userAgent)
	}
	resume := budget.Pause(r.Context()) // waiting for another server needs no turn
	res, err := g.next.RoundTrip(r)
	if busy := resume(); err == nil && busy != nil {
		res.Body.Close()
		return nil, busy
	}
	if err == nil && res.StatusCode == http.StatusSwitchingProtocols {
		// The request asked for no upgrade, and no timeout ends reads from an upgraded connection.
		res.Body.Close()
		return nil, errs.E(errs.Invalid, "the server answers in another protocol than HTTP")
	}
	return res, err
}

// CloseIdleConnections implements the interface that http.Client.CloseIdleConnections calls.
func (g guarded) CloseIdleConnections() { g.next.CloseIdleConnections() }

func checkRedirect(none bool) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, via []*http.Request) error {
		if none {
			return http.ErrUseLastResponse
		}
		if len(via) > maxRedirects {
			return errs.E(errs.Invalid, "the server redirects more than %d times", maxRedirects)
		}
		// The standard library forwards secrets to subdomains and other ports. Here they stay at the
		// origin of the first request. The headers are copied from the first request at each redirect, so
		// leaving the origin once is enough to drop them.
		left := !sameOrigin(r.URL, via[0].URL)
		for _, v := range via {
			left = left || !sameOrigin(v.URL, via[0].URL)
		}
		if left && r.Method != http.MethodGet && r.Method != http.MethodHead {
			return errs.E(errs.Invalid, "the server redirects to another one, which must not see what was sent; use the final address")
		}
		if left {
			for name := range r.Header {
				if !forwardedHeaders[name] {
					r.Header.Del(name)
				}
			}
		}
		r.Header.Del("Referer")
		return nil
	}
}

// forwardedHeaders lists the headers that follow a redirect to another origin. Any other header may
// contain a secret.
var forwardedHeaders = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Accept-Language": true,
	"Content-Type": true, "Range": true, "User-Agent": true,
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && a.Host == b.Host
}
