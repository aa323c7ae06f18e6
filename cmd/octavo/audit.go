package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// auditCmd prints the audit log of an organization or of the instance. Only the operator
// can read the log of the instance.
type auditCmd struct {
	storeFlags
	Organization string    `help:"Log of this organization; that of the instance without it." placeholder:"ID"`
	Action       string    `help:"Only this action, such as session.refuse." placeholder:"ACTION"`
	Actor        string    `help:"Only what this user did." placeholder:"ID"`
	Subject      string    `help:"Only what was done to the thing with this id." placeholder:"ID"`
	From         time.Time `help:"Only lines of this moment and later, such as 2026-01-31T08:00:00Z." placeholder:"TIME"`
	Until        time.Time `help:"Only lines before this moment." placeholder:"TIME"`
}

// auditLine is an entry of the audit log in the output of the command.
type auditLine struct {
	ID      string          `json:"id"`
	At      docs.Time       `json:"at"`
	Actor   docs.UserID     `json:"actor"`
	Token   docs.TokenID    `json:"token,omitempty"`
	Request string          `json:"request,omitempty"`
	Action  string          `json:"action"`
	Kind    string          `json:"subjectKind"`
	Subject string          `json:"subject"`
	Data    json.RawMessage `json:"data"`
}

func (c *auditCmd) Run(ctx context.Context, s streams) error {
	f := store.AuditFilter{Actor: docs.UserID(c.Actor), Action: c.Action, SubjectID: c.Subject}
	if !c.From.IsZero() {
		f.From = docs.TimeOf(c.From)
	}
	if !c.Until.IsZero() {
		f.Until = docs.TimeOf(c.Until)
	}
	out := json.NewEncoder(s.out)
	return c.with(ctx, func(sv *services.Services) error {
		for p := (store.Page{Limit: 1000}); ; {
			rows, next, err := sv.Store.Audit(ctx, docs.OrgID(c.Organization), f, p)
			if err != nil {
				return err
			}
			for _, r := range rows {
				line := auditLine{r.ID, r.At, r.Actor, r.Token, r.Request, r.Action, r.SubjectKind, r.SubjectID, json.RawMessage(r.Data)}
				if err := out.Encode(line); err != nil {
					return err
				}
			}
			if len(next) == 0 {
				return nil
			}
			p.After = next
		}
	})
}
