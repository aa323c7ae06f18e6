package content

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
)

// takingAlike takes at a time and with ids that are always the same.
func (s *Exchange) takingAlike(base *View, up Upstream) *taking {
	t := s.taking(base, up, func(string, int, int) {})
	t.newDraft = func() *draft {
		n := 0
		return base.draft(docs.TimeOf(time.Unix(2_000_000_000, 0)), func() string {
			n++
			return fmt.Sprintf("new-%06d", n)
		})
	}
	return t
}

// TakeWhole is Take without the short way.
func (s *Exchange) TakeWhole(ctx context.Context, base *View, up Upstream) (*Taken, error) {
	return s.takingAlike(base, up).folder(ctx)
}

// TakeParts is the way of changes of the structure; ok is false where it is
// none.
func (s *Exchange) TakeParts(ctx context.Context, base *View, up Upstream) (_ *Taken, ok bool, err error) {
	t, err := s.takingAlike(base, up).parts(ctx)
	if errors.Is(err, errWhole) {
		return nil, false, nil
	}
	return t, err == nil, err
}

// TakeFiles is the short way alone; ok is false where it is none.
func (s *Exchange) TakeFiles(ctx context.Context, base *View, up Upstream) (*Taken, bool, error) {
	return s.taking(base, up, func(string, int, int) {}).files(ctx)
}

// Keys gives what a taken draft changes, without what only tells when.
func (t *Taken) Keys(ctx context.Context) (map[string][2]string, error) {
	root, _, err := t.draft.seal(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string][2]string{}
	return out, t.draft.diff(ctx, t.draft.base.Root, root, func(key string, before, after []byte) error {
		out[key] = [2]string{string(before), string(after)}
		return nil
	})
}
