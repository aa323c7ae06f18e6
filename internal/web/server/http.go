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

// minCompressed is the minimum size of a response that is compressed.
const minCompressed = 1 << 10

// compressed returns a handler that compresses responses for clients that accept zstd or
// gzip.
func compressed(h http.HandlerFunc) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed))
	if err != nil {
		panic(err) // the options are constants
	}
	return wrap(h)
}

// crossOrigin allows pages of other web sites to call the API, if the operator has named
// these sites. Such calls have a token and never a cookie, so credentials are not
// allowed.
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

// CheckOrigin returns an error unless a text is an origin: a scheme and a host, or * for
// all origins.
func CheckOrigin(text string) error {
	scheme, host, ok := strings.Cut(text, "://")
	if text != "*" && (!ok || scheme != "https" && scheme != "http" || host == "" || strings.ContainsAny(host, "/?#@* ")) {
		return fmt.Errorf("%q is not the origin of a web site, such as https://app.example.com", text)
	}
	return nil
}

// Proxies are the networks of trusted proxies before the server. Their X-Forwarded-For
// headers are believed.
type Proxies []netip.Prefix

// ParseProxies parses a comma-separated list of addresses and networks.
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

// client returns the address of the client of a request, with a port: the last address in
// X-Forwarded-For that is not a trusted proxy. Anybody could have written the addresses
// before it.
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

// misdirected reports whether a request is for a host that is neither that of the server
// nor that of a site. Such a host is a foreign domain that points here, by mistake or to
// make browsers trust our responses. Without a configured address, every host is that of
// the server. IP addresses and names without a dot are always accepted, because proxies
// and health checks of an internal network use them.
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

// recorder records the status of a response. It replaces a response that the client has
// cached by status 304.
type recorder struct {
	http.ResponseWriter
	status int
	reads  bool   // the method is GET or HEAD
	known  string // the header If-None-Match of the request
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		if status == http.StatusOK && r.reads && matches(r.known, r.Header().Get("ETag")) {
			status = http.StatusNotModified
			for _, name := range []string{"Content-Type", "Content-Length"} {
				r.Header().Del(name)
			}
		}
		if status >= http.StatusBadRequest { // also if the handler set how long its answer may be kept, and failed then
			r.Header()["Cache-Control"] = noStore
		}
		if r.Header().Get("Accept-Ranges") != "" { // ranges refer to the uncompressed bytes
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
		return len(b), nil // the client has cached the body
	}
	return r.ResponseWriter.Write(b)
}

// matches reports whether the header If-None-Match of a client contains an ETag. ETags
// are compared weakly, as RFC 9110 requires: the content is the same in every encoding.
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

// Status returns the status that was sent, or 200 if none was set.
func (r *recorder) Status() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// Written reports whether the response has begun.
func (r *recorder) Written() bool { return r.status != 0 }

// Unwrap returns the underlying writer, for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
