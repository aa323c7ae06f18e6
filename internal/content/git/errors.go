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

// Reason classifies the cause of a failure by what a person can do about it.
type Reason string

// The reasons of failures.
const (
	NoProgram      Reason = "no-program"       // git or ssh is missing or too old
	BadAddress     Reason = "bad-address"      // the URL or the ref is not valid
	Refused        Reason = "refused"          // the outbound policy refuses the address, or the server sends a redirect
	Unreachable    Reason = "unreachable"      // no connection, or it was interrupted
	TimedOut       Reason = "timed-out"        // the remote takes too long
	HostKey        Reason = "host-key"         // the key of the ssh server is unknown or changed
	Authentication Reason = "authentication"   // credentials are missing, wrong or insufficient
	NotRepository  Reason = "not-a-repository" // also if it is not visible with these credentials
	Empty          Reason = "empty"            // a repository without commits
	RefNotFound    Reason = "ref-not-found"
	TooLarge       Reason = "too-large"
	Damaged        Reason = "damaged"          // objects are missing or corrupt
	NotFastForward Reason = "not-fast-forward" // the remote ref has commits that the pushed commit lacks
	Rejected       Reason = "rejected"         // the remote refuses the commit, for example on a protected branch
	Internal       Reason = "internal"         // a failure of the cache or of this machine
)

// Temporary reports whether the same call may succeed later without any change.
func (r Reason) Temporary() bool {
	return r == Unreachable || r == TimedOut || r == Internal
}

// Failure is the cause in an errs.Error of this package. Detail is the output of git
// without secrets, for the log.
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

// ReasonOf returns the reason of an error of this package. It returns "" for other
// errors, such as a canceled context.
func ReasonOf(err error) Reason {
	var f *Failure
	if errors.As(err, &f) {
		return f.Reason
	}
	return ""
}

// kinds maps reasons to the error kinds of API responses. Reasons that are not listed
// have the kind errs.Invalid: a failure of the remote is not an internal error of this
// server.
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

// Causes with which the context of a command is canceled.
var (
	errTime = errors.New("the command takes too long")
	errRoom = errors.New("the command takes too much room")
)

// outputs are patterns for the output of git, curl and ssh with LC_ALL=C, in
// order of precedence. Output that matches no pattern is an Internal failure.
var outputs = []struct {
	re      *regexp.Regexp
	reason  Reason
	message string
}{
	{regexp.MustCompile(`over limit|Out of memory|exceeds maximum allowed size|malloc failed`),
		TooLarge, "the repository has an object, or a list of refs, that is too large"},
	{regexp.MustCompile(`No space left on device|Read-only file system|Disk quota exceeded`),
		Internal, "the server has no disk space left to fetch the repository; ask the operator"},
	{regexp.MustCompile(`cannot run ssh|ssh: (command )?not found|No user exists for uid`),
		NoProgram, "the ssh program is missing on the server, or has no account to run as; use an https address, or ask the operator"},
	{regexp.MustCompile(`Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No \S+ host key is known`),
		HostKey, "the ssh server has another key than the stored one, or an unknown key; check that it is the right server, then have its new key accepted"},
	{regexp.MustCompile(`returned error: 30\d`),
		Refused, "the server redirects to another address; use the final address of the repository"},
	{regexp.MustCompile(`transport '[^']*' not allowed`),
		Refused, "the address of the repository may not be called"},
	{regexp.MustCompile(`Authentication failed|could not read (Username|Password)|terminal prompts disabled|Permission denied \(|returned error: 40[13]|Access denied|Too many authentication failures|no mutual signature|[Pp]ermission to \S+ denied|requested access to the repository was denied`),
		Authentication, "the server does not accept the credentials, or they do not allow this; check the user name and token, or the key"},
	{regexp.MustCompile(`couldn't find remote ref|no such remote ref`),
		RefNotFound, "the branch or tag does not exist in the repository"},
	{regexp.MustCompile(`returned error: (404|410)|[Rr]epository (\S+ )?(not found|does not exist|is not exported)|does not appear to be a git repository|is this a git repository|[Nn]ot a git repository|dumb http transport|could not be found|[Pp]roject not found|bad line length|invalid server response|expected flush|no such repository|unknown repository|does not exist or you do not have`),
		NotRepository, "there is no git repository at this address, or the credentials do not give access to it"},
	{regexp.MustCompile(`SSL certificate|certificate verif|server certificate|SSL: no alternative|self.signed certificate`),
		Unreachable, "the server's certificate is not valid for this address"},
	{regexp.MustCompile(`Operation too slow|[Tt]imed out|timeout, server`),
		TimedOut, "the server takes too long to answer"},
	{regexp.MustCompile(`not our ref|[Bb]ad object|[Mm]issing (blob|tree|commit|object|necessary)|did not send all necessary|pack has|fsck|inflate|[Cc]orrupt|index-pack|loose object|unresolved delta|bad pack|SHA1 COLLISION|mismatched algorithms|unpack-objects|object file .* is empty|unable to read|invalid sha1|error in object|pack-objects died`),
		Damaged, "objects of the repository are missing or damaged; check it with git fsck"},
	{regexp.MustCompile(`[Cc]ould not resolve host|[Ff]ailed to connect|[Cc]ouldn't connect|Connection (refused|reset|closed)|No route to host|Network is unreachable|unable to access|hung up|early EOF|unexpected disconnect|kex_exchange|Broken pipe|RPC failed|SSL|Could not read from remote|remote error`),
		Unreachable, "the server cannot be reached, or the connection was interrupted"},
}

// classify returns the error for the output of git.
func classify(output string) error {
	for _, s := range outputs {
		if s.re.MatchString(output) {
			return fail(s.reason, s.message, output)
		}
	}
	return fail(Internal, "git failed; see the log of the server", output)
}

// explain returns the error of a failed command. It depends on the context of the caller,
// on the cause of cancellation, or else on the output.
func explain(caller context.Context, cause error, output string) error {
	switch {
	case caller.Err() != nil:
		return caller.Err()
	case errors.Is(cause, errTime):
		return fail(TimedOut, "the repository takes too long to answer", output)
	case errors.Is(cause, errRoom):
		return fail(TooLarge, "the repository is larger than this server allows", output)
	}
	return classify(output)
}

// userinfo matches the user information between :// and @ of a URL.
var userinfo = regexp.MustCompile(`://[^/@\s]+@`)

// scrubber removes secrets from the output of git and of the remote. The remote may echo
// what it received.
type scrubber struct{ secrets []string }

// tokenLength is the minimum length of a user name that is treated as a token.
const tokenLength = 20

func scrubberFor(c Credentials) scrubber {
	var s scrubber
	if c.Password != "" {
		s.add(basic(c))
		s.add(c.Password)
		s.add(url.QueryEscape(c.Password))
		s.add(url.PathEscape(c.Password))
	}
	// Some hosts accept a token as the user name, with a well-known password. User names
	// of people are shorter.
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
	// Replacing very short secrets would make every text unreadable.
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

// basic returns the credentials in the form of HTTP basic authentication.
func basic(c Credentials) string {
	return base64.StdEncoding.EncodeToString([]byte(c.Username + ":" + c.Password))
}

// printable removes control characters, so that a remote cannot send escape sequences to
// terminals and logs.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}
