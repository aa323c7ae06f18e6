package translations

import (
	"context"
	"io"
	"slices"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/translate"
)

const (
	maxImport   = 256 << 20 // bytes of a file
	importBatch = 500       // texts that are stored at once
)

// ExportMemory writes the memory of a pair of languages as TMX, for the operator, and
// returns how many texts it has. Of one that was translated in several contexts, the
// translation of people is written, or the first one.
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
		return out.Write(translate.Pair{Source: last.Source, Target: last.Target})
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

// ImportMemory reads translations of people from TMX, for the operator. It returns how
// many were stored, and how many were left out because they are too long.
func (s *Service) ImportMemory(ctx context.Context, org docs.OrgID, from, to string, r io.Reader) (stored, skipped int, err error) {
	if err := s.checkPair(ctx, org, from, to); err != nil {
		return 0, 0, err
	}
	batch := map[string]docs.MemoryEntry{}
	flush := func() error {
		entries := make([]docs.MemoryEntry, 0, len(batch))
		for _, m := range batch {
			entries = append(entries, m)
		}
		clear(batch)
		stored += len(entries)
		return s.finishImport(ctx, org, from, to, entries)
	}
	err = translate.ReadTMX(io.LimitReader(r, maxImport), from, to, func(p translate.Pair) error {
		if len(p.Source) > translate.MaxSegment || len(p.Target) > 4*translate.MaxSegment {
			skipped++
			return nil
		}
		m := docs.MemoryEntry{Context: docs.MemoryPeople, Hash: translate.HashText(p.Source), Source: p.Source, Target: p.Target}
		if batch[m.Hash] = m; len(batch) < importBatch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return stored, skipped, err
	}
	return stored, skipped, flush()
}

// finishImport stores translations of people. Translations of the pair look at everything
// again in their next run.
func (s *Service) finishImport(ctx context.Context, org docs.OrgID, from, to string, entries []docs.MemoryEntry) error {
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

// checkPair checks what an operator has named.
func (s *Service) checkPair(ctx context.Context, org docs.OrgID, from, to string) error {
	for _, code := range []string{from, to} {
		if !slices.Contains(docs.Languages, code) {
			return errs.E(errs.Invalid, "there is no language %q", code)
		}
	}
	_, err := s.Store.Organization(ctx, org)
	return err
}
