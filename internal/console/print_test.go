package console

import "testing"

// A page of the server ends, however many and long the comments are.
func TestTextsOfAPageAreBounded(t *testing.T) {
	p := &printer{wrote: maxHTML - 10}
	if got, err := p.remark("a comment that is longer than what is left"); err != nil || got != tooLong {
		t.Errorf("%q, %v", got, err)
	}
}
