// Package people has the operations of users, their tokens, sessions and inbox.
package people

import (
	"github.com/octavo-docs/octavo/internal/identity/inbox"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Services are what the operations need.
type Services struct {
	Accounts *orgs.Accounts
	Tokens   *orgs.Tokens
	SignIn   *signin.Service
	Inbox    *inbox.Service
}

type handlers struct {
	*wire.Views
	Services
}

// Register registers the operations.
func Register(v *wire.Views, s Services) {
	h := &handlers{v, s}
	h.users()
	h.sessions()
	h.inbox()
}
