package git

import (
	"bytes"
	"context"
	"strings"
)

// maxShown is how much of a message of somebody else's commit is kept.
const maxShown = 4 << 10

// Describe gives the author and the message of a commit that was fetched, fit
// to be shown.
func (p *Repo) Describe(ctx context.Context, commit string) (Commit, error) {
	if !oidForm.MatchString(commit) {
		return Commit{}, badAddress("has no commit with the name that was asked for")
	}
	out, err := p.git(ctx, call{args: []string{"cat-file", "commit", commit}})
	if err != nil {
		return Commit{}, err
	}
	head, text, _ := bytes.Cut(out, []byte("\n\n"))
	c := Commit{Message: strings.TrimSpace(cut(printable(string(text)), maxShown))}
	for line := range strings.Lines(string(head)) {
		if who, ok := strings.CutPrefix(line, "author "); ok {
			name, rest, _ := strings.Cut(who, "<")
			email, _, _ := strings.Cut(rest, ">")
			c.Author = Person{Name: cut(OneLine(name), maxPerson), Email: cut(OneLine(email), maxPerson)}
		}
	}
	return c, nil
}
