// Package git reads and writes repositories of other people with the git program.
//
// A repository consists of the address of a remote and a folder with the objects that
// were fetched from it. Objects are never checked out, so no byte of a repository becomes
// a file, a path or a command. The program runs without the configuration of the machine.
// It may connect only to the address that the outbound policy allowed, and is killed if
// it uses too much time or space. Credentials are passed in the environment, or in a file
// that only this user can read. They do not appear in arguments, errors or the cache.
//
// The package does not interpret the content of files.
//
// Where a change goes:
//   - how git is called, how its messages are parsed: run.go, errors.go
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

// The oldest supported version of git. Older versions lack http.curloptResolve, which
// sets the address to connect to.
const (
	minMajor = 2
	minMinor = 37
)

// Runner opens repositories. It must not be changed after its first use. It is safe for
// concurrent use, also by several processes with the same Dir.
type Runner struct {
	// Dir is the folder of the cache, with one entry for each repository. Its files may
	// be removed while no Repo is open.
	Dir string
	// Outbound decides which addresses may be called.
	Outbound outbound.Policy
	// KnownHosts is a known_hosts file with the keys of ssh servers. Without it, and
	// without keys in the credentials, the first key of a server is stored, and any other
	// key is refused later.
	KnownHosts string
	Limits     Limits
	// Log receives a message when an entry of the cache is emptied. It may be nil.
	Log *slog.Logger
}

// Limits are the limits on the resources that remotes can use. A field that is zero or
// negative has the value of DefaultLimits.
type Limits struct {
	Repository int64         // bytes on disk of one repository in the cache
	Cache      int64         // bytes on disk of all repositories; the least recently used ones are evicted first
	Blob       int64         // bytes of one file
	Memory     int64         // bytes of memory of one process of git, where the system enforces it
	Entries    int           // files and folders of one commit
	Problems   int           // of Tree and Diff that are listed; further ones are only counted
	Packs      int           // of one repository before they are repacked into one; every fetch adds one
	Remote     time.Duration // duration of one exchange with the remote
	Local      time.Duration // duration of one command that reads or writes the cache
}

// DefaultLimits are sufficient for large repositories that contain documentation. 100 MB
// is the maximum size of a file at hosting services.
var DefaultLimits = Limits{
	Repository: 2 << 30,
	Cache:      10 << 30,
	Blob:       100 << 20,
	Memory:     2 << 30,
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
	pick(&l.Memory, d.Memory)
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

// Remote is a repository on another server.
type Remote struct {
	// URL is the address without credentials; see ParseURL.
	URL string
	// Ref is a branch, a tag, or the full name of a ref. Empty means the default branch.
	Ref         string
	Credentials Credentials
	// Scope identifies who may share fetched objects, such as an organization.
	// Repositories of different scopes never share objects.
	Scope string
	// CacheID separates entries for the same address within a scope. Repositories with
	// the same scope, ID and address share their objects.
	CacheID string
}

// Credentials authenticate to the remote: a user name and a password or token over https,
// or a private key over ssh.
type Credentials struct {
	Username, Password string
	PrivateKey         []byte // in PEM or OpenSSH format, without passphrase
	KnownHosts         []byte // lines of a known_hosts file; if set, no other keys are trusted
}

// String hides the credentials when they are printed.
func (Credentials) String() string { return "[credentials]" }

// GoString hides the credentials when they are printed with %#v.
func (Credentials) GoString() string { return "[credentials]" }

// program returns the path of the git program.
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

// Check returns the version of the git program. It returns an error if the program is
// missing or too old.
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
