package orgs

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// AuditLog is the audit log of organizations.
type AuditLog struct{ store *store.Store }

// List lists the events of the audit log of an organization, newest first.
func (s *AuditLog) List(org docs.OrgID, f store.AuditFilter) store.List[store.AuditRow] {
	return store.List[store.AuditRow]{Page: func(ctx context.Context, p store.Page) ([]store.AuditRow, store.Key, error) {
		return s.store.Audit(ctx, org, f, p)
	}}
}

// Event returns the event of the audit log with a UUID of docs.UUID.
func (s *AuditLog) Event(ctx context.Context, org docs.OrgID, uuid string) (store.AuditRow, error) {
	prefix, ok := docs.UUIDPrefix(strings.ToLower(uuid))
	if !ok {
		return store.AuditRow{}, errs.Missing("audit event")
	}
	rows, err := s.store.AuditEvents(ctx, org, prefix)
	if err != nil {
		return store.AuditRow{}, err
	}
	for _, r := range rows {
		if docs.UUID(r.ID) == strings.ToLower(uuid) {
			return r, nil
		}
	}
	return store.AuditRow{}, errs.Missing("audit event")
}

// Actions returns the actions of the newest events of the audit log.
func (s *AuditLog) Actions(ctx context.Context, org docs.OrgID) ([]string, error) {
	return s.store.AuditActions(ctx, org)
}
