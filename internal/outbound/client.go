package outbound

import (
	"net/http"
	"net/url"
	"time"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/errs"
)

const (
	connectTimeout   = 10 * time.Second // looking up the name and connecting
	handshakeTimeout = 10 * time.Second // TLS
	headerTimeout    = 20 * time.Second // from the request to the first line of the answer
	idleTimeout      = 30 * time.Second // a connection that is kept for the next request
	defaultTimeout   = 30 * time.Second // everything, with the body
	maxRedirects     = 5
	maxHeaderBytes   = 64 << 10 // of an answer
	maxIdle          = 16       // connections kept for the next request
)

// userAgent identifies this server to the operators of others.
const userAgent = "Octavo"

// Options of a client.
type Options struct {
	// Timeout bounds the whole exchange, until the body was read. Zero is
	// 30 seconds.
	Timeout time.Duration
	// NoRedirects makes the client return the first answer, whatever it is. A
	// webhook is delivered to the address that was configured or not at all.
	NoRedirects bool
}

// Client returns an HTTP client that keeps to the policy. Make one and keep it:
// each has its own connections. It takes no proxy from the environment, as a
// proxy would connect where the policy does not look. Show its errors to
// people by way of Explain.
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

// guarded checks the URL of each request, that of every redirect included.
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
	resume := budget.Pause(r.Context()) // the other server may be slow
	res, err := g.next.RoundTrip(r)
	if busy := resume(); err == nil && busy != nil {
		res.Body.Close()
		return nil, busy
	}
	if err == nil && res.StatusCode == http.StatusSwitchingProtocols {
		// Nobody asked for another protocol, and reading such a connection ends with no
		// timeout.
		res.Body.Close()
		return nil, errs.E(errs.Invalid, "the server answers in another protocol than HTTP")
	}
	return res, err
}

// CloseIdleConnections is what http.Client.CloseIdleConnections asks for.
func (g guarded) CloseIdleConnections() { g.next.CloseIdleConnections() }

func checkRedirect(none bool) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, via []*http.Request) error {
		if none {
			return http.ErrUseLastResponse
		}
		if len(via) > maxRedirects {
			return errs.E(errs.Invalid, "the server redirects more than %d times", maxRedirects)
		}
		// The standard library keeps secrets on the way to a subdomain and
		// to another port; what was meant for one origin stays there. The
		// headers are copied from the first request at each hop.
		left := !sameOrigin(r.URL, via[0].URL)
		for _, v := range via {
			left = left || !sameOrigin(v.URL, via[0].URL)
		}
		if left && r.Method != http.MethodGet && r.Method != http.MethodHead {
			return errs.E(errs.Invalid, "the server redirects to another one, which must not see what was sent; use the final address")
		}
		if left {
			for name := range r.Header {
				if !harmless[name] {
					r.Header.Del(name)
				}
			}
		}
		r.Header.Del("Referer")
		return nil
	}
}

// harmless headers follow a redirect to another origin. Anything else may be
// a secret under a name that we do not know.
var harmless = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Accept-Language": true,
	"Content-Type": true, "Range": true, "User-Agent": true,
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && a.Host == b.Host
}
