package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const orgColumns = `o.id, o.title, COALESCE(o.hostname, ''), o.type, o.use_case, o.community_type, o.default_role,
	o.default_content, o.sso, o.ai, o.invite_links, o.merge_rules, o.logo_url, o.email_domains, o.plan, o.billing, o.trial,
	o.custom_hostname, o.blocked_source, o.blocked_reason, o.created_by, o.created_at, o.updated_at`

// orgRow is an organization with the columns that have to be decoded.
type orgRow struct {
	org                            docs.Organization
	rules, domains, billing, trial string
}

func (v *orgRow) dest() []any {
	o := &v.org
	return []any{
		&o.ID, &o.Title, &o.Hostname, &o.Type, &o.UseCase, &o.CommunityType, &o.DefaultRole,
		&o.DefaultContent, &o.SSO, &o.AI, &o.InviteLinks, &v.rules, &o.LogoURL, &v.domains, &o.Plan, &v.billing, &v.trial,
		&o.CustomHostname, &o.Blocked.Source, &o.Blocked.Reason, &o.CreatedBy, &o.CreatedAt, &o.UpdatedAt,
	}
}

func (v *orgRow) done() (docs.Organization, error) {
	v.org.EmailDomains = strings.Fields(v.domains)
	err := fromJSON(v.rules, &v.org.MergeRules)
	if err == nil {
		err = fromJSON(v.billing, &v.org.Billing)
	}
	if err == nil {
		err = fromJSON(v.trial, &v.org.Trial)
	}
	return v.org, err
}

func scanOrg(s engine.Scanner) (docs.Organization, error) {
	var v orgRow
	if err := s.Scan(v.dest()...); err != nil {
		return docs.Organization{}, err
	}
	return v.done()
}

func fromJSON(text string, v any) error { return json.Unmarshal([]byte(text), v) }

// toJSON encodes a value. It panics if the value cannot be encoded.
func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// inJSON scans a column of JSON into v. An empty column does not change v.
type inJSON struct{ v any }

// Scan implements sql.Scanner.
func (j inJSON) Scan(column any) error {
	text, ok := column.(string)
	if !ok {
		return fmt.Errorf("column of JSON is a %T", column)
	}
	if text == "" {
		return nil
	}
	return fromJSON(text, j.v)
}

// Stamped is a value and the Stamp that was read with it.
type Stamped[T any] struct {
	It    T
	Stamp Stamp
}

// Organization returns an organization by id. A deleted one is not found, and neither are the
// things that belong to it.
func (r orgReads) Organization(ctx context.Context, id docs.OrgID) (docs.Organization, error) {
	return engine.Cached(ctx, r, "organization", string(id), func(ctx context.Context) (docs.Organization, error) {
		return engine.One(ctx, r, "organization", scanOrg, `SELECT `+orgColumns+` FROM organizations o WHERE o.id = $1 AND o.deleted_at = 0`, id)
	})
}

// OrganizationStamp returns the stamp of an organization, which is enough to check permissions.
func (r orgReads) OrganizationStamp(ctx context.Context, id docs.OrgID) (Stamp, error) {
	return engine.Cached(ctx, r, "stamp", string(id), func(ctx context.Context) (Stamp, error) {
		return engine.One(ctx, r, "organization", func(s engine.Scanner) (v Stamp, err error) {
			err = s.Scan(&v.Access, &v.Auth)
			return v, err
		}, `SELECT o.access_version, i.auth_version FROM organizations o CROSS JOIN instance i WHERE o.id = $1 AND o.deleted_at = 0`, id)
	})
}

// OrgAccess is an organization and the access of a user to it, without grants.
type OrgAccess struct {
	Org    docs.Organization
	Access *docs.Access
}

// Caller is a user with a token, which may be valid for one organization only.
type Caller struct {
	User  docs.UserID
	Org   docs.OrgID // empty: valid for all
	Token docs.TokenID
}

// acceptsCaller is true of a row m of an organization that accepts the token of the caller of $2 and $3: the token is
// valid for the organization, and the organization has not blocked it. Everything that asks for the organizations of a
// person has this condition.
const acceptsCaller = `($2 = '' OR m.org_id = $2)
	AND NOT EXISTS (SELECT 1 FROM organization_tokens x WHERE x.org_id = m.org_id AND x.token_id = $3 AND x.blocked_at > 0)`

// callersOrgs is true of a membership m in which the caller of $1 to $3 has access.
const callersOrgs = `m.user_id = $1 AND NOT m.disabled AND ` + acceptsCaller + `
	AND NOT EXISTS (SELECT 1 FROM organizations d WHERE d.id = m.org_id AND d.deleted_at > 0)`

// asksProvider is true of a membership m in an organization o that asks the caller of $2 and $3 to
// sign in at its identity provider first, as in authz.Checker.
const asksProvider = `(o.sso AND $2 = '' AND $3 <> '' AND m.role <> 'admin')`

// OrganizationsOf lists the organizations in which the caller is an enabled member; if the token is
// valid for one only, that one. If an organization requires a sign-in at its identity provider first,
// only the fields that non-members may see are returned.
func (r orgReads) OrganizationsOf(ctx context.Context, by Caller, p Page) ([]OrgAccess, Key, error) {
	items, err := engine.Many(ctx, r, func(s engine.Scanner) (out OrgAccess, err error) {
		var v orgRow
		var owned docs.TeamID
		a := &docs.Access{User: by.User, Teams: map[docs.TeamID]docs.TeamRole{}}
		if err = s.Scan(append(v.dest(), &a.Role, &owned, &a.Member)...); err != nil {
			return out, err
		}
		if owned != "" {
			a.Teams[owned] = docs.TeamOwner
		}
		out.Org, err = v.done()
		a.Org, out.Access = out.Org.ID, a
		return out, err
	}, `SELECT `+orgColumns+`, m.role, COALESCE((
			SELECT MIN(t.id) FROM team_members tm JOIN teams t ON t.id = tm.team_id
			WHERE tm.user_id = m.user_id AND t.org_id = m.org_id AND tm.role = 'owner'), ''), NOT `+asksProvider+`
		FROM members m JOIN organizations o ON o.id = m.org_id
		WHERE `+callersOrgs+` AND m.org_id > $4
		ORDER BY m.org_id LIMIT $5 + 0`, by.User, by.Org, by.Token, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(o OrgAccess) Key { return Key{string(o.Org.ID)} })
	return items, next, err
}

// CountOrganizationsOf counts what OrganizationsOf lists.
func (r orgReads) CountOrganizationsOf(ctx context.Context, by Caller) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM members m WHERE `+callersOrgs, by.User, by.Org, by.Token)
}

// CountOrganizations counts the organizations that are not deleted.
func (r orgReads) CountOrganizations(ctx context.Context) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM organizations WHERE deleted_at = 0`)
}

// AcceptsCaller reports whether an organization, which is not deleted, accepts the token of a caller. The caller need not
// be a member of it.
func (r orgReads) AcceptsCaller(ctx context.Context, org docs.OrgID, by Caller) (bool, error) {
	n, err := engine.One(ctx, r, "count", engine.ScanInt, `
		SELECT COUNT(*) FROM (SELECT id AS org_id FROM organizations WHERE id = $1 AND deleted_at = 0) m WHERE `+acceptsCaller, org, by.Org, by.Token)
	return n > 0, err
}

// OrganizationsByDomain lists the organizations with an e-mail domain that accept the token of a caller. With each comes
// the access of the caller; if the organization requires a sign-in at its identity provider first, that of a non-member.
func (r orgReads) OrganizationsByDomain(ctx context.Context, by Caller, domain string) ([]OrgAccess, error) {
	orgs, err := engine.Many(ctx, r, scanOrg, `
		SELECT `+orgColumns+`
		FROM organization_domains m JOIN organizations o ON o.id = m.org_id
		WHERE m.domain = $1 AND o.deleted_at = 0 AND `+acceptsCaller+` ORDER BY o.id`, domain, by.Org, by.Token)
	if err != nil {
		return nil, err
	}
	out := make([]OrgAccess, len(orgs))
	for i, o := range orgs {
		a, err := r.Access(ctx, o.ID, by.User)
		if err != nil {
			return nil, err
		}
		out[i] = OrgAccess{Org: o, Access: a}
	}
	return out, nil
}

// OrganizationByHostname returns the organization with a hostname.
func (r orgReads) OrganizationByHostname(ctx context.Context, hostname string) (docs.Organization, error) {
	return engine.One(ctx, r, "subdomain", scanOrg, `SELECT `+orgColumns+` FROM organizations o WHERE o.hostname = $1 AND o.deleted_at = 0`, hostname)
}

// OrganizationByTitle returns the first organization with a title that a user
// administers. The command line uses it to find an organization that it created.
func (r orgReads) OrganizationByTitle(ctx context.Context, admin docs.UserID, title string) (docs.Organization, error) {
	return engine.One(ctx, r, "organization", scanOrg, `
		SELECT `+orgColumns+`
		FROM organizations o JOIN members m ON m.org_id = o.id
		WHERE m.user_id = $1 AND m.role = 'admin' AND o.title = $2 AND o.deleted_at = 0
		ORDER BY o.id LIMIT 1`, admin, title)
}

// AddOrganization stores a new organization.
func (tx orgWrites) AddOrganization(ctx context.Context, o docs.Organization) error {
	err := engine.Put(ctx, tx, `
		INSERT INTO organizations (id, title, hostname, type, use_case, community_type, default_role, default_content,
			sso, ai, invite_links, merge_rules, logo_url, email_domains, plan, billing, trial, custom_hostname,
			blocked_source, blocked_reason, access_version, created_by, created_at, updated_at)
		VALUES ($1, $2, NULLIF($3, ''), $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, 1, $21, $22, $23)`,
		o.ID, o.Title, o.Hostname, o.Type, o.UseCase, o.CommunityType, o.DefaultRole, o.DefaultContent,
		o.SSO, o.AI, o.InviteLinks, toJSON(o.MergeRules), o.LogoURL, strings.Join(o.EmailDomains, " "), o.Plan,
		toJSON(o.Billing), toJSON(o.Trial), o.CustomHostname, o.Blocked.Source, o.Blocked.Reason,
		o.CreatedBy, o.CreatedAt, o.UpdatedAt)
	if err != nil {
		return tx.hostnameTaken(err, o)
	}
	return tx.putDomains(ctx, o)
}

// PutOrganization stores the fields of an organization that can change.
func (tx orgWrites) PutOrganization(ctx context.Context, o docs.Organization) error {
	err := engine.Put(ctx, tx, `
		UPDATE organizations
		SET title = $2, hostname = NULLIF($3, ''), default_role = $4, default_content = $5, sso = $6, ai = $7,
			invite_links = $8, merge_rules = $9, logo_url = $10, email_domains = $11, updated_at = $12,
			access_version = access_version + CASE WHEN sso = $6 THEN 0 ELSE 1 END
		WHERE id = $1`,
		o.ID, o.Title, o.Hostname, o.DefaultRole, o.DefaultContent, o.SSO, o.AI,
		o.InviteLinks, toJSON(o.MergeRules), o.LogoURL, strings.Join(o.EmailDomains, " "), o.UpdatedAt)
	if err != nil {
		return tx.hostnameTaken(err, o)
	}
	return tx.putDomains(ctx, o)
}

func (tx orgWrites) hostnameTaken(err error, o docs.Organization) error {
	return engine.Taken(tx, err, "the hostname %q is taken; choose another", o.Hostname)
}

func (tx orgWrites) putDomains(ctx context.Context, o docs.Organization) error {
	if err := engine.Put(ctx, tx, `DELETE FROM organization_domains WHERE org_id = $1`, o.ID); err != nil {
		return err
	}
	for _, d := range o.EmailDomains {
		if err := engine.Put(ctx, tx, `INSERT INTO organization_domains (org_id, domain) VALUES ($1, $2)`, o.ID, d); err != nil {
			return err
		}
	}
	return nil
}

// bumpAccess makes every node read the access of the organization again.
func bumpAccess(ctx context.Context, tx engine.Writer, org docs.OrgID) error {
	return engine.Put(ctx, tx, `UPDATE organizations SET access_version = access_version + 1 WHERE id = $1`, org)
}

// AgentInstructions returns the agent instructions of an organization; NotFound if they
// were never set.
func (r orgReads) AgentInstructions(ctx context.Context, org docs.OrgID) (docs.AgentInstructions, error) {
	return engine.One(ctx, r, "agent instructions", func(s engine.Scanner) (a docs.AgentInstructions, err error) {
		var doc string
		err = s.Scan(&doc, &a.UpdatedAt, &a.UpdatedBy)
		a.Document = json.RawMessage(doc)
		return a, err
	}, `SELECT document, updated_at, updated_by FROM agent_instructions WHERE org_id = $1`, org)
}

// PutAgentInstructions stores the agent instructions of an organization.
func (tx orgWrites) PutAgentInstructions(ctx context.Context, org docs.OrgID, a docs.AgentInstructions) error {
	return engine.Put(ctx, tx, `
		INSERT INTO agent_instructions (org_id, document, updated_at, updated_by) VALUES ($1, $2, $3, $4)
		ON CONFLICT (org_id) DO UPDATE SET document = excluded.document, updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
		org, string(a.Document), a.UpdatedAt, a.UpdatedBy)
}
