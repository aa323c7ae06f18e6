// Package audit records who did what. A record is written in the transaction
// of the change it reports of, together with the event for subscribers and, if
// it concerns somebody, the job that notifies people: there is never one
// without the other.
package audit

import (
	"context"
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Event is a change as others see it. Data holds what a reader of the log
// wants to know; it must not hold secrets.
type Event struct {
	Org    docs.OrgID
	Action string // noun.verb, such as "space.delete"
	Kind   string // of the subject
	ID     string // of the subject
	Data   map[string]any
}

// Record writes an event.
func Record(ctx context.Context, tx *store.Tx, by authz.Actor, e Event) error {
	data := []byte("{}")
	if len(e.Data) > 0 {
		var err error
		if data, err = json.Marshal(e.Data); err != nil {
			return err
		}
	}
	id, err := tx.AddAudit(ctx, store.AuditRow{
		Org: e.Org, Actor: by.User, Token: by.Token, Request: by.Request,
		Action: e.Action, SubjectKind: e.Kind, SubjectID: e.ID, Data: string(data),
	})
	if err != nil || !personal[e.Action] {
		return err
	}
	payload, err := json.Marshal(NoticePayload{e.Org, id})
	if err != nil {
		return err
	}
	return tx.AddJob(ctx, store.Job{Kind: NoticeJob, Key: id, Payload: string(payload)})
}

// RecordFirstUse records that a service account uses a token for the first time on a day, or that a session of a member
// is used in the organization for the first time. An organization learns of people and machines what they
// do in it, and nothing of what they do elsewhere.
func RecordFirstUse(ctx context.Context, tx *store.Tx, u store.FirstUse) error {
	e := Event{Org: u.Org, Action: "token.use", Kind: "token", ID: string(u.Token), Data: map[string]any{"address": u.Address}}
	if u.Method != "" {
		e.Action, e.Kind, e.Data["method"] = "session.use", "session", u.Method
	}
	return Record(ctx, tx, authz.Actor{User: u.User, Token: u.Token}, e)
}

// NoticeJob turns an event into notices for people (package inbox). It is not done in
// the transaction of the change, which would wait for as many rows as there are
// people.
const NoticeJob = "inbox.notices"

// NoticePayload is the payload of NoticeJob.
type NoticePayload struct {
	Org docs.OrgID
	ID  string
}

// personal are the actions that may concern somebody besides the actor.
var personal = map[string]bool{
	"change_request.update": true, "change_request.request_review": true, "change_request.review": true, "change_request.merge": true, "change_request.bring_up_to_date": true,
	"comment.post": true, "comment.edit": true, "comment-reply.post": true, "comment-reply.edit": true,
}
