package inbox

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// peopleAtOnce is the number of users for whom one transaction writes notices.
const peopleAtOnce = 100

// Notify is the handler of audit.NoticeJob. It writes a notice for every user whom an event
// concerns. It is idempotent.
func (s *Service) Notify(ctx context.Context, payload []byte) error {
	var p audit.NoticePayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	row, err := s.Store.AuditRow(ctx, p.Org, p.ID)
	if err == nil {
		var e event
		if e, err = read(ctx, s.Store.Reader, row); err == nil {
			return s.notify(ctx, e)
		}
	}
	if errs.Is(err, errs.NotFound) {
		return nil // the subject of the event was deleted
	}
	return err
}

// event is an event with the users to notify.
type event struct {
	org    docs.OrgID
	notice docs.Notice // without user and kind
	users  []docs.UserID
	kinds  map[docs.UserID]docs.NoticeKind
}

// add adds users, except the actor of the event. A user who was added before keeps their kind.
func (e *event) add(k docs.NoticeKind, users ...docs.UserID) {
	for _, u := range users {
		if _, known := e.kinds[u]; !known && u != "" && u != e.notice.Actor {
			e.users = append(e.users, u)
			e.kinds[u] = k
		}
	}
}

// recorded holds the fields of an event's data that are used here.
type recorded struct {
	Space     docs.SpaceID
	Request   docs.ChangeRequestID `json:"changeRequest"`
	Comment   docs.CommentID
	Users     []docs.UserID
	Mentions  []docs.UserID
	Conflicts int
}

// read returns an event with the users whom it concerns.
func read(ctx context.Context, r store.Reader, row store.AuditRow) (event, error) {
	var d recorded
	e := event{org: row.Org, kinds: map[docs.UserID]docs.NoticeKind{}}
	if err := json.Unmarshal([]byte(row.Data), &d); err != nil {
		return e, err
	}
	e.notice = docs.Notice{ID: docs.NoticeID(row.ID), Actor: row.Actor, Space: d.Space, Request: d.Request, Comment: d.Comment, At: row.At}
	n := &e.notice
	switch row.SubjectKind {
	case "change-request":
		n.Request = docs.ChangeRequestID(row.SubjectID)
	case "comment":
		n.Comment = docs.CommentID(row.SubjectID)
	case "comment-reply":
		n.Reply = docs.ReplyID(row.SubjectID)
	}
	if row.Action == "change_request.request_review" {
		e.add(docs.NoticeReviewRequested, d.Users...) // before mentions: a request asks for more
	}
	e.add(docs.NoticeMentioned, d.Mentions...)
	var author docs.UserID // of the change request
	if n.Request != "" {
		cr, err := r.ChangeRequest(ctx, n.Space, string(n.Request))
		if err != nil {
			return e, err
		}
		author = cr.CreatedBy.ID
	}
	switch row.Action {
	case "change_request.review":
		e.add(docs.NoticeReviewed, author)
	case "change_request.merge":
		e.add(docs.NoticeMerged, author)
	case "change_request.bring_up_to_date":
		if d.Conflicts > 0 {
			e.add(docs.NoticeConflicted, author)
		}
	case "comment.post", "comment-reply.post":
		return e, e.addTalk(ctx, r, author)
	}
	return e, nil
}

// addTalk adds the participants of a discussion, and the author of the change request that it is
// about.
func (e *event) addTalk(ctx context.Context, r store.Reader, author docs.UserID) error {
	n := e.notice
	c, err := r.Comment(ctx, docs.Discussion{Space: n.Space, Request: n.Request}, n.Comment)
	if err != nil {
		return err
	}
	if n.Reply != "" {
		e.add(docs.NoticeReplied, c.PostedBy.ID)
		for _, by := range c.Repliers {
			e.add(docs.NoticeReplied, by.User.ID)
		}
	}
	if n.Reply != "" || c.Target.Review == "" { // a comment of a review has a notice of the review already
		e.add(docs.NoticeCommented, author)
	}
	return nil
}

// notify writes the notices of an event.
func (s *Service) notify(ctx context.Context, e event) error {
	for some := range slices.Chunk(e.users, peopleAtOnce) {
		err := s.Store.Do(ctx, func(tx *store.Tx) error {
			people, err := tx.Addressees(ctx, e.org, some)
			if err != nil {
				return err
			}
			for _, p := range people {
				if err := e.addNotice(ctx, tx, p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// addNotice writes the notice of one user and schedules its mail.
func (e event) addNotice(ctx context.Context, tx *store.Tx, p store.Addressee) error {
	n := e.notice
	n.User, n.Kind = p.User, e.kinds[p.User]
	by := p.Settings.By(n.Kind)
	if by == docs.ChannelOff {
		return nil
	}
	if by.Mails() {
		n.Mail = by
		if err := schedule(ctx, tx, p.User, by, p.Settings); err != nil {
			return err
		}
	}
	if err := tx.AddNotice(ctx, n); err != nil {
		return err
	}
	return tx.TrimNotices(ctx, e.org, p.User)
}
