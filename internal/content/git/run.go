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
	maxOutput   = 16 << 20               // maximum size of output that is collected in memory
	maxMessages = 16 << 10               // maximum size of error output that is kept
	watchEvery  = 100 * time.Millisecond // interval of measuring the disk usage of a command
	reapTime    = 5 * time.Second        // from the end of a command until its pipes are closed
	slowBytes   = 1                      // bytes per second below which a transfer is stalled …
	slowTime    = 60                     // … and seconds after which a stalled transfer is aborted
	// maxAlloc is the maximum size of one allocation of git. A delta of a few bytes can
	// claim to unpack to any size.
	maxAlloc = 256 << 20
	// maxAnswer is the memory limit of a command that lists the refs of the remote. git
	// keeps all refs in memory.
	maxAnswer = 512 << 20
	// bigFile is the minimum size of files that git streams instead of loading them.
	bigFile = 16 << 20
)

// Progress reports the progress of a transfer. total is 0 while it is unknown.
type Progress func(stage string, done, total int)

// call is one run of the git program on a repository.
type call struct {
	args     []string
	stdin    io.Reader
	read     func(io.Reader) error // reads the output while the command runs; if nil, the output is collected
	remote   bool                  // the command connects to the remote
	question bool                  // the response of the remote is short, so Limits.Local applies
	promisor bool                  // files may be missing in the repository, as in a partial clone
	progress Progress
	config   []string // alternating names and values
	dir      string   // if set, the folder in which git searches for a repository
}

// errEnough is returned by call.read to end a command whose further output is not needed.
var errEnough = errors.New("enough")

// git runs the program and returns its output. The output is nil if c.read reads it.
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

	cmd := p.command(ctx, c)
	output := &messages{progress: c.progress}
	cmd.Stderr = output
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := caller.Err(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fail(Internal, "git cannot be started; see the log of the server", err.Error())
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
				return fail(TooLarge, "the repository has too many refs", "")
			}
			return err
		}
	}
	readErr := read(out)
	if readErr != nil {
		stop(readErr)
	}
	waitErr := cmd.Wait()
	cause := context.Cause(ctx) // before stop cancels ctx
	stop(nil)
	watched.Wait()
	if c.remote && waitErr != nil {
		_ = p.sweep() // on an error, the next Open sweeps again
	} else if c.remote && cause == nil && sizeOf(p.dir) > p.limits.Repository {
		// The command ended between two measurements by watch.
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
	if errors.As(waitErr, &exit) && exit.Exited() && exit.ExitCode() == 1 && output.empty() {
		return collected.Bytes(), errNo
	}
	text := p.scrub.clean(output.String())
	if waitErr != nil {
		text = strings.TrimSpace(text + "\n" + waitErr.Error())
	}
	return collected.Bytes(), explain(caller, cause, text)
}

// command returns the exec.Cmd of a call.
func (p *Repo) command(ctx context.Context, c call) *exec.Cmd {
	memory := p.limits.Memory
	if c.question {
		memory = min(memory, maxAnswer)
	}
	cmd := withMemory(ctx, memory, p.program, c.args...)
	inGroup(cmd)
	cmd.WaitDelay = reapTime
	if cmd.Dir = p.dir; c.dir != "" {
		cmd.Dir = c.dir
	}
	cmd.Env = p.environment(c)
	cmd.Stdin = c.stdin
	// The child inherits the lock. If this process is killed, no other process uses the
	// entry before the last child process of git has ended.
	if p.lock != nil {
		cmd.ExtraFiles = []*os.File{p.lock}
	}
	return cmd
}

// errNo is the error of a command that exits with status 1 and prints no message.
var errNo = errors.New("no")

// watch kills a command when its entry exceeds the size limit, because git itself does
// not limit what it receives.
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

// sizeOf returns the total size of the files below a folder. The files may change
// concurrently.
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

// environment returns the environment of git. It excludes the configuration of the
// machine and of users.
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
		env = append(env, "GIT_WORK_TREE="+p.dir) // overrides the configuration of the repository
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
		// Write packs only: packs are counted and repacked, loose objects are not.
		"transfer.unpackLimit", "1", "fastimport.unpackLimit", "0",
	}, c.config...)
	if c.promisor {
		// These settings are not in the configuration of the repository, so that commands
		// that only read do not fetch missing objects.
		config = append(config, "remote.origin.promisor", "true", "remote.origin.partialclonefilter", "blob:none")
	}
	if !c.remote {
		return withConfig(append(env, "GIT_ALLOW_PROTOCOL=none"), config)
	}
	env = append(env, "GIT_ALLOW_PROTOCOL="+p.address.scheme)
	// Objects are not checked with the rules of git fsck. Its rules cannot be selected
	// for partial fetches, and one bad date or name in the history would make the whole
	// repository unusable. git always checks that the content of an object matches its
	// name, and Tree checks the names of files.
	config = append(config, "remote.origin.url", p.address.String(), "protocol.version", "2",
		"transfer.fsckObjects", "false", "transfer.bundleURI", "false", "fetch.uriProtocols", "")
	if p.address.scheme == "ssh" {
		env = append(env, "GIT_SSH_VARIANT=ssh", "GIT_SSH_COMMAND=ssh -F "+quoted(filepath.Join(privateDir, sshConfig)))
		return withConfig(env, config)
	}
	// Operators configure certificate authorities for Go programs with these variables.
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

// quoted quotes a word for the shell that git uses to start ssh.
func quoted(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// messages keeps the end of the error output of git, and parses progress lines.
type messages struct {
	progress Progress
	line     []byte
	kept     []byte
}

var progressLine = regexp.MustCompile(`^(?:remote: )?(\w+)[^:]*:\s+\d+% \((\d+)/(\d+)\)`)

func (m *messages) Write(b []byte) (int, error) {
	for _, c := range b {
		if c != '\n' && c != '\r' {
			if len(m.line) < maxMessages {
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
	if over := len(m.kept) - maxMessages; over > 0 {
		m.kept = append(m.kept[:0], m.kept[over:]...)
	}
}

func (m *messages) empty() bool { return len(m.kept) == 0 && len(m.line) == 0 }

// String completes the last line and returns the lines that were kept.
func (m *messages) String() string {
	m.end()
	return strings.TrimSpace(string(m.kept))
}
