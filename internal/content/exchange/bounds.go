package exchange

import (
	"context"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
)

const (
	// parsedAtOnce is the maximum number of bytes of pages that all imports of a process parse at the
	// same time; one organization may use half of it. A parsed page of many small blocks takes fifty
	// times its size.
	parsedAtOnce = 4 << 20
	// smallImport is the maximum number of bytes of text that an import may hold in memory while
	// others run. Only one larger import runs at a time.
	smallImport = 16 << 20
)

// New returns an exchange whose imports share the processors and the memory.
func New(x Exchange) *Exchange {
	x.parsing = budget.NewPool("imports", parsedAtOnce)
	x.large = budget.NewPool("large imports", 1)
	return &x
}

// acquireLarge is called when an import holds more text than smallImport. It returns an error of kind
// errs.Busy if another import does so now: waiting would block the git program, whose time is
// limited.
func (t *source) acquireLarge() error {
	if t.release != nil {
		return nil
	}
	release, err := t.s.large.Try(string(t.base.Space.Org), 1)
	t.release = release
	return err
}

// releaseLarge releases what acquireLarge acquired, if anything.
func (t *source) releaseLarge() {
	if t.release != nil {
		t.release()
	}
}

// parse waits until a page of an organization may be parsed. The page counts until release is called.
func (s *Exchange) parse(ctx context.Context, org docs.OrgID, size int) (release func(), err error) {
	return s.parsing.Await(ctx, string(org), int64(max(1, size)))
}
