package wire

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
)

// Opener returns the revision that a request reads.
type Opener func(ctx context.Context) (*revision.View, error)

// Head returns the newest revision of the space, as the caller sees it.
func (v *Views) Head(ctx context.Context) (*revision.View, error) {
	g := authz.FromContext(ctx)
	seen, err := v.content.Source.Head(ctx, g.Space)
	return AsSeen(g, seen), err
}

// AsSeen returns a revision as the caller sees it: for visitors, without what is hidden
// from them.
func AsSeen(g *authz.Grant, v *revision.View) *revision.View {
	if v == nil || g.Visitor() == nil {
		return v
	}
	return v.For(g.Visitor())
}
