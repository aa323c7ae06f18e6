package translations

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/translation/translate"
)

const (
	maxMemory   = 1_000_000 // texts of an organization, checked when a run or an import begins
	maxImport   = 256 << 20 // bytes of a file
	importBatch = 500       // texts that are stored at once
)

// ExportMemory writes the translation memory of a language pair as TMX, for the operator,
// and returns the number of texts written. If a text was translated in several contexts,
// ExportMemory writes the translation by people, or else the first one.
func (s *Service) ExportMemory(ctx context.Context, org docs.OrgID, from, to string, w io.Writer) (int, error) {
	if err := s.checkPair(ctx, org, from, to); err != nil {
		return 0, err
	}
	out := translate.NewTMX(w, from, to)
	n := 0
	var last docs.MemoryEntry
	flush := func() error {
		if last.Target == "" {
			return nil
		}
		n++
		return out.Write(translate.Pair{Source: last.Source, Target: last.Target, Engine: last.Context != docs.MemoryPeople})
	}
	for p := (store.Page{Limit: 1000}); ; {
		entries, next, err := s.Store.MemoryOf(ctx, org, from, to, p)
		if err != nil {
			return n, err
		}
		for _, m := range entries {
			switch {
			case m.Hash != last.Hash:
				if err := flush(); err != nil {
					return n, err
				}
				last = m
			case m.Context == docs.MemoryPeople || last.Target == "":
				last = m
			}
		}
		if next == nil {
			break
		}
		p.After = next
	}
	if err := flush(); err != nil {
		return n, err
	}
	return n, out.Close()
}

// ImportMemory reads translations from TMX, for the operator. It returns how many were
// stored and how many were skipped because they are too long or already in the memory.
func (s *Service) ImportMemory(ctx context.Context, org docs.OrgID, from, to string, r io.Reader) (stored, skipped int, err error) {
	if err := s.checkPair(ctx, org, from, to); err != nil {
		return 0, 0, err
	}
	if err := s.checkMemory(ctx, org); err != nil {
		return 0, 0, err
	}
	batch := map[string]translate.Pair{}
	flush := func() error {
		entries, err := s.newEntries(ctx, org, from, to, batch)
		if err != nil {
			return err
		}
		stored += len(entries)
		skipped += len(batch) - len(entries)
		clear(batch)
		return s.finishImport(ctx, org, from, to, entries)
	}
	err = translate.ReadTMX(io.LimitReader(r, maxImport), from, to, func(p translate.Pair) error {
		if len(p.Source) > translate.MaxSegment || len(p.Target) > 4*translate.MaxSegment {
			skipped++
			return nil
		}
		if batch[translate.HashText(p.Source)] = p; len(batch) < importBatch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return stored, skipped, err
	}
	return stored, skipped, flush()
}

// newEntries returns the translations of a batch that the memory does not have. A
// translation marked as made by an engine keeps that mark, unless the memory has a
// different translation by an engine: then a person has corrected it.
func (s *Service) newEntries(ctx context.Context, org docs.OrgID, from, to string, batch map[string]translate.Pair) ([]docs.MemoryEntry, error) {
	known, err := s.Store.Memory(ctx, org, from, to, slices.Sorted(maps.Keys(batch)))
	if err != nil {
		return nil, err
	}
	same, other := map[string]bool{}, map[string]bool{}
	for _, m := range known {
		switch p := batch[m.Hash]; {
		case m.Target == p.Target && (p.Engine || m.Context == docs.MemoryPeople):
			same[m.Hash] = true
		case m.Target != "" && m.Context != docs.MemoryPeople:
			other[m.Hash] = true
		}
	}
	var out []docs.MemoryEntry
	for _, hash := range slices.Sorted(maps.Keys(batch)) {
		p, context := batch[hash], docs.MemoryPeople
		if p.Engine && !other[hash] {
			context = docs.MemoryEngines
		}
		if !same[hash] {
			out = append(out, docs.MemoryEntry{Context: context, Hash: hash, Source: p.Source, Target: p.Target})
		}
	}
	return out, nil
}

// checkMemory returns an error of kind Precondition if the memory of an organization has
// reached maxMemory texts.
func (s *Service) checkMemory(ctx context.Context, org docs.OrgID) error {
	n, err := s.Store.CountMemory(ctx, org)
	if err == nil && n >= maxMemory {
		err = errs.E(errs.Precondition, "the memory of the organization has %d texts; delete translations that nobody needs", maxMemory)
	}
	return err
}

// finishImport stores imported entries. It resets the translations of the language pair,
// so that their next run processes all texts again.
func (s *Service) finishImport(ctx context.Context, org docs.OrgID, from, to string, entries []docs.MemoryEntry) error {
	if len(entries) == 0 {
		return nil
	}
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		if err := tx.PutMemory(ctx, org, from, to, entries); err != nil {
			return err
		}
		if err := tx.ResetTranslations(ctx, org, from, to); err != nil {
			return err
		}
		return audit.Record(ctx, tx, authz.AtCommandLine(authz.System.User), audit.Event{
			Org: org, Action: "translation.import", Kind: "organization", ID: string(org), Data: map[string]any{"from": from, "to": to, "texts": len(entries)},
		})
	})
}

// checkPair checks that the languages and the organization given by an operator exist.
func (s *Service) checkPair(ctx context.Context, org docs.OrgID, from, to string) error {
	for _, code := range []string{from, to} {
		if !slices.Contains(docs.Languages, code) {
			return errs.E(errs.Invalid, "there is no language %q", code)
		}
	}
	_, err := s.Store.Organization(ctx, org)
	return err
}
