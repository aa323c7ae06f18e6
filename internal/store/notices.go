package store

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// maxNoticeBody is the number of characters of a comment that are read for a notice.
const maxNoticeBody = 2000

// NoticeFilter selects notices of a user. Empty fields match everything.
type NoticeFilter struct {
	ID     docs.NoticeID
	Unread bool
	Kind   docs.NoticeKind
	Org    docs.OrgID
	Mail   docs.Channel // only those for which a mail has to be sent
	Hidden []docs.SpaceID
}

// noticesFrom leaves out notices of deleted comments and of spaces in the trash. $1 to
// $6 are those of noticeArgs.
const noticesFrom = ` FROM notices n
	JOIN spaces s ON s.id = n.space_id
	JOIN organizations o ON o.id = s.org_id AND o.deleted_at = 0
	LEFT JOIN users u ON u.id = n.actor_id
	LEFT JOIN change_requests q ON q.id = n.change_request_id
	LEFT JOIN comments c ON c.id = n.comment_id
	LEFT JOIN comment_replies r ON r.id = n.reply_id
	WHERE n.user_id = $1 AND s.deleted_at = 0
		AND (n.comment_id = '' OR c.id IS NOT NULL) AND (n.reply_id = '' OR r.id IS NOT NULL)
		AND ($2 = '' OR n.id = $2) AND ($3 = 0 OR n.read_at = 0) AND ($4 = '' OR n.kind = $4)
		AND ($5 = '' OR s.org_id = $5) AND ($6 = '' OR n.mail = $6) AND n.space_id NOT IN `

// where returns the end of noticesFrom and all arguments.
func (f NoticeFilter) where(user docs.UserID) (string, []any) {
	unread := 0
	if f.Unread {
		unread = 1
	}
	return among(f.Hidden, []any{user, f.ID, unread, f.Kind, f.Org, f.Mail})
}

// Notices lists notices of a user, newest first, with the texts to be shown. The
// filter must have the spaces of HiddenFrom.
func (r serverReads) Notices(ctx context.Context, user docs.UserID, f NoticeFilter, p Page) ([]docs.Notice, Key, error) {
	before := engine.LastText
	if len(p.After) > 0 {
		before = p.After[0]
	}
	hidden, args := f.where(user)
	n := len(args)
	items, err := engine.Many(ctx, r, func(s engine.Scanner) (v docs.Notice, err error) {
		err = s.Scan(&v.ID, &v.User, &v.Kind, &v.Actor, &v.Space, &v.Request, &v.Comment, &v.Reply, &v.At, &v.ReadAt, &v.Mail,
			&v.Org, &v.SpaceTitle, &v.Number, &v.Subject, &v.ActorName, &v.Body)
		return v, err
	}, `SELECT n.id, n.user_id, n.kind, n.actor_id, n.space_id, n.change_request_id, n.comment_id, n.reply_id, n.at, n.read_at, n.mail,
			s.org_id, s.title, COALESCE(q.number, 0), COALESCE(q.subject, ''), COALESCE(u.display_name, ''),
			SUBSTR(COALESCE(r.body, c.body, ''), 1, $`+itoa(int64(n+1))+` + 0)`+noticesFrom+hidden+`
			AND n.id < $`+itoa(int64(n+2))+` ORDER BY n.id DESC LIMIT $`+itoa(int64(n+3))+` + 0`,
		append(args, maxNoticeBody, before, p.Ask())...)
	items, next := engine.Cut(p, items, func(v docs.Notice) Key { return Key{string(v.ID)} })
	return items, next, err
}

// CountNotices counts what Notices lists.
func (r serverReads) CountNotices(ctx context.Context, user docs.UserID, f NoticeFilter) (int64, error) {
	hidden, args := f.where(user)
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*)`+noticesFrom+hidden, args...)
}

// NoticeReader is a user who reads notices, with the session or token.
type NoticeReader struct {
	User  docs.UserID
	Org   docs.OrgID   // the only organization that they are signed in for; empty: all
	Token docs.TokenID // that asks; an organization may refuse it
	Asked bool         // by a session or a token, and not by a job
	Mail  bool         // only of organizations that the user has used
}

// HiddenFrom returns the spaces of notices of a user that the user does not see. It needs one query of visible spaces for each organization.
func (r serverReads) HiddenFrom(ctx context.Context, by NoticeReader) ([]docs.SpaceID, error) {
	type place struct {
		space       docs.SpaceID
		viewer      Viewer
		inside, sso bool
		used        bool
	}
	places, err := engine.Many(ctx, r, func(s engine.Scanner) (p place, err error) {
		p.viewer.User = by.User
		err = s.Scan(&p.space, &p.viewer.Org, &p.viewer.Role, &p.inside, &p.sso, &p.used)
		return p, err
	}, `SELECT s.id, s.org_id, COALESCE(m.role, ''), m.user_id IS NOT NULL, o.sso, COALESCE(m.last_seen_at, 0) > 0
		FROM (SELECT DISTINCT space_id FROM notices WHERE user_id = $1) n
		JOIN spaces s ON s.id = n.space_id
		JOIN organizations o ON o.id = s.org_id
		LEFT JOIN members m ON m.org_id = s.org_id AND m.user_id = $1 AND NOT m.disabled
			AND NOT EXISTS (SELECT 1 FROM organization_tokens x WHERE x.org_id = m.org_id AND x.token_id = $2 AND x.blocked_at > 0)
		ORDER BY s.id`, by.User, by.Token)
	if err != nil {
		return nil, err
	}
	var hidden []docs.SpaceID
	asked := map[Viewer][]docs.SpaceID{}
	for _, p := range places {
		elsewhere := by.Org != p.viewer.Org // as in authz.Checker
		switch {
		case !p.inside, by.Mail && !p.used, elsewhere && by.Org != "", elsewhere && by.Asked && p.sso && p.viewer.Role != docs.Admin:
			hidden = append(hidden, p.space)
		case p.viewer.Role != docs.Admin: // who sees all
			asked[p.viewer] = append(asked[p.viewer], p.space)
		}
	}
	for v, spaces := range asked {
		seen, err := r.visible(ctx, v, spaces)
		if err != nil {
			return nil, err
		}
		for _, id := range spaces {
			if !seen[id] {
				hidden = append(hidden, id)
			}
		}
	}
	return hidden, nil
}

// visible returns the spaces that a viewer sees.
func (r serverReads) visible(ctx context.Context, v Viewer, spaces []docs.SpaceID) (map[docs.SpaceID]bool, error) {
	list, args := among(spaces, append(v.args(), ""))
	ids, err := engine.Many(ctx, r, engine.ScanText[docs.SpaceID], ranksCTE+` SELECT s.id`+spacesFrom+` AND s.id IN `+list, args...)
	seen := map[docs.SpaceID]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	return seen, err
}

// AddNotice stores a notice, if the user has none of that event.
func (tx serverWrites) AddNotice(ctx context.Context, n docs.Notice) error {
	return engine.Put(ctx, tx, `
		INSERT INTO notices (user_id, id, kind, actor_id, space_id, change_request_id, comment_id, reply_id, at, read_at, mail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10) ON CONFLICT (user_id, id) DO NOTHING`,
		n.User, n.ID, n.Kind, n.Actor, n.Space, n.Request, n.Comment, n.Reply, n.At, n.Mail)
}

// TrimNotices deletes the oldest notices of a user in an organization if there are more than docs.MaxNotices.
// Other organizations are counted separately, so that activity in one does not displace notices of another.
func (tx serverWrites) TrimNotices(ctx context.Context, org docs.OrgID, user docs.UserID) error {
	return engine.Put(ctx, tx, `
		DELETE FROM notices WHERE user_id = $1 AND id <= (
			SELECT n.id FROM notices n JOIN spaces s ON s.id = n.space_id
			WHERE n.user_id = $1 AND s.org_id = $2 ORDER BY n.id DESC LIMIT 1 OFFSET $3 + 0)
		AND EXISTS (SELECT 1 FROM spaces s WHERE s.id = notices.space_id AND s.org_id = $2)`, user, org, docs.MaxNotices)
}

// DropOldNotices deletes at most limit notices that are older than a time.
func (tx serverWrites) DropOldNotices(ctx context.Context, before docs.Time, limit int) (int64, error) {
	return engine.Exec(ctx, tx, `
		DELETE FROM notices WHERE (user_id, id) IN (
			SELECT user_id, id FROM notices WHERE at < $1 ORDER BY at LIMIT $2 + 0)`, before, limit)
}

// ReadNotices marks notices of a user as read at a moment, or as unread again if it is zero.
// The caller has found that the user may see them.
func (tx serverWrites) ReadNotices(ctx context.Context, user docs.UserID, ids []docs.NoticeID, at docs.Time) error {
	if len(ids) == 0 {
		return nil
	}
	list, args := among(ids, []any{user, at})
	return engine.Put(ctx, tx, `UPDATE notices SET read_at = $2 WHERE user_id = $1 AND id IN `+list, args...)
}

// MailWaiting returns the newest notices for which mails have to be sent to a user, oldest first.
func (r serverReads) MailWaiting(ctx context.Context, user docs.UserID, by docs.Channel) ([]docs.NoticeID, error) {
	ids, err := engine.Many(ctx, r, engine.ScanText[docs.NoticeID], `
		SELECT id FROM notices WHERE user_id = $1 AND mail <> '' AND mail = $2 ORDER BY id DESC LIMIT $3 + 0`, user, by, docs.MaxNotices)
	slices.Sort(ids)
	return ids, err
}

// MarkMailed marks notices as sent, so that no mail is sent for them any more.
func (tx serverWrites) MarkMailed(ctx context.Context, user docs.UserID, ids []docs.NoticeID) error {
	if len(ids) == 0 {
		return nil
	}
	list, args := among(ids, []any{user})
	return engine.Put(ctx, tx, `UPDATE notices SET mail = '' WHERE user_id = $1 AND id IN `+list, args...)
}

// Addressee is a user who may get notices, with the notification settings.
type Addressee struct {
	User     docs.UserID
	Settings docs.Notifications
}

// Addressees returns the users that are enabled members of an organization.
func (r serverReads) Addressees(ctx context.Context, org docs.OrgID, users []docs.UserID) ([]Addressee, error) {
	if len(users) == 0 {
		return nil, nil
	}
	list, args := among(users, []any{org})
	return engine.Many(ctx, r, func(s engine.Scanner) (a Addressee, err error) {
		a.Settings.Digest = docs.DefaultDigest
		err = s.Scan(&a.User, inJSON{&a.Settings})
		return a, err
	}, `SELECT m.user_id, COALESCE(n.settings, '') FROM members m JOIN users u ON u.id = m.user_id LEFT JOIN notification_settings n ON n.user_id = m.user_id
		WHERE m.org_id = $1 AND NOT m.disabled AND u.kind = '' AND m.user_id IN `+list+` ORDER BY m.user_id`, args...)
}

// Notifications returns the notification settings of a user, and when the last mail about notices was sent.
func (r serverReads) Notifications(ctx context.Context, user docs.UserID) (docs.Notifications, docs.Time, error) {
	out := docs.Notifications{Digest: docs.DefaultDigest}
	mailed, err := engine.One(ctx, r, "settings", func(s engine.Scanner) (at docs.Time, err error) {
		err = s.Scan(inJSON{&out}, &at)
		return at, err
	}, `SELECT settings, mailed_at FROM notification_settings WHERE user_id = $1`, user)
	if errs.Is(err, errs.NotFound) {
		return out, 0, nil
	}
	return out, mailed, err
}

// PutNotifications stores the notification settings of a user.
func (tx serverWrites) PutNotifications(ctx context.Context, user docs.UserID, n docs.Notifications) error {
	return engine.Put(ctx, tx, `
		INSERT INTO notification_settings (user_id, settings, mailed_at) VALUES ($1, $2, 0)
		ON CONFLICT (user_id) DO UPDATE SET settings = excluded.settings`, user, toJSON(n))
}

// SetMailedAt notes when a mail about notices was sent to a user.
func (tx serverWrites) SetMailedAt(ctx context.Context, user docs.UserID) error {
	return engine.Put(ctx, tx, `
		INSERT INTO notification_settings (user_id, settings, mailed_at) VALUES ($1, '', $2)
		ON CONFLICT (user_id) DO UPDATE SET mailed_at = excluded.mailed_at`, user, tx.Now())
}

// AuditRow returns a line of the log of an organization.
func (r serverReads) AuditRow(ctx context.Context, org docs.OrgID, id string) (AuditRow, error) {
	return engine.One(ctx, r, "event", scanAudit, `
		SELECT id, at, org_id, actor_id, token_id, request_id, action, subject_kind, subject_id, data
		FROM audit WHERE org_id = $1 AND id = $2`, org, id)
}
