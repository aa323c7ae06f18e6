package explain

import (
	"bytes"
	"context"
	"fmt"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// maxParts is the maximum number of parts of a page that an explanation lists.
const maxParts = 20

// damagedHead returns a text with the problems of the front matter of a page, if the
// condition of the page comes from it. Because of these problems the condition holds for
// nobody.
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

// parts records the parts of a page that nobody sees because a condition cannot be
// parsed.
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
	unread := markup.UnreadConditions(body, markup.Parse(body, markup.Refs{}))
	for _, wrong := range unread[:min(len(unread), maxParts)] {
		v.part(p, "Line %d of the page: %s.", above+wrong.Line, wrong.Message)
	}
	return nil
}

func (v *visit) part(p docs.Page, format string, args ...any) {
	v.addStep(StepPart, false, format, args...)
	v.Steps[len(v.Steps)-1].ID = string(p.ID)
}
