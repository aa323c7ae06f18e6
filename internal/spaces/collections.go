// Package spaces is the service of content containers: collections, spaces,
// their order, who was granted access to them, the trash and its purge.
//
// Every method that changes something is one transaction, which includes its
// audit record. The rule of the operation has already allowed the change of
// the resource in the path. All other resources that a request names are
// checked here, by the same function of package authz, in the transaction.
package spaces

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service implements the operations on collections and spaces.
type Service struct {
	Store   *store.Store
	Content *content.Service // creates the initial content of spaces
	// Narrowed is called in a transaction after which fewer people may be able to read
	// spaces by default; it may be nil.
	Narrowed func(ctx context.Context, tx *store.Tx, spaces []docs.SpaceID) error
}

// narrowed calls Narrowed with the ids of spaces.
func (s *Service) narrowed(ctx context.Context, tx *store.Tx, spaces ...docs.Space) error {
	if s.Narrowed == nil {
		return nil
	}
	ids := make([]docs.SpaceID, len(spaces))
	for i, sp := range spaces {
		ids[i] = sp.ID
	}
	return s.Narrowed(ctx, tx, ids)
}

// narrowedUnder calls Narrowed with the ids of all spaces in a collection.
func (s *Service) narrowedUnder(ctx context.Context, tx *store.Tx, c docs.CollectionID) error {
	all, err := tx.SpacesUnder(ctx, c)
	if err != nil {
		return err
	}
	return s.narrowed(ctx, tx, all...)
}

const untitled = "Untitled"

// collectionEvent returns the event of a change to a collection.
func collectionEvent(c docs.Collection, action string, data map[string]any) audit.Event {
	return audit.Event{Org: c.Org, Action: "collection." + action, Kind: "collection", ID: string(c.ID), Data: data}
}

// container checks that the caller may create content in a collection of the grant's
// organization, or at its top level if parent is empty. It returns the role of the caller
// there, and the depth of the collection.
func container(ctx context.Context, tx *store.Tx, g *authz.Grant, parent docs.CollectionID) (role docs.Role, depth int, err error) {
	if parent == "" {
		return g.Access.OrgRole(), 0, g.Allow(authz.CreateContent)
	}
	in, _, err := authz.NewChecker(tx.Reader).Collection(ctx, g.Actor, authz.CreateIn, parent)
	if errs.Is(err, errs.NotFound) || err == nil && in.Collection.Org != g.Access.Org {
		return docs.Guest, 0, errs.At(errs.NotFound, "parent", "there is no collection %q in the organization", parent)
	}
	if err != nil {
		return docs.Guest, 0, err
	}
	return in.Role, len(in.Path), nil
}

// CreateCollection creates a collection at the end of its container.
func (s *Service) CreateCollection(ctx context.Context, g *authz.Grant, title string, parent docs.CollectionID) (docs.Collection, docs.Role, error) {
	type made = store.Ranked[docs.Collection]
	v, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (made, error) {
		role, depth, err := container(ctx, tx, g, parent)
		if err != nil {
			return made{}, err
		}
		if depth >= docs.MaxDepth {
			return made{}, errs.Field("parent", "is %d levels deep, which is the maximum; choose a collection further up", docs.MaxDepth)
		}
		c := docs.Collection{
			ID: store.NewID[docs.CollectionID](tx), Org: g.Access.Org, Parent: parent, Title: orUntitled(title),
			Level: docs.LevelInherit, Rank: docs.RankAtEnd(s.Store.Clock()),
			CreatedBy: g.Actor.User, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		if err := tx.AddCollection(ctx, c); err != nil {
			return made{}, err
		}
		return made{It: c, Role: role}, audit.Record(ctx, tx, g.Actor, collectionEvent(c, "create", map[string]any{"title": c.Title}))
	})
	return v.It, v.Role, err
}

// orUntitled returns a title that is not blank, so that people can click on it.
func orUntitled(title string) string {
	if strings.TrimSpace(title) == "" {
		return untitled
	}
	return title
}

// CollectionPatch is the input of UpdateCollection.
type CollectionPatch struct {
	Title       opt.Val[string]
	Description opt.Val[string]
	Level       opt.Val[docs.Level]
}

// changeCollection changes the collection of a grant, and returns it with the role that the
// caller has on it afterwards: another default level or place can change the role.
func (s *Service) changeCollection(ctx context.Context, g *authz.Grant, change func(*store.Tx, *authz.Grant) (docs.Collection, error)) (docs.Collection, docs.Role, error) {
	v, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (v store.Ranked[docs.Collection], err error) {
		if v.It, err = change(tx, g); err != nil {
			return v, err
		}
		v.Role, err = roleOn(ctx, tx, g.Actor, v.It.Org, v.It.Node(), v.It.Parent)
		return v, err
	})
	return v.It, v.Role, err
}

// roleOn returns the role of an actor on a collection or a space that is inside parent.
func roleOn(ctx context.Context, tx *store.Tx, by authz.Actor, org docs.OrgID, n docs.Node, parent docs.CollectionID) (docs.Role, error) {
	access, err := tx.Access(ctx, org, by.User)
	if err != nil {
		return docs.Guest, err
	}
	above, err := tx.Path(ctx, parent)
	return access.Resolve(append([]docs.Node{n}, above...)).Role, err
}

// UpdateCollection changes a collection. It returns the role of the caller afterwards, too.
func (s *Service) UpdateCollection(ctx context.Context, g *authz.Grant, p CollectionPatch) (docs.Collection, docs.Role, error) {
	return s.changeCollection(ctx, g, func(tx *store.Tx, g *authz.Grant) (docs.Collection, error) {
		v, err := tx.Collection(ctx, g.Collection.ID)
		c := v.It
		if err != nil {
			return c, err
		}
		level, err := authz.NewLevel(g, c.Level, p.Level)
		if err != nil {
			return c, err
		}
		c.Title, c.Description, c.Level = orUntitled(p.Title.Or(c.Title)), p.Description.Or(c.Description), level
		if audit.Same(v.It, c) {
			return v.It, nil
		}
		c.UpdatedAt = tx.Now()
		if err := authz.KeepAboveLevel(ctx, tx, g, c.Level, func() error { return tx.PutCollection(ctx, c) }); err != nil {
			return c, err
		}
		if c.Level != v.It.Level {
			if err := s.narrowedUnder(ctx, tx, c.ID); err != nil {
				return c, err
			}
		}
		return c, audit.Record(ctx, tx, g.Actor, collectionEvent(c, "update", map[string]any{"title": c.Title, "level": c.Level}).Changed(v.It, c))
	})
}

// subtree is a collection with all collections and spaces in it.
type subtree struct {
	collections []docs.Collection
	spaces      []docs.Space
	height      int
}

// wholeSubtree returns the collection of a grant with everything in it, including spaces
// in the trash. It returns an error unless the caller administers each part, so that
// nobody can move or delete parts that they could not change individually.
func wholeSubtree(ctx context.Context, tx *store.Tx, g *authz.Grant) (subtree, error) {
	var t subtree
	all, err := tx.Subtree(ctx, g.Collection.ID)
	if err != nil {
		return t, err
	}
	access, err := tx.Access(ctx, g.Collection.Org, g.Actor.User)
	if err != nil {
		return t, err
	}
	t.collections = all
	paths := map[docs.CollectionID][]docs.Node{}
	for i, c := range all {
		above := g.Path[1:]
		if i > 0 {
			above = paths[c.Parent]
		}
		path := append([]docs.Node{c.Node()}, above...)
		paths[c.ID] = path
		t.height = max(t.height, len(path)-len(g.Path)+1)
		if !authz.Can(access.Resolve(path).Role, authz.AdminCollection) {
			return t, errs.E(errs.Forbidden, "it contains a collection that you cannot administer; ask an admin of the organization")
		}
	}
	if t.spaces, err = tx.SpacesUnder(ctx, g.Collection.ID); err != nil {
		return t, err
	}
	for _, sp := range t.spaces {
		if !authz.Can(access.Resolve(append([]docs.Node{sp.Node()}, paths[sp.Parent]...)).Role, authz.AdminSpace) {
			return t, errs.E(errs.Forbidden, "it contains a space that you cannot administer; ask an admin of the organization")
		}
	}
	return t, nil
}

// DeleteCollection deletes a collection and the collections in it. Their spaces are moved
// to the trash.
func (s *Service) DeleteCollection(ctx context.Context, g *authz.Grant) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		t, err := wholeSubtree(ctx, tx, g)
		if err != nil {
			return err
		}
		for _, sp := range t.spaces {
			if sp.DeletedAt.IsZero() {
				if err := trash(ctx, tx, g.Actor, sp); err != nil {
					return err
				}
			}
		}
		for i := len(t.collections) - 1; i >= 0; i-- { // children first
			c := t.collections[i]
			if err := tx.DropCollection(ctx, c); err != nil {
				return err
			}
			if err := audit.Record(ctx, tx, g.Actor, collectionEvent(c, "delete", map[string]any{"title": c.Title})); err != nil {
				return err
			}
		}
		return nil
	})
}

// Move is the requested position of a collection or space. If Parent is absent, the
// container remains the same; null is the top level.
type Move struct {
	Parent opt.Val[docs.CollectionID]
	Place  docs.Place
}

// MoveCollection moves a collection within its organization.
func (s *Service) MoveCollection(ctx context.Context, g *authz.Grant, m Move) (docs.Collection, docs.Role, error) {
	return s.changeCollection(ctx, g, func(tx *store.Tx, g *authz.Grant) (docs.Collection, error) {
		v, err := tx.Collection(ctx, g.Collection.ID)
		c := v.It
		if err != nil {
			return c, err
		}
		parent := m.Parent.Or(c.Parent)
		if parent != c.Parent {
			if err := movable(ctx, tx, g, parent); err != nil {
				return c, err
			}
		}
		rank, err := s.place(ctx, tx, g.Actor, c.Org, c.Parent, parent, docs.Pointer{Kind: docs.NodeCollection, ID: string(c.ID)}, c.Rank, m.Place)
		if err != nil {
			return c, err
		}
		c.Parent, c.Rank, c.UpdatedAt = parent, rank, tx.Now()
		if err := tx.PutCollection(ctx, c); err != nil {
			return c, err
		}
		if parent != v.It.Parent {
			if err := s.narrowedUnder(ctx, tx, c.ID); err != nil {
				return c, err
			}
		}
		return c, audit.Record(ctx, tx, g.Actor, collectionEvent(c, "move", map[string]any{"parent": parent}))
	})
}

// movable checks that the collection of a grant can be moved into another one.
func movable(ctx context.Context, tx *store.Tx, g *authz.Grant, parent docs.CollectionID) error {
	_, depth, err := container(ctx, tx, g, parent)
	if err != nil {
		return err
	}
	t, err := wholeSubtree(ctx, tx, g)
	if err != nil {
		return err
	}
	for _, c := range t.collections {
		if c.ID == parent {
			return errs.Field("parent", "is the collection itself or inside it; a collection cannot contain itself")
		}
	}
	if depth+t.height > docs.MaxDepth {
		return errs.Field("parent", "would nest collections deeper than %d levels", docs.MaxDepth)
	}
	return nil
}

// place returns the rank for the requested position, or Conflict if the collection or
// space is already there.
func (s *Service) place(ctx context.Context, tx *store.Tx, by authz.Actor, org docs.OrgID, from, to docs.CollectionID, moving docs.Pointer, cur docs.Rank, p docs.Place) (docs.Rank, error) {
	unchanged := errs.E(errs.Conflict, "it has this place already; nothing would change")
	mark, field := p.Before, "position.before"
	if mark.IsZero() {
		mark, field = p.After, "position.after"
	}
	if mark.IsZero() {
		last, err := tx.Last(ctx, org, to, moving)
		if err != nil {
			return "", err
		}
		if from == to && last.Rank < cur {
			return "", unchanged
		}
		return docs.RankAtEnd(s.Store.Clock()), nil
	}
	if mark == moving {
		return "", errs.Field(field, "is what moves; name a space or a collection beside its new place")
	}
	after := !p.After.IsZero()
	lo, hi, err := between(ctx, tx, org, to, mark, moving, after)
	if err == nil {
		err = visible(ctx, tx, by, mark)
	}
	if errs.Is(err, errs.NotFound) {
		return "", errs.Field(field, "does not exist in the place that it is moved to")
	}
	if err != nil {
		return "", err
	}
	if from == to && lo < cur && (hi == "" || cur < hi) {
		return "", unchanged
	}
	if hi == "" {
		return docs.RankAtEnd(s.Store.Clock()), nil
	}
	rank := docs.RankBetween(lo, hi)
	if len(rank) <= maxRank {
		return rank, nil
	}
	if err := tx.Renumber(ctx, org, to); err != nil {
		return "", err
	}
	lo, hi, err = between(ctx, tx, org, to, mark, moving, after)
	return docs.RankBetween(lo, hi), err
}

// maxRank is the maximum length of a rank; beyond it, the container is renumbered.
const maxRank = 64

// between returns the ranks around the position before or after a mark. It ignores the
// collection or space that is moved.
func between(ctx context.Context, tx *store.Tx, org docs.OrgID, in docs.CollectionID, mark, moving docs.Pointer, after bool) (lo, hi docs.Rank, err error) {
	at, err := tx.Sibling(ctx, org, in, mark)
	if err != nil {
		return "", "", err
	}
	before, behind, err := tx.Neighbours(ctx, org, in, at, moving)
	if after {
		return at.Rank, behind.Rank, err
	}
	return before.Rank, at.Rank, err
}

// visible checks that the caller can see the sibling that a position refers to. This is
// part of a change, so a token with only the scope write is enough.
func visible(ctx context.Context, tx *store.Tx, by authz.Actor, p docs.Pointer) (err error) {
	check := authz.NewChecker(tx.Reader)
	if p.Kind == docs.NodeSpace {
		_, _, err = check.Space(ctx, by, authz.ViewSpace.Within(docs.ScopeWrite), docs.SpaceID(p.ID))
	} else {
		_, _, err = check.Collection(ctx, by, authz.ViewCollection.Within(docs.ScopeWrite), docs.CollectionID(p.ID))
	}
	return err
}

// TransferCollection moves a collection with everything in it to another organization, at
// its top level. Grants are deleted, because they refer to people of the old
// organization.
func (s *Service) TransferCollection(ctx context.Context, g *authz.Grant, to docs.OrgID) (docs.Collection, docs.Role, error) {
	return s.changeCollection(ctx, g, func(tx *store.Tx, g *authz.Grant) (docs.Collection, error) {
		v, err := tx.Collection(ctx, g.Collection.ID)
		root := v.It
		if err != nil {
			return root, err
		}
		if err := transferable(ctx, tx, g, root.Org, to); err != nil {
			return root, err
		}
		t, err := wholeSubtree(ctx, tx, g)
		if err != nil {
			return root, err
		}
		from := root.Org
		for _, sp := range t.spaces {
			if err := transferSpace(ctx, tx, sp, to, sp.Parent); err != nil {
				return root, err
			}
		}
		if err := tx.ReceivedWithinQuotas(ctx, to, t.spaces...); err != nil {
			return root, err
		}
		for _, c := range t.collections {
			if err := tx.DropGrants(ctx, from, c.Node()); err != nil {
				return root, err
			}
			c.Org, c.UpdatedAt = to, tx.Now()
			if c.ID == root.ID {
				c.Parent, c.Rank = "", docs.RankAtEnd(s.Store.Clock())
				root = c
			}
			if err := tx.PutCollection(ctx, c); err != nil {
				return root, err
			}
			if err := tx.DropInviteLinks(ctx, c.ID, ""); err != nil {
				return root, err
			}
		}
		if err := s.narrowed(ctx, tx, t.spaces...); err != nil {
			return root, err
		}
		return root, recordTransfer(ctx, tx, g.Actor, from, to, collectionEvent(root, "transfer", nil))
	})
}

// transferable checks that the caller may create content in both organizations: a grant
// on one resource is not enough to take it out of an organization. Moreover, the role of
// the caller in the new organization must not be higher than in the old one. Otherwise
// the caller could take content away from people with a higher role.
func transferable(ctx context.Context, tx *store.Tx, g *authz.Grant, from, to docs.OrgID) error {
	role := map[docs.OrgID]docs.Role{}
	for _, org := range []docs.OrgID{from, to} {
		at, _, err := authz.NewChecker(tx.Reader).Org(ctx, g.Actor, authz.CreateContent, org)
		if errs.Is(err, errs.NotFound) {
			return errs.At(errs.NotFound, "organization", "there is no organization %q that you are a member of", org)
		}
		if err != nil {
			return err
		}
		role[org] = at.Role
	}
	if !role[from].AtLeast(role[to]) {
		return errs.E(errs.Forbidden, "you are %q in the other organization but only %q in this one: ask an admin of this one to transfer it", role[to], role[from])
	}
	if from == to {
		return errs.E(errs.Conflict, "it belongs to that organization already; nothing would change")
	}
	return nil
}

// recordTransfer records the event in the audit logs of both organizations.
func recordTransfer(ctx context.Context, tx *store.Tx, by authz.Actor, from, to docs.OrgID, e audit.Event) error {
	e.Data = map[string]any{"from": from, "to": to}
	for _, org := range []docs.OrgID{from, to} {
		e.Org = org
		if err := audit.Record(ctx, tx, by, e); err != nil {
			return err
		}
	}
	return nil
}
