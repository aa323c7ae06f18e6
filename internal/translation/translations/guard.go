package translations

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
)

// guard checks that a run is still allowed. The user on whose behalf it runs must still
// be allowed to administer the source, as when the translation was created. The result
// must not be readable by anyone who cannot read the source: guard lowers the level of a
// result that is more open by default than the source, and fails if the result is
// published to more people than the source.
//
// A run calls guard when it begins and again in the transaction that writes.
func (r *run) guard(ctx context.Context, tx *store.Tx) error {
	src, _, err := authz.NewChecker(tx.Reader).Space(ctx, authz.Actor{User: r.t.CreatedBy}, authz.AdminSpace, r.t.Source)
	if authz.Denied(err) {
		return failed("the person who runs this translation may not administer the source space any more; an admin of the organization who starts a run takes it over")
	}
	if err != nil {
		return err
	}
	v, err := tx.Space(ctx, r.t.Result)
	if err != nil {
		return err
	}
	if p := v.It.Published; p != nil && (src.Space.Published == nil || p.Visibility.Wider(src.Space.Published.Visibility)) {
		return failed("the result space is published for more people than the source space; publish the source for the same people, or take the result off its site")
	}
	return closeResult(ctx, tx, src.Path, v.It)
}

// AudienceNarrowed closes the results of translations whose sources may now be open to
// fewer people, in the transaction that closes the sources. Package sites decides what
// the readers of sites find.
func AudienceNarrowed(ctx context.Context, tx *store.Tx, sources []docs.SpaceID) error {
	for _, id := range sources {
		list, err := tx.TranslationsFrom(ctx, id)
		if err != nil {
			return err
		}
		for _, t := range list {
			if err := follow(ctx, tx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow makes the result of a translation no more open than its source. A source in the
// trash counts as unchanged. A source in another organization is open to nobody in this
// organization.
func follow(ctx context.Context, tx *store.Tx, t docs.Translation) error {
	src, exists, err := store.Maybe(tx.Space(ctx, t.Source))
	if err != nil || !exists || !src.It.DeletedAt.IsZero() {
		return err
	}
	dst, exists, err := store.Maybe(tx.Space(ctx, t.Result))
	if err != nil || !exists {
		return err
	}
	path := []docs.Node{{Level: docs.LevelNone}}
	if src.It.Org == dst.It.Org {
		above, err := tx.Path(ctx, src.It.Parent)
		if err != nil {
			return err
		}
		path = append([]docs.Node{src.It.Node()}, above...)
	}
	before := dst.It.Level
	if err := closeResult(ctx, tx, path, dst.It); err != nil {
		return err
	}
	if dst, err = tx.Space(ctx, t.Result); err != nil || dst.It.Level == before {
		return err
	}
	return AudienceNarrowed(ctx, tx, []docs.SpaceID{t.Result}) // the result may be a source too
}

// closeResult sets the level of the result space dst so that it is not open by default to
// anyone who cannot read the source, neither by levels nor by grants on collections that
// do not contain the source. source is the path of the source space. Grants on the
// result itself are left alone: they were made deliberately.
func closeResult(ctx context.Context, tx *store.Tx, source []docs.Node, dst docs.Space) error {
	above, err := tx.Path(ctx, dst.Parent)
	if err != nil {
		return err
	}
	path := append([]docs.Node{dst.Node()}, above...)
	for _, level := range []docs.Level{dst.Level, docs.LevelInherit, docs.LevelNone} {
		path[0].Level = level
		wider, err := moreOpen(ctx, tx, path, source)
		if err != nil {
			return err
		}
		if wider {
			continue
		}
		if level == dst.Level {
			return nil
		}
		return spaces.SetLevel(ctx, tx, authz.System, dst, level)
	}
	return nil // LevelNone is never more open
}

// moreOpen reports whether there may be people who can read the first node of path but
// not the first node of than. Grants on the first node of path do not count.
func moreOpen(ctx context.Context, tx *store.Tx, path, than []docs.Node) (bool, error) {
	if mine, theirs := openness(path), openness(than); mine > theirs || theirs == everybody {
		return mine > theirs, nil
	}
	counts := granting(than)
	for _, n := range granting(path)[1:] {
		if slices.ContainsFunc(counts, func(c docs.Node) bool { return c.ID == n.ID }) {
			continue
		}
		if has, err := tx.HasGrants(ctx, n); err != nil || has {
			return has, err
		}
	}
	return false, nil
}

// granting returns the nodes of a path whose grants apply to its first node. A node with
// a level of its own ends the inheritance.
func granting(path []docs.Node) []docs.Node {
	for i, n := range path {
		if n.Level != docs.LevelInherit {
			return path[:i+1]
		}
	}
	return path
}

// everybody is the openness of a space that guests can read too.
const everybody = 2

// openness returns to whom the first node of a path is open by default, without a grant:
// 0 for nobody, 1 for people with a role in the organization, everybody for guests too.
func openness(path []docs.Node) int {
	for _, n := range granting(path) {
		switch n.Level {
		case docs.LevelInherit:
			continue
		case docs.LevelNone:
			return 0
		}
		return everybody
	}
	return 1
}
