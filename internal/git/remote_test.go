package git

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/octavo-docs/octavo/internal/outbound"
)

// need skips a test where a program is missing, but not in CI.
func need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is missing, and CI skips nothing", program)
		}
		t.Skipf("%s is not installed", program)
	}
}

// sh runs the real git as the people on the other side do.
func sh(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return shIn(t, dir, "", args...)
}

func shIn(t testing.TB, dir, in string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(in)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// origin is a bare repository that a server offers, with a work tree in
// which the other side edits.
type origin struct {
	t    testing.TB
	bare string // root/repo.git
	work string
}

func newOrigin(t testing.TB) *origin {
	t.Helper()
	need(t, "git")
	root := t.TempDir()
	o := &origin{t: t, bare: filepath.Join(root, "repo.git"), work: filepath.Join(t.TempDir(), "work")}
	sh(t, root, "init", "-q", "--bare", "-b", "main", o.bare)
	sh(t, root, "-C", o.bare, "config", "uploadpack.allowFilter", "true")
	sh(t, root, "-C", o.bare, "config", "http.receivepack", "true")
	sh(t, root, "init", "-q", "-b", "main", o.work)
	sh(t, o.work, "remote", "add", "origin", o.bare)
	return o
}

// commit writes files, "" removes one, and pushes.
func (o *origin) commit(files map[string]string) string {
	o.t.Helper()
	for name, text := range files {
		file := filepath.Join(o.work, name)
		if text == "" {
			if err := os.Remove(file); err != nil {
				o.t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			o.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			o.t.Fatal(err)
		}
	}
	sh(o.t, o.work, "add", "-A", "-f")
	sh(o.t, o.work, "commit", "-q", "--allow-empty", "-m", "change")
	o.push("-f", "origin", "HEAD:main")
	return sh(o.t, o.work, "rev-parse", "HEAD")
}

func (o *origin) push(args ...string) {
	o.t.Helper()
	sh(o.t, o.work, append([]string{"push", "-q"}, args...)...)
}

func (o *origin) blob(text string) string {
	o.t.Helper()
	return shIn(o.t, o.bare, text, "hash-object", "-w", "--stdin")
}

// httpRemote serves the origin with git's own backend.
type httpRemote struct {
	url      string
	requests atomic.Int64
	headers  sync.Map // Authorization headers that came
}

func (o *origin) http(user, password string) *httpRemote {
	o.t.Helper()
	r := &httpRemote{}
	s := httptest.NewServer(o.handler(r, user, password))
	o.t.Cleanup(s.Close)
	r.url = s.URL + "/repo.git"
	return r
}

func (o *origin) handler(r *httpRemote, user, password string) http.Handler {
	path, err := exec.LookPath("git")
	if err != nil {
		o.t.Fatal(err)
	}
	backend := &cgi.Handler{
		Path: path, Args: []string{"http-backend"},
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(o.bare), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
		InheritEnv: []string{"PATH"},
		Stderr:     io.Discard,
		Logger:     log.New(io.Discard, "", 0),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.requests.Add(1)
		if h := req.Header.Get("Authorization"); h != "" {
			r.headers.Store(h, true)
		}
		if user != "" {
			if u, p, _ := req.BasicAuth(); u != user || p != password {
				w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
				// A rude server repeats what it was sent.
				http.Error(w, "no: "+req.Header.Get("Authorization")+" "+p, http.StatusUnauthorized)
				return
			}
		}
		if p := req.Header.Get("Git-Protocol"); p != "" {
			backend := *backend
			backend.Env = append(append([]string{}, backend.Env...), "GIT_PROTOCOL="+p)
			backend.ServeHTTP(w, req)
			return
		}
		backend.ServeHTTP(w, req)
	})
}

// sshRemote serves the origin over ssh: a server in Go, the client is the
// real one.
type sshRemote struct {
	url     string
	host    string
	key     []byte // private key that it accepts
	hostKey ssh.PublicKey
	change  func() // gives the server another key
}

// ssh starts the server. Without protocol, it does not let clients choose
// the version, as an unconfigured sshd does not.
func (o *origin) ssh(protocol bool) *sshRemote {
	o.t.Helper()
	need(o.t, "ssh")
	newKey := func() (ssh.Signer, []byte) {
		_, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			o.t.Fatal(err)
		}
		signer, err := ssh.NewSignerFromKey(private)
		if err != nil {
			o.t.Fatal(err)
		}
		block, err := ssh.MarshalPrivateKey(private, "")
		if err != nil {
			o.t.Fatal(err)
		}
		return signer, pem.EncodeToMemory(block)
	}
	user, private := newKey()
	var host atomic.Value
	first, _ := newKey()
	host.Store(&first)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		o.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var open sync.WaitGroup
	o.t.Cleanup(func() { cancel(); l.Close(); open.Wait() })
	open.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
				if bytes.Equal(k.Marshal(), user.PublicKey().Marshal()) {
					return nil, nil
				}
				return nil, fmt.Errorf("unknown key")
			}}
			config.AddHostKey(*host.Load().(*ssh.Signer))
			open.Go(func() { o.serveSSH(ctx, conn, config, protocol) })
		}
	})
	return &sshRemote{
		url: "ssh://git@" + l.Addr().String() + o.bare, host: l.Addr().String(), key: private, hostKey: first.PublicKey(),
		change: func() { next, _ := newKey(); host.Store(&next) },
	}
}

func (o *origin) serveSSH(ctx context.Context, conn net.Conn, config *ssh.ServerConfig, protocol bool) {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	server, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	defer server.Close()
	go ssh.DiscardRequests(requests)
	for ch := range channels {
		if ch.ChannelType() != "session" {
			_ = ch.Reject(ssh.UnknownChannelType, "")
			continue
		}
		channel, requests, err := ch.Accept()
		if err != nil {
			return
		}
		env := append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
		for req := range requests {
			var pair struct{ Name, Value string }
			switch req.Type {
			case "env":
				ok := protocol && ssh.Unmarshal(req.Payload, &pair) == nil && pair.Name == "GIT_PROTOCOL"
				if ok {
					env = append(env, "GIT_PROTOCOL="+pair.Value)
				}
				_ = req.Reply(ok, nil)
			case "exec":
				var run struct{ Command string }
				_ = ssh.Unmarshal(req.Payload, &run)
				name, path, _ := strings.Cut(run.Command, " ")
				name = strings.TrimPrefix(name, "git-")
				if name != "upload-pack" && name != "receive-pack" {
					_ = req.Reply(false, nil)
					continue
				}
				_ = req.Reply(true, nil)
				cmd := exec.CommandContext(ctx, "git", name, strings.Trim(path, "'"))
				cmd.Env, cmd.Stdout, cmd.Stderr = env, channel, channel.Stderr()
				in, _ := cmd.StdinPipe()
				go func() { _, _ = io.Copy(in, channel); in.Close() }()
				code := 0
				if cmd.Run() != nil {
					code = 1
				}
				_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{uint32(code)}))
				channel.Close()
			default:
				_ = req.Reply(false, nil)
			}
		}
	}
}

// runner may call the loopback only.
func runner(t testing.TB, change func(*Runner)) *Runner {
	t.Helper()
	policy, err := outbound.Parse("127.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Dir: filepath.Join(t.TempDir(), "git 'cache' %h"), Outbound: policy, Limits: Limits{Remote: time.Minute}}
	if change != nil {
		change(r)
	}
	return r
}

func open(t testing.TB, r *Runner, m Remote) *Repo {
	t.Helper()
	p, err := r.Open(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func fetch(t testing.TB, p *Repo, have string) string {
	t.Helper()
	commit, err := p.Fetch(t.Context(), Want{Have: have}, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return commit
}

// read gives the files of a commit with their text.
func read(t testing.TB, p *Repo, commit, dir string) map[string]string {
	t.Helper()
	entries, problems, err := p.Tree(t.Context(), commit, dir)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v, %v", problems, err)
	}
	var oids []string
	for _, e := range entries {
		oids = append(oids, e.OID)
	}
	texts := map[string]string{}
	err = p.Blobs(t.Context(), oids, nil, func(b Blob) error {
		text, err := io.ReadAll(b.Data)
		if err == nil && (int64(len(text)) != b.Size || BlobOID(text) != b.OID) {
			err = fmt.Errorf("%d bytes are not those of %s", len(text), b.OID)
		}
		texts[b.OID] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		out[e.Path] = texts[e.OID]
	}
	return out
}
