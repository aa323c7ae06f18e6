package translations_test

import (
	"context"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/translation/translate"
)

// meanwhile is an engine that calls a function while it translates.
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
	w.level(tr.Result, docs.Level(docs.Read)) // guests read it too
	w.run(tr)
	w.same(string(w.space(tr.Result).Level), string(docs.LevelInherit))
	w.apply(w.source, write(page, "Secret.\n"))
	engine.fn = func() { w.level(w.source, docs.LevelNone) }
	w.run(tr)
	w.same(w.markdown(tr.Result, page), "SECRET.")
	w.same(string(w.space(tr.Result).Level), string(docs.LevelNone))
}

func (w *world) space(id docs.SpaceID) docs.Space {
	w.t.Helper()
	sp, err := w.sv.Store.Space(w.t.Context(), id)
	w.ok(err)
	return sp.It
}

func (w *world) onSpace(id docs.SpaceID) *authz.Grant {
	w.t.Helper()
	g, _, err := authz.NewChecker(w.sv.Store.Reader).Space(w.t.Context(), w.by, authz.AdminSpace, id)
	w.ok(err)
	return g
}

func (w *world) onCollection(id docs.CollectionID) *authz.Grant {
	w.t.Helper()
	g, _, err := authz.NewChecker(w.sv.Store.Reader).Collection(w.t.Context(), w.by, authz.AdminCollection, id)
	w.ok(err)
	return g
}

// level sets the default level of a space.
func (w *world) level(id docs.SpaceID, to docs.Level) {
	w.t.Helper()
	_, _, err := w.sv.Spaces.Update(w.t.Context(), w.onSpace(id), spaces.SpacePatch{Level: opt.Of(to)})
	w.ok(err)
}

func (w *world) collection(title string, level docs.Level) docs.CollectionID {
	w.t.Helper()
	c, _, err := w.sv.Spaces.CreateCollection(w.t.Context(), w.admin(), title, "")
	w.ok(err)
	_, _, err = w.sv.Spaces.UpdateCollection(w.t.Context(), w.onCollection(c.ID), spaces.CollectionPatch{Level: opt.Of(level)})
	w.ok(err)
	return c.ID
}

// moved puts a space into a collection.
func (w *world) moved(id docs.SpaceID, to docs.CollectionID) {
	w.t.Helper()
	_, _, err := w.sv.Spaces.Move(w.t.Context(), w.onSpace(id), spaces.Move{Parent: opt.Of(to)})
	w.ok(err)
}

// Closing a source closes its translations in the same transaction, without a run.
func TestATranslationIsClosedWithItsSource(t *testing.T) {
	read := docs.Level(docs.Read)
	for name, change := range map[string]func(w *world){
		"level": func(w *world) { w.level(w.source, docs.LevelNone) },
		"move":  func(w *world) { w.moved(w.source, w.collection("Closed", docs.LevelNone)) },
		"level of the collection": func(w *world) {
			c := w.collection("Closed soon", docs.LevelInherit)
			w.moved(w.source, c)
			_, _, err := w.sv.Spaces.UpdateCollection(w.t.Context(), w.onCollection(c), spaces.CollectionPatch{Level: opt.Of(docs.LevelNone)})
			w.ok(err)
		},
		"move of the collection": func(w *world) {
			c := w.collection("Moved soon", docs.LevelInherit)
			w.moved(w.source, c)
			_, _, err := w.sv.Spaces.MoveCollection(w.t.Context(), w.onCollection(c), spaces.Move{Parent: opt.Of(w.collection("Closed", docs.LevelNone))})
			w.ok(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			testdb.Each(t, func(t *testing.T, o store.Options) {
				w := newWorld(t, o, upper{})
				w.apply(w.source, insert("# Page\n\nOne.\n"))
				w.level(w.source, read)
				tr := w.create()
				w.same(string(w.space(tr.Result).Level), string(read))
				w.level(w.source, docs.LevelInherit)
				w.same(string(w.space(tr.Result).Level), string(docs.LevelInherit))
				change(w)
				w.same(string(w.space(tr.Result).Level), string(docs.LevelNone))
			})
		})
	}
}

// Somebody with a role in the collection of both cannot read the translation any more when
// the source is moved out of it.
func TestASourceIsMovedAwayFromThoseWhoWereGranted(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, upper{})
		w.apply(w.source, insert("# Page\n\nOne.\n"))
		shared := w.collection("Shared", docs.LevelInherit)
		w.moved(w.source, shared)
		tr := w.create()
		w.ok(w.sv.Spaces.Share(t.Context(), w.onCollection(shared), []string{string(w.by.User)}, nil, docs.Read))
		w.level(w.source, docs.Level(docs.Read)) // something that closes nothing
		w.same(string(w.space(tr.Result).Level), string(docs.LevelInherit))
		w.level(w.source, docs.LevelInherit)
		w.same(string(w.space(tr.Result).Level), string(docs.LevelInherit))
		w.moved(w.source, w.collection("Elsewhere", docs.LevelInherit))
		w.same(string(w.space(tr.Result).Level), string(docs.LevelNone))
	})
}

// Readers of a site do not find a translation whose source was closed to them.
func TestATranslationIsWithheldWithItsSource(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, upper{})
		w.apply(w.source, insert("# Page\n\nOne.\n"))
		tr := w.create()
		var ids []docs.SiteID
		for _, id := range []docs.SpaceID{w.source, tr.Result} {
			site, err := w.sv.Sites.Create(t.Context(), w.admin(), sites.NewSite{Title: "Docs", Visibility: docs.VisibilityPublic, Spaces: []docs.SpaceID{id}})
			w.ok(err)
			ids = append(ids, site.ID)
		}
		on := func(id docs.SiteID) *authz.Grant {
			g, _, err := authz.NewChecker(w.sv.Store.Reader).Site(t.Context(), w.by, authz.AdminSite, w.org, id)
			w.ok(err)
			return g
		}
		publish := func(id docs.SiteID, published bool) {
			t.Helper()
			_, err := w.sv.Sites.Publish(t.Context(), on(id), published)
			w.ok(err)
		}
		visibility := func(id docs.SiteID, v docs.Visibility) {
			t.Helper()
			_, err := w.sv.Sites.Update(t.Context(), on(id), sites.SitePatch{Visibility: opt.Of(v)})
			w.ok(err)
		}
		found := func(want bool) {
			t.Helper()
			if got := w.space(tr.Result).Published != nil; got != want {
				t.Errorf("the translation is published: %v", got)
			}
			tree, err := w.sv.Audience.PublicStructure(t.Context(), on(ids[1]).Site)
			w.ok(err)
			if got := len(tree.All(docs.SiteSpace)) == 1; got != want {
				t.Errorf("readers find the translation: %v", got)
			}
		}
		publish(ids[0], true)
		publish(ids[1], true)
		found(true)
		publish(ids[0], false)
		found(false)
		publish(ids[0], true)
		found(true)
		visibility(ids[0], docs.VisibilityUnlisted)
		found(false)
		visibility(ids[1], docs.VisibilityUnlisted)
		found(false) // as long as nobody opens the source or adds the translation again
		visibility(ids[0], docs.VisibilityPublic)
		found(true)
		w.ok(w.sv.Sites.Delete(t.Context(), on(ids[0])))
		found(false)
	})
}
