package git

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Reason says why something did not work, in terms of what a person can do
// about it.
type Reason string

// The reasons.
const (
	NoProgram      Reason = "no-program"       // git or ssh is missing or too old
	BadAddress     Reason = "bad-address"      // the URL or the ref is not one
	Refused        Reason = "refused"          // an address that may not be called, or a redirect
	Unreachable    Reason = "unreachable"      // no connection, or it broke off
	TimedOut       Reason = "timed-out"        // the remote takes too long
	HostKey        Reason = "host-key"         // the ssh server is not the one that it was
	Authentication Reason = "authentication"   // credentials are missing, wrong or not enough
	NotRepository  Reason = "not-a-repository" // or not one that these credentials may see
	Empty          Reason = "empty"            // a repository without commits
	RefNotFound    Reason = "ref-not-found"
	TooLarge       Reason = "too-large"
	Damaged        Reason = "damaged"          // objects are missing or wrong
	NotFastForward Reason = "not-fast-forward" // the remote has moved
	Rejected       Reason = "rejected"         // the remote does not take the commit, for example on a protected branch
	Internal       Reason = "internal"         // the cache or the machine
)

// Temporary tells whether the same call may succeed later without anybody
// doing anything.
func (r Reason) Temporary() bool {
	return r == Unreachable || r == TimedOut || r == Internal
}

// Failure is the cause inside an errs.Error of this package. Detail is what
// git said, without secrets; it is for the log.
type Failure struct {
	Reason Reason
	Detail string
}

func (f *Failure) Error() string {
	if f.Detail == "" {
		return "git: " + string(f.Reason)
	}
	return "git: " + string(f.Reason) + ": " + f.Detail
}

// ReasonOf gives the reason of an error of this package, or "" for others,
// such as the end of a context.
func ReasonOf(err error) Reason {
	var f *Failure
	if errors.As(err, &f) {
		return f.Reason
	}
	return ""
}

// kinds are what an API answers with. Whatever the other server does is not
// our defect; only Internal is.
var kinds = map[Reason]errs.Kind{
	NoProgram: errs.Precondition, NotFastForward: errs.Conflict, Internal: errs.Internal,
}

func fail(reason Reason, message, detail string) error {
	kind, ok := kinds[reason]
	if !ok {
		kind = errs.Invalid
	}
	return &errs.Error{Kind: kind, Message: message, Err: &Failure{Reason: reason, Detail: detail}}
}

// Causes with which a context of a command ends.
var (
	errTime = errors.New("the command takes too long")
	errRoom = errors.New("the command takes too much room")
)

// sayings of git, curl and ssh, in the order in which they decide. The texts
// are those of LC_ALL=C; a text that is not here is Internal and says so.
var sayings = []struct {
	re      *regexp.Regexp
	reason  Reason
	message string
}{
	{regexp.MustCompile(`over limit|Out of memory|exceeds maximum allowed size|malloc failed`),
		TooLarge, "the repository has an object that is too large"},
	{regexp.MustCompile(`No space left on device|Read-only file system|Disk quota exceeded`),
		Internal, "the server has no room to fetch the repository; the operator must look at its disk"},
	{regexp.MustCompile(`cannot run ssh|ssh: (command )?not found|No user exists for uid`),
		NoProgram, "the ssh program is missing on the server, or has no account to run as; use an https address, or ask the operator"},
	{regexp.MustCompile(`Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No \S+ host key is known`),
		HostKey, "the ssh server shows another key than the one that is known, or one that is not known; make sure that it is the right server, then have its new key accepted"},
	{regexp.MustCompile(`returned error: 30\d`),
		Refused, "the server redirects to another address; use the final address of the repository"},
	{regexp.MustCompile(`transport '[^']*' not allowed`),
		Refused, "the address of the repository may not be called"},
	{regexp.MustCompile(`Authentication failed|could not read (Username|Password)|terminal prompts disabled|Permission denied \(|returned error: 40[13]|Access denied|Too many authentication failures|no mutual signature|[Pp]ermission to \S+ denied|requested access to the repository was denied`),
		Authentication, "the server does not accept the credentials, or they do not allow this; check the user name and token, or the key"},
	{regexp.MustCompile(`couldn't find remote ref|no such remote ref`),
		RefNotFound, "the branch or tag does not exist in the repository"},
	{regexp.MustCompile(`returned error: (404|410)|[Rr]epository (\S+ )?(not found|does not exist|is not exported)|does not appear to be a git repository|is this a git repository|[Nn]ot a git repository|dumb http transport|could not be found|[Pp]roject not found|bad line length|invalid server response|expected flush|no such repository|unknown repository|does not exist or you do not have`),
		NotRepository, "there is no git repository at this address, or the credentials do not show it"},
	{regexp.MustCompile(`SSL certificate|certificate verif|server certificate|SSL: no alternative|self.signed certificate`),
		Unreachable, "the server's certificate is not valid for this address"},
	{regexp.MustCompile(`Operation too slow|[Tt]imed out|timeout, server`),
		TimedOut, "the server takes too long to answer"},
	{regexp.MustCompile(`not our ref|[Bb]ad object|[Mm]issing (blob|tree|commit|object|necessary)|did not send all necessary|pack has|fsck|inflate|[Cc]orrupt|index-pack|loose object|unresolved delta|bad pack|SHA1 COLLISION|mismatched algorithms|unpack-objects|object file .* is empty|unable to read|invalid sha1|error in object|pack-objects died`),
		Damaged, "objects of the repository are missing or damaged; have it checked with git fsck"},
	{regexp.MustCompile(`[Cc]ould not resolve host|[Ff]ailed to connect|[Cc]ouldn't connect|Connection (refused|reset|closed)|No route to host|Network is unreachable|unable to access|hung up|early EOF|unexpected disconnect|kex_exchange|Broken pipe|RPC failed|SSL|Could not read from remote|remote error`),
		Unreachable, "the server cannot be reached, or broke off"},
}

// classify turns what git said into an error.
func classify(said string) error {
	for _, s := range sayings {
		if s.re.MatchString(said) {
			return fail(s.reason, s.message, said)
		}
	}
	return fail(Internal, "git did not work; see the log of the server", said)
}

// explain gives the error of a command: why its context ended, or what it
// said.
func explain(caller context.Context, cause error, said string) error {
	switch {
	case caller.Err() != nil:
		return caller.Err()
	case errors.Is(cause, errTime):
		return fail(TimedOut, "the repository takes too long to answer", said)
	case errors.Is(cause, errRoom):
		return fail(TooLarge, "the repository is larger than what the server keeps of one", said)
	}
	return classify(said)
}

// userinfo is what stands between :// and @ in an address.
var userinfo = regexp.MustCompile(`://[^/@\s]+@`)

// scrubber removes secrets from what git and the remote said. A remote may
// repeat what it was sent.
type scrubber struct{ secrets []string }

// tokenLength is from where a user name is taken for a token.
const tokenLength = 20

func scrubberFor(c Credentials) scrubber {
	var s scrubber
	if c.Password != "" {
		s.add(basic(c))
		s.add(c.Password)
		s.add(url.QueryEscape(c.Password))
		s.add(url.PathEscape(c.Password))
	}
	// With tokens, the name is the secret of some hosts, and the password a
	// word that everybody knows. People's names are shorter.
	if c.Username != "" && (c.Password == "" || len(c.Username) >= tokenLength) {
		s.add(basic(c))
		s.add(c.Username)
		s.add(url.QueryEscape(c.Username))
	}
	for line := range strings.Lines(string(c.PrivateKey)) {
		if line = strings.TrimSpace(line); len(line) > 16 && !strings.HasPrefix(line, "-----") {
			s.add(line)
		}
	}
	return s
}

func (s *scrubber) add(secret string) {
	// Very short ones would turn every text into stars.
	if len(secret) >= 4 {
		s.secrets = append(s.secrets, secret)
	}
}

func (s scrubber) clean(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	text = userinfo.ReplaceAllString(text, "://***@")
	return printable(text)
}

// basic is the value of the header that carries a name and a password.
func basic(c Credentials) string {
	return base64.StdEncoding.EncodeToString([]byte(c.Username + ":" + c.Password))
}

// printable keeps escape sequences of a remote out of terminals and logs.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}
