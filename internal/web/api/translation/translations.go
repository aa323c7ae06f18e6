package translation

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/translation/translations"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) translations() {
	const (
		tag   = "Translations"
		route = "/orgs/{organizationId}/translations"
		one   = route + "/{translationId}"
	)
	see, edit := authz.Org(authz.ListTranslations), authz.Org(authz.ManageTranslations)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listTranslations", Route: "GET " + route, Tag: tag, Allow: see,
		Summary: "List the translations of an organization, oldest first.",
	}, h.list)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createTranslation", Route: "POST " + route, Tag: tag, Allow: edit, Status: 201,
		Also:    []int{http.StatusConflict, http.StatusPreconditionFailed},
		Summary: "Translate a space into another language.",
		About: "The result is a space next to the source, which shares with it what is not translated. It is translated after the answer: status is completed at the end. " +
			"Corrections in the result stay. A space has one translation into each language: for a second one the answer is 409. An organization can have 200 translations.",
	}, h.create)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getTranslation", Route: "GET " + one, Tag: tag, Allow: see,
		Summary: "Get a translation.",
	}, h.get)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateTranslation", Route: "PUT " + one, Tag: tag, Allow: edit,
		Summary: "Replace the instructions of a translation.",
		About:   "Other instructions start a run. They are for language models; other engines do not understand any.",
	}, h.update)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteTranslation", Route: "DELETE " + one, Tag: tag, Allow: edit,
		Summary: "Delete a translation. Its result stays, as a space like any other.",
	}, h.delete)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "runTranslation", Route: "POST " + one + "/run", Tag: tag, Allow: edit,
		Summary: "Translate what changed in the source since the last run.",
	}, h.run)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listTranslationBlocks", Route: "GET " + one + "/blocks", Tag: tag, Allow: see,
		Summary: "List the blocks of a translation that need a person.",
		About: "A stale block was corrected in the result, and its source has changed since: the correction stays until somebody edits it. " +
			"An untranslated block is in the language of the source, because the engine could not translate it, or there is none. " +
			"Blocks are those of the last run; outdated says that the source changed since, and the next run looks at the block again.",
	}, h.listBlocks)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "acceptTranslationBlock", Route: "POST " + one + "/blocks/{blockId}/accept", Tag: tag, Allow: authz.Org(authz.AcceptTranslations), Also: []int{http.StatusPreconditionFailed},
		Summary: "Note that a correction is still right although its source has changed.",
		About:   "The block is not stale any more, until its source changes again. 412 if the block is not translated. For people who can edit the result space.",
	}, h.acceptBlock)
}

// Translation is the JSON form of a translation.
type Translation struct {
	Object       string                  `json:"object" enum:"translation"`
	ID           string                  `json:"id"`
	Status       docs.TranslationStatus  `json:"status" enum:"pending,running,completed" doc:"A run that failed is completed too: outcome says that it did."`
	Outcome      string                  `json:"outcome,omitempty" enum:"succeeded,failed" doc:"Of the last run. One that failed keeps what it has translated; error says why. Absent before the first run."`
	Source       translationSource       `json:"source"`
	Language     kernel.Language         `json:"language"`
	Instructions json.RawMessage         `json:"instructions"`
	Result       *translationResult      `json:"result,omitempty" doc:"Absent before the end of the first run."`
	RunOnMerge   bool                    `json:"runOnMerge" doc:"Changes of the source start a run."`
	Error        string                  `json:"error,omitempty" doc:"Why the last run did not translate everything."`
	Progress     translationProgress     `json:"progress"`
	Stale        int64                   `json:"staleBlocks"`
	Untranslated int64                   `json:"untranslatedBlocks"`
	CreatedAt    docs.Time               `json:"createdAt"`
	UpdatedAt    docs.Time               `json:"updatedAt"`
	Stats        translationStats        `json:"stats"`
	Permissions  wire.OpenAPIPermissions `json:"permissions"`
	URLs         wire.Location           `json:"urls"`
}

type translationSource struct {
	Space    docs.SpaceID    `json:"space" minLength:"1" maxLength:"100"`
	Language kernel.Language `json:"language"`
}

// newTranslationSource is a translationSource whose language is optional.
type newTranslationSource struct {
	Space    docs.SpaceID    `json:"space" minLength:"1" maxLength:"100"`
	Language kernel.Language `json:"language,omitempty" doc:"Default: the language of the space."`
}

type translationResult struct {
	Space    string          `json:"space"`
	Revision string          `json:"revision"`
	Language kernel.Language `json:"language"`
}

type translationProgress struct {
	Done int64 `json:"done" doc:"Pages of the newest run that are translated."`
	All  int64 `json:"all"`
}

type translationStats struct {
	Runs           int64 `json:"runs"`
	TotalWords     int64 `json:"totalWords" doc:"Words that were sent to the engine."`
	TotalPages     int64 `json:"totalPages"`
	TotalDuration  int64 `json:"totalDuration" doc:"Seconds."`
	LatestDuration int64 `json:"latestRunDuration" doc:"Seconds."`
	LatestPages    int64 `json:"latestPages"`
	LatestWords    int64 `json:"latestWords"`
}

func (h *handlers) translation(g *authz.Grant, v docs.Translation) Translation {
	st := v.Stats
	out := Translation{
		Object: "translation", ID: string(v.ID), Status: v.Status, Source: translationSource{v.Source, kernel.Language(v.From)}, Language: kernel.Language(v.To),
		Instructions: v.Instructions, RunOnMerge: v.RunOnMerge, Error: v.Error, Progress: translationProgress{v.DonePages, v.AllPages},
		Stale: v.Stale, Untranslated: v.Untranslated, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt,
		Stats: translationStats{
			Runs: st.Runs, TotalWords: st.TotalWords, TotalPages: st.TotalPages, TotalDuration: seconds(st.TotalDuration),
			LatestDuration: seconds(st.LatestDuration), LatestPages: st.LatestPages, LatestWords: st.LatestWords,
		},
		Permissions: wire.OpenAPIPermissions{View: g.Can(authz.ListTranslations), Edit: g.Can(authz.ManageTranslations)},
		URLs:        wire.Location{Location: h.Location("orgs", string(v.Org), "translations", string(v.ID))},
	}
	switch {
	case st.Runs == 0:
	case v.Error != "":
		out.Outcome = "failed"
	default:
		out.Outcome = "succeeded"
	}
	if st.Runs > 0 && v.Revision != "" {
		out.Result = &translationResult{string(v.Result), string(v.Revision), kernel.Language(v.To)}
	}
	return out
}

// seconds converts milliseconds to seconds and rounds up, so that no run appears to have
// taken no time.
func seconds(ms int64) int64 { return (ms + 999) / 1000 }

type listIn struct {
	wire.OrgIn
	kernel.Paged
}

func (h *handlers) list(ctx context.Context, in *listIn) (*kernel.Page[Translation], error) {
	g := authz.FromContext(ctx)
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Translations.Translations(in.Org), func(v docs.Translation) Translation { return h.translation(g, v) })
}

type createTranslationIn struct {
	wire.OrgIn
	Body struct {
		Source       newTranslationSource `json:"source"`
		Language     kernel.Language      `json:"language"`
		Instructions json.RawMessage      `json:"instructions,omitempty" doc:"A document, for engines that understand instructions."`
		RunOnMerge   *bool                `json:"runOnMerge,omitempty" doc:"Changes of the source start a run. Default: true."`
	}
}

func (h *handlers) create(ctx context.Context, in *createTranslationIn) (*kernel.Out[Translation], error) {
	g, b := authz.FromContext(ctx), in.Body
	v, err := h.Translations.Create(ctx, g, translations.New{
		Source: b.Source.Space, From: string(b.Source.Language), To: string(b.Language), Instructions: b.Instructions, RunOnMerge: b.RunOnMerge == nil || *b.RunOnMerge,
	})
	return kernel.OK(h.translation(g, v)), err
}

// TranslationIn is part of the input of operations on a translation.
type TranslationIn struct {
	wire.OrgIn
	ID docs.TranslationID `path:"translationId"`
}

func (h *handlers) get(ctx context.Context, in *TranslationIn) (*kernel.Out[Translation], error) {
	v, err := h.Translations.Translation(ctx, in.Org, in.ID)
	return kernel.OK(h.translation(authz.FromContext(ctx), v)), err
}

type updateTranslationIn struct {
	TranslationIn
	Body struct {
		Instructions json.RawMessage `json:"instructions" doc:"A document, for engines that understand instructions."`
		RunOnMerge   *bool           `json:"runOnMerge,omitempty" doc:"Changes of the source start a run."`
	}
}

func (h *handlers) update(ctx context.Context, in *updateTranslationIn) (*kernel.Out[Translation], error) {
	g := authz.FromContext(ctx)
	v, err := h.Translations.Update(ctx, g, in.ID, in.Body.Instructions, in.Body.RunOnMerge)
	return kernel.OK(h.translation(g, v)), err
}

func (h *handlers) delete(ctx context.Context, in *TranslationIn) (*kernel.Done, error) {
	return nil, h.Translations.Delete(ctx, authz.FromContext(ctx), in.ID)
}

func (h *handlers) run(ctx context.Context, in *TranslationIn) (*kernel.Done, error) {
	return nil, h.Translations.StartRun(ctx, authz.FromContext(ctx), in.ID)
}

// TranslationBlock is the JSON form of a block of a translation that needs a person.
type TranslationBlock struct {
	Object string           `json:"object" enum:"translation-block"`
	ID     string           `json:"id"`
	Page   string           `json:"page" doc:"Id of the page, or of the reusable content."`
	Part   string           `json:"part" doc:"document, title, description, or another field of the page."`
	Block  string           `json:"block,omitempty" doc:"Key of the block in the document."`
	Status docs.BlockStatus `json:"status" enum:"stale,untranslated"`
	Source string           `json:"source" doc:"Text of the source."`
	Text   string           `json:"text" doc:"Text of the result."`
	// Outdated is absent for most blocks.
	Outdated bool `json:"outdated,omitempty" doc:"Whether the source changed since the last run."`
}

type acceptBlockIn struct {
	TranslationIn
	Block string `path:"blockId" maxLength:"500"`
}

func (h *handlers) acceptBlock(ctx context.Context, in *acceptBlockIn) (*kernel.Done, error) {
	return nil, h.Translations.Accept(ctx, authz.FromContext(ctx), in.ID, in.Block)
}

type listBlocksIn struct {
	TranslationIn
	kernel.Paged
	Status docs.BlockStatus `query:"status" enum:"stale,untranslated" doc:"Only these."`
}

func (h *handlers) listBlocks(ctx context.Context, in *listBlocksIn) (*kernel.Page[TranslationBlock], error) {
	list, err := h.Translations.Blocks(ctx, authz.FromContext(ctx), in.ID, in.Status)
	if err != nil {
		return nil, err
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, list, func(b docs.TranslationBlock) TranslationBlock {
		return TranslationBlock{"translation-block", b.ID, b.Page, b.Part, b.Block, b.Status, b.Source, b.Text, b.Outdated}
	})
}
