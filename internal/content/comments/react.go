package comments

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// reacted is the target of a reaction: a comment or a reply to it, with its current
// reactions.
type reacted struct {
	comment docs.CommentID
	reply   docs.ReplyID
	have    []docs.Reaction
}

// reactions are the emoji that were actually added and removed.
type reactions struct{ added, removed []string }

func (r reactions) any() bool { return len(r.added)+len(r.removed) > 0 }

func (r reactions) data() map[string]any {
	out := map[string]any{}
	if len(r.added) > 0 {
		out["added"] = r.added
	}
	if len(r.removed) > 0 {
		out["removed"] = r.removed
	}
	return out
}

// react adds and removes reactions of the caller. Adding an existing one, or removing a
// missing one, changes nothing.
func react(ctx context.Context, tx *store.Tx, g *authz.Grant, to reacted, ch Change) (done reactions, err error) {
	if len(ch.Added)+len(ch.Removed) == 0 {
		return done, nil
	}
	if err := forbidUnless(g.Can(authz.CommentSpace), "you need the role comment on the space to react to comments"); err != nil {
		return done, err
	}
	added, err := emojis("addedReactions", ch.Added)
	if err != nil {
		return done, err
	}
	removed, err := emojis("removedReactions", ch.Removed)
	if err != nil {
		return done, err
	}
	for i, e := range removed {
		if slices.Contains(added, e) {
			return done, errs.Field(fmt.Sprintf("removedReactions[%d]", i), "is also in addedReactions; name it in one of them")
		}
		was, err := tx.DropReaction(ctx, to.comment, to.reply, e, g.Actor.User)
		if err != nil {
			return done, err
		}
		if was {
			done.removed = append(done.removed, e)
		}
	}
	for _, e := range added {
		isNew, err := tx.AddReaction(ctx, to.comment, to.reply, e, g.Actor.User)
		if err != nil {
			return done, err
		}
		if isNew {
			done.added = append(done.added, e)
		}
	}
	return done, to.room(g.Actor.User, len(done.added)-len(done.removed))
}

// room returns an error if there are too many reactions after the change. more is how
// many were added in total.
func (r reacted) room(user docs.UserID, more int) error {
	all, own := more, more
	for _, x := range r.have {
		all += len(x.Users)
		if slices.ContainsFunc(x.Users, func(u docs.Reactor) bool { return u.User.ID == user }) {
			own++
		}
	}
	switch {
	case more <= 0:
		return nil
	case own > docs.MaxOwnReactions:
		return tooMany("you can react with %d emoji at most; remove one first", docs.MaxOwnReactions)
	case all > docs.MaxReactions:
		return tooMany("this has %d reactions already, which is the maximum", docs.MaxReactions)
	}
	return nil
}

// emojis parses a list of emoji and removes duplicates.
func emojis(path string, list []string) ([]string, error) {
	var out []string
	for i, s := range list {
		e := emojiOf(s)
		if e == "" {
			return nil, errs.Field(fmt.Sprintf("%s[%d]", path, i), "must be a single emoji")
		}
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out, nil
}

// emojiOf returns the normalized form of an emoji, which is written as the emoji itself
// or as its code points, with or without the emoji variation selector. It returns the
// empty string for any other text.
func emojiOf(s string) string {
	if len(s) > docs.MaxEmoji {
		return ""
	}
	const selector = "\ufe0f"
	e := emoji.FromCode(s)
	if e == "" && emoji.Is(s+selector) {
		e = s + selector
	}
	if plain := strings.TrimSuffix(e, selector); emoji.Is(plain) {
		return plain
	}
	return e
}
