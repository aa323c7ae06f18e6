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

// unreachable is the message both for a name that does not exist and for one that resolves to a
// private address. The message therefore does not reveal which internal names exist.
const unreachable = "the server cannot be called: its name is unknown, or it has a private address, which the operator must allow with " + AllowVariable

// Explain turns an error of a client of this package into one of kind errs.Invalid whose message may be
// shown to users. The message describes the failure, but reveals nothing about the network. The
// result wraps the cause, for the log. If ctx has ended, Explain returns its error unchanged.
func Explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	return explain(err)
}

// IsUnreachable reports whether an error returned by Explain means that a name is unknown or resolves
// to an address that the operator has not allowed.
func IsUnreachable(err error) bool { return errs.Message(err) == unreachable }

func explain(err error) error {
	var (
		known  *errs.Error
		dns    *net.DNSError
		cert   *tls.CertificateVerificationError
		name   x509.HostnameError
		record tls.RecordHeaderError
	)
	// The URL may have a token in its query, which must not be logged.
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

// IsTimeout reports whether an error, before or after Explain, means that a server took too long.
func IsTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &timeout) && timeout.Timeout()
}
