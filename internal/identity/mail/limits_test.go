package mail

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var message = Message{To: "ada@example.com", Subject: "a", Text: []string{"b"}}

// serve runs a mail server that calls f for each connection, and returns a sender to it.
func serve(t *testing.T, security Security, f func(net.Conn)) SMTP {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			f(c)
			_ = c.Close() // the client may have closed it
		}
	}()
	t.Cleanup(func() {
		_ = l.Close() // only once
		<-done
	})
	s, err := ParseSMTP(string(security)+"://octavo:secret@"+l.Addr().String(), "docs@example.com")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A mail server cannot fill the memory with a response that does not end.
func TestResponsesAreBounded(t *testing.T) {
	const most = 32 << 20
	for name, text := range map[string]string{
		"a line":     strings.Repeat("x", 4096),
		"many lines": strings.Repeat("220-"+strings.Repeat("x", 60)+"\r\n", 64),
	} {
		t.Run(name, func(t *testing.T) {
			sent := make(chan int, 1)
			s := serve(t, Plain, func(c net.Conn) {
				n, err := fmt.Fprint(c, "220-")
				for m := 0; err == nil && n < most; n += m {
					m, err = fmt.Fprint(c, text)
				}
				sent <- n
			})
			err := s.Send(t.Context(), message)
			if n := <-sent; err == nil || n >= most {
				t.Errorf("%d bytes of a response were read: %.1000v", n, err)
			}
		})
	}
}

// The error of a message that was refused does not contain all that a server says.
func TestErrorsAreBounded(t *testing.T) {
	s := serve(t, Plain, func(c net.Conn) {
		_, _ = fmt.Fprint(c, "554 not here "+strings.Repeat("é", 50_000)+"\r\n") // the client may leave
	})
	if err := s.Send(t.Context(), message); err == nil || len(err.Error()) > 2000 || !strings.Contains(err.Error(), "not here") {
		t.Errorf("%.2000v", err)
	}
}

// dialog speaks SMTP as far as the tests need it, and returns the commands that it got.
func dialog(c net.Conn, config *tls.Config, extensions ...string) (commands []string) {
	_ = c.SetDeadline(time.Now().Add(20 * time.Second)) // it is open
	r := bufio.NewReader(c)
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(c, format+"\r\n", args...) } // the client may have left
	say("220 ready")
	for data := false; ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return commands
		}
		line = strings.TrimRight(line, "\r\n")
		if data {
			if data = line != "."; !data {
				say("250 ok")
			}
			continue
		}
		commands = append(commands, line)
		switch verb, _, _ := strings.Cut(line, " "); verb {
		case "EHLO":
			say("250-localhost")
			for _, x := range extensions {
				say("250-%s", x)
			}
			say("250 HELP")
		case "STARTTLS":
			say("220 go ahead")
			c, extensions = tls.Server(c, config), []string{"AUTH PLAIN"}
			r = bufio.NewReader(c)
		case "AUTH":
			say("235 ok")
		case "DATA":
			say("354 go ahead")
			data = true
		case "QUIT":
			say("221 bye")
			return commands
		default:
			say("250 ok")
		}
	}
}

// newConfig returns the configuration of a mail server at 127.0.0.1 with a certificate of its own.
func newConfig(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IPAddresses: []net.IP{{127, 0, 0, 1}},
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// rootFile writes the certificate of a server to a file and returns its path.
func rootFile(t *testing.T, c *tls.Config) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "root.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificates[0].Certificate[0]}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A password and a message are sent over an encrypted connection only, to a server with a trusted
// certificate.
func TestEncryption(t *testing.T) {
	config := newConfig(t)
	t.Setenv("SSL_CERT_FILE", rootFile(t, config)) // read when the first certificate is verified
	plain := "AUTH PLAIN " + base64.StdEncoding.EncodeToString([]byte("\x00octavo\x00secret"))
	for _, c := range []struct {
		name       string
		security   Security
		config     *tls.Config
		extensions []string
		good       bool
	}{
		{"STARTTLS", StartTLS, config, []string{"STARTTLS", "AUTH PLAIN"}, true},
		{"TLS", TLS, config, []string{"STARTTLS", "AUTH PLAIN"}, true},
		{"STARTTLS was removed on the way", StartTLS, config, []string{"AUTH PLAIN LOGIN"}, false},
		{"a server of somebody else", StartTLS, newConfig(t), []string{"STARTTLS", "AUTH PLAIN"}, false},
		{"no encryption", Plain, config, []string{"AUTH PLAIN LOGIN"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := make(chan []string, 1)
			s := serve(t, c.security, func(conn net.Conn) {
				if c.security == TLS {
					conn = tls.Server(conn, c.config)
				}
				got <- dialog(conn, c.config, c.extensions...)
			})
			err := s.Send(t.Context(), message)
			commands := strings.Join(<-got, "\n")
			if c.good != (err == nil) || c.good != strings.Contains(commands, plain) || c.good != strings.Contains(commands, "MAIL FROM") {
				t.Errorf("%v\n%s", err, commands)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error has the password: %v", err)
			}
		})
	}
}
