package assets_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/octavo-docs/octavo/internal/assets"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// world is an organization with somebody who may do everything.
type world struct {
	*assets.Service
	by    authz.Actor
	grant *authz.Grant
}

func newWorld(t *testing.T, o store.Options) *world {
	t.Helper()
	s := testdb.Open(t, o)
	b, err := orgs.New(s, orgs.Config{}).Operator.Bootstrap(t.Context(), "ada@acme.test", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Service: &assets.Service{Store: s, Blobs: testdb.Blobs(t)}, by: authz.Actor{User: b.User}}
	if w.grant, _, err = authz.NewChecker(s.Reader).Org(t.Context(), w.by, authz.ManageFonts, b.Organization); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) announce(t *testing.T, kind docs.UploadKind, size int) docs.Upload {
	t.Helper()
	u, err := w.Announce(w.grant, docs.Upload{Kind: kind, Name: "a", Size: int64(size)})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (w *world) bytes(t *testing.T) (n int) {
	t.Helper()
	if err := w.Blobs.Walk(t.Context(), func(blob.Info) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// A file that differs from what was announced is not stored.
func TestAFileIsWhatWasAnnounced(t *testing.T) {
	broken := errors.New("broken")
	for name, body := range map[string]io.Reader{
		"shorter":       strings.NewReader("wOF2"),
		"longer":        strings.NewReader("wOF2 and more"),
		"empty":         strings.NewReader(""),
		"no font":       strings.NewReader("\x89PNG\r\n\x1a\n"),
		"interrupted":   io.MultiReader(strings.NewReader("wOF2"), iotest.ErrReader(io.ErrUnexpectedEOF)),
		"not readable":  io.MultiReader(strings.NewReader("wOF2"), iotest.ErrReader(broken)),
		"bytes by byte": iotest.OneByteReader(strings.NewReader("wOF2 and more")),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testdb.SQLite(t))
			u := w.announce(t, docs.UploadFont, 8)
			err := w.Receive(t.Context(), w.by, u, body)
			if !errs.Is(err, errs.Invalid) && !errors.Is(err, broken) {
				t.Errorf("got %v", err)
			}
			if n := w.bytes(t); n != 0 {
				t.Errorf("%d files are left", n)
			}
			if err := w.Receive(t.Context(), w.by, u, strings.NewReader("wOF2 yes")); err != nil {
				t.Errorf("the whole file afterwards: %v", err)
			}
		})
	}
}

func TestWhoMayNotUploadAnyMore(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	u := w.announce(t, docs.UploadFont, 8)
	if err := w.Receive(t.Context(), authz.Actor{User: "somebody else"}, u, strings.NewReader("wOF2 yes")); !errs.Is(err, errs.NotFound) {
		t.Errorf("got %v", err)
	}
	if n := w.bytes(t); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

func TestUploadsAreForgottenAfterADay(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w, ctx := newWorld(t, o), context.Background()
		used, old, fresh := w.announce(t, docs.UploadFont, 8), w.announce(t, docs.UploadFont, 8), w.announce(t, docs.UploadFont, 8)
		for _, u := range []docs.Upload{used, old, fresh} {
			if err := w.Receive(ctx, w.by, u, strings.NewReader("wOF2 yes")); err != nil {
				t.Fatal(err)
			}
		}
		f, err := w.CreateFont(ctx, w.grant, assets.FontPatch{Family: opt.Of("Acme"), Faces: []assets.FacePatch{{Weight: 400, Key: used.Key}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Tidy(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Store.Upload(ctx, f.Org, old.Key); err != nil {
			t.Errorf("on the same day: %v", err)
		}
		err = w.Store.Do(ctx, func(tx *store.Tx) error { // as if two of them came yesterday
			n, err := tx.TrimUploads(ctx, tx.Now().Add(1), 2)
			if n != 2 {
				t.Errorf("%d are forgotten", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := w.Store.CountUploads(ctx, f.Org); n != 1 || err != nil {
			t.Errorf("%d are left, %v", n, err)
		}
		if _, o, err := w.OpenFont(ctx, f.Org, f.ID, f.Faces[0].File()); err != nil {
			t.Errorf("the font without the key of its file: %v", err)
		} else if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Only blobs that are old and unreferenced are deleted.
func TestSweep(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		now := time.Now()
		o.Clock = func() time.Time { return now }
		w, ctx := newWorld(t, o), t.Context()
		put := func(text string) string {
			t.Helper()
			i, err := w.Blobs.Put(ctx, strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			return i.Hash.String()
		}
		sweep := func(wanted int) {
			t.Helper()
			done, err := w.Sweep(ctx)
			if err != nil || done.Files != wanted {
				t.Errorf("%+v, %v; want %d files", done, err, wanted)
			}
		}
		u := w.announce(t, docs.UploadFont, 8)
		if err := w.Receive(ctx, w.by, u, strings.NewReader("wOF2 yes")); err != nil {
			t.Fatal(err)
		}
		f, err := w.CreateFont(ctx, w.grant, assets.FontPatch{Family: opt.Of("Acme"), Faces: []assets.FacePatch{{Weight: 400, Key: u.Key}}})
		if err != nil {
			t.Fatal(err)
		}
		// A file of a revision is named in a node of its tree; the second node
		// is stored as a delta from the first.
		base := []byte(strings.Repeat("other entries of the tree, ", 100))
		first := store.Object{Hash: chunk.Sum(base), Data: base}
		node := append(slices.Clone(base), `{"n":"a.png","b":"`+put("a picture")+`"}`...)
		objects, err := w.Store.PrepareObjects(ctx, []store.Object{first, {Hash: chunk.Sum(node), Data: node, Base: first.Hash}})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Store.Do(ctx, func(tx *store.Tx) error { return tx.PutObjects(ctx, objects) }); err != nil {
			t.Fatal(err)
		}
		put("came with a change that was refused")
		sweep(0) // it may be named yet
		now = now.Add(8 * 24 * time.Hour)
		sweep(1)
		if n := w.bytes(t); n != 2 {
			t.Errorf("%d files are left, want the font and the picture", n)
		}
		if err := w.DeleteFont(ctx, w.grant, f.ID); err != nil {
			t.Fatal(err)
		}
		sweep(0) // the key of the upload is good for a day
		if err := w.Tidy(ctx, nil); err != nil {
			t.Fatal(err)
		}
		sweep(1)
		if n := w.bytes(t); n != 1 {
			t.Errorf("%d files are left, want the picture", n)
		}
	})
}
