package orgs

import (
	"context"
	"maps"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// maxUsedSpaces is the maximum number of spaces in Usage.
const maxUsedSpaces = 50

// Usage is the usage and the quotas of an organization.
type Usage struct {
	Org    docs.OrgID
	Used   docs.Usage
	Quotas docs.Quotas
	Spaces []store.UsedBySpace // spaces with quotas of their own, then the largest ones
}

// Usage returns the usage and the quotas of an organization.
func (s *Service) Usage(ctx context.Context, org docs.OrgID) (out Usage, err error) {
	out.Org = org
	if out.Used, err = s.Store.OrgUsage(ctx, org, docs.TimeOf(s.Store.Clock())); err != nil {
		return out, err
	}
	if out.Quotas, err = s.Store.Quotas(ctx, org); err != nil {
		return out, err
	}
	out.Spaces, err = s.Store.LargestSpaces(ctx, org, maxUsedSpaces)
	return out, err
}

// SetQuotasByOperator changes the quotas of an organization, or of one of its spaces, for
// the command line. The quotas in unlimited are removed.
func (s *Service) SetQuotasByOperator(ctx context.Context, org docs.OrgID, space docs.SpaceID, set docs.Quotas, unlimited []docs.Quota) error {
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		o, err := tx.Organization(ctx, org)
		if err != nil {
			return err
		}
		event := audit.Event{Org: org, Action: "organization.quota", Kind: "organization", ID: string(org)}
		var was docs.Quotas
		if space == "" {
			was, err = tx.Quotas(ctx, o.ID)
		} else {
			var sp store.Stamped[docs.Space]
			if sp, err = tx.Space(ctx, space); err == nil && sp.It.Org != org {
				err = errs.Missing("space")
			}
			if err != nil {
				return err
			}
			event.Action, event.Kind, event.ID = "space.quota", "space", string(space)
			was, err = tx.SpaceQuotas(ctx, space)
		}
		if err != nil {
			return err
		}
		now := changed(was, set, unlimited)
		event.Data = map[string]any{"before": was, "quotas": now}
		if err := audit.Record(ctx, tx, authz.AtCommandLine(""), event); err != nil {
			return err
		}
		if space == "" {
			return tx.SetQuotas(ctx, org, now)
		}
		return tx.SetSpaceQuotas(ctx, space, now)
	})
}

// changed returns quotas with some set and others removed.
func changed(was, set docs.Quotas, unlimited []docs.Quota) docs.Quotas {
	now := docs.Quotas{}
	maps.Copy(now, was)
	maps.Copy(now, set)
	for _, of := range unlimited {
		delete(now, of)
	}
	return now
}
