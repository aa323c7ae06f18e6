package store

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const collectionColumns = `c.id, c.org_id, COALESCE(c.parent_id, ''), c.title, c.description, c.default_level, c.rank,
	c.created_by, c.created_at, c.updated_at`

func collectionDest(c *docs.Collection) []any {
	return []any{&c.ID, &c.Org, &c.Parent, &c.Title, &c.Description, &c.Level, &c.Rank, &c.CreatedBy, &c.CreatedAt, &c.UpdatedAt}
}

func scanCollection(s engine.Scanner) (c docs.Collection, err error) {
	err = s.Scan(collectionDest(&c)...)
	return c, err
}

// Collection returns a collection by id.
func (r containerReads) Collection(ctx context.Context, id docs.CollectionID) (Stamped[docs.Collection], error) {
	return engine.Cached(ctx, r, "collection", string(id), func(ctx context.Context) (Stamped[docs.Collection], error) {
		return engine.One(ctx, r, "collection", func(s engine.Scanner) (v Stamped[docs.Collection], err error) {
			err = s.Scan(append(collectionDest(&v.It), &v.Stamp.Access, &v.Stamp.Auth)...)
			return v, err
		}, `SELECT `+collectionColumns+`, o.access_version, i.auth_version
			FROM collections c JOIN organizations o ON o.id = c.org_id CROSS JOIN instance i
			WHERE c.id = $1 AND o.deleted_at = 0`, id)
	})
}

// Path returns the collections that hold a thing: its parent first, up to the
// top level.
func (r containerReads) Path(ctx context.Context, parent docs.CollectionID) ([]docs.Node, error) {
	if parent == "" {
		return nil, nil
	}
	return engine.Cached(ctx, r, "path", string(parent), func(ctx context.Context) ([]docs.Node, error) {
		return engine.Many(ctx, r, func(s engine.Scanner) (n docs.Node, err error) {
			n.Kind = docs.NodeCollection
			err = s.Scan(&n.ID, &n.Level, &n.CreatedBy)
			return n, err
		}, `WITH RECURSIVE up (id, parent_id, default_level, created_by, depth) AS (
				SELECT id, parent_id, default_level, created_by, 0 FROM collections WHERE id = $1
				UNION ALL
				SELECT c.id, c.parent_id, c.default_level, c.created_by, up.depth + 1
				FROM up JOIN collections c ON c.id = up.parent_id
				WHERE up.depth < $2
			)
			SELECT id, default_level, created_by FROM up ORDER BY depth`, parent, docs.MaxDepth)
	})
}

// CollectionFilter narrows a list of collections.
type CollectionFilter struct {
	TopLevel bool // leave out collections that are inside another
}

var collectionsWhere = ` FROM tree JOIN collections c ON c.id = tree.id
	WHERE tree.rank > 0 AND (c.parent_id IS NULL OR cast($4 AS INTEGER) = 0)`

// Collections lists the collections that a viewer can see, in the order that people
// chose. For an admin, who sees all of them, no ranks are computed.
func (r containerReads) Collections(ctx context.Context, v Viewer, f CollectionFilter, p Page) (items []Ranked[docs.Collection], next Key, err error) {
	if v.Role == docs.Admin {
		items, err = engine.Many(ctx, r, func(s engine.Scanner) (it Ranked[docs.Collection], err error) {
			it.Role = docs.Admin
			err = s.Scan(collectionDest(&it.It)...)
			return it, err
		}, `SELECT `+collectionColumns+` FROM collections c
			WHERE c.org_id = $1 AND (c.parent_id IS NULL OR cast($2 AS INTEGER) = 0) AND (c.rank, c.id) > ($3, $4)
			ORDER BY c.rank, c.id LIMIT $5 + 0`, v.Org, flag(f.TopLevel), p.Text(0), p.Text(1), p.Ask())
	} else {
		items, err = engine.Many(ctx, r, func(s engine.Scanner) (it Ranked[docs.Collection], err error) {
			var rank int
			err = s.Scan(append(collectionDest(&it.It), &rank)...)
			it.Role = docs.RoleOfRank(rank)
			return it, err
		}, ranksCTE+` SELECT `+collectionColumns+`, tree.rank`+collectionsWhere+`
			AND (c.rank, c.id) > ($5, $6)
			ORDER BY c.rank, c.id LIMIT $7 + 0`,
			append(v.args(), flag(f.TopLevel), p.Text(0), p.Text(1), p.Ask())...)
	}
	items, next = engine.Cut(p, items, func(it Ranked[docs.Collection]) Key { return Key{string(it.It.Rank), string(it.It.ID)} })
	return items, next, err
}

// CountCollections counts what Collections lists.
func (r containerReads) CountCollections(ctx context.Context, v Viewer, f CollectionFilter) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, ranksCTE+` SELECT COUNT(*)`+collectionsWhere, append(v.args(), flag(f.TopLevel))...)
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Subtree returns a collection and all collections inside it, parents first.
func (r containerReads) Subtree(ctx context.Context, root docs.CollectionID) ([]docs.Collection, error) {
	return engine.Many(ctx, r, scanCollection, `
		WITH RECURSIVE down (id, depth) AS (
			SELECT id, 0 FROM collections WHERE id = $1
			UNION ALL
			SELECT c.id, down.depth + 1 FROM down JOIN collections c ON c.parent_id = down.id
		)
		SELECT `+collectionColumns+` FROM down JOIN collections c ON c.id = down.id ORDER BY down.depth, c.id`, root)
}

// AddCollection stores a new collection.
func (tx containerWrites) AddCollection(ctx context.Context, c docs.Collection) error {
	return engine.Put(ctx, tx, `
		INSERT INTO collections (id, org_id, parent_id, title, description, default_level, rank, created_by, created_at, updated_at)
		VALUES ($1, $2, NULLIF($3, ''), $4, $5, $6, $7, $8, $9, $10)`,
		c.ID, c.Org, c.Parent, c.Title, c.Description, c.Level, c.Rank, c.CreatedBy, c.CreatedAt, c.UpdatedAt)
}

// PutCollection stores a changed collection.
func (tx containerWrites) PutCollection(ctx context.Context, c docs.Collection) error {
	return engine.Put(ctx, tx, `
		UPDATE collections
		SET org_id = $2, parent_id = NULLIF($3, ''), title = $4, description = $5, default_level = $6, rank = $7, updated_at = $8
		WHERE id = $1`,
		c.ID, c.Org, c.Parent, c.Title, c.Description, c.Level, c.Rank, c.UpdatedAt)
}

// DropCollection deletes an empty collection and what points at it.
func (tx containerWrites) DropCollection(ctx context.Context, c docs.Collection) error {
	if err := dropGrants(ctx, tx, c.Org, c.Node()); err != nil {
		return err
	}
	if err := engine.Put(ctx, tx, `DELETE FROM invite_links WHERE collection_id = $1`, c.ID); err != nil {
		return err
	}
	// Spaces in the trash move to the top level. The roles that they inherited are
	// lost, so they are closed rather than open to all until somebody decides.
	err := engine.Put(ctx, tx, `
		UPDATE spaces
		SET parent_id = NULL, default_level = CASE WHEN default_level = 'inherit' THEN 'none' ELSE default_level END
		WHERE parent_id = $1 AND deleted_at > 0`, c.ID)
	if err != nil {
		return err
	}
	return engine.Put(ctx, tx, `DELETE FROM collections WHERE id = $1`, c.ID)
}

// Sibling is a space or a collection in the order of its container.
type Sibling struct {
	Pointer docs.Pointer
	Rank    docs.Rank
}

const siblingsFrom = `(
		SELECT 'collection' AS kind, id, rank FROM collections WHERE org_id = $1 AND COALESCE(parent_id, '') = $2
		UNION ALL
		SELECT 'space' AS kind, id, rank FROM spaces WHERE org_id = $1 AND COALESCE(parent_id, '') = $2 AND deleted_at = 0
	) AS sib`

func scanSibling(s engine.Scanner) (v Sibling, err error) {
	err = s.Scan(&v.Pointer.Kind, &v.Pointer.ID, &v.Rank)
	return v, err
}

// Sibling returns a space or collection of a container (an empty parent is the top
// level).
func (r containerReads) Sibling(ctx context.Context, org docs.OrgID, parent docs.CollectionID, p docs.Pointer) (Sibling, error) {
	return engine.One(ctx, r, "sibling", scanSibling, `
		SELECT kind, id, rank FROM `+siblingsFrom+` WHERE kind = $3 AND id = $4`, org, parent, p.Kind, p.ID)
}

// Neighbours returns the ranks directly before and behind a place in a
// container, leaving out the thing that is about to move there.
func (r containerReads) Neighbours(ctx context.Context, org docs.OrgID, parent docs.CollectionID, at Sibling, moving docs.Pointer) (before, behind Sibling, err error) {
	const skip = ` AND NOT (kind = $5 AND id = $6) `
	pick := func(compare, order string) (Sibling, error) {
		found, err := engine.Many(ctx, r, scanSibling, `
			SELECT kind, id, rank FROM `+siblingsFrom+`
			WHERE (rank, id) `+compare+` ($3, $4)`+skip+`
			ORDER BY rank `+order+`, id `+order+` LIMIT 1`,
			org, parent, at.Rank, at.Pointer.ID, moving.Kind, moving.ID)
		if err != nil || len(found) == 0 {
			return Sibling{}, err
		}
		return found[0], nil
	}
	if before, err = pick("<", "DESC"); err == nil {
		behind, err = pick(">", "ASC")
	}
	return before, behind, err
}

// Renumber assigns everything in a container a new, short rank in the order
// that it has. Inserting at one place over and over makes ranks long.
func (tx containerWrites) Renumber(ctx context.Context, org docs.OrgID, parent docs.CollectionID) error {
	all, err := engine.Many(ctx, tx, scanSibling, `SELECT kind, id, rank FROM `+siblingsFrom+` ORDER BY rank, id`, org, parent)
	if err != nil {
		return err
	}
	for i, sib := range all {
		text := `UPDATE collections SET rank = $2 WHERE id = $1`
		if sib.Pointer.Kind == docs.NodeSpace {
			text = `UPDATE spaces SET rank = $2 WHERE id = $1`
		}
		if err := engine.Put(ctx, tx, text, sib.Pointer.ID, docs.RankAtEnd(tx.Began().Add(time.Duration(i)))); err != nil {
			return err
		}
	}
	return nil
}

// Last returns the last sibling of a container, leaving out the one that is moving.
func (r containerReads) Last(ctx context.Context, org docs.OrgID, parent docs.CollectionID, moving docs.Pointer) (Sibling, error) {
	found, err := engine.Many(ctx, r, scanSibling, `
		SELECT kind, id, rank FROM `+siblingsFrom+`
		WHERE NOT (kind = $3 AND id = $4)
		ORDER BY rank DESC, id DESC LIMIT 1`, org, parent, moving.Kind, moving.ID)
	if err != nil || len(found) == 0 {
		return Sibling{}, err
	}
	return found[0], nil
}
