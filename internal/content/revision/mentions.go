package revision

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// NewMentions returns the users that a note mentions and its earlier version did
// not, at most docs.MaxMentions.
func (v *View) NewMentions(ctx context.Context, note, earlier string) ([]docs.UserID, error) {
	now, err := v.mentioned(ctx, note)
	if err != nil || len(now) == 0 {
		return nil, err
	}
	before, err := v.mentioned(ctx, earlier)
	return slices.DeleteFunc(now, func(u docs.UserID) bool { return slices.Contains(before, u) }), err
}

func (v *View) mentioned(ctx context.Context, note string) ([]docs.UserID, error) {
	if !strings.Contains(note, "/users/") { // every mention contains it
		return nil, nil
	}
	doc, err := v.NoteDocument(ctx, note)
	if err != nil {
		return nil, err
	}
	var out []docs.UserID
	for _, r := range markup.References(doc) {
		id := docs.UserID(r.Ref.User)
		if r.Ref.Kind == docs.RefUser && len(out) < docs.MaxMentions && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}
