package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/align"
	"github.com/octavo-docs/octavo/internal/markup/merge"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Limits of the block changes in a response.
const (
	maxComparedText = 16 << 20 // bytes of sources that are compared
	maxChangedText  = 2 << 20  // bytes of text in the response
	maxBlockChanges = 500      // of one page
)

// blockChange is a block that differs between two revisions.
type blockChange struct {
	Type   merge.ChangeKind `json:"type" enum:"added,removed,edited,moved" doc:"A block that was moved and edited is listed twice."`
	Block  changedBlock     `json:"block"`
	Before *string          `json:"before,omitempty" doc:"The block as Markdown before the change, shortened if it is long."`
	After  *string          `json:"after,omitempty" doc:"The block as Markdown after the change, shortened if it is long."`
	Words  []wordChange     `json:"words,omitempty" doc:"Differences in the text of an edited block."`
}

type changedBlock struct {
	Key    string `json:"key" doc:"The key after the change; for a removed block, the key before it."`
	Type   string `json:"type"`
	Parent string `json:"parent,omitempty" doc:"Key of the block that contains it; absent at the top level."`
}

type wordChange struct {
	Op   align.WordOp `json:"op" enum:"equal,insert,delete"`
	Text string       `json:"text"`
}

// compared returns the changed blocks of a page or of a reusable content. The second
// result is false if the text is unchanged or too large to compare.
type compared func(ctx context.Context, x *content.TextComparer) ([]merge.BlockChange, bool, error)

// addBlockChanges sets the block changes of each change, within the limits of a
// response.
func addBlockChanges(ctx context.Context, from, to *revision.View, changes []semanticChange) error {
	x, room := &content.TextComparer{From: from, To: to, Room: maxComparedText}, maxChangedText
	for i := range changes {
		c := &changes[i]
		if c.texts == nil {
			continue
		}
		all, complete, err := c.texts(ctx, x)
		if err != nil {
			return err
		}
		if !complete {
			continue
		}
		blocks := []blockChange{}
		for _, b := range all {
			room -= len(b.Before) + len(b.After)
			if room < 0 || len(blocks) == maxBlockChanges {
				break
			}
			blocks = append(blocks, wireBlock(b))
		}
		c.Blocks, c.MoreBlocks = &blocks, len(all)-len(blocks)
	}
	return nil
}

func wireBlock(b merge.BlockChange) blockChange {
	w := blockChange{Type: b.Kind, Block: changedBlock{b.Key, b.Type, b.Parent}}
	if b.Kind != merge.BlockAdded {
		w.Before = &b.Before
	}
	if b.Kind != merge.BlockRemoved {
		w.After = &b.After
	}
	for _, c := range b.Words {
		w.Words = append(w.Words, wordChange(c))
	}
	return w
}

// changesOut returns a page of the differences between two revisions. A cursor contains
// the ids of both, so that the next page compares the same revisions, even if the change
// request has a newer one by then. before opens the revision that is compared with.
func (h *handlers) changesOut(ctx context.Context, from, to docs.RevisionID, in kernel.ChangesPaged, before func(docs.RevisionID) wire.Opener) (semanticChanges, error) {
	paged := kernel.Paged(in)
	at, err := h.OpenPage(ctx, paged)
	if err != nil {
		return semanticChanges{}, err
	}
	pinned, skip, err := kernel.OffsetIn(at, 2)
	if err != nil {
		return semanticChanges{}, err
	}
	if pinned != nil {
		from, to = docs.RevisionID(pinned[0]), docs.RevisionID(pinned[1])
	}
	v, err := h.at(to)(ctx)
	if err != nil {
		return semanticChanges{}, err
	}
	old, err := before(from)(ctx)
	if err != nil {
		return semanticChanges{}, err
	}
	w, err := h.changesBetween(ctx, old, v, skip, in.Limit)
	if err == nil && w.More > 0 && in.Limit > 0 {
		w.Next = h.SealPage(ctx, paged, kernel.OffsetKey(skip+len(w.Changes), string(from), string(to)))
	}
	return w, err
}
