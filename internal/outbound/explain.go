package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"

	"github.com/octavo-docs/octavo/internal/errs"
)

// unreachable is one text for a name that does not exist and for one that
// leads inside, so that nobody learns from it which names exist inside.
const unreachable = "the server cannot be called: its name is unknown, or it has a private address, which the operator must allow with " + AllowVariable

// Explain turns an error of a client of this package into one of kind
// errs.Invalid whose message may be displayed: it says what happened and never
// what was found at which address. The cause stays inside, for the log. The
// end of the caller's own context is returned as it is.
func Explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	return explain(err)
}

// IsUnreachable reports whether an explained error says that a name is unknown or leads to an
// address that the operator has not allowed.
func IsUnreachable(err error) bool { return errs.Message(err) == unreachable }

func explain(err error) error {
	var (
		known  *errs.Error
		dns    *net.DNSError
		cert   *tls.CertificateVerificationError
		name   x509.HostnameError
		record tls.RecordHeaderError
	)
	// The URL may carry a token in its query, which no log should have.
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	message := "the server cannot be reached, or the connection was interrupted"
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errRefused):
		message = unreachable
	case errors.As(err, &dns) && !dns.IsTimeout:
		message = unreachable
	case IsTimeout(err):
		message = "the server takes too long to answer"
	case errors.As(err, &cert), errors.As(err, &name):
		message = "the server's certificate is not valid for this address"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		message = "the server does not speak https here"
	}
	return &errs.Error{Kind: errs.Invalid, Message: message, Err: err}
}

// IsTimeout reports whether an error, as it is or explained, is that of a server
// which took too long.
func IsTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &timeout) && timeout.Timeout()
}
