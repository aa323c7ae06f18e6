package docs

import (
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
)

// CheckEmoji returns an error if a text is neither an emoji, nor the code points of one,
// nor empty. at is its path in the input.
func CheckEmoji(at, text string) error {
	if text != "" && emoji.FromCode(text) == "" {
		return errs.Field(at, "is not an emoji; send the character, or its code points such as 1f4d8")
	}
	return nil
}
