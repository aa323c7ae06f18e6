package content

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/lis"
	blocks "github.com/octavo-docs/octavo/internal/markup/merge"
)

// Difference holds the differences between two revisions, by kind. Before is nil
// for something new, After for something deleted.
type Difference struct {
	Pages     []PageDiff
	Files     []Pair[docs.File]
	Reusables []Pair[docs.Reusable]
	Variables map[string]Pair[any]
}

// Pair is a thing before and after.
type Pair[T any] struct{ Before, After *T }

// PageDiff is a page that differs.
type PageDiff struct {
	Pair[docs.Page]
	// PathBefore and PathAfter are the addresses of the page.
	PathBefore, PathAfter string
	// Moved reports whether the page has another parent, or another place in the
	// order of the siblings that exist before and after.
	Moved bool
}

// Compare returns the differences between two revisions of a space, as their visitor
// sees them. Equal parts are not read.
func (s *Service) Compare(ctx context.Context, from, to *revision.View) (*Difference, error) {
	out, err := compare(ctx, from.For(nil), to.For(nil))
	if err == nil && to.Visitor() != nil {
		err = out.hide(ctx, from, to)
	}
	return out, err
}

func compare(ctx context.Context, from, to *revision.View) (*Difference, error) {
	out := &Difference{Variables: map[string]Pair[any]{}}
	err := to.Diff(ctx, from.Root, to.Root, func(key string, before, after []byte) (err error) {
		switch kind, id := revision.SplitKey(key); kind {
		case revision.KeyPage:
			var d PageDiff
			if d.Pair, err = pairOf(id, before, after, docs.DecodePage); err != nil {
				return err
			}
			if d.Before != nil && d.After != nil && !merge.Differs(*d.Before, *d.After) {
				return nil // only the time of change or the path of the file
			}
			if d.Before != nil && d.Before.HasPath() {
				if d.PathBefore, err = from.Path(ctx, *d.Before); err != nil {
					return err
				}
			}
			if d.After != nil && d.After.HasPath() {
				if d.PathAfter, err = to.Path(ctx, *d.After); err != nil {
					return err
				}
			}
			out.Pages = append(out.Pages, d)
		case revision.KeyFile:
			p, err := pairOf(id, before, after, revision.DecodeFile)
			if err != nil || !fileDiffers(p) {
				return err
			}
			out.Files = append(out.Files, p)
		case revision.KeyReusable:
			p, err := pairOf(id, before, after, revision.DecodeReusable)
			if err != nil || !reusableDiffers(p) {
				return err
			}
			out.Reusables = append(out.Reusables, p)
		case revision.KeyVariable:
			p, err := pairOf(id, before, after, func(_ string, b []byte) (v any, err error) {
				err = json.Unmarshal(b, &v)
				return v, err
			})
			out.Variables[id] = p
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, out.findMoved(ctx, from, to)
}

// findMoved sets Moved, and removes pages of which only the rank differs although
// they were not moved. It compares the order of siblings, because ranks also change
// when siblings are renumbered.
func (d *Difference) findMoved(ctx context.Context, from, to *revision.View) error {
	moved := map[docs.PageID]map[docs.PageID]bool{} // by parent
	kept := d.Pages[:0]
	for _, p := range d.Pages {
		if p.Before != nil && p.After != nil {
			switch up := p.After.Parent; {
			case p.Before.Parent != up:
				p.Moved = true
			case p.Before.Rank != p.After.Rank:
				if moved[up] == nil {
					var err error
					if moved[up], err = reordered(ctx, from, to, up); err != nil {
						return err
					}
				}
				p.Moved = moved[up][p.After.ID]
			}
			if !p.Moved && !pageDiffers(*p.Before, *p.After) {
				continue
			}
		}
		kept = append(kept, p)
	}
	d.Pages = kept
	return nil
}

// reordered returns the children of a page that were moved among those that exist
// before and after: the smallest set that explains the new order without moving a
// child that keeps its rank.
func reordered(ctx context.Context, from, to *revision.View, parent docs.PageID) (map[docs.PageID]bool, error) {
	before, err := from.ChildRanks(ctx, parent)
	if err != nil {
		return nil, err
	}
	after, err := to.ChildRanks(ctx, parent)
	if err != nil {
		return nil, err
	}
	was, ranks := make(map[docs.PageID]int, len(before)), make(map[docs.PageID]docs.Rank, len(before))
	for i, p := range before {
		was[p.ID], ranks[p.ID] = i, p.Rank
	}
	out := map[docs.PageID]bool{}
	low := -1           // former index of the last child that keeps its rank
	var gap []docs.Page // the children after it that have new ranks
	closeGap := func(high int) {
		for _, p := range gap {
			out[p.ID] = true
		}
		gap = slices.DeleteFunc(gap, func(p docs.Page) bool { return was[p.ID] < low || was[p.ID] > high })
		for _, i := range lis.Longest(gap, func(a, b docs.Page) int { return was[a.ID] - was[b.ID] }) {
			delete(out, gap[i].ID)
		}
		gap = nil
	}
	for _, p := range after {
		switch rank, there := ranks[p.ID]; {
		case !there:
		case rank != p.Rank:
			gap = append(gap, p)
		default:
			closeGap(was[p.ID])
			low = was[p.ID]
		}
	}
	closeGap(len(before))
	return out, nil
}

func pairOf[T any](id string, before, after []byte, decode func(string, []byte) (T, error)) (p Pair[T], err error) {
	for _, x := range []struct {
		data []byte
		to   **T
	}{{before, &p.Before}, {after, &p.After}} {
		if x.data == nil {
			continue
		}
		v, err := decode(id, x.data)
		if err != nil {
			return p, err
		}
		*x.to = &v
	}
	return p, nil
}

// pageDiffers reports whether two states of a page differ in anything that readers see:
// not in the place in the tree, or in the object id of git.
func pageDiffers(a, b docs.Page) bool {
	a.Parent, a.Rank, a.OID = b.Parent, b.Rank, b.OID
	return merge.Differs(a, b)
}

// fileDiffers is pageDiffers for a file. Its path in the folder does not count.
func fileDiffers(p Pair[docs.File]) bool {
	if p.Before == nil || p.After == nil {
		return true
	}
	a, b := *p.Before, *p.After
	a.Path, b.Path = "", ""
	a.OID, b.OID = "", ""
	return a != b
}

// reusableDiffers is pageDiffers for a reusable content.
func reusableDiffers(p Pair[docs.Reusable]) bool {
	return p.Before == nil || p.After == nil || p.Before.Title != p.After.Title || p.Before.Body != p.After.Body
}

// TextComparer compares the texts of two revisions block by block, up to a total size.
type TextComparer struct {
	From, To *revision.View
	Room     int // bytes of sources that may still be compared
}

// Page returns the changed blocks of a page; ok is false if the text is unchanged,
// or if there is no room left.
func (x *TextComparer) Page(ctx context.Context, p PageDiff) (out []blocks.BlockChange, ok bool, err error) {
	if p.Before == nil || p.After == nil || p.Before.Body == p.After.Body || !p.Before.HasBody() || !p.After.HasBody() {
		return nil, false, nil
	}
	a, err := x.From.PageText(ctx, *p.Before)
	if err != nil {
		return nil, false, err
	}
	b, err := x.To.PageText(ctx, *p.After)
	if err != nil {
		return nil, false, err
	}
	return x.compare(ctx, a, b)
}

// Reusable is Page for a reusable content.
func (x *TextComparer) Reusable(ctx context.Context, p Pair[docs.Reusable]) (out []blocks.BlockChange, ok bool, err error) {
	if p.Before == nil || p.After == nil || p.Before.Body == p.After.Body {
		return nil, false, nil
	}
	return x.compare(ctx, revision.ReusableText(*p.Before), revision.ReusableText(*p.After))
}

func (x *TextComparer) compare(ctx context.Context, a, b revision.Text) ([]blocks.BlockChange, bool, error) {
	for _, h := range []chunk.Hash{a.Body, b.Body} {
		src, err := x.To.Bytes(ctx, h)
		if err != nil {
			return nil, false, err
		}
		if x.Room -= len(src); x.Room < 0 {
			return nil, false, nil
		}
	}
	before, err := x.From.DocumentOf(ctx, a)
	if err != nil {
		return nil, false, err
	}
	after, err := x.To.DocumentOf(ctx, b)
	if err != nil {
		return nil, false, err
	}
	return blocks.Diff(before, after), true, nil
}
