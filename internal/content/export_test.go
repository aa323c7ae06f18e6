package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
)

// TakeWhole is Take without the short way.
func (s *Service) TakeWhole(ctx context.Context, base *View, up Upstream) (*Taken, error) {
	now := s.Store.Clock()
	t := &taking{s: s, base: base, up: up, step: func(string, int, int) {}, newDraft: func() *draft {
		return s.draftOf(base, docs.TimeOf(now), idsFrom(now))
	}}
	return t.folder(ctx)
}

// TakeFiles is the short way alone; ok is false where it is none.
func (s *Service) TakeFiles(ctx context.Context, base *View, up Upstream) (*Taken, bool, error) {
	now := s.Store.Clock()
	t := &taking{s: s, base: base, up: up, step: func(string, int, int) {}, newDraft: func() *draft {
		return s.draftOf(base, docs.TimeOf(now), idsFrom(now))
	}}
	return t.files(ctx)
}

// Keys gives what a taken draft changes, without what only tells when.
func (t *Taken) Keys(ctx context.Context) (map[string][2]string, error) {
	root, objects, err := t.draft.seal(ctx)
	if err != nil {
		return nil, err
	}
	_ = objects
	out := map[string][2]string{}
	return out, chunk.Diff(ctx, t.draft.src, t.draft.base.Root, root, func(key string, before, after []byte) error {
		out[key] = [2]string{string(before), string(after)}
		return nil
	})
}
