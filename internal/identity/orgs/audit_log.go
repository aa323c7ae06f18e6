package orgs

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Audit lists the events of the audit log of an organization, newest first.
func (s *Service) Audit(org docs.OrgID, f store.AuditFilter) store.List[store.AuditRow] {
	return store.List[store.AuditRow]{Page: func(ctx context.Context, p store.Page) ([]store.AuditRow, store.Key, error) {
		return s.Store.Audit(ctx, org, f, p)
	}}
}

// AuditEvent returns the event of the audit log with a UUID of docs.UUID.
func (s *Service) AuditEvent(ctx context.Context, org docs.OrgID, uuid string) (store.AuditRow, error) {
	prefix, ok := docs.UUIDPrefix(strings.ToLower(uuid))
	if !ok {
		return store.AuditRow{}, errs.Missing("audit event")
	}
	rows, err := s.Store.AuditEvents(ctx, org, prefix)
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

// AuditActions returns the actions of the newest events of the audit log.
func (s *Service) AuditActions(ctx context.Context, org docs.OrgID) ([]string, error) {
	return s.Store.AuditActions(ctx, org)
}
