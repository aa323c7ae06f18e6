package content

import (
	"context"
	"fmt"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// UsageJob is the kind of the job that counts pages and files of spaces that are older than the counters.
const UsageJob = "usage.count"

// CountUsage is the handler of UsageJob. It may be interrupted and run again.
func (s *Service) CountUsage(ctx context.Context, _ []byte) error {
	all, err := s.Store.SpacesToCount(ctx)
	if err != nil {
		return err
	}
	busy := 0
	for _, id := range all {
		counted := false
		for tries := 0; !counted && tries < maxCounts; tries++ {
			counted, err = s.countSpace(ctx, id)
			if errs.Is(err, errs.NotFound) {
				counted, err = true, nil // the space was deleted meanwhile
			}
			if err != nil {
				return err
			}
		}
		if !counted {
			busy++
		}
	}
	if busy > 0 {
		return fmt.Errorf("%d spaces changed while they were counted", busy) // the job runs again
	}
	return nil
}

// maxCounts is the maximum number of times that a space is counted because it
// changes meanwhile.
const maxCounts = 5

// countSpace counts the pages and files of the newest revision of a space. It reports
// false if the space has changed meanwhile. NotFound: the space was deleted.
func (s *Service) countSpace(ctx context.Context, id docs.SpaceID) (bool, error) {
	sp, err := s.Store.Space(ctx, id)
	if err != nil {
		return false, err
	}
	v, err := s.Source.Head(ctx, sp.It)
	if err != nil {
		return false, err
	}
	var pages, files int64
	err = v.Scan(ctx, revision.KeyPage, "", func(string, []byte) (bool, error) {
		pages++
		return true, nil
	})
	if err != nil {
		return false, err
	}
	list, err := v.Files(ctx, "", 0)
	if err != nil {
		return false, err
	}
	for _, f := range list {
		files += f.Size
	}
	return store.InTx(ctx, s.Store, func(tx *store.Tx) (bool, error) {
		return tx.SetCounted(ctx, id, v.Rev.ID, pages, files)
	})
}
