package store

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// inPresentOrg is true of a row with an org_id whose organization is not deleted.
func inPresentOrg(alias string) string {
	return `NOT EXISTS (SELECT 1 FROM organizations d WHERE d.id = ` + alias + `.org_id AND d.deleted_at > 0)`
}

// AnyOrg is an organization as the operator sees it, deleted or not.
type AnyOrg struct {
	Org       docs.Organization
	Members   int64 // people
	Spaces    int64
	Sites     int64
	DeletedAt docs.Time // zero: it is not deleted
	DeletedBy docs.UserID
}

const anyOrgColumns = orgColumns + `,
	(SELECT COUNT(*) FROM members m JOIN users u ON u.id = m.user_id WHERE m.org_id = o.id AND u.kind = ''),
	(SELECT COUNT(*) FROM spaces s WHERE s.org_id = o.id), (SELECT COUNT(*) FROM sites w WHERE w.org_id = o.id), o.deleted_at, o.deleted_by`

func scanAnyOrg(s engine.Scanner) (out AnyOrg, err error) {
	var v orgRow
	if err = s.Scan(append(v.dest(), &out.Members, &out.Spaces, &out.Sites, &out.DeletedAt, &out.DeletedBy)...); err != nil {
		return out, err
	}
	out.Org, err = v.done()
	return out, err
}

// AnyOrganization returns an organization, deleted or not.
func (r orgReads) AnyOrganization(ctx context.Context, id docs.OrgID) (AnyOrg, error) {
	return engine.One(ctx, r, "organization", scanAnyOrg, `SELECT `+anyOrgColumns+` FROM organizations o WHERE o.id = $1`, id)
}

// AnyOrganizations lists all organizations of the instance, or only those that are deleted, oldest first.
func (r orgReads) AnyOrganizations(ctx context.Context, deleted bool, p Page) ([]AnyOrg, Key, error) {
	items, err := engine.Many(ctx, r, scanAnyOrg, `
		SELECT `+anyOrgColumns+` FROM organizations o WHERE o.id > $1 AND (o.deleted_at > 0 OR NOT $2) ORDER BY o.id LIMIT $3 + 0`, p.Text(0), deleted, p.Ask())
	items, next := engine.Cut(p, items, func(o AnyOrg) Key { return Key{string(o.Org.ID)} })
	return items, next, err
}

// deletedFor selects the deleted organizations that the user of $1 administered when they were
// deleted: members of a deleted organization do not change. The token of $3 must be one that the
// organization accepted.
const deletedFor = ` FROM organizations o JOIN members m ON m.org_id = o.id
	WHERE m.user_id = $1 AND m.role = 'admin' AND NOT m.disabled AND ` + acceptsCaller + ` AND o.deleted_at > $4`

// DeletedOrganizations lists the organizations that a caller administers and that were deleted since a time, oldest first.
func (r orgReads) DeletedOrganizations(ctx context.Context, admin Caller, since docs.Time, p Page) ([]AnyOrg, Key, error) {
	items, err := engine.Many(ctx, r, scanAnyOrg, `SELECT `+anyOrgColumns+deletedFor+` AND o.id > $5 ORDER BY o.id LIMIT $6 + 0`,
		admin.User, admin.Org, admin.Token, since, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(o AnyOrg) Key { return Key{string(o.Org.ID)} })
	return items, next, err
}

// CountDeletedOrganizations counts what DeletedOrganizations lists.
func (r orgReads) CountDeletedOrganizations(ctx context.Context, admin Caller, since docs.Time) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*)`+deletedFor, admin.User, admin.Org, admin.Token, since)
}

// DeletedOrganization returns one of DeletedOrganizations.
func (r orgReads) DeletedOrganization(ctx context.Context, admin Caller, since docs.Time, id docs.OrgID) (AnyOrg, error) {
	return engine.One(ctx, r, "organization", scanAnyOrg, `SELECT `+anyOrgColumns+deletedFor+` AND o.id = $5`, admin.User, admin.Org, admin.Token, since, id)
}

// SetOrganizationDeleted marks an organization as deleted at a time, or as restored if at is 0. Its sites get new versions,
// so that their cached data is not used any more.
func (tx orgWrites) SetOrganizationDeleted(ctx context.Context, id docs.OrgID, at docs.Time, by docs.UserID) error {
	if err := engine.Put(ctx, tx, `UPDATE organizations SET deleted_at = $2, deleted_by = $3 WHERE id = $1`, id, at, by); err != nil {
		return err
	}
	if err := engine.Put(ctx, tx, `UPDATE sites SET version = version + 1 WHERE org_id = $1`, id); err != nil {
		return err
	}
	return bumpAccess(ctx, tx, id)
}

// InDeletedOrganization reports whether a space exists, but its organization is deleted.
func (r orgReads) InDeletedOrganization(ctx context.Context, id docs.SpaceID) (bool, error) {
	n, err := engine.One(ctx, r, "count", engine.ScanInt, `
		SELECT COUNT(*) FROM spaces s JOIN organizations o ON o.id = s.org_id WHERE s.id = $1 AND o.deleted_at > 0`, id)
	return n > 0, err
}

// SpacesToPurge returns some spaces of an organization, including those in the trash.
func (r orgReads) SpacesToPurge(ctx context.Context, org docs.OrgID, limit int) ([]docs.Space, error) {
	return engine.Many(ctx, r, scanSpace, `SELECT `+spaceColumns+` FROM spaces s WHERE s.org_id = $1 ORDER BY s.id LIMIT $2 + 0`, org, limit)
}

// PurgeAudit removes some lines of the log of an organization and reports how many.
func (tx orgWrites) PurgeAudit(ctx context.Context, org docs.OrgID, limit int) (int64, error) {
	return engine.Exec(ctx, tx, `DELETE FROM audit WHERE org_id = $1 AND id IN (SELECT x.id FROM audit x WHERE x.org_id = $1 ORDER BY x.id LIMIT $2 + 0)`, org, limit)
}

// DropJobsAbout deletes the jobs about an id, except those of one kind.
func (tx orgWrites) DropJobsAbout(ctx context.Context, id, keep string) error {
	return engine.Put(ctx, tx, `DELETE FROM jobs WHERE kind <> $2 AND every_ms = 0 AND (REPLACE(key, $1, '') <> key OR REPLACE(payload, $1, '') <> payload)`, id, keep)
}

// ofOrg selects the rows that belong to an organization through another table.
var ofOrg = []struct{ table, where string }{
	{"saml_logins", `provider_id IN (SELECT id FROM saml_providers WHERE org_id = $1)`},
	{"saml_assertions", `provider_id IN (SELECT id FROM saml_providers WHERE org_id = $1)`},
	{"oidc_flows", `provider IN (SELECT id FROM oidc_providers WHERE org_id = $1)`},
	{"webhook_deliveries", `webhook_id IN (SELECT id FROM webhooks WHERE org_id = $1)`},
	{"openapi_versions", `spec_id IN (SELECT id FROM openapi_specs WHERE org_id = $1)`},
	{"team_members", `team_id IN (SELECT id FROM teams WHERE org_id = $1)`},
}

// PurgeOrganization deletes an organization that has no sites and spaces any more, and all its rows in other tables.
// It returns the number of deleted rows of each table.
func (tx orgWrites) PurgeOrganization(ctx context.Context, org docs.OrgID) (map[string]int64, error) {
	removed := map[string]int64{}
	drop := func(table, where string) error {
		n, err := engine.Exec(ctx, tx, `DELETE FROM `+table+` WHERE `+where, org)
		count(removed, table, n)
		return err
	}
	for _, x := range ofOrg {
		if err := drop(x.table, x.where); err != nil {
			return nil, err
		}
	}
	machines, err := engine.Many(ctx, tx, engine.ScanText[docs.UserID], `
		SELECT u.id FROM users u WHERE u.kind = 'service' AND (u.id IN (SELECT user_id FROM members WHERE org_id = $1)
			OR u.id IN (SELECT user_id FROM removals WHERE org_id = $1)) ORDER BY u.id`, org)
	if err != nil {
		return nil, err
	}
	tables, err := tx.Tables(ctx)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, t := range tables {
		has[t.Name] = slices.ContainsFunc(t.Columns, func(c engine.Column) bool { return c.Name == "org_id" })
	}
	order := engine.TableOrder() // tables refer to earlier ones, so rows are deleted from the end
	for _, table := range slices.Backward(order) {
		if has[table] {
			if err := drop(table, `org_id = $1`); err != nil {
				return nil, err
			}
		}
	}
	if err := drop("organizations", `id = $1`); err != nil {
		return nil, err
	}
	for _, id := range machines { // no row refers to service accounts any more
		if err := engine.Put(ctx, tx, `DELETE FROM tokens WHERE user_id = $1`, id); err != nil {
			return nil, err
		}
		if err := engine.Put(ctx, tx, `DELETE FROM users WHERE id = $1`, id); err != nil {
			return nil, err
		}
	}
	count(removed, "users", int64(len(machines)))
	return removed, bumpAuth(ctx, tx, 1, nil)
}
