package revision

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Problem is a mistake in the text of a page, with the codes and the words of
// folder.Check.
type Problem struct {
	Page    docs.PageID
	Path    string // of the text in the input
	File    string
	Line    int // 0 if it is not known
	Code    string
	Message string
}

// maxDead is the maximum number of destinations of a page that are reported.
const maxDead = 20

// Problems returns at most `most` mistakes in the pages that the draft wrote. It is called
// after ComposeBodies.
func (d *Draft) Problems(ctx context.Context, most int) ([]Problem, error) {
	var out []Problem
	for _, id := range slices.Sorted(maps.Keys(d.Written)) {
		p, ok, err := d.Lookup(ctx, id)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue // dropped by a later change
		}
		x, err := d.PageText(ctx, p)
		if err != nil {
			return nil, err
		}
		found, err := d.problemsOf(ctx, x, d.Written[id])
		if err != nil {
			return nil, err
		}
		for i := range found {
			found[i].Page, found[i].File, found[i].Path = id, x.File, d.Written[id].Path
		}
		if out = append(out, found...); len(out) >= most {
			return out[:most], nil
		}
	}
	return out, nil
}

// problemsOf returns the mistakes in a text, sorted by line. It uses what Compose has read, so that
// an edit parses its text once.
func (d *Draft) problemsOf(ctx context.Context, x Text, w *Writing) ([]Problem, error) {
	source, err := d.src.Bytes(ctx, x.Body)
	if err != nil {
		return nil, err
	}
	side, err := d.Sidecar(ctx, x.Sidecar)
	if err != nil {
		return nil, err
	}
	head, body := markup.ParseHead(source), source[min(side.Start, len(source)):]
	dead := map[string]markup.Use{}
	for _, a := range w.asked {
		if !a.ok && !external(a.dest) && a.use != markup.UseInclude { // whose problem the parser reports
			dead[a.dest] = a.use
		}
	}
	var out []Problem
	for _, p := range head.Problems {
		out = append(out, Problem{Line: p.Line, Code: folder.CodeFrontMatter, Message: p.Message})
	}
	above := bytes.Count(source[:len(source)-len(body)], []byte("\n"))
	for _, p := range slices.Concat(w.doc.Problems, markup.UnreadExpressions(body, w.doc)) {
		out = append(out, Problem{Line: p.Line + above, Code: folder.CodeMarkup, Message: p.Message})
	}
	names := slices.Sorted(maps.Keys(dead))
	for _, dest := range names[:min(len(names), maxDead)] {
		code, message := folder.MissingTarget(dest, dead[dest])
		line := 0
		if at := folder.Lines(source, dest); len(at) > 0 {
			line = at[0]
		}
		out = append(out, Problem{Line: line, Code: code, Message: message})
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return out, nil
}

// external reports whether a destination leads out of the space.
func external(dest string) bool {
	where, _, _ := strings.Cut(dest, "#")
	return strings.Contains(where, ":") || strings.HasPrefix(where, "//")
}
