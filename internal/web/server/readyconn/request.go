package readyconn

import (
	"bytes"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// request is a parsed request. Its memory is reused for the next request.
type request struct {
	http.Request
	url    url.URL
	names  []string // of the headers in their original spelling, without Host
	values [maxFields]string
}

// maxFields is the maximum number of headers of a plain request. Browsers send about 15.
const maxFields = 40

var headEnd = []byte("\r\n\r\n")

// parse parses the request at the beginning of data and returns its length. It returns 0
// if the request is not plain or not complete. The path of the URL is empty if the target
// is not a simple path, for example if it has a query. Header is not set before fill.
func (r *request) parse(data []byte) (size int) {
	at := bytes.Index(data, headEnd)
	if at < 0 {
		return 0
	}
	first, rest, _ := strings.Cut(string(data[:at+2]), "\r\n")
	if !r.readLine(first) || !r.readFields(rest) || r.Host == "" {
		return 0
	}
	return at + len(headEnd)
}

// readLine parses the request line. It reports false if the request is not plain.
func (r *request) readLine(line string) bool {
	method, rest, _ := strings.Cut(line, " ")
	target, proto, _ := strings.Cut(rest, " ")
	if method != http.MethodGet && method != http.MethodHead || proto != "HTTP/1.1" || !strings.HasPrefix(target, "/") || !isVisible(target) {
		return false
	}
	r.url = url.URL{}
	if isPath(target) {
		r.url.Path = target
	}
	r.Request = http.Request{Method: method, URL: &r.url, Proto: proto, ProtoMajor: 1, ProtoMinor: 1, Header: r.Header, RequestURI: target, Body: http.NoBody}
	return true
}

// readFields parses the headers. It reports false if the request is not plain.
func (r *request) readFields(lines string) bool {
	r.names = r.names[:0]
	named := false // the host
	for lines != "" {
		var line string
		line, lines, _ = strings.Cut(lines, "\r\n")
		name, value, found := strings.Cut(line, ":")
		if value = strings.Trim(value, " "); !found || len(r.names) == maxFields || !isName(name) || !isVisible(value) || !mayHave(name, value) {
			return false
		}
		if strings.EqualFold(name, "Host") {
			if named { // two Host headers are ambiguous
				return false
			}
			named, r.Host = true, value
			continue
		}
		r.values[len(r.names)] = value
		r.names = append(r.names, name)
	}
	return true
}

// mayHave reports whether a plain request may have a header. It compares only names that
// have the same length as a forbidden one, which are few.
func mayHave(name, value string) bool {
	switch len(name) {
	case len("Te"):
		return !strings.EqualFold(name, "Te")
	case len("Expect"): // net/http turns Pragma into another header
		return !strings.EqualFold(name, "Expect") && !strings.EqualFold(name, "Pragma")
	case len("Upgrade"):
		return !strings.EqualFold(name, "Upgrade") && !strings.EqualFold(name, "Trailer")
	case len("Connection"):
		return !strings.EqualFold(name, "Connection") || strings.EqualFold(value, "keep-alive")
	case len("Content-Length"):
		return !strings.EqualFold(name, "Content-Length")
	case len("Transfer-Encoding"):
		return !strings.EqualFold(name, "Transfer-Encoding")
	}
	return true
}

// fill sets the Header of the request.
func (r *request) fill() {
	if clear(r.Header); r.Header == nil {
		r.Header = http.Header{}
	}
	for i, name := range r.names {
		name = textproto.CanonicalMIMEHeaderKey(name)
		if values := r.Header[name]; values != nil {
			r.Header[name] = append(values, r.values[i])
			continue
		}
		r.Header[name] = r.values[i : i+1 : i+1]
	}
}

// isName reports whether a text is a header name that every parser accepts as such.
func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' {
			return false
		}
	}
	return s != ""
}

// isPath reports whether a request target is a path without characters that can be
// escaped.
func isPath(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' && c != '~' && c != '/' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// isVisible reports whether a text has visible ASCII characters and spaces only.
func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
