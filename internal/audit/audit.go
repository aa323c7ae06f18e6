// Package audit records who did what. A record is written in the transaction
// of the change it reports of, together with the event for subscribers: there
// is never one without the other.
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
	return tx.AddAudit(ctx, store.AuditRow{
		Org: e.Org, Actor: by.User, Token: by.Token, Request: by.Request,
		Action: e.Action, SubjectKind: e.Kind, SubjectID: e.ID, Data: string(data),
	})
}
