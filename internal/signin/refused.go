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
	Agent   string // what the browser calls itself
	Request string // id of the request
	Address string // of the network
}

// Refusal is a sign-in that failed.
type Refusal struct {
	User   docs.UserID       // empty: nobody knows whose it would have been
	Method docs.SignInMethod // empty: not known yet
	Reason string
}

// refuseEvery is how often the log has that sign-ins of an account fail. Everybody can make one fail, so
// more of them are counted only; the next line says how many.
const refuseEvery = time.Hour

// maxRefusals bounds the accounts that are counted one by one.
const maxRefusals = 10_000

// refusals counts the sign-ins that failed on this node.
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
	more   int // since then
}

// take counts a refusal. It reports whether the log shall have it, and how many it did not have since the
// line before.
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

// RecordRefusal records in the log of the instance that a sign-in failed.
func (s *Service) RecordRefusal(ctx context.Context, r Refusal, from Client) {
	more, log := s.refusals.take(refusalKey{r.User, r.Method}, s.Store.Clock())
	if !log {
		return
	}
	by := authz.System
	by.Request = from.Request
	e := audit.Event{Action: "session.refuse", Kind: "user", ID: string(r.User), Data: map[string]any{
		"method": r.Method, "reason": r.Reason, "address": from.Address, "agent": clip(from.Agent, 200), "moreBefore": more,
	}}
	ctx = context.WithoutCancel(ctx)
	err := s.Store.Do(ctx, func(tx *store.Tx) error { return audit.Record(ctx, tx, by, e) })
	if err != nil {
		s.Log.Error("a failed sign-in is not in the audit log", "error", err)
	}
}
