package translations_test

import (
	"context"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/testdb"
	"github.com/octavo-docs/octavo/internal/translate"
)

// meanwhile is an engine during whose work something happens.
type meanwhile struct {
	upper
	fn func()
}

func (m *meanwhile) Translate(ctx context.Context, r translate.Request) ([]string, error) {
	if m.fn != nil {
		m.fn()
	}
	return m.upper.Translate(ctx, r)
}

func TestTheSourceIsClosedDuringARun(t *testing.T) {
	engine := &meanwhile{}
	w := newWorld(t, testdb.SQLite(t), engine)
	page := w.apply(w.source, insert("# Page\n\nOne.\n"))[0].Page
	tr := w.create()
	level := func(id docs.SpaceID, to docs.Level) {
		g, _, err := authz.Within(w.sv.Store.Reader).Space(t.Context(), w.by, authz.AdminSpace, id)
		w.ok(err)
		_, err = w.sv.Spaces.Update(t.Context(), g, spaces.SpacePatch{Level: opt.Of(to)})
		w.ok(err)
	}
	level(tr.Result, docs.Level(docs.Read)) // guests read it too
	w.run(tr)
	if sp, err := w.sv.Store.Space(t.Context(), tr.Result); err != nil || sp.It.Level != docs.LevelInherit {
		t.Errorf("the result has the level %q: %v", sp.It.Level, err)
	}
	w.apply(w.source, write(page, "Secret.\n"))
	engine.fn = func() { level(w.source, docs.LevelNone) }
	w.run(tr)
	w.same(w.markdown(tr.Result, page), "SECRET.")
	if sp, err := w.sv.Store.Space(t.Context(), tr.Result); err != nil || sp.It.Level != docs.LevelNone {
		t.Errorf("the result has the level %q: %v", sp.It.Level, err)
	}
}
