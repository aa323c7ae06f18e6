package testgit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// SSH is a server in Go on the loopback; the client is the real one.
type SSH struct {
	URL      string       // of the repository that it was started for
	Key      []byte       // the private key that it accepts
	Sessions atomic.Int64 // commands that ran

	t     testing.TB
	addr  string
	host  atomic.Pointer[ssh.Signer]
	user  ssh.PublicKey
	proto bool
}

// SSH starts a server for the repository and those beside it. Without
// protocol, it does not let clients choose the version, as an unconfigured
// sshd does not.
func (o *Origin) SSH(protocol bool) *SSH {
	o.t.Helper()
	Need(o.t, "ssh")
	user, private := newKey(o.t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		o.t.Fatal(err)
	}
	s := &SSH{Key: private, t: o.t, addr: l.Addr().String(), user: user.PublicKey(), proto: protocol}
	s.URL = s.Of(o)
	s.ChangeHostKey()
	ctx, cancel := context.WithCancel(context.Background())
	var open sync.WaitGroup
	o.t.Cleanup(func() { cancel(); l.Close(); open.Wait() })
	open.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { s.serve(ctx, conn) })
		}
	})
	return s
}

// Of returns the address of a repository of this machine.
func (s *SSH) Of(o *Origin) string { return "ssh://git@" + s.addr + o.Bare }

// KnownHosts returns the line of a known_hosts file for the server's key.
func (s *SSH) KnownHosts() []byte {
	return []byte(knownhosts.Line([]string{s.addr}, (*s.host.Load()).PublicKey()) + "\n")
}

// ChangeHostKey replaces the server's host key.
func (s *SSH) ChangeHostKey() {
	next, _ := newKey(s.t)
	s.host.Store(&next)
}

func newKey(t testing.TB) (ssh.Signer, []byte) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	return signer, pem.EncodeToMemory(block)
}

func (s *SSH) serve(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
		if bytes.Equal(k.Marshal(), s.user.Marshal()) {
			return nil, nil
		}
		return nil, errors.New("unknown key")
	}}
	config.AddHostKey(*s.host.Load())
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
		s.session(ctx, channel, requests)
	}
}

// session runs the one command that a client asks for.
func (s *SSH) session(ctx context.Context, channel ssh.Channel, requests <-chan *ssh.Request) {
	env := append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
	for req := range requests {
		switch req.Type {
		case "env":
			var pair struct{ Name, Value string }
			ok := s.proto && ssh.Unmarshal(req.Payload, &pair) == nil && pair.Name == "GIT_PROTOCOL"
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
			s.Sessions.Add(1)
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
