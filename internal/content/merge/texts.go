package merge

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/merge"
)

// bodies merges the bodies that both sides changed. The tree is complete by then, so that references
// find their targets.
func (m *merger) bodies(ctx context.Context) error {
	for _, id := range m.both {
		p, err := m.d.Page(ctx, id)
		if err != nil {
			return err
		}
		was, _, err := m.base.Lookup(ctx, id)
		if err != nil {
			return err
		}
		now, err := m.from.Page(ctx, id)
		if err != nil {
			return err
		}
		file, err := m.d.FileOf(ctx, p)
		if err != nil {
			return err
		}
		w, err := m.texts(ctx, Conflict{Kind: ConflictPage, ID: string(id), Part: PartDocument},
			revision.Text{Owner: string(id), File: file, Body: was.Body, Sidecar: was.Sidecar}, revision.Text{Owner: string(id), File: file, Body: p.Body, Sidecar: p.Sidecar}, revision.Text{Owner: string(id), File: file, Body: now.Body, Sidecar: now.Sidecar})
		if err != nil {
			return err
		}
		if w != nil {
			m.d.Written[id] = w
		}
	}
	return m.d.ComposeBodies(ctx)
}

// texts merges two versions of a text. All three versions are parsed with the same tree, so that
// equal sources have equal blocks.
func (m *merger) texts(ctx context.Context, c Conflict, base, into, from revision.Text) (*revision.Writing, error) {
	var bodies [3][]byte
	var heads [3][]byte
	var sides [3]revision.Sidecar
	var found [3]*markup.Document
	for i, x := range []revision.Text{base, into, from} {
		src, err := m.d.Bytes(ctx, x.Body)
		if err != nil {
			return nil, err
		}
		if bodies[i], sides[i], err = m.d.Body(ctx, x); err != nil {
			return nil, err
		}
		heads[i] = src[:len(src)-len(bodies[i])]
		if found[i], err = m.d.Parse(ctx, bodies[i], x.File, sides[i]); err != nil {
			return nil, err
		}
		markup.WithSource(bodies[i], found[i])
	}
	doc, conflicts := merge.Merge(found[0], found[1], found[2])
	for _, b := range conflicts {
		c.Block, c.After, c.Blocks = b.Key(), b.After, nil
		if keys := b.Keys(); len(keys) > 1 {
			c.Blocks = keys
		}
		m.conflict(c)
	}
	w := &revision.Writing{Doc: doc, Resolved: sides[2].Links}
	if bytes.Equal(heads[0], heads[1]) {
		w.Head = &heads[2]
	}
	return w, nil
}

// reusables merges reusable contents.
func (m *merger) reusables(ctx context.Context) error {
	for _, key := range slices.Sorted(maps.Keys(m.after)) {
		id, is := strings.CutPrefix(key, revision.KeyReusable)
		if !is {
			continue
		}
		before, after := m.before[key], m.after[key]
		cur, _, err := m.d.Get(ctx, key)
		if err != nil {
			return err
		}
		switch {
		case bytes.Equal(cur, after) && (cur == nil) == (after == nil):
		case bytes.Equal(cur, before) && (cur == nil) == (before == nil):
			err = m.d.ReplaceReusable(ctx, id, cur, after)
		case cur == nil || after == nil:
			m.conflict(Conflict{Kind: ConflictReusable, ID: id, Part: PartDeleted})
		default:
			err = m.reusable(ctx, id, before, cur, after)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *merger) reusable(ctx context.Context, id string, before, current, after []byte) error {
	var all [3]docs.Reusable
	for i, b := range [][]byte{before, current, after} {
		if b == nil {
			continue
		}
		var err error
		if all[i], err = revision.DecodeReusable(id, b); err != nil {
			return err
		}
	}
	was, cur, now := all[0], all[1], all[2]
	out := cur
	switch {
	case cur.Title == now.Title, was.Title == now.Title:
	case was.Title == cur.Title:
		out.Title = now.Title
	default:
		m.conflict(Conflict{Kind: ConflictReusable, ID: id, Part: "title"})
	}
	switch {
	case now.Body == cur.Body, now.Body == was.Body:
	case cur.Body == was.Body:
		out.Body, out.Sidecar, out.OID = now.Body, now.Sidecar, now.OID
	default:
		x := revision.ReusableText(cur)
		w, err := m.texts(ctx, Conflict{Kind: ConflictReusable, ID: id, Part: PartDocument},
			revision.Text{Owner: id, File: x.File, Body: was.Body, Sidecar: was.Sidecar}, x, revision.Text{Owner: id, File: x.File, Body: now.Body, Sidecar: now.Sidecar})
		if err != nil {
			return err
		}
		body, sd, doc, err := m.d.Compose(ctx, x, w)
		if err != nil {
			return err
		}
		if body != out.Body || sd != out.Sidecar {
			m.d.Parsed[revision.DocKey(body, sd)] = doc
		}
		out.Body, out.Sidecar, out.OID = body, sd, ""
	}
	return m.d.PutReusable(out)
}
