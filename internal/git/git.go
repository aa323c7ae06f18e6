// Package git reads from and writes to git repositories of other people with
// the git program.
//
// A repository is a remote address and a folder of objects that were fetched
// from it. Objects are read, never checked out: no byte that somebody put
// into a repository becomes a file, a path or a command. The program runs
// with nothing of the machine's configuration, may speak to the one address
// that the outbound policy admitted, and is ended when it takes too long or
// too much room. Credentials reach it through its environment or a file that
// only we can read, and leave no trace in arguments, errors or the cache.
//
// The package knows nothing of what the files mean.
package git

import (
	"context"
	"log/slog"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/outbound"
)

// The oldest git that can be told which address to connect to.
const (
	minMajor = 2
	minMinor = 37
)

// Runner opens repositories. It does not change once it is made and is safe
// to share, also between processes that have the same Dir.
type Runner struct {
	// Dir holds what was fetched, an entry for each repository. Anything in
	// it may be removed while nothing is open.
	Dir string
	// Outbound says which addresses may be called.
	Outbound outbound.Policy
	// KnownHosts is a file with the keys of ssh servers. Without it, and
	// without keys in the credentials, the first key that a server shows is
	// kept and any other is refused from then on.
	KnownHosts string
	Limits     Limits
	// Log is told when something in Dir was thrown away. It may be nil.
	Log *slog.Logger
}

// Limits of what other servers may cost us. A zero field has the value of
// DefaultLimits.
type Limits struct {
	Repository int64         // bytes on disk of one repository in the cache
	Cache      int64         // bytes on disk of all repositories together; the least recently used go
	Blob       int64         // bytes of one file
	Entries    int           // files and folders of one commit
	Problems   int           // that Tree lists; the rest is counted
	Packs      int           // of one repository, of which every fetch adds one, before they are joined
	Remote     time.Duration // one exchange with the remote
	Local      time.Duration // one command that reads or writes the cache
}

// DefaultLimits leave room for the large repositories that documentation
// lives in. 100 MB is what hosts of repositories allow for one file.
var DefaultLimits = Limits{
	Repository: 2 << 30,
	Cache:      10 << 30,
	Blob:       100 << 20,
	Entries:    500_000,
	Problems:   10_000,
	Packs:      40,
	Remote:     10 * time.Minute,
	Local:      2 * time.Minute,
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits
	pick(&l.Repository, d.Repository)
	pick(&l.Cache, d.Cache)
	pick(&l.Blob, d.Blob)
	pick(&l.Entries, d.Entries)
	pick(&l.Problems, d.Problems)
	pick(&l.Packs, d.Packs)
	pick(&l.Remote, d.Remote)
	pick(&l.Local, d.Local)
	return l
}

func pick[T int | int64 | time.Duration](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}

// Remote is a repository somewhere else.
type Remote struct {
	// URL without credentials; see ParseURL.
	URL string
	// Ref is a branch, a tag, or the full name of a ref. Empty is the
	// default branch.
	Ref         string
	Credentials Credentials
	// Scope is who may share what was fetched, such as an organization.
	// Nothing is ever shared between two scopes.
	Scope string
	// CacheID keeps apart what is fetched from one address within a scope.
	// Repositories with the same scope, id and address share their objects.
	CacheID string
}

// Credentials are what the remote asks for: a name and a password or token
// over https, a private key over ssh.
type Credentials struct {
	Username, Password string
	PrivateKey         []byte // in PEM or OpenSSH form, without passphrase
	KnownHosts         []byte // lines of a known_hosts file; nothing else is then trusted
}

// String keeps credentials out of whatever prints them.
func (Credentials) String() string { return "[credentials]" }

// GoString does so for %#v.
func (Credentials) GoString() string { return "[credentials]" }

// program finds the git program.
func program() (string, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return "", &errs.Error{
			Kind:    errs.Precondition,
			Message: "the git program is not installed on the server; install git 2.37 or newer, then try again",
			Err:     &Failure{Reason: NoProgram, Detail: err.Error()},
		}
	}
	return path, nil
}

var versionLine = regexp.MustCompile(`(\d+)\.(\d+)(?:\.\S+)?`)

// Check tells whether there is a git program that is new enough, and which
// version it has.
func (r *Runner) Check(ctx context.Context) (version string, err error) {
	path, err := program()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, r.Limits.orDefault().Local)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version")
	cmd.Env = []string{"LC_ALL=C"}
	out, err := cmd.Output()
	if err != nil {
		return "", fail(NoProgram, "the git program does not start; see the log of the server", err.Error())
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return "", fail(NoProgram, "the version of the git program cannot be read; 2.37 or newer is needed", string(out))
	}
	major, _ := strconv.Atoi(string(m[1]))
	minor, _ := strconv.Atoi(string(m[2]))
	if major < minMajor || major == minMajor && minor < minMinor {
		return string(m[0]), fail(NoProgram, "the git program is too old: "+string(m[0])+"; 2.37 or newer is needed", "")
	}
	return string(m[0]), nil
}
