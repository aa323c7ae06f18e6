package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxOutput  = 16 << 20               // bytes that a command prints and we hold
	maxSaid    = 16 << 10               // bytes of its messages that we keep
	watchEvery = 100 * time.Millisecond // how often the room that a command takes is measured
	reapTime   = 5 * time.Second        // from the end of a command to the end of its pipes
	slowBytes  = 1                      // bytes per second below which a transfer stalls …
	slowTime   = 60                     // … and seconds until it is given up
	// maxAlloc is what git may ask for at once. A delta of a few bytes can
	// claim to unpack to anything.
	maxAlloc = 256 << 20
	// bigFile is from where git streams files instead of holding them.
	bigFile = 16 << 20
)

// Progress is told how far a transfer is. The total is 0 while it is not
// known.
type Progress func(stage string, done, total int)

// call is one run of the git program on a repository of the cache.
type call struct {
	args     []string
	stdin    io.Reader
	read     func(io.Reader) error // takes the output while it comes; nil collects it
	remote   bool                  // may speak to the remote
	question bool                  // asks the remote for a few lines, which takes no longer than what is done here
	promisor bool                  // knows that files were left out of what is there, and may be
	progress Progress
	config   []string // name, value, name, value
	dir      string   // where to look for a repository, instead of in the cache
}

// errEnough ends a command of which no more output is wanted.
var errEnough = errors.New("enough")

// git runs the program. What it prints is returned, unless c.read takes it.
func (p *Repo) git(ctx context.Context, c call) ([]byte, error) {
	limit := p.limits.Local
	if c.remote && !(c.question && limit < p.limits.Remote) {
		limit = p.limits.Remote
	}
	caller := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTime)
	defer cancel()

	cmd := exec.CommandContext(ctx, p.program, c.args...)
	inGroup(cmd)
	cmd.WaitDelay = reapTime
	if cmd.Dir = p.dir; c.dir != "" {
		cmd.Dir = c.dir
	}
	cmd.Env = p.environment(c)
	cmd.Stdin = c.stdin
	// The lock goes along: should we be killed, nobody else starts on this
	// entry before the last helper of git has noticed.
	if p.lock != nil {
		cmd.ExtraFiles = []*os.File{p.lock}
	}
	said := &messages{progress: c.progress}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := caller.Err(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fail(Internal, "git does not start; see the log of the server", err.Error())
	}
	var watched sync.WaitGroup
	if c.remote {
		watched.Go(func() { p.watch(ctx, stop) })
	}
	var collected bytes.Buffer
	read := c.read
	if read == nil {
		read = func(r io.Reader) error {
			n, err := io.Copy(&collected, io.LimitReader(r, maxOutput+1))
			if err == nil && n > maxOutput {
				return fail(TooLarge, "the repository has more refs or names than can be read", "")
			}
			return err
		}
	}
	readErr := read(out)
	if readErr != nil {
		stop(readErr)
	}
	waitErr := cmd.Wait()
	cause := context.Cause(ctx) // before the deferred calls end it
	stop(nil)
	watched.Wait()
	if c.remote && waitErr != nil {
		_ = p.sweep() // of what was killed; the next Open does it again
	} else if c.remote && cause == nil && sizeOf(p.dir) > p.limits.Repository {
		// It was faster than the watch.
		return nil, explain(caller, errRoom, "")
	}
	switch {
	case errors.Is(readErr, errEnough):
		return nil, nil
	case caller.Err() == nil && readErr != nil && (cause == nil || errors.Is(cause, readErr)) && !errors.Is(readErr, os.ErrClosed):
		return nil, readErr
	case waitErr == nil && readErr == nil:
		return collected.Bytes(), nil
	}
	var exit *exec.ExitError
	if errors.As(waitErr, &exit) && exit.Exited() && exit.ExitCode() == 1 && said.empty() {
		return collected.Bytes(), errNo
	}
	text := p.scrub.clean(said.String())
	if waitErr != nil {
		text = strings.TrimSpace(text + "\n" + waitErr.Error())
	}
	return collected.Bytes(), explain(caller, cause, text)
}

// errNo is the answer of a command that was asked a question.
var errNo = errors.New("no")

// watch ends a command when the entry grows beyond its limit: git has no
// limit for what it receives.
func (p *Repo) watch(ctx context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if sizeOf(p.dir) > p.limits.Repository {
				stop(errRoom)
				return
			}
		}
	}
}

// sizeOf sums up the files below a folder, also while they come and go.
func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// environment is everything that git gets to know. Nothing of the machine's
// or a person's configuration is in it.
func (p *Repo) environment(c call) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + p.private("home"),
		"XDG_CONFIG_HOME=" + p.private("home"),
		"TMPDIR=" + p.private(""),
		"LC_ALL=C", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS_REQUIRE=never",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_LITERAL_PATHSPECS=1", "GIT_ALLOC_LIMIT=" + strconv.Itoa(maxAlloc),
	}
	if c.dir == "" {
		env = append(env, "GIT_DIR="+p.objects())
	}
	if p.gitDir != "" {
		env = append(env, "GIT_WORK_TREE="+p.dir) // whatever its configuration says
	}
	config := append([]string{
		"core.hooksPath", os.DevNull,
		"core.fsmonitor", "false",
		"core.bigFileThreshold", strconv.Itoa(bigFile),
		"core.compression", "1",
		"credential.helper", "",
		"gc.auto", "0", "maintenance.auto", "false",
		"pack.threads", "1",
		"fetch.recurseSubmodules", "no", "push.recurseSubmodules", "no", "submodule.recurse", "false",
		"fetch.writeCommitGraph", "false",
		// Packs are counted and joined; loose files would not be.
		"transfer.unpackLimit", "1", "fastimport.unpackLimit", "0",
	}, c.config...)
	if c.promisor {
		// Said here and not in the repository: commands that only read know
		// of no remote that could have what is missing.
		config = append(config, "remote.origin.promisor", "true", "remote.origin.partialclonefilter", "blob:none")
	}
	if !c.remote {
		return withConfig(append(env, "GIT_ALLOW_PROTOCOL=none"), config)
	}
	env = append(env, "GIT_ALLOW_PROTOCOL="+p.address.scheme)
	// Objects are not checked by the rules of git fsck: with files left out
	// its rules cannot be chosen, and one bad date or name in all of history
	// would refuse the whole repository. What matters to us is that bytes are
	// those of their names, which git checks always, and names of files, which
	// Tree reports one by one.
	config = append(config, "remote.origin.url", p.address.String(), "protocol.version", "2",
		"transfer.fsckObjects", "false", "transfer.bundleURI", "false", "fetch.uriProtocols", "")
	if p.address.scheme == "ssh" {
		env = append(env, "GIT_SSH_VARIANT=ssh", "GIT_SSH_COMMAND=ssh -F "+quoted(filepath.Join(privateDir, sshConfig)))
		return withConfig(env, config)
	}
	// The setting with which operators tell Go programs of their own
	// authorities.
	for from, to := range map[string]string{"SSL_CERT_FILE": "GIT_SSL_CAINFO", "SSL_CERT_DIR": "GIT_SSL_CAPATH"} {
		if v := os.Getenv(from); v != "" {
			env = append(env, to+"="+v)
		}
	}
	config = append(config,
		"http.followRedirects", "false",
		"http.proxy", "",
		"http.sslVerify", "true",
		"http.lowSpeedLimit", strconv.Itoa(slowBytes), "http.lowSpeedTime", strconv.Itoa(slowTime),
		"http.userAgent", "git/Octavo",
	)
	if !p.address.literal() {
		config = append(config, "http.curloptResolve", p.address.host+":"+p.address.portOrUsual()+":"+bracketed(p.connect))
	}
	if c := p.credentials; c.Username != "" || c.Password != "" {
		a := p.address
		a.path = "/"
		config = append(config, "http."+a.String()+".extraHeader", "Authorization: Basic "+basic(c))
	}
	return withConfig(env, config)
}

func withConfig(env, config []string) []string {
	for i := 0; i < len(config); i += 2 {
		n := strconv.Itoa(i / 2)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+config[i], "GIT_CONFIG_VALUE_"+n+"="+config[i+1])
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(config)/2))
}

// quoted writes a word for the shell through which git starts ssh.
func quoted(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// messages keeps the end of what git says and reads the progress from it.
type messages struct {
	progress Progress
	line     []byte
	kept     []byte
}

var progressLine = regexp.MustCompile(`^(?:remote: )?(\w+)[^:]*:\s+\d+% \((\d+)/(\d+)\)`)

func (m *messages) Write(b []byte) (int, error) {
	for _, c := range b {
		if c != '\n' && c != '\r' {
			if len(m.line) < maxSaid {
				m.line = append(m.line, c)
			}
			continue
		}
		m.end()
	}
	return len(b), nil
}

func (m *messages) end() {
	line := m.line
	m.line = m.line[:0]
	if found := progressLine.FindSubmatch(line); found != nil {
		done, err1 := strconv.Atoi(string(found[2]))
		total, err2 := strconv.Atoi(string(found[3]))
		if m.progress != nil && err1 == nil && err2 == nil {
			m.progress(strings.ToLower(string(found[1])), done, total)
		}
		return
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	m.kept = append(append(m.kept, line...), '\n')
	if over := len(m.kept) - maxSaid; over > 0 {
		m.kept = append(m.kept[:0], m.kept[over:]...)
	}
}

func (m *messages) empty() bool { return len(m.kept) == 0 && len(m.line) == 0 }

// String gives what was kept. It ends the last line.
func (m *messages) String() string {
	m.end()
	return strings.TrimSpace(string(m.kept))
}
