package translations

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/translation/translate"
)

const (
	maxGlossary = 100_000 // entries of an organization
	maxTerm     = 255     // characters
)

// The types of a GlossaryChange.
const (
	InsertEntry = "insert"
	UpdateEntry = "update"
	DeleteEntry = "delete"
)

// GlossaryChange is one change of a batch. An insertion has no ID, and a deletion has no
// translations.
type GlossaryChange struct {
	Type         string
	ID           docs.GlossaryEntryID
	Translations map[string]string
}

// Glossary lists the glossary of an organization.
func (s *Service) Glossary(org docs.OrgID) store.List[docs.GlossaryEntry] {
	return store.List[docs.GlossaryEntry]{
		Page: func(ctx context.Context, p store.Page) ([]docs.GlossaryEntry, store.Key, error) {
			return s.Store.Glossary(ctx, org, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountGlossary(ctx, org) },
	}
}

// GlossaryEntry returns an entry of the glossary of an organization.
func (s *Service) GlossaryEntry(ctx context.Context, org docs.OrgID, id docs.GlossaryEntryID) (docs.GlossaryEntry, error) {
	return s.Store.GlossaryEntry(ctx, org, id)
}

// ChangeGlossary applies all changes of a batch, or none. Translations use the changed
// glossary from their next run on.
func (s *Service) ChangeGlossary(ctx context.Context, g *authz.Grant, changes []GlossaryChange) error {
	for i, c := range changes {
		if err := c.check(fmt.Sprintf("operations[%d]", i)); err != nil {
			return err
		}
	}
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		org := g.Access.Org
		n, err := tx.CountGlossary(ctx, org)
		if err != nil {
			return err
		}
		counts := map[string]int{}
		for i, c := range changes {
			counts[c.Type]++
			if int(n)+counts[InsertEntry]-counts[DeleteEntry] > maxGlossary {
				return errs.E(errs.Precondition, "a glossary can have %d entries; delete some first", maxGlossary)
			}
			if err := c.apply(ctx, tx, org, fmt.Sprintf("operations[%d]", i)); err != nil {
				return err
			}
		}
		if len(changes) == 0 {
			return nil
		}
		return audit.Record(ctx, tx, g.Actor, audit.Event{
			Org: org, Action: "glossary.update", Kind: "organization", ID: string(org),
			Data: map[string]any{"inserted": counts[InsertEntry], "updated": counts[UpdateEntry], "deleted": counts[DeleteEntry]},
		})
	})
}

func (c GlossaryChange) check(at string) error {
	switch c.Type {
	case DeleteEntry:
		return nil
	case InsertEntry, UpdateEntry:
	default:
		return errs.Field(at+".type", "must be one of %s, %s, %s", InsertEntry, UpdateEntry, DeleteEntry)
	}
	if len(c.Translations) == 0 {
		return errs.Field(at+".translations", "must have at least one language")
	}
	for language, text := range c.Translations {
		path := at + ".translations." + language
		switch n := utf8.RuneCountInString(text); {
		case !slices.Contains(docs.Languages, language):
			return errs.Field(at+".translations", "has a language that a space cannot have: %q", language)
		case n < 1 || n > maxTerm:
			return errs.Field(path, "must have 1 to %d characters", maxTerm)
		case strings.ContainsAny(text, "\n\r"):
			return errs.Field(path, "must not contain line breaks")
		}
	}
	return nil
}

func (c GlossaryChange) apply(ctx context.Context, tx *store.Tx, org docs.OrgID, at string) error {
	if c.Type == InsertEntry {
		return tx.AddGlossaryEntry(ctx, docs.GlossaryEntry{
			Org: org, ID: store.NewID[docs.GlossaryEntryID](tx), Translations: c.Translations, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		})
	}
	e, exists, err := store.Maybe(tx.GlossaryEntry(ctx, org, c.ID))
	switch {
	case err != nil:
		return err
	case !exists && c.Type == DeleteEntry:
		return nil // deleting a missing entry succeeds
	case !exists:
		return errs.Field(at+".id", "is not an entry of the glossary: %q", c.ID)
	case c.Type == DeleteEntry:
		return tx.DropGlossaryEntry(ctx, org, c.ID)
	}
	e.Translations, e.UpdatedAt = c.Translations, tx.Now()
	return tx.PutGlossaryEntry(ctx, e)
}

// terms returns the glossary entries that have both languages of a translation.
func (s *Service) terms(ctx context.Context, t docs.Translation) ([]translate.Term, error) {
	var out []translate.Term
	for p := (store.Page{Limit: 1000}); ; {
		entries, next, err := s.Store.Glossary(ctx, t.Org, p)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if from, to := e.Translations[t.From], e.Translations[t.To]; from != "" && to != "" {
				out = append(out, translate.Term{From: from, To: to})
			}
		}
		if next == nil {
			return out, nil
		}
		p.After = next
	}
}
