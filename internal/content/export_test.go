package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/chunk"
)

// TakeWhole is Take without the short way.
func (s *Service) TakeWhole(ctx context.Context, base *View, up Upstream) (*Taken, error) {
	return s.taking(base, up, func(string, int, int) {}).folder(ctx)
}

// TakeFiles is the short way alone; ok is false where it is none.
func (s *Service) TakeFiles(ctx context.Context, base *View, up Upstream) (*Taken, bool, error) {
	return s.taking(base, up, func(string, int, int) {}).files(ctx)
}

// Keys gives what a taken draft changes, without what only tells when.
func (t *Taken) Keys(ctx context.Context) (map[string][2]string, error) {
	root, _, err := t.draft.seal(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string][2]string{}
	return out, chunk.Diff(ctx, t.draft.src, t.draft.base.Root, root, func(key string, before, after []byte) error {
		out[key] = [2]string{string(before), string(after)}
		return nil
	})
}
