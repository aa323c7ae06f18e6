package oidc

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/store"
)

// The same failure is stored once per reportEvery. The first failure that is stored in each period
// of recordEvery is written to the audit log. Anybody can make a sign-in fail.
const (
	reportEvery = docs.Time(time.Minute / time.Millisecond)
	recordEvery = docs.Time(time.Hour / time.Millisecond)
)

// report records why a sign-in failed, for the admins of the organization or for the operator.
// It returns the error that the person may see.
func (s *Service) report(ctx context.Context, p docs.OIDCProvider, from signin.Client, err error) error {
	var f *failure
	why := errs.Message(err)
	if errors.As(err, &f) {
		why = f.why
	}
	if why == "" {
		return err // an internal error
	}
	s.Log.Warn("a sign-in through OpenID Connect failed", "provider", p.ID, "why", why, "error", err)
	if p.Org == "" {
		s.SignIn.RecordRefusal(ctx, signin.Refusal{Method: docs.SignInByOIDC, Reason: why}, from)
	} else if noted := s.storeFailure(ctx, p, why); noted != nil {
		return noted
	}
	if f == nil {
		return err // its message is meant for the user
	}
	return errs.E(errs.Invalid, "The sign-in with %s did not work. Its administrators find out why in the status of the provider; this is what happened: %s", p.Label, public(f))
}

// public returns the part of a failure that reveals nothing about the configuration.
func public(f *failure) string {
	if f.cause.Error() == f.why {
		return f.why + "."
	}
	return "its answer could not be used."
}

// storeFailure stores why a sign-in failed, even if its request was canceled.
func (s *Service) storeFailure(ctx context.Context, p docs.OIDCProvider, why string) error {
	ctx = context.WithoutCancel(ctx)
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		now, err := tx.OIDCProvider(ctx, p.Org, p.ID)
		if err != nil || now.LastError == why && tx.Now()-now.LastErrorAt < reportEvery {
			return err
		}
		recorded := tx.Now()/recordEvery == now.LastErrorAt/recordEvery
		now.LastError, now.LastErrorAt = why, tx.Now()
		if err := tx.PutOIDCProvider(ctx, now); err != nil || recorded {
			return err
		}
		return audit.Record(ctx, tx, authz.System, event(p, "failure", map[string]any{"why": why}))
	})
}

// succeeded clears the last error of a provider.
func (s *Service) succeeded(ctx context.Context, p docs.OIDCProvider) error {
	if p.Org == "" || p.LastError == "" {
		return nil
	}
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		now, err := tx.OIDCProvider(ctx, p.Org, p.ID)
		if err != nil {
			return err
		}
		now.LastError, now.LastErrorAt = "", 0
		return tx.PutOIDCProvider(ctx, now)
	})
}
