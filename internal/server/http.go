package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"
)

// minCompressed is the size of an answer that is worth compressing.
const minCompressed = 1 << 10

// compressed compresses answers for clients that accept zstd or gzip.
func compressed(h http.HandlerFunc) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed))
	if err != nil {
		panic(err) // the options are constants
	}
	return wrap(h)
}

// crossOrigin lets pages of other web sites call the API, if the operator named
// them. Calls carry a token and never a cookie, so credentials are not allowed.
func (s *Server) crossOrigin(h http.Handler) http.Handler {
	if len(s.Origins) == 0 {
		return h
	}
	return cors.New(cors.Options{
		AllowedOrigins: s.Origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"*"},
		ExposedHeaders: []string{"ETag", "Location", "Retry-After", "Deprecation", "X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"},
		MaxAge:         int(10 * time.Minute / time.Second),
	}).Handler(h)
}

// CheckOrigin returns an error unless a text is an origin: a scheme and a host, or
// * for all.
func CheckOrigin(text string) error {
	scheme, host, ok := strings.Cut(text, "://")
	if text != "*" && (!ok || scheme != "https" && scheme != "http" || host == "" || strings.ContainsAny(host, "/?#@* ")) {
		return fmt.Errorf("%q is not the origin of a web site, such as https://app.example.com", text)
	}
	return nil
}

// Proxies are the networks of proxies in front of the server. What they say of
// where a request comes from is believed.
type Proxies []netip.Prefix

// ParseProxies reads a comma-separated list of addresses and networks.
func ParseProxies(list string) (out Proxies, err error) {
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, err := netip.ParseAddr(text)
			if err != nil {
				return nil, fmt.Errorf("%q is neither an address nor a network such as 10.0.0.0/8", text)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

func (p Proxies) trust(a netip.Addr) bool {
	for _, net := range p {
		if net.Contains(a.Unmap()) {
			return true
		}
	}
	return false
}

// client returns the address, with a port, that a request comes from: the last one
// of X-Forwarded-For that is not a proxy. Whatever is in front of it anybody could
// have written.
func (p Proxies) client(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !p.trust(peer.Addr()) {
		return r.RemoteAddr
	}
	at := peer.Addr()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && p.trust(at); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		at = hop
	}
	return net.JoinHostPort(at.Unmap().String(), "0")
}

// misdirected reports whether a request is for a host that neither the server nor
// a site has: somebody else's domain that leads here, by mistake or to make
// browsers trust our answers. Without a configured address every host is the
// server. Addresses and names without a dot are those of a network inside, which
// proxies and health checks use.
func (s *Server) misdirected(r *http.Request) bool {
	if !s.named {
		return false
	}
	name := strings.ToLower(strings.TrimSuffix((&url.URL{Host: r.Host}).Hostname(), "."))
	base, err := url.Parse(s.BaseURL)
	switch {
	case err == nil && strings.EqualFold(base.Hostname(), name):
	case !strings.Contains(name, "."), net.ParseIP(name) != nil:
	case r.URL.Path == "/healthz" || r.URL.Path == "/readyz":
	default:
		return true
	}
	return false
}

// recorder remembers the status of a response.
type recorder struct {
	http.ResponseWriter
	status int
	reads  bool   // the request changes nothing
	known  string // the ETags of what the client has
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		if status == http.StatusOK && r.reads && matches(r.known, r.Header().Get("ETag")) {
			status = http.StatusNotModified
			for _, name := range []string{"Content-Type", "Content-Length"} {
				r.Header().Del(name)
			}
		}
		if r.Header().Get("Accept-Ranges") != "" { // a part of a file is a part of its bytes as they are
			r.Header().Set(gzhttp.HeaderNoCompression, "1")
		}
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	if r.status == http.StatusNotModified {
		return len(b), nil // the client has it
	}
	return r.ResponseWriter.Write(b)
}

// matches reports whether a list of ETags, as a client sends it in If-None-Match,
// has one. They are compared weakly, as RFC 9110 says: the same content is the
// same content in any encoding.
func matches(list, etag string) bool {
	if list == "" || etag == "" {
		return false
	}
	etag = strings.TrimPrefix(etag, "W/")
	for one := range strings.SplitSeq(list, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == etag {
			return true
		}
	}
	return false
}

// Status returns what was sent, 200 if nothing was set.
func (r *recorder) Status() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// Written reports whether anything was sent.
func (r *recorder) Written() bool { return r.status != 0 }

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
