// Package inbox notifies users about events that concern them: a review is requested from them,
// somebody mentions them or replies to them, or their change request changes.
//
// A job turns an event into notices, one for each user ([Service.Notify]). A notice refers to
// resources and does not contain text. Titles and quotes are read when it is shown or mailed, and only
// if the user may see the space at that time. Jobs of each user send mails, immediately or as a
// digest ([Service.Send]).
package inbox

import (
	"context"
	"log/slog"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service manages the notices of users and sends mails about them.
type Service struct {
	Store   *store.Store
	Mail    mail.Sender
	BaseURL string
	Log     *slog.Logger
}

// Path is the path of the inbox page.
const Path = "/inbox"

// Filter selects notices. An empty field selects all.
type Filter struct {
	Unread bool
	Kind   docs.NoticeKind
	Org    docs.OrgID
}

// stored returns the filter for the store, limited to notices that the caller may see now.
func (f Filter) stored(ctx context.Context, r store.Reader, g *authz.Grant) (store.NoticeFilter, error) {
	hidden, err := r.HiddenFrom(ctx, store.NoticeReader{User: g.Actor.User, Org: g.Actor.Org, Token: g.Actor.Token, Asked: g.Actor.Token != ""})
	return store.NoticeFilter{Unread: f.Unread, Kind: f.Kind, Org: f.Org, Hidden: hidden}, err
}

// List lists the caller's notices in spaces that the caller may see now, newest first.
func (s *Service) List(g *authz.Grant, f Filter) store.List[docs.Notice] {
	return store.List[docs.Notice]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Notice, store.Key, error) {
			in, err := f.stored(ctx, s.Store.Reader, g)
			if err != nil {
				return nil, nil, err
			}
			return s.Store.Notices(ctx, g.Actor.User, in, p)
		},
		Count: func(ctx context.Context) (int64, error) {
			in, err := f.stored(ctx, s.Store.Reader, g)
			if err != nil {
				return 0, err
			}
			return s.Store.CountNotices(ctx, g.Actor.User, in)
		},
	}
}

// Mark marks one of the caller's notices as read or unread.
func (s *Service) Mark(ctx context.Context, g *authz.Grant, id docs.NoticeID, read bool) (docs.Notice, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Notice, error) {
		in, err := Filter{}.stored(ctx, tx.Reader, g)
		if err != nil {
			return docs.Notice{}, err
		}
		in.ID = id
		found, _, err := tx.Notices(ctx, g.Actor.User, in, store.Page{Limit: 1})
		if err != nil || id == "" || len(found) == 0 {
			return docs.Notice{}, orMissing(err)
		}
		n := found[0]
		if n.Unread() == !read {
			return n, nil
		}
		n.ReadAt = 0
		if read {
			n.ReadAt = tx.Now()
		}
		return n, tx.ReadNotices(ctx, n.User, []docs.NoticeID{id}, n.ReadAt)
	})
}

func orMissing(err error) error {
	if err == nil {
		err = errs.Missing("notice")
	}
	return err
}

// MarkAll marks the caller's notices that match a filter as read, and returns their number.
func (s *Service) MarkAll(ctx context.Context, g *authz.Grant, f Filter) (int, error) {
	f.Unread = true
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (int, error) {
		in, err := f.stored(ctx, tx.Reader, g)
		if err != nil {
			return 0, err
		}
		read := 0
		for page := (store.Page{Limit: docs.MaxNotices}); ; {
			found, next, err := tx.Notices(ctx, g.Actor.User, in, page)
			if err != nil {
				return 0, err
			}
			if err := tx.ReadNotices(ctx, g.Actor.User, idsOf(found), tx.Now()); err != nil {
				return 0, err
			}
			if read += len(found); next == nil {
				return read, nil
			}
			page.After = next
		}
	})
}

func idsOf(notices []docs.Notice) []docs.NoticeID {
	ids := make([]docs.NoticeID, len(notices))
	for i, n := range notices {
		ids[i] = n.ID
	}
	return ids
}

// Settings returns the notification settings of the caller.
func (s *Service) Settings(ctx context.Context, g *authz.Grant) (docs.Notifications, error) {
	n, _, err := s.Store.Notifications(ctx, g.Actor.User)
	return n, err
}

// UpdateSettings changes the notification settings of the caller. change receives the current
// settings.
func (s *Service) UpdateSettings(ctx context.Context, g *authz.Grant, change func(docs.Notifications) (docs.Notifications, error)) (docs.Notifications, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Notifications, error) {
		if err := checkMayChange(ctx, tx, g.Actor); err != nil {
			return docs.Notifications{}, err
		}
		was, _, err := tx.Notifications(ctx, g.Actor.User)
		if err != nil {
			return was, err
		}
		now, err := change(was)
		if err != nil {
			return was, err
		}
		return now, put(ctx, tx, g.Actor, was, now)
	})
}

// checkMayChange returns an error unless an actor may change the settings of a user. A session for one
// organization may, if the user is in no other organization.
func checkMayChange(ctx context.Context, tx *store.Tx, by authz.Actor) error {
	n, err := tx.CountOrganizationsOf(ctx, store.Caller{User: by.User})
	if err != nil || n <= 1 {
		return err
	}
	return by.RequireFullAccount()
}

// put stores settings if they differ. It moves a waiting digest to its new time.
func put(ctx context.Context, tx *store.Tx, by authz.Actor, was, now docs.Notifications) error {
	e := audit.Event{Action: "user.notifications", Kind: "user", ID: string(by.User)}.Changed(effective(was), effective(now))
	if len(e.Data) == 0 {
		return nil
	}
	if err := tx.PutNotifications(ctx, by.User, now); err != nil {
		return err
	}
	if now.Digest != was.Digest {
		waiting, err := tx.MailWaiting(ctx, by.User, docs.ChannelDigest)
		if err != nil {
			return err
		}
		if len(waiting) > 0 {
			if err := schedule(ctx, tx, by.User, docs.ChannelDigest, now); err != nil {
				return err
			}
		}
	}
	return audit.Record(ctx, tx, by, e)
}

// effective returns settings with an explicit channel for each kind.
func effective(n docs.Notifications) docs.Notifications {
	for _, k := range docs.NoticeKinds {
		n = n.With(k, n.By(k))
	}
	return n
}

// longestWait is the maximum delay of a digest by changing its time. A notice that waited longer
// is no longer mailed.
const longestWait = 8 * 24 * time.Hour

// schedule queues the job that sends mails to a user through a channel.
func schedule(ctx context.Context, tx *store.Tx, user docs.UserID, by docs.Channel, n docs.Notifications) error {
	at := tx.Now()
	if by == docs.ChannelDigest {
		at = docs.TimeOf(n.Digest.Next(at.Std()))
	}
	return jobs.EnqueueDebounced(ctx, tx, jobs.Job{
		Kind: MailJob, Key: string(user) + " " + string(by), Payload: mailing{user, by}, RunAt: at,
	}, longestWait)
}

// tidyAtOnce is the number of notices that one transaction removes.
const tidyAtOnce = 1000

// Tidy is the handler of a job that removes old notices.
func (s *Service) Tidy(ctx context.Context, _ []byte) error {
	for {
		n, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (int64, error) {
			return tx.DropOldNotices(ctx, tx.Now().Add(-docs.NoticeTime), tidyAtOnce)
		})
		if err != nil || n < tidyAtOnce {
			return err
		}
	}
}
