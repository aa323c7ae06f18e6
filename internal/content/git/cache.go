package git

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/outbound"
)

const (
	connectTime = 10 * time.Second       // timeout for connecting to one address of a host
	lockPause   = 100 * time.Millisecond // between two attempts to acquire a lock
	lockSuffix  = ".lock"
	keepSuffix  = ".keep"       // of the file that git creates next to a pack while writing it
	objectsDir  = "objects.git" // the bare repository in an entry
)

// Repo is an open repository: a locked entry of the cache, and access to its remote. No
// other Repo in any process uses the entry at the same time. A Repo is not safe for
// concurrent use and must be closed.
type Repo struct {
	program     string
	limits      Limits
	log         *slog.Logger
	root        string // the folder of the cache
	dir         string // the folder of the entry
	lock        *os.File
	outbound    outbound.Policy
	address     address
	connect     netip.Addr // the resolved address; the outbound policy allows it
	ref         string
	credentials Credentials
	scrub       scrubber
	fetched     string // full name of the ref, set by Fetch
	gitDir      string // for Local: the repository outside of the cache
}

func (p *Repo) objects() string {
	if p.gitDir != "" {
		return p.gitDir
	}
	return filepath.Join(p.dir, objectsDir)
}

func (p *Repo) private(name string) string { return filepath.Join(p.dir, privateDir, name) }

// Open checks the URL of a remote against the outbound policy and locks the
// cache entry of the remote. It waits for the lock until ctx ends.
func (r *Runner) Open(ctx context.Context, m Remote) (*Repo, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	a, inURL, err := parse(m.URL)
	if err != nil {
		return nil, err
	}
	if inURL.Username != "" || inURL.Password != "" {
		return nil, badAddress("must not contain a user name or a password here; send them separately")
	}
	if m.Ref != "" {
		if err := CheckRef(m.Ref); err != nil {
			return nil, err
		}
	}
	p := &Repo{
		program: path, limits: r.Limits.orDefault(), log: r.Log, outbound: r.Outbound, address: a, ref: m.Ref,
		credentials: m.Credentials, scrub: scrubberFor(m.Credentials),
	}
	if strings.ContainsAny(m.Credentials.Username+m.Credentials.Password, "\r\n\x00") || strings.Contains(m.Credentials.Username, ":") {
		return nil, badAddress("cannot be used with a user name or a password that contains line breaks, or a user name with a colon")
	}
	if p.connect, err = r.resolve(ctx, a); err != nil {
		return nil, err
	}
	if p.root, err = filepath.Abs(r.Dir); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{m.Scope, m.CacheID, a.String()}, "\x00")))
	p.dir = filepath.Join(p.root, hex.EncodeToString(sum[:16]))
	if err := os.MkdirAll(p.root, 0o700); err != nil {
		return nil, err
	}
	if p.lock, err = lockFile(ctx, p.dir+lockSuffix); err != nil {
		return nil, err
	}
	if err := p.prepare(ctx, r.KnownHosts); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// resolve returns the IP address that git will connect to. It tries the addresses of the
// host in order.
func (r *Runner) resolve(ctx context.Context, a address) (netip.Addr, error) {
	addrs, err := r.Outbound.Resolve(ctx, a.host)
	if err != nil {
		if ctx.Err() != nil {
			return netip.Addr{}, ctx.Err()
		}
		return netip.Addr{}, refused(err)
	}
	// Credentials must not be sent in clear text, except in networks that the
	// operator allowed.
	if a.scheme == "http" {
		for _, addr := range addrs {
			if _, err := (outbound.Policy{}).Resolve(ctx, addr.String()); err == nil {
				return netip.Addr{}, badAddress("must begin with https://")
			}
		}
	}
	// Do not probe an ssh server with a single address: ssh has its own connect timeout,
	// and some servers block clients that open connections without using them.
	if a.scheme == "ssh" && len(addrs) == 1 {
		return addrs[0], nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	each := net.Dialer{Timeout: connectTime / time.Duration(len(addrs))}
	for _, addr := range addrs {
		conn, dialErr := each.DialContext(ctx, "tcp", net.JoinHostPort(addr.String(), a.portOrUsual()))
		if dialErr == nil {
			return addr, conn.Close()
		}
		err = dialErr
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
		return netip.Addr{}, cause
	}
	return netip.Addr{}, fail(Unreachable, "the server cannot be reached", err.Error())
}

// refused returns the error for an address that the outbound policy refuses.
func refused(err error) error {
	message := "the server cannot be called"
	if e, ok := err.(*errs.Error); ok {
		message = e.Message
	}
	return fail(Refused, message, err.Error())
}

// lockFile acquires the lock of an entry. Evicting an entry removes its lock file too, so
// the lock is valid only if the locked file still exists at path.
func lockFile(ctx context.Context, path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		ok, err := tryLock(f)
		if ok && isAt(f, path) {
			return f, nil
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		if ok {
			continue
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

func isAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// prepare makes the entry usable, even if a killed process left it incomplete.
func (p *Repo) prepare(ctx context.Context, knownHosts string) error {
	if err := os.RemoveAll(p.private("")); err != nil {
		return err
	}
	if err := os.MkdirAll(p.private("home"), 0o700); err != nil {
		return err
	}
	if p.address.scheme == "ssh" {
		if err := p.writeSSH(knownHosts); err != nil {
			return err
		}
	}
	if err := p.sweep(); err != nil {
		return err
	}
	if _, err := os.Stat(p.objects()); err != nil {
		return p.wipe(ctx)
	}
	// git itself rejects a repository whose HEAD, config or folders are damaged.
	_, err := p.git(ctx, call{args: []string{"rev-parse", "--git-dir"}})
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return p.restart(ctx, "it is damaged", err)
}

// sweep removes temporary files that a killed git process left behind. The caller holds
// the lock, so no git process is running.
func (p *Repo) sweep() error {
	return filepath.WalkDir(p.objects(), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		name := d.Name()
		if strings.HasSuffix(name, lockSuffix) || strings.HasSuffix(name, keepSuffix) || strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, ".tmp-") || strings.HasPrefix(name, "fast_import_crash") {
			return os.Remove(path)
		}
		return nil
	})
}

// restart empties the entry and logs why. Everything must then be fetched again.
func (p *Repo) restart(ctx context.Context, why string, cause error) error {
	if p.log != nil {
		args := []any{"repository", p.address.String(), "entry", filepath.Base(p.dir), "why", why}
		if cause != nil {
			args = append(args, "error", cause)
		}
		p.log.WarnContext(ctx, "an entry of the git cache is fetched anew", args...)
	}
	return p.wipe(ctx)
}

// wipe replaces the repository of the entry with an empty one.
func (p *Repo) wipe(ctx context.Context) error {
	if err := os.RemoveAll(p.objects()); err != nil {
		return err
	}
	_, err := p.git(ctx, call{args: []string{
		"init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--initial-branch=none", p.objects(),
	}})
	return err
}

// Close removes the credentials and unlocks the entry. Then it evicts the least recently
// used entries if the cache exceeds its limit.
func (p *Repo) Close() error {
	if p.lock == nil {
		return nil
	}
	err := os.RemoveAll(p.private(""))
	// The content of the lock file is the size of its entry, and its modification time is
	// the time of the last use. evict reads both.
	size := strconv.FormatInt(sizeOf(p.dir), 10)
	terr := p.lock.Truncate(0)
	if terr == nil {
		_, terr = p.lock.WriteAt([]byte(size), 0)
	}
	err = errors.Join(err, terr, p.lock.Close())
	p.lock = nil
	return errors.Join(err, evict(p.root, p.limits.Cache))
}

type entry struct {
	lock string
	size int64
	used time.Time
}

// evict removes the least recently used entries until the size of the cache is within the
// limit.
func evict(root string, limit int64) error {
	names, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	var entries []entry
	total := int64(0)
	for _, d := range names {
		lock := filepath.Join(root, d.Name())
		if !strings.HasSuffix(lock, lockSuffix) {
			continue
		}
		f, err := os.Open(lock)
		if err != nil {
			continue // another process removed the file
		}
		text, _ := io.ReadAll(io.LimitReader(f, 32))
		info, err := f.Stat()
		_ = f.Close()
		if err != nil {
			continue
		}
		size, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			// The process was killed before it closed the entry for the first time, so
			// the file has no size.
			size = sizeOf(strings.TrimSuffix(lock, lockSuffix))
		}
		entries = append(entries, entry{lock, size, info.ModTime()})
		total += size
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.lock, b.lock)) })
	for _, e := range entries {
		if total <= limit {
			break
		}
		gone, err := remove(e.lock)
		if err != nil {
			return err
		}
		if gone {
			total -= e.size
		}
	}
	return nil
}

// remove removes an entry unless it is in use. It reports whether the entry is gone.
func remove(lock string) (bool, error) {
	f, err := os.OpenFile(lock, os.O_RDWR, 0o600)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist), nil
	}
	defer f.Close()
	if ok, err := tryLock(f); !ok || err != nil || !isAt(f, lock) {
		return false, err
	}
	if err := os.RemoveAll(strings.TrimSuffix(lock, lockSuffix)); err != nil {
		return false, err
	}
	return true, os.Remove(lock)
}
