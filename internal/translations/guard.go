package translations

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// guard asks whether a run is still allowed: whether the person in whose name it runs
// may still administer the source, as when the translation was created, and whether
// the result is open to nobody who cannot read the source. A result that is more open
// than the source by default is closed; one that is published for more people than the
// source is not written to.
//
// A run asks when it begins and again in the transaction that writes.
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
	return r.s.closeResult(ctx, tx, src.Path, v.It)
}

// AudienceNarrowed closes the results of translations whose sources may be open to fewer people
// now, in the transaction that closes the sources. What readers of sites find is up to
// package sites.
func (s *Service) AudienceNarrowed(ctx context.Context, tx *store.Tx, sources []docs.SpaceID) error {
	for _, id := range sources {
		list, err := tx.TranslationsFrom(ctx, id)
		if err != nil {
			return err
		}
		for _, t := range list {
			if err := s.follow(ctx, tx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow closes the result of a translation as far as its source is closed. A source in the
// trash is as open as it was; one in another organization is open to nobody in this one.
func (s *Service) follow(ctx context.Context, tx *store.Tx, t docs.Translation) error {
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
	if err := s.closeResult(ctx, tx, path, dst.It); err != nil {
		return err
	}
	if dst, err = tx.Space(ctx, t.Result); err != nil || dst.It.Level == before {
		return err
	}
	return s.AudienceNarrowed(ctx, tx, []docs.SpaceID{t.Result}) // which may be translated further
}

// closeResult sets the level of a result so that it is open by default to nobody who
// cannot read the source, whose path is given: neither by levels, nor by grants on
// collections that the source is not in. Grants on the result itself are left to those
// who made them.
func (s *Service) closeResult(ctx context.Context, tx *store.Tx, source []docs.Node, dst docs.Space) error {
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
		return s.Spaces.SetLevel(ctx, tx, authz.System, dst, level)
	}
	return nil // LevelNone is never more open
}

// moreOpen reports whether people can read what is at the beginning of a path, but not what
// is at the beginning of another one. Grants on the first node do not count.
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

// granting returns the nodes of a path whose grants count: a level other than that of
// the node above ends what is inherited.
func granting(path []docs.Node) []docs.Node {
	for i, n := range path {
		if n.Level != docs.LevelInherit {
			return path[:i+1]
		}
	}
	return path
}

// everybody is the openness of what guests can read too.
const everybody = 2

// openness says to whom something is open by default, without a grant: 0 to nobody, 1
// to those with a role in the organization, everybody to guests as well.
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
