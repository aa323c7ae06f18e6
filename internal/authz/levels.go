package authz

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// NewLevel returns the default level after a patch. Callers cannot set a level above
// their own role.
func NewLevel(g *Grant, cur docs.Level, p opt.Val[docs.Level]) (docs.Level, error) {
	if p.IsNull() {
		return docs.LevelNone, nil
	}
	level, ok := p.Get()
	if !ok {
		return cur, nil
	}
	open := level.Role()
	if level == docs.LevelInherit { // then the level of the nearest ancestor applies
		for _, above := range g.Path[1:] {
			if above.Level != docs.LevelInherit {
				open = above.Level.Role()
				break
			}
		}
	}
	if !g.Role.AtLeast(open) {
		return cur, errs.E(errs.Forbidden, "you cannot give everybody the role %q: your own role here is %q", open, g.Role)
	}
	return level, nil
}

// KeepAboveLevel is like KeepAbove for a change that may also change the default level of
// a resource. If the level stays the same, the access of users is not examined.
func KeepAboveLevel(ctx context.Context, tx *store.Tx, g *Grant, level docs.Level, change func() error) error {
	if level == g.Node().Level {
		return change()
	}
	return KeepAbove(ctx, tx, g, level, change)
}

// KeepAbove runs a change to the access to the resource of g. It returns an error if a
// user with a higher role than the caller would lose it: by a grant to one of the user's
// teams, or by a default level that ends the inheritance. level is the default level
// after the change.
func KeepAbove(ctx context.Context, tx *store.Tx, g *Grant, level docs.Level, change func() error) error {
	if g.Role == docs.Admin {
		return change()
	}
	before, err := above(ctx, tx, g, g.Path)
	if err != nil {
		return err
	}
	if err := change(); err != nil || len(before) == 0 {
		return err
	}
	path := slices.Clone(g.Path)
	path[0].Level = level
	after, err := above(ctx, tx, g, path)
	if err != nil {
		return err
	}
	for user, role := range before {
		if !after[user].AtLeast(role) {
			return errs.E(errs.Forbidden, "this would take access from somebody with the role %q; your own role here is %q", role, g.Role)
		}
	}
	return nil
}

// above returns the users who have a higher role than the caller of g on the first node
// of a path, with their roles. Admins of the organization are left out, because they
// cannot lose their role.
func above(ctx context.Context, tx *store.Tx, g *Grant, path []docs.Node) (map[docs.UserID]docs.Role, error) {
	out := map[docs.UserID]docs.Role{}
	page := store.Page{Limit: 500}
	for {
		members, next, err := tx.AccessOn(ctx, g.Access.Org, path, page)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			if why := m.Access.Resolve(path); why.Reason != docs.ReasonOrgAdmin && !g.Role.AtLeast(why.Role) {
				out[m.User.ID] = why.Role
			}
		}
		if next == nil {
			return out, nil
		}
		page.After = next
	}
}
