package api

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

// Decide reports what the rule of an operation says to the bearer of a token,
// without running it: nil, Forbidden or NotFound. It makes the table of who
// may do what that people review.
func (a *API) Decide(ctx context.Context, operation, token string, param func(string) string) error {
	ops := a.Operations()
	i := slices.IndexFunc(ops, func(o kernel.OperationInfo) bool { return o.ID == operation })
	if i < 0 {
		return errs.Missing("operation")
	}
	switch allow := ops[i].Allow; {
	case allow.IsPublic():
		return nil
	case allow.IsSigned(): // no token is a signature
		return errs.Missing("operation")
	}
	session, err := a.Guard.Authenticate(ctx, "Bearer "+token, authz.Origin{})
	if err != nil {
		return err
	}
	_, err = a.Guard.Check(ctx, session, ops[i].Allow, param, time.Now())
	return err
}
