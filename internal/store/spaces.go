package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const spaceColumns = `s.id, s.org_id, COALESCE(s.parent_id, ''), s.title, s.emoji, s.icon_url, s.edit_mode, s.default_level,
	s.language, s.merge_rules, s.revision_id, s.layer_id, s.rank, s.created_by, s.created_at, s.updated_at, s.deleted_at, s.git_info, s.published,
	s.comments_open, s.change_requests, s.change_requests_open, s.change_requests_draft`

type spaceRow struct {
	space docs.Space
	rules string
	git   string
	site  string // where it is published
}

func (v *spaceRow) dest() []any {
	s, n := &v.space, &v.space.Counters
	return []any{
		&s.ID, &s.Org, &s.Parent, &s.Title, &s.Emoji, &s.IconURL, &s.EditMode, &s.Level,
		&s.Language, &v.rules, &s.Revision, &s.Layer, &s.Rank, &s.CreatedBy, &s.CreatedAt, &s.UpdatedAt, &s.DeletedAt, &v.git, &v.site,
		&n.OpenComments, &n.ChangeRequests, &n.OpenChangeRequests, &n.DraftChangeRequests,
	}
}

// inheritedRules is how nearly all spaces store their merge rules.
var inheritedRules = toJSON(docs.MergeRules{Type: docs.MergeInherit})

func (v *spaceRow) done() (docs.Space, error) {
	var err error
	if v.rules == inheritedRules { // spaces are read with every request, and JSON is slow
		v.space.MergeRules.Type = docs.MergeInherit
	} else {
		err = fromJSON(v.rules, &v.space.MergeRules)
	}
	if err == nil && v.git != "" {
		err = fromJSON(v.git, &v.space.Git)
	}
	if err == nil && v.site != "" {
		err = fromJSON(v.site, &v.space.Published)
	}
	return v.space, err
}

func scanSpace(s engine.Scanner) (docs.Space, error) {
	var v spaceRow
	if err := s.Scan(v.dest()...); err != nil {
		return docs.Space{}, err
	}
	return v.done()
}

// Space returns a space by id, one in the trash too.
func (r containerReads) Space(ctx context.Context, id docs.SpaceID) (Stamped[docs.Space], error) {
	return engine.Cached(ctx, r, "space", string(id), func(ctx context.Context) (Stamped[docs.Space], error) {
		return engine.One(ctx, r, "space", func(s engine.Scanner) (out Stamped[docs.Space], err error) {
			var v spaceRow
			if err = s.Scan(append(v.dest(), &out.Stamp.Access, &out.Stamp.Auth, &v.space.Limited)...); err != nil {
				return out, err
			}
			out.It, err = v.done()
			return out, err
		}, `SELECT `+spaceColumns+`, o.access_version, i.auth_version, s.quotas <> '' OR o.quotas <> ''
			FROM spaces s JOIN organizations o ON o.id = s.org_id CROSS JOIN instance i
			WHERE s.id = $1 AND o.deleted_at = 0`, id)
	})
}

// SpaceFilter narrows a list of spaces.
type SpaceFilter struct {
	In docs.CollectionID // only those directly in this collection; empty: all
}

var spacesFrom = ` FROM (
		SELECT n.id, ` + nodeRank("COALESCE(up.rank, cast($3 AS INTEGER))") + ` AS access
		FROM spaces n LEFT JOIN tree up ON up.id = n.parent_id LEFT JOIN granted g ON g.subject_id = n.id
		WHERE n.org_id = $1 AND n.deleted_at = 0 AND ($4 = '' OR n.parent_id = $4)
	) AS ranked JOIN spaces s ON s.id = ranked.id
	WHERE ranked.access > 0`

// Spaces lists the spaces that a viewer can see, in the order that people chose.
func (r containerReads) Spaces(ctx context.Context, v Viewer, f SpaceFilter, p Page) ([]Ranked[docs.Space], Key, error) {
	return r.spaces(ctx, v, f, p, ">", "ASC")
}

// SpacesBackward is Spaces from the end.
func (r containerReads) SpacesBackward(ctx context.Context, v Viewer, f SpaceFilter, p Page) ([]Ranked[docs.Space], Key, error) {
	if len(p.After) == 0 {
		p.After = Key{engine.LastText, engine.LastText}
	}
	return r.spaces(ctx, v, f, p, "<", "DESC")
}

func (r containerReads) spaces(ctx context.Context, v Viewer, f SpaceFilter, p Page, compare, order string) (items []Ranked[docs.Space], next Key, err error) {
	behind := `(s.rank, s.id) ` + compare
	sorted := ` ORDER BY s.rank ` + order + `, s.id ` + order
	if v.Role == docs.Admin { // sees all spaces, so no ranks are needed
		in, of := `s.org_id`, string(v.Org)
		if f.In != "" {
			in, of = `s.parent_id`, string(f.In)
		}
		items, err = engine.Many(ctx, r, func(s engine.Scanner) (Ranked[docs.Space], error) {
			sp, err := scanSpace(s)
			return Ranked[docs.Space]{sp, docs.Admin}, err
		}, `SELECT `+spaceColumns+` FROM spaces s
			WHERE `+in+` = $1 AND s.deleted_at = 0 AND `+behind+` ($2, $3)`+sorted+` LIMIT $4 + 0`,
			of, p.Text(0), p.Text(1), p.Ask())
	} else {
		items, err = engine.Many(ctx, r, func(s engine.Scanner) (it Ranked[docs.Space], err error) {
			var row spaceRow
			var rank int
			if err = s.Scan(append(row.dest(), &rank)...); err != nil {
				return it, err
			}
			it.It, err = row.done()
			it.Role = docs.RoleOfRank(rank)
			return it, err
		}, ranksCTE+` SELECT `+spaceColumns+`, ranked.access`+spacesFrom+`
			AND `+behind+` ($5, $6)`+sorted+` LIMIT $7 + 0`,
			append(v.args(), f.In, p.Text(0), p.Text(1), p.Ask())...)
	}
	items, next = engine.Cut(p, items, func(it Ranked[docs.Space]) Key { return Key{string(it.It.Rank), string(it.It.ID)} })
	return items, next, err
}

// CountSpaces counts what Spaces lists.
func (r containerReads) CountSpaces(ctx context.Context, v Viewer, f SpaceFilter) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, ranksCTE+` SELECT COUNT(*)`+spacesFrom, append(v.args(), f.In)...)
}

// AllSpaces returns the ids of all spaces, including the trash, but not spaces of
// deleted organizations.
func (r containerReads) AllSpaces(ctx context.Context) ([]docs.SpaceID, error) {
	return engine.Many(ctx, r, engine.ScanText[docs.SpaceID], `SELECT s.id FROM spaces s WHERE `+inPresentOrg("s")+` ORDER BY s.id`)
}

// SpacesUnder returns every space in a collection and the collections inside
// it, those in the trash too.
func (r containerReads) SpacesUnder(ctx context.Context, root docs.CollectionID) ([]docs.Space, error) {
	return engine.Many(ctx, r, scanSpace, `
		WITH RECURSIVE down (id) AS (
			SELECT id FROM collections WHERE id = $1
			UNION ALL
			SELECT c.id FROM down JOIN collections c ON c.parent_id = down.id
		)
		SELECT `+spaceColumns+` FROM down JOIN spaces s ON s.parent_id = down.id ORDER BY s.id`, root)
}

// AddSpace stores a new space. The caller adds the revision that it names.
func (tx containerWrites) AddSpace(ctx context.Context, s docs.Space) error {
	return engine.Put(ctx, tx, `
		INSERT INTO spaces (id, org_id, parent_id, title, emoji, icon_url, edit_mode, default_level, language, merge_rules,
			revision_id, layer_id, rank, created_by, created_at, updated_at, deleted_at, counted)
		VALUES ($1, $2, NULLIF($3, ''), $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 1)`,
		s.ID, s.Org, s.Parent, s.Title, s.Emoji, s.IconURL, s.EditMode, s.Level, s.Language, toJSON(s.MergeRules),
		s.Revision, s.Layer, s.Rank, s.CreatedBy, s.CreatedAt, s.UpdatedAt, s.DeletedAt)
}

// PutSpace stores a changed space.
func (tx containerWrites) PutSpace(ctx context.Context, s docs.Space) error {
	return engine.Put(ctx, tx, `
		UPDATE spaces
		SET org_id = $2, parent_id = NULLIF($3, ''), title = $4, emoji = $5, icon_url = $6, edit_mode = $7, default_level = $8,
			language = $9, merge_rules = $10, rank = $11, updated_at = $12, deleted_at = $13
		WHERE id = $1`,
		s.ID, s.Org, s.Parent, s.Title, s.Emoji, s.IconURL, s.EditMode, s.Level,
		s.Language, toJSON(s.MergeRules), s.Rank, s.UpdatedAt, s.DeletedAt)
}

// PurgeSpace removes a space and everything in it for good.
func (tx containerWrites) PurgeSpace(ctx context.Context, s docs.Space) error {
	if err := dropGrants(ctx, tx, s.Org, s.Node()); err != nil {
		return err
	}
	for _, text := range []string{
		`DELETE FROM invite_links WHERE space_id = $1`,
		`DELETE FROM notices WHERE space_id = $1`,
		`DELETE FROM comment_reactions WHERE comment_id IN (SELECT id FROM comments WHERE space_id = $1)`,
		`DELETE FROM comment_replies WHERE space_id = $1`,
		`DELETE FROM comments WHERE space_id = $1`,
		`DELETE FROM contributors WHERE change_request_id IN (SELECT id FROM change_requests WHERE space_id = $1)`,
		`DELETE FROM reviews WHERE change_request_id IN (SELECT id FROM change_requests WHERE space_id = $1)`,
		`DELETE FROM requested_reviewers WHERE change_request_id IN (SELECT id FROM change_requests WHERE space_id = $1)`,
		`DELETE FROM conflicts WHERE change_request_id IN (SELECT id FROM change_requests WHERE space_id = $1)`,
		`DELETE FROM change_requests WHERE space_id = $1`,
		`DELETE FROM git_operations WHERE space_id = $1`,
		`DELETE FROM git_pairs WHERE space_id = $1`,
		`DELETE FROM git_connections WHERE space_id = $1`,
		`DELETE FROM git_commits WHERE space_id = $1`,
		`DELETE FROM git_blobs WHERE space_id = $1`,
		`DELETE FROM translation_blocks WHERE translation_id IN (SELECT id FROM translations WHERE source_space = $1 OR result_space = $1)`,
		dropMemory(`t.source_space = $1 OR t.result_space = $1`),
		`DELETE FROM translations WHERE source_space = $1 OR result_space = $1`,
		`DELETE FROM documents WHERE space_id = $1`,
		`DELETE FROM revisions WHERE space_id = $1`,
		`DELETE FROM spaces WHERE id = $1`,
	} {
		if err := engine.Put(ctx, tx, text, s.ID); err != nil {
			return err
		}
	}
	return dropLayer(ctx, tx, s.Layer)
}
