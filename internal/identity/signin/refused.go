package signin

import (
	"context"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Client is the sender of a request to sign in.
type Client struct {
	Agent   string // value of the User-Agent header
	Request string // id of the request
	Address string // network address
}

// Refusal is a sign-in that failed.
type Refusal struct {
	User   docs.UserID       // empty: the account is unknown
	Method docs.SignInMethod // empty: the method is not known yet
	Reason string
}

// refuseEvery is the minimum time between two audit entries about failed sign-ins of one account and
// method. Anybody can cause failures, so further ones are only counted. The next entry has the count.
const refuseEvery = time.Hour

// maxRefusals is the maximum number of accounts and methods that have a counter of their own.
const maxRefusals = 10_000

// refusals counts failed sign-ins on this node.
type refusals struct {
	mu    sync.Mutex
	known map[refusalKey]*refusalCount
}

type refusalKey struct {
	user   docs.UserID
	method docs.SignInMethod
}

type refusalCount struct {
	logged time.Time
	more   int // failures since then
}

// take counts a refusal. log reports whether to write an audit entry for it, and more is the number
// of refusals without an entry since the previous one.
func (r *refusals) take(k refusalKey, now time.Time) (more int, log bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxRefusals {
		for k, c := range r.known {
			if now.Sub(c.logged) >= refuseEvery {
				delete(r.known, k)
			}
		}
	}
	c := r.known[k]
	if c == nil && len(r.known) >= maxRefusals {
		k.user = ""
		c = r.known[k]
	}
	if c != nil && now.Sub(c.logged) < refuseEvery {
		c.more++
		return 0, false
	}
	if c != nil {
		more = c.more
	}
	if r.known == nil {
		r.known = map[refusalKey]*refusalCount{}
	}
	r.known[k] = &refusalCount{logged: now}
	return more, true
}

// RecordRefusal writes a failed sign-in to the audit log of the instance, at most once per
// refuseEvery for each user and method.
func (s *Service) RecordRefusal(ctx context.Context, r Refusal, from Client) {
	more, log := s.refusals.take(refusalKey{r.User, r.Method}, s.Store.Clock())
	if !log {
		return
	}
	by := authz.System
	by.Request = from.Request
	e := audit.Event{Action: "session.refuse", Kind: "user", ID: string(r.User), Data: map[string]any{
		"method": r.Method, "reason": r.Reason, "address": from.Address, "agent": docs.FirstBytes(from.Agent, 200), "moreBefore": more,
	}}
	ctx = context.WithoutCancel(ctx)
	err := s.Store.Do(ctx, func(tx *store.Tx) error { return audit.Record(ctx, tx, by, e) })
	if err != nil {
		s.Log.Error("a failed sign-in is not in the audit log", "error", err)
	}
}
