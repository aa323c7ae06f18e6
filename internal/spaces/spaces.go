package spaces

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
)

func spaceEvent(sp docs.Space, action string, data map[string]any) audit.Event {
	return audit.Event{Org: sp.Org, Action: "space." + action, Kind: "space", ID: string(sp.ID), Data: data}
}

// NewSpace is the input of Create.
type NewSpace struct {
	Title    string
	Emoji    string
	Parent   docs.CollectionID
	Language string
	EditMode docs.EditMode
	Empty    bool                    // without pages
	Template *content.TemplateChoice // initial content
	Computed []byte                  // JSON of a page with computed pages, as initial content
}

// Create creates a space at the end of its container. It is locked unless in requests
// another mode. Its initial content is one empty page, unless in requests a template,
// computed pages or no page.
func (s *Service) Create(ctx context.Context, g *authz.Grant, in NewSpace) (docs.Space, docs.Role, error) {
	made, err := s.prepare(ctx, g, in)
	if err != nil {
		return docs.Space{}, "", err
	}
	v, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (store.Ranked[docs.Space], error) { return made(ctx, tx, g) })
	return v.It, v.Role, err
}

// Prepare is Create for a caller that also changes something else: what it returns makes the
// space in the transaction of the caller.
func (s *Service) Prepare(ctx context.Context, g *authz.Grant, in NewSpace) (sites.Maker, error) {
	made, err := s.prepare(ctx, g, in)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx *store.Tx, g *authz.Grant) (docs.Space, error) {
		v, err := made(ctx, tx, g)
		return v.It, err
	}, nil
}

// maker makes a space in the transaction of a caller. It returns the role of the caller where
// the space is made, too.
type maker func(ctx context.Context, tx *store.Tx, g *authz.Grant) (store.Ranked[docs.Space], error)

func (s *Service) prepare(ctx context.Context, g *authz.Grant, in NewSpace) (maker, error) {
	made, first, err := s.prepareFirst(ctx, g, in)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx *store.Tx, g *authz.Grant) (v store.Ranked[docs.Space], err error) {
		if v.Role, _, err = container(ctx, tx, g, in.Parent); err != nil {
			return v, err
		}
		now := tx.Now()
		sp := docs.Space{
			ID: made.ID, Org: g.Access.Org, Parent: in.Parent,
			Title: orUntitled(in.Title), Emoji: in.Emoji, EditMode: in.EditMode, Level: docs.LevelInherit, Language: in.Language,
			MergeRules: docs.MergeRules{Type: docs.MergeInherit}, Revision: made.Revision,
			Layer: made.Layer, Rank: docs.RankAtEnd(s.Store.Clock()), CreatedBy: g.Actor.User, CreatedAt: now, UpdatedAt: now,
		}
		if sp.EditMode == "" {
			sp.EditMode = docs.EditLocked
		}
		if err := tx.AddSpace(ctx, sp); err != nil {
			return v, err
		}
		if err := audit.Record(ctx, tx, g.Actor, spaceEvent(sp, "create", map[string]any{"title": sp.Title})); err != nil {
			return v, err
		}
		done, err := s.Content.Commit(ctx, tx, g, content.Heads{Space: sp, New: true}, first)
		sp.Revision = done.Revision.ID
		v.It = sp
		return v, err
	}, nil
}

// prepareFirst prepares the initial content of a new space, before the space exists. It
// returns a space with the new ids.
func (s *Service) prepareFirst(ctx context.Context, g *authz.Grant, in NewSpace) (docs.Space, *content.Prepared, error) {
	if err := docs.CheckEmoji("emoji", in.Emoji); err != nil {
		return docs.Space{}, nil, err
	}
	now := s.Store.Clock()
	sp := docs.Space{
		ID: docs.NewID[docs.SpaceID](now), Revision: docs.NewID[docs.RevisionID](now), Layer: docs.NewID[string](now),
		Org: g.Access.Org, Language: in.Language,
	}
	var work content.Work = content.EmptyPage{}
	switch {
	case in.Template != nil:
		work = *in.Template
	case in.Computed != nil:
		work = content.ComputedPage{At: "computedSource", Source: in.Computed}
	case in.Empty:
		return sp, &content.Prepared{}, nil
	}
	first, err := s.Content.Prepare(ctx, g, content.Heads{Space: sp, New: true}, work)
	return sp, first, err
}

// Duplicate creates a copy of a space next to it, with the same content and without the
// history. The content is shared and not copied, so it takes the same time for every
// space.
func (s *Service) Duplicate(ctx context.Context, g *authz.Grant) (docs.Space, docs.Role, error) {
	v, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (v store.Ranked[docs.Space], err error) {
		v.It, v.Role, err = s.duplicate(ctx, tx, g)
		return v, err
	})
	return v.It, v.Role, err
}

// Copy is like Duplicate, in the transaction of a caller that also changes something
// else.
func (s *Service) Copy(ctx context.Context, tx *store.Tx, g *authz.Grant) (docs.Space, error) {
	sp, _, err := s.duplicate(ctx, tx, g)
	return sp, err
}

func (s *Service) duplicate(ctx context.Context, tx *store.Tx, g *authz.Grant) (docs.Space, docs.Role, error) {
	from, err := present(g)
	if err != nil {
		return from, "", err
	}
	role, _, err := container(ctx, tx, g, from.Parent)
	if errs.Is(err, errs.NotFound) { // the container exists, but the caller cannot see it
		err = errs.E(errs.Forbidden, "you cannot create anything where the space is, so it cannot be copied there")
	}
	if err != nil {
		return from, role, err
	}
	sp, now := from, tx.Now()
	sp.ID, sp.Revision, sp.Layer = store.NewID[docs.SpaceID](tx), store.NewID[docs.RevisionID](tx), store.NewID[string](tx)
	// The copy has the default level of the original, so the same people can see it by
	// default. Grants to single users and teams are not copied.
	sp.Title, sp.Counters = copyTitle(from.Title), docs.SpaceCounters{}
	sp.Git, sp.Published = nil, nil // only the original is synchronized and published
	sp.Rank, sp.CreatedBy, sp.CreatedAt, sp.UpdatedAt = docs.RankAtEnd(s.Store.Clock()), g.Actor.User, now, now
	if err := tx.AddSpace(ctx, sp); err != nil {
		return sp, role, err
	}
	if _, err := s.Content.Commit(ctx, tx, g, content.Heads{Space: sp, New: true}, content.CopyOf(from)); err != nil {
		return sp, role, err
	}
	return sp, role, audit.Record(ctx, tx, g.Actor, spaceEvent(sp, "duplicate", map[string]any{"title": sp.Title, "from": from.ID}))
}

// copyTitle returns a title for a copy that differs from that of the original, within the
// maximum length.
func copyTitle(title string) string {
	const mark = " (copy)"
	return docs.FirstRunes(title, docs.MaxSpaceTitle-len(mark)) + mark
}

// SpacePatch is the input of Update. An emoji and an icon exclude each other.
type SpacePatch struct {
	Title      opt.Val[string]
	Emoji      opt.Val[string]
	Icon       opt.Val[string]
	EditMode   opt.Val[docs.EditMode]
	Level      opt.Val[docs.Level]
	Language   opt.Val[string]
	MergeRules opt.Val[docs.MergeRules]
}

// changeSpace changes the space of a grant, and returns it with the role that the caller has on
// it afterwards: another default level or place can change the role.
func (s *Service) changeSpace(ctx context.Context, g *authz.Grant, change func(*store.Tx, *authz.Grant) (docs.Space, error)) (docs.Space, docs.Role, error) {
	v, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (v store.Ranked[docs.Space], err error) {
		if v.It, err = change(tx, g); err != nil {
			return v, err
		}
		v.Role, err = roleOn(ctx, tx, g.Actor, v.It.Org, v.It.Node(), v.It.Parent)
		return v, err
	})
	return v.It, v.Role, err
}

// Update changes a space. It returns the role of the caller afterwards, too.
func (s *Service) Update(ctx context.Context, g *authz.Grant, p SpacePatch) (docs.Space, docs.Role, error) {
	return s.changeSpace(ctx, g, func(tx *store.Tx, g *authz.Grant) (docs.Space, error) {
		sp, err := present(g)
		if err != nil {
			return sp, err
		}
		before := sp
		if err := p.apply(ctx, tx, g, &sp); err != nil {
			return sp, err
		}
		if audit.Same(before, sp) {
			return before, nil
		}
		if sp.Language != before.Language { // the search index depends on the language
			if err := index.EnqueueRebuild(ctx, tx, sp.ID); err != nil {
				return sp, err
			}
		}
		sp.UpdatedAt = tx.Now()
		if err := authz.KeepAboveLevel(ctx, tx, g, sp.Level, func() error { return tx.PutSpace(ctx, sp) }); err != nil {
			return sp, err
		}
		if sp.Level != before.Level {
			if err := s.narrowed(ctx, tx, sp); err != nil {
				return sp, err
			}
		}
		if sp.Title != before.Title || sp.Emoji != before.Emoji || sp.IconURL != before.IconURL || sp.Language != before.Language {
			if err := sites.SpaceChanged(ctx, tx, g.Actor, sp); err != nil {
				return sp, err
			}
		}
		return sp, audit.Record(ctx, tx, g.Actor, spaceEvent(sp, "update", map[string]any{
			"title": sp.Title, "level": sp.Level, "editMode": sp.EditMode,
		}).Changed(before, sp))
	})
}

// SetLevel sets the default level of a space in the transaction of a caller that has
// checked the permission.
func SetLevel(ctx context.Context, tx *store.Tx, by authz.Actor, sp docs.Space, level docs.Level) error {
	before := sp
	sp.Level, sp.UpdatedAt = level, tx.Now()
	if err := tx.PutSpace(ctx, sp); err != nil {
		return err
	}
	return audit.Record(ctx, tx, by, spaceEvent(sp, "update", map[string]any{"level": level}).Changed(before, sp))
}

// present returns the space of a grant that was checked in the transaction, unless it is
// in the trash.
func present(g *authz.Grant) (docs.Space, error) {
	if !g.Space.DeletedAt.IsZero() {
		return docs.Space{}, errs.Missing("space")
	}
	return g.Space, nil
}

func (p SpacePatch) apply(ctx context.Context, tx *store.Tx, g *authz.Grant, sp *docs.Space) (err error) {
	var wrong errs.Mistakes
	emoji, hasEmoji := p.Emoji.Get()
	icon, hasIcon := p.Icon.Get()
	if hasEmoji && hasIcon {
		wrong.Field("icon", "cannot be set together with emoji")
	}
	switch {
	case hasIcon:
		wrong.Add(docs.CheckWebURL("icon", icon))
		sp.Emoji, sp.IconURL = "", icon
	case hasEmoji:
		wrong.Add(docs.CheckEmoji("emoji", emoji))
		sp.Emoji, sp.IconURL = emoji, ""
	default: // null clears
		sp.Emoji, sp.IconURL = p.Emoji.Or(sp.Emoji), p.Icon.Or(sp.IconURL)
	}
	sp.Level, err = authz.NewLevel(g, sp.Level, p.Level)
	wrong.Add(err)
	if rules, ok := p.MergeRules.Get(); ok {
		wrong.Add(orgs.CheckMergeRules(ctx, tx, sp.Org, rules, true))
		sp.MergeRules = rules
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	sp.Title, sp.EditMode, sp.Language = orUntitled(p.Title.Or(sp.Title)), p.EditMode.Or(sp.EditMode), p.Language.Or(sp.Language)
	return nil
}

// PurgeJob is the kind of the job that permanently removes a space from the trash.
const PurgeJob = "space.purge"

type purge struct {
	Space docs.SpaceID `json:"space"`
}

// Delete moves a space to the trash, from which it is purged after a week.
func (s *Service) Delete(ctx context.Context, g *authz.Grant) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		sp, err := present(g)
		if err != nil {
			return err
		}
		return trash(ctx, tx, g.Actor, sp)
	})
}

func trash(ctx context.Context, tx *store.Tx, by authz.Actor, sp docs.Space) error {
	sp.DeletedAt, sp.UpdatedAt = tx.Now(), tx.Now()
	if err := tx.PutSpace(ctx, sp); err != nil {
		return err
	}
	job := jobs.Job{Kind: PurgeJob, Key: string(sp.ID), Payload: purge{sp.ID}, RunAt: tx.Now().Add(docs.TrashRetention)}
	if err := jobs.Enqueue(ctx, tx, job); err != nil {
		return err
	}
	if err := sites.SpaceChanged(ctx, tx, by, sp); err != nil {
		return err
	}
	return audit.Record(ctx, tx, by, spaceEvent(sp, "delete", map[string]any{"title": sp.Title}))
}

// Restore restores a space from the trash.
func (s *Service) Restore(ctx context.Context, g *authz.Grant) (docs.Space, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Space, error) {
		v, err := tx.Space(ctx, g.Space.ID)
		sp := v.It
		switch {
		case err != nil:
			return sp, err
		case sp.DeletedAt.IsZero():
			return sp, errs.E(errs.Conflict, "the space is not deleted; nothing would change")
		case tx.Now() > sp.DeletedAt.Add(docs.TrashRetention):
			return sp, errs.E(errs.NotFound, "space not found; deleted spaces are kept for 7 days")
		}
		sp.DeletedAt, sp.UpdatedAt = 0, tx.Now()
		if err := tx.PutSpace(ctx, sp); err != nil {
			return sp, err
		}
		if _, err := tx.DropJob(ctx, PurgeJob, string(sp.ID)); err != nil {
			return sp, err
		}
		if err := sites.SpaceChanged(ctx, tx, g.Actor, sp); err != nil {
			return sp, err
		}
		if err := audit.Record(ctx, tx, g.Actor, spaceEvent(sp, "restore", map[string]any{"title": sp.Title})); err != nil {
			return sp, err
		}
		v, err = tx.Space(ctx, sp.ID) // with its published address, which is set again
		return v.It, err
	})
}

// Purge is the handler of PurgeJob. It permanently removes a space if it is still in the
// trash and can no longer be restored. It is idempotent.
func (s *Service) Purge(ctx context.Context, payload []byte) error {
	var p purge
	if err := json.Unmarshal(payload, &p); err != nil {
		return fmt.Errorf("purge: %w", err)
	}
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		v, err := tx.Space(ctx, p.Space)
		sp := v.It
		switch {
		case errs.Is(err, errs.NotFound):
			return s.purgeLater(ctx, tx, p.Space)
		case err != nil:
			return err
		case sp.DeletedAt.IsZero() || tx.Now() < sp.DeletedAt.Add(docs.TrashRetention):
			return nil
		}
		if err := sites.SpacePurged(ctx, tx, authz.System, sp); err != nil {
			return err
		}
		if err := tx.PurgeSpace(ctx, sp); err != nil {
			return err
		}
		return audit.Record(ctx, tx, authz.System, spaceEvent(sp, "purge", map[string]any{"title": sp.Title}))
	})
}

// purgeLater postpones the purge of a space whose organization is deleted: the space is
// purged or restored with the organization.
func (s *Service) purgeLater(ctx context.Context, tx *store.Tx, id docs.SpaceID) error {
	waits, err := tx.InDeletedOrganization(ctx, id)
	if err != nil || !waits {
		return err
	}
	return jobs.RetryAfter(24 * time.Hour)
}

// Move moves a space within its organization.
func (s *Service) Move(ctx context.Context, g *authz.Grant, m Move) (docs.Space, docs.Role, error) {
	return s.changeSpace(ctx, g, func(tx *store.Tx, g *authz.Grant) (docs.Space, error) {
		sp, err := present(g)
		if err != nil {
			return sp, err
		}
		parent := m.Parent.Or(sp.Parent)
		if parent != sp.Parent {
			if _, _, err := container(ctx, tx, g, parent); err != nil {
				return sp, err
			}
		}
		rank, err := s.place(ctx, tx, g.Actor, sp.Org, sp.Parent, parent, docs.Pointer{Kind: docs.NodeSpace, ID: string(sp.ID)}, sp.Rank, m.Place)
		if err != nil {
			return sp, err
		}
		moved := parent != sp.Parent
		sp.Parent, sp.Rank, sp.UpdatedAt = parent, rank, tx.Now()
		if err := tx.PutSpace(ctx, sp); err != nil {
			return sp, err
		}
		if moved {
			if err := s.narrowed(ctx, tx, sp); err != nil {
				return sp, err
			}
		}
		return sp, audit.Record(ctx, tx, g.Actor, spaceEvent(sp, "move", map[string]any{"parent": parent}))
	})
}

// Transfer moves a space to another organization, at its top level.
func (s *Service) Transfer(ctx context.Context, g *authz.Grant, to docs.OrgID) (docs.Space, docs.Role, error) {
	return s.changeSpace(ctx, g, func(tx *store.Tx, g *authz.Grant) (docs.Space, error) {
		sp, err := present(g)
		if err != nil {
			return sp, err
		}
		from := sp.Org
		if err := transferable(ctx, tx, g, from, to); err != nil {
			return sp, err
		}
		sp.Rank = docs.RankAtEnd(s.Store.Clock())
		if err := transferSpace(ctx, tx, sp, to, ""); err != nil {
			return sp, err
		}
		if err := tx.ReceivedWithinQuotas(ctx, to, sp); err != nil {
			return sp, err
		}
		if err := s.narrowed(ctx, tx, sp); err != nil {
			return sp, err
		}
		if err := recordTransfer(ctx, tx, g.Actor, from, to, spaceEvent(sp, "transfer", nil)); err != nil {
			return sp, err
		}
		v, err := tx.Space(ctx, sp.ID)
		return v.It, err
	})
}

// transferSpace moves one space to another organization, without its grants and without
// the connection to a repository, whose credentials belong to the old organization.
func transferSpace(ctx context.Context, tx *store.Tx, sp docs.Space, to docs.OrgID, parent docs.CollectionID) error {
	if len(sp.MergeRules.NamedUsers()) > 0 {
		return errs.E(errs.Precondition, "the merge rules of the space %q name members of this organization; change them first", sp.Title)
	}
	on, err := tx.SitesWith(ctx, sp.ID)
	if err != nil {
		return err
	}
	if len(on) > 0 {
		return errs.E(errs.Precondition, "the space %q is on a site of this organization; take it off the site first", sp.Title)
	}
	if err := tx.DropGrants(ctx, sp.Org, sp.Node()); err != nil {
		return err
	}
	if err := tx.DropInviteLinks(ctx, "", sp.ID); err != nil {
		return err
	}
	if _, err := tx.DropGitConnection(ctx, sp.ID); err != nil {
		return err
	}
	sp.Org, sp.Parent, sp.UpdatedAt = to, parent, tx.Now()
	return tx.PutSpace(ctx, sp)
}
