package orgs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
)

// EraseJob is the kind of the job that removes the data of a deleted account from logs
// and queues, which may take long.
const EraseJob = "user.erase"

// erasure is the payload of EraseJob. It is the only place where the address still is,
// and it is deleted with the job.
type erasure struct {
	User    docs.UserID
	Email   docs.Email
	Removed map[string]int64 // number of rows of each table, so far
}

// ErasedAction is the action of the report in the audit log, which has the number of
// removed or changed rows of each table.
const ErasedAction = "user.erased"

// DeleteMe deletes the account of the caller, who has to confirm it by typing the
// address. It needs a session; a token is refused.
func (s *Accounts) DeleteMe(ctx context.Context, g *authz.Grant, address string) error {
	if !g.Actor.Session {
		return errs.E(errs.Forbidden, "sign in to delete your account; a token cannot do it")
	}
	if err := g.Actor.RequireFullAccount(); err != nil {
		return err
	}
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
		u, err := tx.User(ctx, g.Actor.User)
		if err != nil {
			return err
		}
		if typed, err := docs.ParseEmail(address); err != nil || typed != u.Email {
			return errs.E(errs.Invalid, "to delete your account, type its address, %s; nothing was deleted", u.Email)
		}
		return deleteUser(ctx, tx, g.Actor, u)
	})
}

// deleteUser deletes an account. It takes effect at once: nobody can sign in to the
// account, it belongs to no organization, and its name is removed. A job cleans logs and
// queues.
func deleteUser(ctx context.Context, tx *store.Tx, by authz.Actor, u docs.User) error {
	switch u.Kind {
	case docs.ServiceAccount:
		return errs.E(errs.Precondition, "%s is a service account; an admin of its organization deletes it", u.ID)
	case docs.DeletedUser:
		return errs.Missing("user")
	}
	if err := leaveAll(ctx, tx, by, u); err != nil {
		return err
	}
	removed, err := tx.EraseUser(ctx, u)
	if err != nil {
		return err
	}
	job := jobs.Job{Kind: EraseJob, Key: string(u.ID), Payload: erasure{u.ID, u.Email, removed}}
	if err := jobs.Enqueue(ctx, tx, job); err != nil {
		return err
	}
	return audit.Record(ctx, tx, by, audit.Event{Action: "user.delete", Kind: "user", ID: string(u.ID)})
}

// leaveAll records in the log of each organization of a user that the user leaves. It
// returns an error if an organization would be left without an admin.
func leaveAll(ctx context.Context, tx *store.Tx, by authz.Actor, u docs.User) error {
	all, err := tx.Memberships(ctx, u.ID)
	if err != nil {
		return err
	}
	var last []string
	for _, m := range all {
		if m.Role != docs.Admin || m.Disabled {
			continue
		}
		n, err := tx.CountAdmins(ctx, m.Org)
		if err != nil {
			return err
		}
		if n == 1 {
			last = append(last, fmt.Sprintf("%s (%s)", m.Title, m.Org))
		}
	}
	if len(last) > 0 {
		return errs.E(errs.Precondition, "the last admin of an organization cannot be deleted; make somebody else admin of it first: %s", strings.Join(last, ", "))
	}
	for _, m := range all {
		if err := audit.Record(ctx, tx, by, memberEvent(m.Org, "remove", u.ID, map[string]any{"role": m.Role, "reason": "the account was deleted"})); err != nil {
			return err
		}
	}
	return nil
}

// Erase is the handler of EraseJob. A retry after a failure starts again: rows that are
// clean already remain unchanged, and the report counts what the last run changed.
func (s *Accounts) Erase(ctx context.Context, payload []byte) error {
	var p erasure
	if err := json.Unmarshal(payload, &p); err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	report := maps.Clone(p.Removed)
	if report == nil {
		report = map[string]int64{}
	}
	for _, table := range []string{"audit", "webhook_deliveries"} {
		n, err := s.scrub(ctx, table, p)
		if err != nil {
			return err
		}
		if n > 0 {
			report[table] += n
		}
	}
	return s.store.Do(ctx, func(tx *store.Tx) error {
		removed, err := tx.EraseAddress(ctx, p.Email, EraseJob)
		if err != nil {
			return err
		}
		report := maps.Clone(report)
		for table, n := range removed {
			report[table] += n
		}
		return audit.Record(ctx, tx, authz.System, audit.Event{Action: ErasedAction, Kind: "user", ID: string(p.User), Data: map[string]any{"rows": report}})
	})
}

// scrub removes personal data from the rows of a table that mention a user, a part of the
// table at a time. It returns the number of changed rows.
func (s *Accounts) scrub(ctx context.Context, table string, p erasure) (changed int64, err error) {
	var after store.Key
	for {
		found, next, err := s.store.Mentions(ctx, table, p.User, []string{string(p.Email)}, after)
		if err != nil {
			return changed, err
		}
		var edited []store.Mention
		for _, m := range found {
			clean, err := withoutPersonalData(m.JSON, p, m.Own)
			if err != nil {
				return changed, err
			}
			if clean != m.JSON {
				m.JSON = clean
				edited = append(edited, m)
			}
		}
		if len(edited) > 0 {
			err := s.store.Do(ctx, func(tx *store.Tx) error {
				for _, m := range edited {
					if err := tx.PutMention(ctx, m); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return changed, err
			}
			changed += int64(len(edited))
		}
		if after = next; after == nil {
			return changed, nil
		}
	}
}

// personalKeys are the fields of events that describe a person or their devices and
// tokens.
var personalKeys = map[string]bool{"email": true, "displayName": true, "photoURL": true, "agent": true, "label": true, "address": true}

// withoutPersonalData returns a JSON text without the address of the user. If own is
// true, the text is about the user or about what the user did. Then the fields in
// personalKeys and all other addresses are removed too.
func withoutPersonalData(text string, p erasure, own bool) (string, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("erase %s: %w", p.User, err)
	}
	c := cleaner{string(p.Email), own, false}
	v = c.clean(v)
	if !c.changed {
		return text, nil
	}
	out, err := json.Marshal(v)
	return string(out), err
}

type cleaner struct {
	email   string
	own     bool
	changed bool
}

func (c *cleaner) clean(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, x := range v {
			if c.own && personalKeys[key] {
				delete(v, key)
				c.changed = true
				continue
			}
			v[key] = c.clean(x)
		}
	case []any:
		for i, x := range v {
			v[i] = c.clean(x)
		}
	case string:
		if _, err := docs.ParseEmail(v); err == nil && c.own || strings.Contains(strings.ToLower(v), c.email) {
			c.changed = true
			return docs.DeletedName
		}
	}
	return v
}
