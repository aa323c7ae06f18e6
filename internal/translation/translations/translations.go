// Package translations maintains spaces that are translations of other spaces.
//
// Creating a translation creates its result space as a copy of the source space, which
// shares all stored content with it. A run (run.go) translates the changes of the source
// since the previous run, segment by segment (pages.go). A text that is in the
// translation memory of the organization is not sent to the engine again.
//
// The machine translation is a revision in the result space, but outside of its history.
// The changes of this revision since the previous run are merged into the result space,
// so that corrections by people stay. A correction whose source changed is not
// overwritten, but listed (corrections.go).
//
// Where a change goes:
//   - translations of spaces: the job in run.go, texts in pages.go, what people wrote in
//     corrections.go; engines and placeholders in translation/translate
package translations

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/translation/translate"
)

const (
	maxTranslations = 200              // per organization
	maxInstructions = 64 << 10         // bytes
	quiet           = time.Minute      // a run begins when the source was not edited for this long
	longest         = 10 * time.Minute // edits delay a run at most this long
)

// Service manages and runs translations.
type Service struct {
	Store   *store.Store
	Content *content.Service
	Spaces  *spaces.Service
	Log     *slog.Logger

	Engine *translate.Client // nil: only the translation memory is used
	Name   string            // of the engine; a new name translates everything again
	// MaxWords limits the number of words that a run sends to the engine; 0 is no limit.
	// The rest stays untranslated until the next run.
	MaxWords int
}

// New is the input of Create.
type New struct {
	Source       docs.SpaceID
	From, To     string // languages; an empty From is the language of the source
	Instructions []byte // nil: none
	RunOnMerge   bool
}

var noInstructions = []byte(`{"object":"document","data":{},"nodes":[]}`)

// Translations lists the translations of an organization.
func (s *Service) Translations(org docs.OrgID) store.List[docs.Translation] {
	return store.List[docs.Translation]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Translation, store.Key, error) {
			return s.Store.Translations(ctx, org, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountTranslations(ctx, org) },
	}
}

// Translation returns a translation of an organization.
func (s *Service) Translation(ctx context.Context, org docs.OrgID, id docs.TranslationID) (docs.Translation, error) {
	return s.Store.Translation(ctx, org, id)
}

// Create creates a translation and its result space, next to the source space, and
// starts a run.
func (s *Service) Create(ctx context.Context, g *authz.Grant, in New) (docs.Translation, error) {
	var err error
	if in.Instructions == nil {
		in.Instructions = noInstructions
	}
	if in.Instructions, err = checkInstructions(in.Instructions); err != nil {
		return docs.Translation{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Translation, error) {
		n, err := tx.CountTranslations(ctx, g.Access.Org)
		if err == nil && n >= maxTranslations {
			err = errs.E(errs.Precondition, "an organization can have %d translations; delete one first", maxTranslations)
		}
		if err != nil {
			return docs.Translation{}, err
		}
		sp, rev, err := s.copySource(ctx, tx, g, &in)
		if err != nil {
			return docs.Translation{}, err
		}
		t := docs.Translation{
			ID: store.NewID[docs.TranslationID](tx), Org: g.Access.Org, Source: in.Source, From: in.From, To: in.To, Instructions: in.Instructions,
			Result: sp.ID, RunOnMerge: in.RunOnMerge, SourceRoot: string(rev.Root), Machine: sp.Revision,
			CreatedBy: g.Actor.User, CreatedAt: tx.Now(), UpdatedAt: tx.Now(), Status: docs.TranslationPending,
		}
		if err := tx.AddTranslation(ctx, t); err != nil {
			return t, err
		}
		if err := queue(ctx, tx, &t, tx.Now(), 0); err != nil {
			return t, err
		}
		return t, audit.Record(ctx, tx, g.Actor, event(t, "create", map[string]any{"source": t.Source, "language": t.To}))
	})
}

// check checks the languages of a new translation, and sets From if it is empty.
func (in *New) check(source docs.Space) error {
	if in.From == "" && source.Language == "" {
		return errs.Field("source.language", "must be set, because the space has no language")
	}
	in.From = cmp.Or(in.From, source.Language)
	var wrong errs.Mistakes
	for _, l := range []struct{ path, code string }{{"source.language", in.From}, {"language", in.To}} {
		if !slices.Contains(docs.Languages, l.code) {
			wrong.Field(l.path, "is not a language that a space can have: %q", l.code)
		}
	}
	if in.From == in.To {
		wrong.Field("language", "is the language of the source")
	}
	return wrong.Err()
}

// checkInstructions checks instructions and returns them in the stored form, compact
// JSON.
func checkInstructions(document []byte) ([]byte, error) {
	if len(document) > maxInstructions {
		return nil, errs.Field("instructions", "is larger than %s", errs.Size(maxInstructions))
	}
	if _, err := markup.Decode("instructions", document); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err := json.Compact(&out, document)
	return out.Bytes(), err
}

// copySource makes the result space and returns it with its first revision.
func (s *Service) copySource(ctx context.Context, tx *store.Tx, g *authz.Grant, in *New) (docs.Space, docs.Revision, error) {
	at, _, err := authz.NewChecker(tx.Reader).Space(ctx, g.Actor, authz.AdminSpace, in.Source)
	if errs.Is(err, errs.NotFound) || err == nil && at.Space.Org != g.Access.Org {
		return docs.Space{}, docs.Revision{}, errs.Field("source.space", "is not a space of the organization: %q", in.Source)
	}
	if err != nil {
		return docs.Space{}, docs.Revision{}, err
	}
	if err := in.check(at.Space); err != nil {
		return docs.Space{}, docs.Revision{}, err
	}
	first, exists, err := store.Maybe(tx.TranslationInto(ctx, in.Source, in.To))
	if err == nil && exists {
		err = errs.E(errs.Conflict, "the space is translated into %s already, by the translation %s", in.To, first.ID)
	}
	if err != nil {
		return docs.Space{}, docs.Revision{}, err
	}
	sp, err := s.Spaces.Copy(ctx, tx, at)
	if err != nil {
		return sp, docs.Revision{}, err
	}
	sp.Title, sp.Language = titleOf(at.Space.Title, in.To), in.To
	if err := tx.PutSpace(ctx, sp); err != nil {
		return sp, docs.Revision{}, err
	}
	if err := index.EnqueueRebuild(ctx, tx, sp.ID); err != nil { // the search index depends on the language
		return sp, docs.Revision{}, err
	}
	rev, err := tx.Revision(ctx, sp.ID, sp.Revision)
	return sp, rev, err
}

// titleOf returns the title of a result space, cut to the maximum length of a title.
func titleOf(title, language string) string {
	const most = 50
	mark := " (" + language + ")"
	r := []rune(title)
	return string(r[:min(len(r), most-utf8.RuneCountInString(mark))]) + mark
}

// Update replaces the instructions of a translation. If they differ from the old ones,
// it starts a run that uses them. A nil runOnMerge leaves that setting unchanged.
func (s *Service) Update(ctx context.Context, g *authz.Grant, id docs.TranslationID, instructions []byte, runOnMerge *bool) (docs.Translation, error) {
	instructions, err := checkInstructions(instructions)
	if err != nil {
		return docs.Translation{}, err
	}
	now, err := s.Store.Translation(ctx, g.Access.Org, id)
	if err != nil {
		return now, err
	}
	if jsontext.Same(now.Instructions, instructions) {
		instructions = now.Instructions
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Translation, error) {
		t, err := tx.Translation(ctx, g.Access.Org, id)
		if err != nil {
			return t, err
		}
		before := t
		t.Instructions = instructions
		if runOnMerge != nil {
			t.RunOnMerge = *runOnMerge
		}
		if audit.Same(before, t) {
			return before, nil
		}
		t.UpdatedAt = tx.Now()
		if string(before.Instructions) == string(instructions) {
			err = tx.PutTranslation(ctx, t)
		} else {
			err = queue(ctx, tx, &t, tx.Now(), 0)
		}
		if err != nil {
			return t, err
		}
		return t, audit.Record(ctx, tx, g.Actor, event(t, "update", map[string]any{"runOnMerge": t.RunOnMerge}))
	})
}

// Delete deletes a translation. Its result space stays, as an ordinary space.
func (s *Service) Delete(ctx context.Context, g *authz.Grant, id docs.TranslationID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		t, err := tx.Translation(ctx, g.Access.Org, id)
		if err != nil {
			return err
		}
		if err := tx.DropTranslation(ctx, id); err != nil {
			return err
		}
		if _, err := tx.DropJob(ctx, RunJob, string(id)); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, event(t, "delete", nil))
	})
}

// StartRun starts a run of a translation. The run sends texts to the engine again whose
// translation was refused. From then on, runs act on behalf of the caller, who may
// administer every space of the organization.
func (s *Service) StartRun(ctx context.Context, g *authz.Grant, id docs.TranslationID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		t, err := tx.Translation(ctx, g.Access.Org, id)
		if err != nil {
			return err
		}
		t.CreatedBy = g.Actor.User
		forgotten, err := tx.ForgetRefused(ctx, t.Org, t.From, t.To)
		if err != nil {
			return err
		}
		t.Complete = t.Complete && forgotten == 0
		if err := queue(ctx, tx, &t, tx.Now(), 0); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, event(t, "run", nil))
	})
}

// RevisionAdded queues runs of the translations of a space that has a new revision, if
// they have RunOnMerge set. It is called in the transaction that adds the revision. A
// merge starts a run at once. Edits start a run when there were none for a while.
func RevisionAdded(ctx context.Context, tx *store.Tx, sp docs.Space, rev docs.Revision) error {
	list, err := tx.TranslationsOf(ctx, sp.ID)
	if err != nil {
		return err
	}
	for _, t := range list {
		at, wait := tx.Now().Add(quiet), longest
		if rev.Type == docs.RevisionMerge {
			at, wait = tx.Now(), 0
		}
		if err := queue(ctx, tx, &t, at, wait); err != nil {
			return err
		}
	}
	return nil
}

// queue enqueues a job that runs a translation. A run that is already in progress may not
// have seen the latest changes, so another run follows it.
func queue(ctx context.Context, tx *store.Tx, t *docs.Translation, at docs.Time, longest time.Duration) error {
	t.Status, t.Run = docs.TranslationPending, t.Run+1
	if err := tx.PutTranslation(ctx, *t); err != nil {
		return err
	}
	return jobs.EnqueueDebounced(ctx, tx, jobs.Job{Kind: RunJob, Key: string(t.ID), Payload: task{t.ID}, RunAt: at}, longest)
}

func event(t docs.Translation, action string, data map[string]any) audit.Event {
	all := map[string]any{"space": t.Result}
	for k, v := range data {
		all[k] = v
	}
	return audit.Event{Org: t.Org, Action: "translation." + action, Kind: "translation", ID: string(t.ID), Data: all}
}

// blockID returns the ID of a block in its translation. Blocks are listed by ID, so that
// those of a page are in reading order.
func blockID(page, part, block string, n int) string {
	return fmt.Sprintf("%s.%05d.%s.%s", page, n, part, block)
}
