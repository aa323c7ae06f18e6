package git

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/outbound"
)

const (
	maxURL = 2048 // maximum length of an address in bytes
	maxRef = 255  // maximum length of a ref in bytes
	// defaultUser is the usual user name at the ssh servers of hosting services.
	defaultUser = "git"
)

// address is a parsed URL. The URL for git is assembled from these parts, so that every
// part of it is validated.
type address struct {
	scheme string // https, http or ssh
	user   string // ssh only
	host   string // lower case; an IPv6 address without brackets
	port   string // empty for the default port
	path   string // as written; begins with / unless scp is set
	scp    bool   // user@host:path, with a path relative to the user's home
}

func (a address) String() string {
	host := a.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if a.scp {
		return a.user + "@" + host + ":" + a.path
	}
	if a.port != "" {
		host += ":" + a.port
	}
	if a.user != "" {
		host = a.user + "@" + host
	}
	return a.scheme + "://" + host + a.path
}

func (a address) portOrUsual() string {
	if a.port != "" {
		return a.port
	}
	return map[string]string{"https": "443", "http": "80", "ssh": "22"}[a.scheme]
}

// literal reports whether the host is an IP address.
func (a address) literal() bool {
	_, err := netip.ParseAddr(a.host)
	return err == nil
}

var (
	sshUser = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)
	scpForm = regexp.MustCompile(`^([^@:/]+)@(\[[0-9A-Fa-f:.]+\]|[^@:/\[\]]+):([^:].*)$`)
)

// ParseURL parses the address of a repository in one of the usual forms:
// https://host/path, ssh://user@host/path or user@host:path. It returns the user name and
// the password separately, so that the address can be stored and displayed. It checks
// only the syntax; Open decides whether the host may be called. Error messages describe
// the correct form and never repeat the input.
func ParseURL(raw string) (clean string, c Credentials, err error) {
	a, c, err := parse(raw)
	if err != nil {
		return "", Credentials{}, err
	}
	return a.String(), c, nil
}

func parse(raw string) (address, Credentials, error) {
	none := Credentials{}
	if len(raw) > maxURL {
		return address{}, none, badAddress("is longer than %d characters", maxURL)
	}
	for i := range len(raw) {
		switch c := raw[i]; {
		case c <= ' ' || c == 0x7f:
			return address{}, none, badAddress("contains a space, a line break or another control character")
		case c == '\\':
			return address{}, none, badAddress("contains a backslash")
		}
	}
	if m := scpForm.FindStringSubmatch(raw); m != nil && !strings.Contains(raw, "://") {
		a := address{scheme: "ssh", user: m[1], host: m[2], path: m[3], scp: true}
		return checkSSH(a)
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.Host == "" {
		return address{}, none, badAddress("cannot be read; it must look like https://host/path or git@host:path")
	}
	// git does not use the query and the fragment, and both could contain a secret.
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(raw, "#") {
		return address{}, none, badAddress("has a ? or a #; leave out what follows")
	}
	a := address{scheme: u.Scheme, host: u.Hostname(), port: u.Port(), path: u.EscapedPath()}
	switch u.Scheme {
	case "https", "http":
		c := Credentials{}
		if u.User != nil {
			c.Username = u.User.Username()
			c.Password, _ = u.User.Password()
			if strings.ContainsFunc(c.Username+c.Password, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				return a, none, badAddress("has control characters in the user name or the password")
			}
		}
		u.User = nil
		if _, err := outbound.CheckURL(u.String()); err != nil {
			return a, none, badHost(err)
		}
		a.host = plainHost(a.host)
		if a.path == "" || a.path == "/" {
			return a, none, badAddress("does not name a repository; it must look like https://host/path")
		}
		if a.port == map[string]string{"https": "443", "http": "80"}[a.scheme] {
			a.port = ""
		}
		return a, c, nil
	case "ssh":
		if _, secret := u.User.Password(); secret {
			return a, none, badAddress("has a password, which ssh servers do not take from programs; use a key or https")
		}
		a.user = u.User.Username()
		// Unlike with https, the server receives the path unescaped.
		a.path = u.Path
		if strings.HasSuffix(u.Host, ":") {
			return a, none, badAddress("has a colon but no port behind the host")
		}
		return checkSSH(a)
	}
	return a, none, badAddress("must begin with https:// or ssh://, or look like git@host:path")
}

func checkSSH(a address) (address, Credentials, error) {
	none := Credentials{}
	if a.user == "" {
		a.user = defaultUser
	}
	if !sshUser.MatchString(a.user) {
		return a, none, badAddress("has a user name that is not valid for ssh")
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(a.host, "["), "]")
	host := bare
	if strings.Contains(bare, ":") {
		host = "[" + bare + "]"
	}
	if a.port == "22" {
		a.port = ""
	}
	// Hosts and ports must satisfy the same rules as for https.
	check := "https://" + host
	if a.port != "" {
		check += ":" + a.port
	}
	if _, err := outbound.CheckURL(check + "/"); err != nil {
		return a, none, badHost(err)
	}
	a.host = plainHost(bare)
	for _, r := range a.path {
		if r < ' ' || r == 0x7f || r == '\\' {
			return a, none, badAddress("has a path with control characters or backslashes")
		}
	}
	// git passes a path that begins with a dash to the program on the server, which would
	// parse it as an option.
	if p := strings.TrimPrefix(a.path, "/"); p == "" || strings.HasPrefix(p, "-") || strings.HasPrefix(p, "~-") {
		return a, none, badAddress("does not name a repository; it must look like ssh://git@host/path or git@host:path")
	}
	if !a.scp {
		// git unescapes the path of a URL.
		a.path = (&url.URL{Path: a.path}).EscapedPath()
	}
	return a, none, nil
}

func plainHost(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

func badAddress(format string, args ...any) error {
	e := errs.E(errs.Invalid, "the address of the repository "+format, args...)
	e.Err = &Failure{Reason: BadAddress}
	return e
}

// badCommit returns the error for an invalid commit name.
func badCommit() error {
	e := errs.E(errs.Invalid, "the name of the commit is not valid: it must have 40 hexadecimal digits")
	e.Err = &Failure{Reason: BadAddress}
	return e
}

// badHost converts an error of package outbound into an error about the address.
func badHost(err error) error {
	message := "cannot be used"
	if e, ok := err.(*errs.Error); ok {
		message = strings.TrimPrefix(e.Message, "the URL ")
	}
	return badAddress("%s", message)
}

// CheckRef returns an error if a name cannot be a branch, a tag or another ref, according
// to the rules of git. In addition, the name must not begin with a dash or a plus sign,
// or be too long.
func CheckRef(ref string) error {
	bad := func(why string) error {
		e := errs.E(errs.Invalid, "the ref %s; write the name of a branch or a tag, such as main", why)
		e.Err = &Failure{Reason: BadAddress}
		return e
	}
	switch {
	case ref == "" || len(ref) > maxRef:
		return bad("is empty or too long")
	case ref[0] == '-' || ref[0] == '+':
		return bad("begins with - or +")
	case ref == "@" || strings.Contains(ref, "@{") || strings.Contains(ref, "..") || strings.HasSuffix(ref, "."):
		return bad("has dots or @ where git does not allow them")
	}
	for _, r := range ref {
		if r <= ' ' || r == 0x7f || r == 0xfffd || strings.ContainsRune(`~^:?*[\`, r) {
			return bad("has a space, a control character or one of ~ ^ : ? * [ \\")
		}
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return bad("has a part that is empty, begins with a dot or ends in .lock")
		}
	}
	return nil
}
