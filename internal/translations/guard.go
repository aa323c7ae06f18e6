package translations

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// guard asks whether a run is still allowed: whether the person in whose name it runs
// may still administer the source, as when the translation was created, and whether
// the result is open to nobody who cannot read the source. A result that everybody in
// the organization could read by default is closed; one that is published for more
// people than the source is not written to. Grants to single people and teams are left
// to those who made them.
//
// A run asks when it begins and again in the transaction that writes.
func (r *run) guard(ctx context.Context, tx *store.Tx) error {
	src, _, err := authz.Within(tx.Reader).Space(ctx, authz.Actor{User: r.t.CreatedBy}, authz.AdminSpace, r.t.Source)
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
	dst := v.It
	if p := dst.Published; p != nil && (src.Space.Published == nil || p.Visibility.Wider(src.Space.Published.Visibility)) {
		return failed("the result space is published for more people than the source space; publish the source for the same people, or take the result off its site")
	}
	above, err := tx.Path(ctx, dst.Parent)
	if err != nil {
		return err
	}
	path := append([]docs.Node{dst.Node()}, above...)
	for _, level := range []docs.Level{dst.Level, docs.LevelInherit, docs.LevelNone} {
		path[0].Level = level
		if openness(path) > openness(src.Path) {
			continue
		}
		if level == dst.Level {
			return nil
		}
		return r.s.Spaces.SetLevel(ctx, tx, authz.System, dst, level)
	}
	return nil // LevelNone is never more open
}

// openness says to whom something is open by default, without a grant: 0 to nobody, 1
// to those with a role in the organization, 2 to guests as well.
func openness(path []docs.Node) int {
	for _, n := range path {
		switch n.Level {
		case docs.LevelInherit:
			continue
		case docs.LevelNone:
			return 0
		}
		return 2
	}
	return 1
}
