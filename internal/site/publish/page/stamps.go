package page

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
)

// Key is the cache key of what is composed for a page, or for all pages of an edition. It
// covers all inputs except the state of the spaces and of the specifications that it was made
// of. Visitors with the same claims share what is composed: the key of the edition includes the
// claims, and the root includes the key of a share link.
type Key struct {
	site    stateKey
	root    string
	place   docs.SiteItemID
	edition edition.Key
	page    docs.PageID
}

// Key returns the cache key of a page of an edition, or of all pages if page is empty.
func (c *Composer) Key(e *edition.Edition, page docs.PageID) Key {
	return Key{stateKey{c.Site.ID, c.Site.Version}, c.Root, c.Target.Space.ID, e.Key(), page}
}

// MadeOf is what a page was made of besides its edition.
type MadeOf struct {
	read  []stamp // spaces
	specs []specStamp
	// Partial is set if there was no time for some formulas. Such a page is not kept.
	Partial bool
}

// Elsewhere reports whether what the page was made of can change without a write to the store.
func (m MadeOf) Elsewhere() bool { return slices.ContainsFunc(m.specs, specStamp.elsewhere) }

// Same reports whether a page of an edition would be made of the same now.
func (s *Shared) Same(ctx context.Context, m MadeOf, e *edition.Edition) (bool, error) {
	same, err := s.current(ctx, m.read, e.Space)
	if err == nil && same {
		same, err = s.sameSpecs(ctx, e.View, m.specs)
	}
	return same && err == nil, err
}

// stamp is the state of a space that pages may depend on. The revision covers its pages.
type stamp struct {
	id                   docs.SpaceID
	revision             docs.RevisionID
	title, emoji, icon   string
	language             string
	git                  docs.GitInfo
	deleted              docs.Time
	published, connected bool
}

func stampOf(sp docs.Space) stamp {
	s := stamp{
		id: sp.ID, revision: sp.Revision, title: sp.Title, emoji: sp.Emoji, icon: sp.IconURL, language: sp.Language,
		deleted: sp.DeletedAt, published: sp.Published != nil, connected: sp.Git != nil,
	}
	if sp.Git != nil {
		s.git = *sp.Git
	}
	return s
}

// current reports whether no space in read has changed. The caller passes the current
// state of one of them in known, which saves a query.
func (s *Shared) current(ctx context.Context, read []stamp, known docs.Space) (bool, error) {
	for _, was := range read {
		now := known
		if was.id != known.ID {
			sp, err := s.Audience.Space(ctx, was.id)
			if errs.Is(err, errs.NotFound) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			now = sp
		}
		if stampOf(now) != was {
			return false, nil
		}
	}
	return true, nil
}

// specStamp is the version of a specification that a response was made of.
type specStamp struct {
	ref     docs.Ref
	version string
}

// elsewhere reports whether the specification can change without a write to the store.
func (s specStamp) elsewhere() bool { return s.ref.Kind == docs.RefURL }

// sameSpecs reports whether the specifications that a page of a revision was made of still
// have the versions in read.
func (s *Shared) sameSpecs(ctx context.Context, view *revision.View, read []specStamp) (bool, error) {
	for _, was := range read {
		now, err := s.Content.SpecVersion(ctx, view, was.ref)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return false, err
		}
		if now != was.version {
			return false, nil
		}
	}
	return true, nil
}
