package readyconn

import (
	"bytes"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// request is a request that is read into the same memory as the one before.
type request struct {
	http.Request
	url    url.URL
	values [maxFields]string
}

// maxFields is how many headers a plain request has at most. Browsers send about 15.
const maxFields = 40

var headEnd = []byte("\r\n\r\n")

// parse reads the request at the beginning of data, and returns its length. It is 0
// for one that is not plain, or not whole. The path of its address is empty if there
// is more to it, such as a query.
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

// readLine reads the first line.
func (r *request) readLine(line string) bool {
	method, rest, _ := strings.Cut(line, " ")
	target, proto, _ := strings.Cut(rest, " ")
	if method != http.MethodGet && method != http.MethodHead || proto != "HTTP/1.1" || !strings.HasPrefix(target, "/") || !isVisible(target) {
		return false
	}
	header := r.Header
	if clear(header); header == nil {
		header = http.Header{}
	}
	r.url = url.URL{}
	if isPath(target) {
		r.url.Path = target
	}
	r.Request = http.Request{Method: method, URL: &r.url, Proto: proto, ProtoMajor: 1, ProtoMinor: 1, Header: header, RequestURI: target, Body: http.NoBody}
	return true
}

// readFields reads the headers.
func (r *request) readFields(lines string) bool {
	named := false // the host
	for used := 0; lines != ""; used++ {
		var line string
		line, lines, _ = strings.Cut(lines, "\r\n")
		name, value, found := strings.Cut(line, ":")
		if value = strings.Trim(value, " "); !found || used == maxFields || !isName(name) || !isVisible(value) {
			return false
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		switch name {
		case "Host":
			if named { // twice: which of them counts is a matter of opinion
				return false
			}
			named, r.Host = true, value
			continue
		case "Connection":
			if !strings.EqualFold(value, "keep-alive") {
				return false
			}
		case "Content-Length", "Expect", "Te", "Trailer", "Transfer-Encoding", "Upgrade":
			return false
		case "Pragma": // net/http makes another header of it
			return false
		}
		if values := r.Header[name]; values != nil {
			r.Header[name] = append(values, value)
			continue
		}
		r.values[used] = value
		r.Header[name] = r.values[used : used+1 : used+1]
	}
	return true
}

// isName reports whether a text is the name of a header, and nothing else to anybody.
func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' {
			return false
		}
	}
	return s != ""
}

// isPath reports whether an address is a path that is never escaped.
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
