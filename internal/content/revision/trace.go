package revision

import (
	"context"
	"reflect"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Trace records what the document of a page depends on besides the source of the
// page. If that is the same in another revision, the same source makes the same
// document there, for the same visitor.
type Trace struct {
	file      string          // of the source
	shown     repositoryLinks // for paths that leave the folder
	variables docs.Variables  // of the space
	named     map[destination]found
	seen      map[docs.PageID]bool // whether the visitor sees the page
	reusables map[docs.ReusableID]docs.Reusable
}

// destination is a destination that was resolved by the tree, not by the sidecar.
type destination struct {
	file, dest string
	use        markup.Use
}

type found struct {
	ref markup.Ref
	ok  bool
}

// StartTrace returns a copy of the view for reading one page, and the trace of that
// reading.
func (v *View) StartTrace() (*View, *Trace) {
	t := &Trace{named: map[destination]found{}, seen: map[docs.PageID]bool{}, reusables: map[docs.ReusableID]docs.Reusable{}}
	tree, view := *v.Tree, *v
	tree.trace = t
	view.Tree = &tree
	return &view, t
}

// begin records the dependencies that every page has: its file, and the repository
// and the variables of its space.
func (t *Trace) begin(ctx context.Context, v *View, p docs.Page) (err error) {
	if t.file, err = v.FileOf(ctx, p); err != nil {
		return err
	}
	if t.shown, _, err = v.repositoryLinksOf(ctx, v.Space, t.file); err != nil {
		return err
	}
	t.variables, err = v.Variables(ctx)
	return err
}

// name records what a destination resolved to. Addresses of other hosts are left
// out: they are the same in every revision.
func (t *Trace) name(l *Linker, dest string, use markup.Use, ref markup.Ref, ok bool) {
	if ok || !strings.Contains(dest, ":") && !strings.HasPrefix(dest, "//") {
		t.named[destination{l.file, dest, use}] = found{ref, ok}
	}
}

// include records a reusable content; the zero value is one that does not exist.
func (t *Trace) include(id docs.ReusableID, r docs.Reusable) { t.reusables[id] = r }

// SameIn reports whether everything that was recorded is the same in v, a view for
// the same visitor in which the page has the same source.
func (t *Trace) SameIn(ctx context.Context, v *View, p docs.Page) (bool, error) {
	now := &Trace{}
	if err := now.begin(ctx, v, p); err != nil {
		return false, err
	}
	if now.file != t.file || now.shown != t.shown || !reflect.DeepEqual(now.variables, t.variables) {
		return false, nil
	}
	for id, was := range t.seen {
		if is, err := v.Sees(ctx, id); err != nil || is != was {
			return false, err
		}
	}
	for id, was := range t.reusables {
		is, err := v.Reusable(ctx, id)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return false, err
		}
		if is != was {
			return false, nil
		}
	}
	for d, was := range t.named {
		l := &Linker{ctx: ctx, t: v.whole(), base: v.src.s.BaseURL, file: d.file}
		if ref, ok := l.Current(d.dest, d.use); l.Err != nil || (found{ref, ok}) != was {
			return false, l.Err
		}
	}
	return true, nil
}

// Weight returns the approximate size of the trace in memory, in bytes.
func (t *Trace) Weight() int {
	return 1<<9 + 1<<8*(len(t.named)+len(t.reusables)+len(t.variables)) + 1<<6*len(t.seen)
}
