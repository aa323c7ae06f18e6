package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	gomail "github.com/wneessen/go-mail"
)

// maxRead is the maximum number of bytes that are read from a mail server for one message, with its
// certificates. The library reads responses without a limit.
const maxRead = 512 << 10

var errRead = errors.New("the mail server sends too much")

// conn is a connection to a mail server that limits how much is read.
type conn struct {
	net.Conn
	left int
}

func (c *conn) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, errRead
	}
	n, err := c.Conn.Read(b[:min(len(b), c.left)])
	c.left -= n
	return n, err
}

// dialer connects to a mail server once.
type dialer struct {
	tls  *tls.Config // nil: the connection begins in clear text
	conn net.Conn
}

// dial is the function that the library connects with.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.conn = c
	c = &conn{c, maxRead}
	if d.tls == nil {
		return c, nil
	}
	encrypted := tls.Client(c, d.tls)
	return encrypted, encrypted.HandshakeContext(ctx)
}

// close closes the connection. The library leaves it open after some errors.
func (d *dialer) close() {
	if d.conn != nil {
		_ = d.conn.Close() // usually closed by the library
	}
}

// encryptedAuth lists how to authenticate over TLS, the best first. The library does not know that a
// connection of another dialer is encrypted, and would send no password over it.
var encryptedAuth = []gomail.SMTPAuthType{
	gomail.SMTPAuthSCRAMSHA256PLUS, gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1PLUS, gomail.SMTPAuthSCRAMSHA1,
	gomail.SMTPAuthNTLM, gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin,
}
