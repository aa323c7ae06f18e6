package translations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/translation/translate"
)

// RunJob is the kind of the jobs that run a translation.
const RunJob = "translation.run"

// task is the payload of RunJob.
type task struct {
	Translation docs.TranslationID `json:"translation"`
}

// failure is an error that ends a run and that a retry would not fix.
type failure struct{ reason string }

func (f *failure) Error() string { return f.reason }

func failed(format string, a ...any) error { return &failure{fmt.Sprintf(format, a...)} }

// Run is the handler of RunJob. Failures of an engine are stored with the translation. An
// error returned by Run is one of the server, and the job is retried.
func (s *Service) Run(ctx context.Context, payload []byte) error {
	var p task
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	t, exists, err := store.Maybe(s.begin(ctx, p.Translation))
	if err != nil || !exists {
		return err
	}
	began := time.Now()
	r := &run{s: s, t: t}
	err = r.translate(ctx)
	if err == nil {
		err = r.commit(ctx, began)
	}
	var f *failure
	if errors.As(err, &f) {
		return s.finish(ctx, t, began, f.reason)
	}
	if errs.Is(err, errs.Quota) {
		return s.finish(ctx, t, began, errs.Message(err))
	}
	return err
}

// begin stores that a run has started.
func (s *Service) begin(ctx context.Context, id docs.TranslationID) (docs.Translation, error) {
	return store.InTx(ctx, s.Store, func(tx *store.Tx) (docs.Translation, error) {
		t, err := tx.TranslationByID(ctx, id)
		if err != nil {
			return t, err
		}
		t.Status, t.DonePages, t.AllPages = docs.TranslationRunning, 0, 0
		t.Run++
		if err := tx.PutTranslation(ctx, t); err != nil {
			return t, err
		}
		return t, nil
	})
}

// finish stores the end of a run that changed nothing, and the reason.
func (s *Service) finish(ctx context.Context, began docs.Translation, at time.Time, reason string) error {
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		t, exists, err := store.Maybe(tx.TranslationByID(ctx, began.ID))
		if err != nil || !exists {
			return err
		}
		t.Error = reason
		ended(&t, began.Run, at, 0, 0)
		t.UpdatedAt = tx.Now()
		if err := tx.PutTranslation(ctx, t); err != nil {
			return err
		}
		return audit.Record(ctx, tx, authz.System, event(t, "fail", map[string]any{"message": reason}))
	})
}

// ended sets the fields of t for the end of a run. If another run was requested
// meanwhile, t stays pending.
func ended(t *docs.Translation, run int64, began time.Time, words, pages int64) {
	if t.Run == run {
		t.Status = docs.TranslationCompleted
	}
	took := time.Since(began).Milliseconds()
	st := &t.Stats
	st.Runs++
	st.LatestWords, st.LatestPages, st.LatestDuration = words, pages, took
	st.TotalWords, st.TotalPages, st.TotalDuration = st.TotalWords+words, st.TotalPages+pages, st.TotalDuration+took
	t.DonePages = t.AllPages
}

// run is one run of a translation.
type run struct {
	s        *Service
	t        docs.Translation
	src, dst docs.Space

	source   *revision.View    // the newest revision of the source
	machine  *revision.View    // the revision that the previous run made, in the result space
	draft    *revision.Draft   // the changes of this run to machine
	prepared *content.Prepared // of the draft

	request  translate.Request
	glossary *translate.Glossary
	settings string

	corrected map[correction]bool // texts that people translated in the result

	pages  []string                // ids of the owners that this run processed
	blocks []docs.TranslationBlock // blocks of these owners that need a person
	words  int64                   // number of words sent to the engine
	reason string                  // why the engine did not translate everything

	incomplete bool // texts are left for another run
}

// translate prepares a revision with the translation of the source by memory and engine.
func (r *run) translate(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	if err := r.configure(ctx); err != nil {
		return err
	}
	if err := r.learn(ctx); err != nil {
		return err
	}
	r.draft = r.machine.DraftAt(r.s.Store.Clock())
	owners, err := r.changed(ctx)
	if err != nil {
		return err
	}
	if err := r.texts(ctx, owners); err != nil {
		return err
	}
	r.prepared, err = r.beside(ctx, r.draft)
	return err
}

// open reads both spaces and checks that the run is allowed.
func (r *run) open(ctx context.Context) (err error) {
	for _, x := range []struct {
		id   docs.SpaceID
		to   *docs.Space
		name string
	}{{r.t.Source, &r.src, "source"}, {r.t.Result, &r.dst, "result"}} {
		v, exists, err := store.Maybe(r.s.Store.Space(ctx, x.id))
		if err != nil {
			return err
		}
		if !exists || !v.It.DeletedAt.IsZero() {
			return failed("the %s space is deleted; restore it, or delete the translation", x.name)
		}
		if v.It.Org != r.t.Org {
			return failed("the %s space belongs to another organization", x.name)
		}
		*x.to = v.It
	}
	if err := r.s.Store.DoLocked(ctx, r.dst.ID, func(tx *store.Tx) error { return r.guard(ctx, tx) }); err != nil {
		return err
	}
	if r.source, err = r.s.Content.Source.Head(ctx, r.src); err != nil {
		return err
	}
	r.machine, err = r.s.Content.Source.At(ctx, r.s.Store.Reader, r.dst, r.t.Machine)
	return err
}

// configure reads the glossary and the instructions, and checks the size of the memory.
func (r *run) configure(ctx context.Context) error {
	r.request = translate.Request{From: r.t.From, To: r.t.To}
	doc, err := markup.Decode("instructions", r.t.Instructions)
	if err != nil {
		return err
	}
	if len(doc.Nodes) > 0 {
		r.request.Instructions = string(markup.Print(doc, markup.Refs{}))
	}
	if err := r.s.checkMemory(ctx, r.t.Org); errs.Is(err, errs.Precondition) {
		return failed("%s", errs.Message(err))
	} else if err != nil {
		return err
	}
	terms, err := r.s.terms(ctx, r.t)
	if err != nil {
		return err
	}
	r.glossary = translate.NewGlossary(terms)
	r.settings = translate.Context(r.s.Name+"\n"+r.request.Instructions, terms)
	return nil
}

// changed applies the changes of the source since the previous run to the draft. It
// returns the pages and reusable contents to translate: those that changed, or all of
// them if the previous run was incomplete or had other settings.
func (r *run) changed(ctx context.Context) ([]owner, error) {
	var out []owner
	seen := map[string]bool{}
	add := func(key string, value []byte) error {
		o, err := ownerOf(key, value)
		if err == nil && !seen[key] {
			seen[key] = true
			out = append(out, o)
		}
		return err
	}
	err := r.draft.Diff(ctx, chunk.Hash(r.t.SourceRoot), r.source.Root, func(key string, _, after []byte) error {
		r.draft.Replace(key, after)
		if after == nil || !translated(key) {
			if translated(key) {
				_, id := revision.SplitKey(key)
				r.pages = append(r.pages, id) // deleted: its blocks no longer need a person
			}
			return nil
		}
		return add(key, after)
	})
	if err != nil || r.t.Complete && r.t.Settings == r.settings {
		return out, err
	}
	for _, kind := range []string{revision.KeyPage, revision.KeyReusable} {
		if err := r.source.Scan(ctx, kind, "", func(id string, value []byte) (bool, error) {
			return true, add(kind+id, value)
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// translated reports whether a key of a tree is that of a page or a reusable content.
func translated(key string) bool {
	kind, _ := revision.SplitKey(key)
	return kind == revision.KeyPage || kind == revision.KeyReusable
}

// grant returns the grant for writing into the result space, on behalf of the user who
// created the translation or last started a run.
func (r *run) grant(sp docs.Space) *authz.Grant {
	g := authz.BackgroundGrant(r.t.CreatedBy)
	g.Space = sp
	return g
}

// commit stores the prepared revision and merges it into the result space.
func (r *run) commit(ctx context.Context, began time.Time) error {
	made, err := r.keep(ctx, r.dst, r.prepared)
	if err != nil {
		return err
	}
	_, err = content.Retry(ctx, r.s.Content, r.grant(r.dst), func(dst docs.Space) (struct{}, error) {
		return struct{}{}, r.merge(ctx, began, dst, made)
	})
	return err
}

// merge merges the stored revision into the result space, as it is now.
func (r *run) merge(ctx context.Context, began time.Time, dst docs.Space, made docs.Revision) error {
	if !dst.DeletedAt.IsZero() {
		return failed("the result space is deleted; restore it, or delete the translation")
	}
	held, stale, err := r.holdBack(ctx, dst, made)
	if err != nil {
		return err
	}
	w := content.Merge{
		Direction: merge.FromTranslation, Fork: content.Fork{Base: r.machine.Rev.ID, Tip: held.ID},
		Revision: docs.Revision{Type: docs.RevisionMerge, Message: "Translation from " + r.t.From},
	}
	p, err := r.s.Content.Prepare(ctx, r.grant(dst), content.Heads{Space: dst}, w)
	if err != nil {
		return err
	}
	list, err := r.attention(ctx, dst, made, p.Conflicts(), stale)
	if err != nil {
		return err
	}
	return r.write(ctx, began, made, p, list)
}

// beside prepares a draft of the result space as a revision outside of its history.
func (r *run) beside(ctx context.Context, d *revision.Draft) (*content.Prepared, error) {
	rev := docs.Revision{Type: docs.RevisionEdits, Message: "Translation"}
	return r.s.Content.Prepare(ctx, r.grant(d.Space), content.Heads{Space: d.Space}, content.Beside{Draft: d, Revision: rev})
}

// keep stores a revision of beside.
func (r *run) keep(ctx context.Context, dst docs.Space, p *content.Prepared) (docs.Revision, error) {
	done, err := store.InTxLocked(ctx, r.s.Store, dst.ID, func(tx *store.Tx) (content.Committed, error) {
		return r.s.Content.Commit(ctx, tx, r.grant(dst), content.Heads{Space: dst}, p)
	})
	return done.Revision, err
}

// write stores a merge and the end of the run in one transaction.
func (r *run) write(ctx context.Context, began time.Time, made docs.Revision, p *content.Prepared, list store.TranslationBlockChange) error {
	return r.s.Store.DoLocked(ctx, r.dst.ID, func(tx *store.Tx) error {
		t, exists, err := store.Maybe(tx.TranslationByID(ctx, r.t.ID))
		if err != nil || !exists || t.Machine != r.t.Machine { // deleted, or another node was faster
			return err
		}
		if err := r.guard(ctx, tx); err != nil {
			return err
		}
		v, err := tx.Space(ctx, r.dst.ID)
		if err != nil {
			return err
		}
		done, err := r.s.Content.Commit(ctx, tx, r.grant(v.It), content.Heads{Space: v.It}, p)
		if err != nil {
			return err
		}
		t.SourceRoot, t.Machine, t.Settings = string(r.source.Root), made.ID, r.settings
		t.Complete, t.Error, t.UpdatedAt = !r.incomplete, r.reason, tx.Now()
		ended(&t, r.t.Run, began, r.words, int64(len(r.pages)))
		if err := tx.PutTranslation(ctx, t); err != nil {
			return err
		}
		if err := tx.ChangeTranslationBlocks(ctx, t, list); err != nil {
			return err
		}
		return audit.Record(ctx, tx, authz.System, event(t, "complete", map[string]any{
			"revision": done.Revision.ID, "words": r.words, "pages": len(r.pages), "message": r.reason,
		}))
	})
}
