package explain

import (
	"bytes"
	"context"
	"fmt"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/revision"
)

// maxParts is how many parts of a page an explanation names.
const maxParts = 20

// damagedHead says what is wrong with the front matter of a page whose condition
// holds for nobody because of that.
func damagedHead(ctx context.Context, whole *revision.View, p docs.Page, condition string) (string, error) {
	if condition == "" || p.Body == "" {
		return "", nil
	}
	source, err := whole.Bytes(ctx, p.Body)
	if err != nil {
		return "", err
	}
	head := markup.ParseHead(source)
	if head.Meta.If != condition {
		return "", nil
	}
	text := ""
	for _, wrong := range head.Problems {
		text += fmt.Sprintf(" Line %d of the page: %s.", wrong.Line, wrong.Message)
	}
	return text, nil
}

// parts records what of a page nobody sees, because a condition cannot be read.
func (v *visit) parts(ctx context.Context, whole *revision.View, p docs.Page) error {
	raw, _, err := whole.Lookup(ctx, p.ID)
	if err != nil {
		return err
	}
	for _, text := range []struct{ what, is string }{{"title", raw.Title}, {"title of links", raw.LinkTitle}, {"description", raw.Description}} {
		if markup.Unconditional(text.is) != text.is {
			v.part(p, "The %s has the tag of a condition, which can only be around blocks; visitors see what is before it.", text.what)
		}
	}
	if raw.Body == "" {
		return nil
	}
	x, err := whole.PageText(ctx, raw)
	if err != nil {
		return err
	}
	source, err := whole.Bytes(ctx, x.Body)
	if err != nil {
		return err
	}
	body, _, err := whole.Body(ctx, x)
	if err != nil {
		return err
	}
	above := bytes.Count(source[:len(source)-len(body)], []byte("\n"))
	unread := markup.UnreadConditions(body, markup.Parse(body, markup.Refs{}), func(text string) error {
		_, err := expr.Parse(text)
		return err
	})
	for _, wrong := range unread[:min(len(unread), maxParts)] {
		v.part(p, "Line %d of the page: %s.", above+wrong.Line, wrong.Message)
	}
	return nil
}

func (v *visit) part(p docs.Page, format string, args ...any) {
	v.pass(StepPart, false, format, args...)
	v.Steps[len(v.Steps)-1].ID = string(p.ID)
}
