package console

import "testing"

// The size of a page is limited, regardless of the number and length of comments.
func TestTextsOfAPageAreBounded(t *testing.T) {
	p := &printer{wrote: maxHTML - 10}
	if got, err := p.remark("a comment that is longer than what is left"); err != nil || got != tooLong {
		t.Errorf("%q, %v", got, err)
	}
}
