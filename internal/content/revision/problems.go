package revision

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/names"
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

const (
	// maxDead is the maximum number of destinations of a page that are reported.
	maxDead = 20
	// maxAnchorText is how many bytes of other pages are parsed for their headings.
	maxAnchorText = 4 << 20
	// maxNear is the maximum number of files and folders that paths which lead nowhere are
	// compared with. They are those of the folders on the way, not all of the space.
	maxNear = 2000
)

// problemFinder finds the mistakes in the pages that a draft wrote.
type problemFinder struct {
	*Draft
	anchors map[docs.PageID]map[string]bool // of pages
	parsed  int                             // bytes of other pages
	listed  map[string]map[string]string    // by folder: its files and, with a slash, its folders, by their case-folded names
	looked  int                             // number of them
}

// Problems returns at most `most` mistakes in the pages that the draft wrote. It is called
// after ComposeBodies.
func (d *Draft) Problems(ctx context.Context, most int) ([]Problem, error) {
	f := &problemFinder{Draft: d, anchors: map[docs.PageID]map[string]bool{}, listed: map[string]map[string]string{}}
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
		found, err := f.inPage(ctx, p, x, d.Written[id])
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

// inPage returns the mistakes in a text, sorted by line. It uses what Compose has read, so that
// an edit parses its text once.
func (f *problemFinder) inPage(ctx context.Context, p docs.Page, x Text, w *Writing) ([]Problem, error) {
	source, err := f.src.Bytes(ctx, x.Body)
	if err != nil {
		return nil, err
	}
	side, err := f.Sidecar(ctx, x.Sidecar)
	if err != nil {
		return nil, err
	}
	head, body := markup.ParseHead(source), source[min(side.Start, len(source)):]
	var out []Problem
	for _, p := range head.Problems {
		out = append(out, Problem{Line: p.Line, Code: folder.CodeFrontMatter, Message: p.Message})
	}
	above := bytes.Count(source[:len(source)-len(body)], []byte("\n"))
	for _, p := range markup.Mistakes(body, w.doc) {
		out = append(out, Problem{Line: p.Line + above, Code: folder.CodeMarkup, Message: p.Message})
	}
	l := &Linker{ctx: ctx, t: f.Tree, base: f.src.s.BaseURL, file: cmp.Or(w.File, x.File), names: f.Refs}
	dead, err := f.dead(ctx, p, w, l, covers(head, w, l))
	if err != nil {
		return nil, err
	}
	for _, p := range dead {
		if at := folder.Lines(source, p.dest); len(at) > 0 {
			p.Line = slices.Min(at)
		}
		out = append(out, p.Problem)
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return out, l.Err
}

// covers returns the destinations of the covers that a head names, if w wrote the head.
func covers(head frontmatter.Head, w *Writing, l *Linker) (out []answer) {
	if w.Markdown == nil {
		return nil
	}
	for _, dest := range []string{head.Meta.Cover, head.Meta.CoverDark} {
		if dest != "" {
			ref, ok := l.resolve(dest, markup.UseImage)
			out = append(out, answer{dest, markup.UseImage, ref, ok})
		}
	}
	return out
}

// deadEnd is the problem of a destination.
type deadEnd struct {
	Problem
	dest string
}

// dead returns the problems of the destinations of a text and its covers: those that lead
// nowhere, and those to headings that there are not.
func (f *problemFinder) dead(ctx context.Context, p docs.Page, w *Writing, l *Linker, covers []answer) (out []deadEnd, err error) {
	all := slices.Concat(w.asked, covers)
	slices.SortStableFunc(all, func(a, b answer) int { return cmp.Compare(a.dest, b.dest) })
	for from := 0; from < len(all) && len(out) < maxDead; {
		to := from + 1
		for to < len(all) && all[to].dest == all[from].dest {
			to++
		}
		code, why, err := f.deadIn(ctx, p, l, all[from:to])
		if err != nil {
			return nil, err
		}
		if code != "" {
			out = append(out, deadEnd{Problem{Code: code, Message: why}, all[from].dest})
		}
		from = to
	}
	return out, nil
}

// deadIn returns the code and the message of the problem of a destination with these
// answers; the code is empty if there is none.
func (f *problemFinder) deadIn(ctx context.Context, p docs.Page, l *Linker, answers []answer) (code, why string, err error) {
	dest, include, leads := answers[0].dest, false, false
	for _, a := range answers {
		include = include || a.use == markup.UseInclude
		leads = leads || a.ok && a.use == markup.UseLink
		if a.ok && a.use == markup.UseLink && a.ref.Kind == markup.RefAnchor && a.ref.Space == "" {
			if code, why, err = f.deadAnchor(ctx, p, a.ref); code != "" || err != nil {
				return code, why, err
			}
		}
	}
	if where, _, _ := strings.Cut(dest, "#"); where == "" && dest != "" || external(where) {
		return "", "", nil
	}
	at := l.place()
	for _, a := range answers {
		switch {
		case a.ok, include && (leads || a.use != markup.UseInclude): // an include may name a page
		default:
			code, why = folder.MissingTarget(at, l.file, dest, a.use, func(file string) string { return f.near(l, file) })
			return code, why, l.Err
		}
	}
	return "", "", nil
}

// near returns the file that a path that does not exist probably means, or "".
func (f *problemFinder) near(l *Linker, name string) string {
	if source := folder.SourceOf(name); source != name {
		if ref, ok := l.ByName(source, "", markup.UseLink); ok {
			if p, err := f.Page(l.ctx, docs.PageID(ref.Page)); err == nil {
				file, err := f.FileOf(l.ctx, p)
				l.fail(err)
				return file
			}
		}
	}
	for _, try := range folder.Candidates(folder.SourceOf(name)) {
		file, err := f.inOtherCase(l.ctx, try)
		l.fail(err)
		if file != "" {
			return file
		}
	}
	return ""
}

// inOtherCase returns the file whose path differs from name in case only, or "".
func (f *problemFinder) inOtherCase(ctx context.Context, name string) (string, error) {
	at, steps := "", strings.SplitAfter(name, "/")
	for i, step := range steps {
		if i < len(steps)-1 {
			if there, err := f.isFolder(ctx, at+step); err != nil {
				return "", err
			} else if there {
				at += step
				continue
			}
		}
		known, err := f.list(ctx, at)
		if err != nil {
			return "", err
		}
		found := known[names.Fold(step)]
		if found == "" {
			return "", nil
		}
		at += found
	}
	return at, nil
}

// isFolder reports whether there are files in a folder, whose name ends with a slash.
func (f *problemFinder) isFolder(ctx context.Context, dir string) (is bool, err error) {
	err = f.Scan(ctx, KeyName+dir, "", func(string, []byte) (bool, error) {
		is = true
		return false, nil
	})
	return is, err
}

// list returns the files and the folders in a folder, by their case-folded names. Names of
// folders end with a slash.
func (f *problemFinder) list(ctx context.Context, dir string) (map[string]string, error) {
	if known, ok := f.listed[dir]; ok {
		return known, nil
	}
	out := map[string]string{}
	f.listed[dir] = out
	for from, more := "", true; more && f.looked < maxNear; {
		more = false
		err := f.Scan(ctx, KeyName+dir, from, func(rest string, _ []byte) (bool, error) {
			name, _, inside := strings.Cut(rest, "/")
			if inside {
				// The next name that is not in this folder: the character after the slash.
				from, more, name = name+"0", true, name+"/"
			}
			if folded := names.Fold(name); out[folded] == "" {
				out[folded] = name
			}
			f.looked++
			return !inside && f.looked < maxNear, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// deadAnchor returns the code and the message of the problem of a link in a page to a
// heading. The code is empty if there is none, and if too much was parsed to know.
func (f *problemFinder) deadAnchor(ctx context.Context, from docs.Page, ref docs.Ref) (code, why string, err error) {
	to := from
	if ref.Page != "" && ref.Page != string(from.ID) {
		var ok bool
		if to, ok, err = f.Lookup(ctx, docs.PageID(ref.Page)); err != nil || !ok {
			return "", "", err
		}
	}
	if to.Type == docs.PageGroup {
		code, why = folder.GroupAnchor(to.Title)
		return code, why, nil
	}
	anchors, err := f.anchorsOf(ctx, to)
	if err != nil || anchors == nil || markup.HasAnchor(ref.Anchor, func(name string) bool { return anchors[name] }) {
		return "", "", err
	}
	file, err := f.FileOf(ctx, to)
	code, why = folder.MissingAnchor(file, ref.Anchor, anchors)
	return code, why, err
}

// anchorsOf returns the anchors of a page, or nil if they are not known.
func (f *problemFinder) anchorsOf(ctx context.Context, p docs.Page) (map[string]bool, error) {
	if known, ok := f.anchors[p.ID]; ok || p.Type != docs.PageDocument {
		return known, nil
	}
	doc, err := f.documentFor(ctx, p)
	if err != nil {
		return nil, err
	}
	var anchors map[string]bool
	if doc != nil {
		whole, err := f.WithIncludes(ctx, doc)
		if err != nil {
			return nil, err
		}
		anchors = map[string]bool{markup.Slug(p.Title): true}
		for _, a := range markup.Anchors(whole) {
			anchors[a] = true
		}
	}
	f.anchors[p.ID] = anchors
	return anchors, nil
}

// documentFor returns the blocks of a page, or nil if too much was parsed already.
func (f *problemFinder) documentFor(ctx context.Context, p docs.Page) (*markup.Document, error) {
	if w := f.Written[p.ID]; w != nil && w.doc != nil {
		return w.doc, nil
	}
	x, err := f.PageText(ctx, p)
	if err != nil {
		return nil, err
	}
	body, side, err := f.Body(ctx, x)
	if f.parsed += len(body); err != nil || f.parsed > maxAnchorText {
		return nil, err
	}
	return f.Parse(ctx, body, x.File, side)
}

// external reports whether a destination leads out of the space.
func external(where string) bool {
	return strings.Contains(where, ":") || strings.HasPrefix(where, "//")
}
