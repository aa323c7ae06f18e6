package git

import (
	"bytes"
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// maxShown is the maximum size of the message of a fetched commit in bytes. Longer
// messages are truncated.
const maxShown = 4 << 10

// Describe returns the author and the message of a fetched commit. Both are cleaned for
// display.
func (p *Repo) Describe(ctx context.Context, commit string) (Commit, error) {
	if !oidForm.MatchString(commit) {
		return Commit{}, badCommit()
	}
	out, err := p.git(ctx, call{args: []string{"cat-file", "commit", commit}})
	if err != nil {
		return Commit{}, err
	}
	head, text, _ := bytes.Cut(out, []byte("\n\n"))
	c := Commit{Message: strings.TrimSpace(docs.FirstBytes(printable(string(text)), maxShown))}
	for line := range strings.Lines(string(head)) {
		if who, ok := strings.CutPrefix(line, "author "); ok {
			name, rest, _ := strings.Cut(who, "<")
			email, _, _ := strings.Cut(rest, ">")
			c.Author = Person{Name: docs.FirstBytes(OneLine(name), maxPerson), Email: docs.FirstBytes(OneLine(email), maxPerson)}
		}
	}
	return c, nil
}
