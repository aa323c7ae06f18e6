package content

import (
	"context"
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
)

// Difference is everything that differs between two revisions, by what it
// means. Before and After are nil for what is new or gone.
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
	// Paths and parents, for telling where it is or was.
	PathBefore, PathAfter string
}

// Compare gives what differs between two revisions of a space. Equal parts
// are not read.
func (s *Service) Compare(ctx context.Context, from, to *View) (*Difference, error) {
	out := &Difference{Variables: map[string]Pair[any]{}}
	err := chunk.Diff(ctx, to.src, from.root, to.root, func(key string, before, after []byte) (err error) {
		switch id := key[1:]; key[:1] {
		case keyPage:
			var d PageDiff
			if d.Pair, err = pairOf(id, before, after, decodePage); err != nil {
				return err
			}
			if d.Before != nil && d.After != nil && !sees(*d.Before, *d.After) {
				return nil // only its time, or where its file is
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
		case keyFile:
			p, err := pairOf(id, before, after, decodeFile)
			out.Files = append(out.Files, p)
			return err
		case keyReusable:
			p, err := pairOf(id, before, after, decodeReusable)
			out.Reusables = append(out.Reusables, p)
			return err
		case keyVariable:
			p, err := pairOf(id, before, after, func(_ string, b []byte) (v any, err error) {
				err = json.Unmarshal(b, &v)
				return v, err
			})
			out.Variables[id] = p
			return err
		}
		return nil
	})
	return out, err
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

// sees tells whether a person sees a difference between two states of a
// page.
func sees(a, b docs.Page) bool {
	a.UpdatedAt, b.UpdatedAt = 0, 0
	a.File, b.File = "", ""
	a.Pinned, b.Pinned = false, false
	if a.Body == b.Body {
		a.Side, b.Side = "", ""
	}
	x, _ := json.Marshal(a) // a page always can be encoded: it was decoded
	y, _ := json.Marshal(b)
	return string(x) != string(y)
}
