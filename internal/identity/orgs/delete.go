package orgs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
)

// PurgeJob is the kind of the job that permanently removes a deleted organization.
const PurgeJob = "organization.purge"

type purge struct {
	Org docs.OrgID
}

// PurgedAction is the action of the report in the audit log of the instance, which has
// the number of removed rows of each table.
const PurgedAction = "organization.purged"

// deleteOrg marks an organization as deleted, so that nobody can access it any more, and
// schedules its purge after a week.
func deleteOrg(ctx context.Context, tx *store.Tx, by authz.Actor, id docs.OrgID) error {
	o, err := tx.Organization(ctx, id)
	if err != nil {
		return err
	}
	if err := audit.Record(ctx, tx, by, orgEvent(o, "delete")); err != nil {
		return err
	}
	if err := tx.SetOrganizationDeleted(ctx, id, tx.Now(), by.User); err != nil {
		return err
	}
	return jobs.Enqueue(ctx, tx, jobs.Job{Kind: PurgeJob, Key: string(id), Payload: purge{id}, RunAt: tx.Now().Add(docs.TrashRetention)})
}

func orgEvent(o docs.Organization, action string) audit.Event {
	return audit.Event{Org: o.ID, Action: "organization." + action, Kind: "organization", ID: string(o.ID), Data: map[string]any{"title": o.Title}}
}

// restoreOrg restores an organization that was deleted less than a week ago.
func restoreOrg(ctx context.Context, tx *store.Tx, by authz.Actor, id docs.OrgID) (docs.Organization, error) {
	v, err := tx.AnyOrganization(ctx, id)
	switch {
	case err != nil:
		return v.Org, err
	case v.DeletedAt.IsZero():
		return v.Org, errs.E(errs.Conflict, "the organization is not deleted; nothing would change")
	case tx.Now() >= v.DeletedAt.Add(docs.TrashRetention):
		return v.Org, errs.E(errs.NotFound, "organization not found; deleted organizations are kept for 7 days")
	}
	if err := tx.SetOrganizationDeleted(ctx, id, 0, ""); err != nil {
		return v.Org, err
	}
	if _, err := tx.DropJob(ctx, PurgeJob, string(id)); err != nil {
		return v.Org, err
	}
	return v.Org, audit.Record(ctx, tx, by, orgEvent(v.Org, "restore"))
}

// Delete marks the organization of a grant as deleted, so that nobody can access it any
// more. It is purged after a week.
func (s *Organizations) Delete(ctx context.Context, g *authz.Grant) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error { return deleteOrg(ctx, tx, g.Actor, g.Access.Org) })
}

// Deleted lists the deleted organizations that the caller administers and can restore.
func (s *Organizations) Deleted(g *authz.Grant) store.List[store.AnyOrg] {
	since := restorableSince(docs.TimeOf(s.store.Clock()))
	return store.List[store.AnyOrg]{
		Page: func(ctx context.Context, p store.Page) ([]store.AnyOrg, store.Key, error) {
			return s.store.DeletedOrganizations(ctx, caller(g), since, p)
		},
		Count: func(ctx context.Context) (int64, error) {
			return s.store.CountDeletedOrganizations(ctx, caller(g), since)
		},
	}
}

// restorableSince returns the earliest time of deletion of organizations that can still
// be restored.
func restorableSince(now docs.Time) docs.Time { return now.Add(-docs.TrashRetention) }

// Restore restores a deleted organization of which the caller is an admin. For others it
// returns NotFound.
func (s *Organizations) Restore(ctx context.Context, g *authz.Grant, id docs.OrgID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
		_, err := tx.DeletedOrganization(ctx, caller(g), restorableSince(tx.Now()), id)
		if err == nil {
			_, err = restoreOrg(ctx, tx, g.Actor, id)
		}
		return err
	})
}

// Limits of what one transaction of a purge removes: sites or spaces, and rows of the
// audit log.
const (
	purgeThings = 20
	purgeLines  = 5_000
)

// Purge is the handler of PurgeJob. It permanently removes an organization if it is still
// deleted and can no longer be restored: first its sites, then its spaces, its audit log
// and everything else. A retry after a failure continues with what remains.
func (s *Organizations) Purge(ctx context.Context, payload []byte) error {
	var p purge
	if err := json.Unmarshal(payload, &p); err != nil {
		return fmt.Errorf("purge: %w", err)
	}
	o, err := s.store.AnyOrganization(ctx, p.Org)
	switch now := docs.TimeOf(s.store.Clock()); {
	case errs.Is(err, errs.NotFound):
		return nil
	case err != nil:
		return err
	case o.DeletedAt.IsZero() || now < o.DeletedAt.Add(docs.TrashRetention):
		return nil
	}
	report := map[string]int64{}
	for _, x := range []struct {
		name string
		step func(*store.Tx) (int64, error)
	}{
		{"sites", func(tx *store.Tx) (int64, error) { return purgeSites(ctx, tx, p.Org) }},
		{"spaces", func(tx *store.Tx) (int64, error) { return purgeSpaces(ctx, tx, p.Org) }},
		{"audit", func(tx *store.Tx) (int64, error) { return tx.PurgeAudit(ctx, p.Org, purgeLines) }},
	} {
		if err := s.purgeAll(ctx, report, x.name, x.step); err != nil {
			return err
		}
	}
	return s.purgeRest(ctx, o.Org, report)
}

// purgeAll repeats a step until it finds nothing, each time in its own transaction, and
// adds the number of removed rows to the report.
func (s *Organizations) purgeAll(ctx context.Context, report map[string]int64, name string, step func(*store.Tx) (int64, error)) error {
	for {
		n, err := store.InTx(ctx, s.store, step)
		if err != nil || n == 0 {
			return err
		}
		report[name] += n
	}
}

func purgeSites(ctx context.Context, tx *store.Tx, org docs.OrgID) (int64, error) {
	some, err := tx.SitesToPurge(ctx, org, purgeThings)
	for _, site := range some {
		if err == nil {
			err = tx.PurgeSite(ctx, site)
		}
	}
	return int64(len(some)), err
}

func purgeSpaces(ctx context.Context, tx *store.Tx, org docs.OrgID) (int64, error) {
	some, err := tx.SpacesToPurge(ctx, org, purgeThings)
	for _, sp := range some {
		if err == nil {
			err = tx.PurgeSpace(ctx, sp)
		}
		if err == nil {
			err = tx.DropJobsAbout(ctx, string(sp.ID), PurgeJob)
		}
	}
	return int64(len(some)), err
}

// purgeRest removes what belongs neither to a site nor to a space, and records the report
// in the audit log.
func (s *Organizations) purgeRest(ctx context.Context, o docs.Organization, before map[string]int64) error {
	return s.store.Do(ctx, func(tx *store.Tx) error {
		report := maps.Clone(before)
		removed, err := tx.PurgeOrganization(ctx, o.ID)
		if err != nil {
			return err
		}
		for table, n := range removed {
			report[table] += n
		}
		if err := tx.DropJobsAbout(ctx, string(o.ID), PurgeJob); err != nil {
			return err
		}
		return audit.Record(ctx, tx, authz.System, audit.Event{
			Action: PurgedAction, Kind: "organization", ID: string(o.ID), Data: map[string]any{"title": o.Title, "rows": report},
		})
	})
}
