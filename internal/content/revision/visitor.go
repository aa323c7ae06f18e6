package revision

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
)

// For returns the revision as a visitor sees it. Its methods leave out pages whose
// condition does not hold and all pages below them, and groups of which nothing is left:
// the title of a group says what is in it. Reading and ReadingReusable leave out blocks
// whose condition does not hold; files and reusable contents are left out unless
// something that remains uses them.
func (v *View) For(visitor *reading.Visitor) *View {
	tree, view := *v.Tree, *v
	tree.visitor = visitor
	view.Tree = &tree
	return &view
}

// Visitor returns the visitor that the revision is read for, or nil for a member.
func (t *Tree) Visitor() *reading.Visitor { return t.visitor }

// Sees reports whether the visitor sees the page with an id.
func (v *View) Sees(ctx context.Context, id docs.PageID) (bool, error) {
	if v.Known != nil {
		return v.Known(ctx, id)
	}
	_, ok, err := v.Lookup(ctx, id)
	return ok, err
}

// holds reports whether the condition of a page holds for the visitor.
func (t *Tree) holds(ctx context.Context, p docs.Page) (bool, error) {
	condition, err := t.Condition(ctx, p)
	if err != nil || condition == "" {
		return err == nil, err
	}
	vars, err := t.Variables(ctx)
	if err != nil {
		return false, err
	}
	return t.visitor.Holds(ctx, condition, vars, p.Variables)
}

// Condition returns the condition of a page. Versions of Octavo before
// Store.ConditionsRead stored none if the front matter is damaged. The sources of
// that time are parsed again, so that such pages are not open to everybody.
func (t *Tree) Condition(ctx context.Context, p docs.Page) (string, error) {
	if p.Condition != "" || p.Body == "" {
		return p.Condition, nil
	}
	s := t.src.s
	since := docs.Time(s.since.Load())
	if since == 0 {
		var err error
		if since, err = s.Store.ConditionsRead(ctx); err != nil {
			return "", err
		}
		s.since.Store(int64(since))
	}
	if p.UpdatedAt >= since {
		return "", nil
	}
	if known, ok := s.unread.Get(p.Body); ok {
		return known, nil
	}
	source, err := t.Bytes(ctx, p.Body)
	if err != nil {
		return "", err
	}
	condition := markup.ParseHead(source).Meta.If
	s.unread.Set(p.Body, condition)
	return condition, nil
}

// VisitorTexts returns p with its title and description as visitors see them: without
// the parts inside conditions.
func VisitorTexts(p docs.Page) docs.Page {
	for _, text := range []*string{&p.Title, &p.LinkTitle, &p.Description} {
		*text = markup.Unconditional(*text)
	}
	if p.Title == "" {
		p.Title = untitled
	}
	return p
}

// untitled is the title of a page that has none for visitors.
const untitled = "Untitled"

// prune removes the pages that the visitor does not see.
func (t *Tree) prune(ctx context.Context, top *PageNode) (err error) {
	top.Children = slices.DeleteFunc(top.Children, func(w *PageNode) bool {
		if err != nil {
			return true
		}
		var ok bool
		if ok, err = t.holds(ctx, w.Page); ok && err == nil {
			w.Page = VisitorTexts(w.Page)
			err = t.prune(ctx, w)
			ok = w.Type != docs.PageGroup || len(w.Children) > 0
		}
		return !ok
	})
	return err
}

// showsSome reports whether the visitor who sees a group also sees a page in it.
func (t *Tree) showsSome(ctx context.Context, group docs.PageID) (some bool, err error) {
	err = t.Scan(ctx, KeyOrder+string(group)+Sep, "", func(rest string, _ []byte) (bool, error) {
		_, id, _ := strings.Cut(rest, Sep)
		_, some, err = t.LookupUnchecked(ctx, docs.PageID(id))
		return !some, err
	})
	return some, err
}

// BrokenReference is the destination and the page id of a link that leads nowhere
// for visitors; other tools write the same. Links to deleted pages and to pages
// that the visitor may not see cannot be distinguished.
const BrokenReference = "broken-reference"

// whole returns the tree without a visitor: the targets of references do not
// depend on who reads the source.
func (t *Tree) whole() *Tree {
	if t.visitor == nil {
		return t
	}
	all := *t
	all.visitor = nil
	return &all
}

// seen returns a document as the visitor sees it: without blocks whose condition
// does not hold, and with BrokenReference in place of references to pages that the
// visitor does not see. It reports whether there were such references.
func (v *View) seen(ctx context.Context, doc *markup.Document, page docs.Variables) (*markup.Document, bool, error) {
	if v.visitor == nil || doc == nil {
		return doc, false, nil
	}
	env, err := v.Environment(ctx, page)
	if err != nil {
		return nil, false, err
	}
	if doc, err = reading.WithoutConditions(ctx, doc, env); err != nil {
		return nil, false, err
	}
	known := map[string]bool{}
	doc, broken := markup.ReplaceRefs(doc, func(ref docs.Ref) (docs.Ref, bool) {
		if ref.Page == "" || ref.Space != "" && ref.Space != string(v.Space.ID) {
			return ref, false
		}
		there, asked := known[ref.Page]
		if !asked && err == nil {
			there, err = v.Sees(ctx, docs.PageID(ref.Page))
			known[ref.Page] = there
			if v.trace != nil {
				v.trace.seen[docs.PageID(ref.Page)] = there
			}
		}
		if there {
			return ref, false
		}
		ref.Page = BrokenReference
		if ref.Anchor != "" {
			ref.Anchor = BrokenReference
		}
		return ref, true
	})
	return doc, broken, err
}
