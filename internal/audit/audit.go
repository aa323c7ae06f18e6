// Package audit records who did what. A record is written in the transaction of its change. The same
// transaction writes the event for webhooks and, if the change concerns other users, the job that
// notifies them. So there is never one without the others.
package audit

import (
	"context"
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Event describes a change. Data holds details for readers of the log; it must not contain secrets.
type Event struct {
	Org    docs.OrgID
	Action string // noun.verb, such as "space.delete"
	Kind   string // of the subject
	ID     string // of the subject
	Data   map[string]any
}

// Record writes an event to the audit log.
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

// RecordFirstUse records the first use of a service account's token on a day, or the first use of a
// member's session in the organization. An organization learns what users and service accounts do
// in it, but nothing of what they do elsewhere.
func RecordFirstUse(ctx context.Context, tx *store.Tx, u store.FirstUse) error {
	e := Event{Org: u.Org, Action: "token.use", Kind: "token", ID: string(u.Token), Data: map[string]any{"address": u.Address}}
	if u.Method != "" {
		e.Action, e.Kind, e.Data["method"] = "session.use", "session", u.Method
	}
	return Record(ctx, tx, authz.Actor{User: u.User, Token: u.Token}, e)
}

// NoticeJob turns an event into notices for users (package inbox). It is a job and not part of the
// transaction of the change, which would otherwise write as many rows as there are users.
const NoticeJob = "inbox.notices"

// NoticePayload is the payload of NoticeJob.
type NoticePayload struct {
	Org docs.OrgID
	ID  string
}

// personal lists the actions that may concern users other than the actor.
var personal = map[string]bool{
	"change_request.update": true, "change_request.request_review": true, "change_request.review": true, "change_request.merge": true, "change_request.bring_up_to_date": true,
	"comment.post": true, "comment.edit": true, "comment-reply.post": true, "comment-reply.edit": true,
}
